"""A project is deleted with everything, and what stands in the way."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from db.carried import LEFT
from db.engine import Store
from db.tables import metadata
from domain.errors import ConflictError, InvalidInputError, LeaseLostError, NotFoundError
from domain.project_parts import ProjectPart
from domain.roles import Role
from extensions.archives import deletion
from extensions.archives.copying import clone_project
from extensions.archives.exporting import export_project
from media.store import MediaStore
from testkit.factories import claimed, make_items, make_person, make_project
from tests.workflow.whole_project import build
from workflow.access import audit, project_care, projects
from workflow.annotate import progress, submissions
from workflow.releases.staging import staging

pytestmark = [pytest.mark.both_databases, pytest.mark.thorough]


def test_a_deleted_project_leaves_nothing_but_a_line(store: Store, home: Path) -> None:
    media = MediaStore(home / "media")
    build(store, media, home)
    lea = make_person(store, "eva", project="p", role=Role.LEAD)
    for told, mended in (
        ("A run of A blind test is in progress", "UPDATE run SET state = 'paused'"),
        ("Label Studio at http", "UPDATE bridge SET stages = '[]', busy_until = NULL"),
    ):
        for press in (
            lambda: project_care.archive(store, by=lea, project="p"),
            lambda: deletion.delete_project(store, media, by=lea, project="p", typed="p"),
        ):
            with pytest.raises(ConflictError, match=told):
                press()
        with store.write() as session:
            session.connection().execute(text(mended))
    project_care.archive(store, by=lea, project="p")
    export_project(store, media, by=lea, project="p", out=home / "archived.zip")
    clone_project(
        store, media, project="p", name="q", without=frozenset({ProjectPart.PEOPLE}), title=" A copy ", by=lea
    )
    copy = projects.project(store, person=lea, project="q")
    assert (copy.title, copy.archived, copy.role) == ("A copy", False, Role.LEAD)
    export_project(store, media, by=None, project="q", out=home / "before.zip")
    whole = _rows(store)
    lost = deletion.losses(store, by=lea, project="p")
    assert lost.files == 0  # the copy has them all
    assert lost.items == whole["item"] // 2
    with pytest.raises(InvalidInputError, match="To delete the project, type the project ID, p"):
        deletion.delete_project(store, media, by=lea, project="p", typed="P")
    kept = [home / "releases" / name / "1" / "private" / "keys.json" for name in ("p", "q")]
    for path in kept:
        path.parent.mkdir(parents=True)
        path.write_text("{}")

    def deleted() -> deletion.Losses:
        return deletion.delete_project(store, media, by=lea, project="p", typed="p", home=home)

    with (
        staging(home, "p"),
        pytest.raises(ConflictError, match=r"is creating a release of p\. .* Then delete the project\."),
    ):
        deleted()
    assert deletion.losses(store, by=lea, project="p") == lost, "nothing was begun"
    assert lost.releases == 1
    assert deleted() == lost
    assert [path.exists() for path in kept] == [False, True]
    assert {path.name for path in (home / "releases").iterdir()} == {"q"}

    export_project(store, media, by=None, project="q", out=home / "after.zip")
    assert (home / "after.zip").read_bytes() == (home / "before.zip").read_bytes()
    with pytest.raises(NotFoundError):
        projects.project(store, person=lea, project="p")
    (line,) = audit.entries(store, by=None, project=None, kinds=("project.deleted",))
    assert (line.who, line.project, line.data["name"], line.data["items"]) == ("eva", None, "p", lost.items)
    with store.write() as session, pytest.raises(Exception, match="append-only"):  # the log is locked as before
        session.connection().execute(text("DELETE FROM event"))

    files = deletion.losses(store, by=None, project="q").files
    assert files == whole["media_object"]
    deletion.delete_project(store, media, by=None, project="q", typed="q")
    stay = {"person", "schema_version", "event", "failed_login", "session", "sign_in_link"}
    assert {name for name, n in _rows(store).items() if n} - stay == set()
    assert not [path for path in (home / "media").rglob("*") if path.is_file()]
    if store.is_sqlite:
        with store.read() as session:
            assert session.connection().execute(text("PRAGMA foreign_key_check")).all() == []
    assert LEFT.keys() <= _rows(store).keys()


def test_what_is_under_way_stands_in_the_way(store: Store, home: Path) -> None:
    media = MediaStore(home / "media")
    make_project(store)
    make_items(store, 1)
    ann, lea = make_person(store, "ann"), make_person(store, "lea", role=Role.LEAD)
    other = make_person(store, "zoe", project=None)
    held = claimed(store, ann)
    for of_other in (
        lambda: deletion.losses(store, by=other, project="p"),
        lambda: deletion.delete_project(store, media, by=other, project="p", typed="p"),
    ):
        with pytest.raises(NotFoundError):
            of_other()
    deletion.delete_project(store, media, by=lea, project="p", typed="p")
    with pytest.raises((NotFoundError, LeaseLostError)) as told:
        submissions.submit(store, person=ann, task=held.id, key="k", values={"choice": "red"})
    assert str(told.value).endswith(".")
    assert progress.my_work(store, person=ann) == []


def _rows(store: Store) -> dict[str, int]:
    with store.read() as session:
        return {
            name: session.connection().scalar(select(func.count()).select_from(table)) or 0
            for name, table in metadata.tables.items()
        }

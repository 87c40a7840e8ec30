"""Marks of the page Privacy are events: in the log, on every server of the database, in archives, from older homes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from app.services import Services
from db.engine import Store, open_store
from domain import extensions
from domain.jobs import unheard
from domain.project_parts import ProjectPart
from domain.records import AuditEntry
from domain.roles import Role
from domain.settings import Settings
from extensions.privacy import marks, page_work
from extensions.privacy.boxes import Box
from extensions.privacy.marks import Mark
from extensions.privacy.page_work import CoverJob, MarkRequest, PageItem
from extensions.privacy.tests.boxes import BOX
from extensions.privacy.tests.test_privacy import put, shown
from media.store import MediaStore
from testkit.covered import file, shows
from testkit.factories import make_person, make_project
from testkit.project_archives import export_project, import_project, needs_archives
from workflow.access import accounts, audit
from workflow.files import project_check

FOUND_BOX = Box("face", 0.5, 0.1, 0.2, 0.3, "frontal")

pytestmark = [pytest.mark.thorough, pytest.mark.both_databases]


@pytest.fixture
def lea(store: Store, home: Path) -> Services:
    """A lead of a project with two pictures, in the first of which a look found a box."""
    make_project(store)
    media = MediaStore(home / "media")
    first, _ = put(store, media, home, file(), file(90))
    services = Services(store, media, Settings(home, ""), make_person(store, "lea", role=Role.LEAD), "csrf")
    folder = page_work.folder_of(services, "p")
    folder.mkdir(parents=True)
    told = {"looked": {"opencv": "4"}, "boxes": {first: [FOUND_BOX.as_json()]}}
    (folder / "found.json").write_text(json.dumps(told))
    return services


def at_another_server(lea: Services, home: Path) -> Services:
    """The same database with a home folder of its own, and the same media."""
    return replace(lea, settings=Settings(home, ""))


def pictures(lea: Services, project: str = "p") -> dict[str, PageItem]:
    folder = page_work.folder_of(lea, project)
    found = page_work.items(lea.store, lea.media, folder, by=lea.person, project=project)
    return {each.seen.name: each for each in found}


def mark(lea: Services, name: str, decided: str, ticks: Sequence[bool] = (), added: Sequence[Box] = ()) -> PageItem:
    item = pictures(lea)[name]
    saying = MarkRequest(item.seen.file, item.revision, item.since, decided, ticks, added)
    return page_work.say(lea.store, page_work.folder_of(lea, "p"), by=lea.person, project="p", saying=saying)


def cover(lea: Services, project: str = "p") -> None:
    those = {each.seen.file: each.revision for each in pictures(lea, project).values() if each.waits}
    CoverJob(page_work.folder_of(lea, project), project, lea.person, those).run(
        lea.store, lea.media, lea.settings.home, unheard
    )


def logged(store: Store, kind: str, project: str = "p") -> list[AuditEntry]:
    return audit.entries(store, by=None, project=project, kinds=[kind])[::-1]


def test_the_log_says_who_marked_what_and_that_it_is_covered(lea: Services) -> None:
    first, second = shown(lea.store)
    mark(lea, "0.png", "cover", [False], [BOX])
    mark(lea, "1.png", "nothing")
    one, two = logged(lea.store, "privacy.marked")
    assert (one.who, one.data["name"], one.data["file"], one.data["decided"]) == ("lea", "0.png", first, "cover")
    assert one.data["boxes"] == [{**FOUND_BOX.as_json(), "cover": False}]
    assert one.data["added"] == [BOX.as_json()]
    assert (two.who, two.data["file"], two.data["decided"], two.data["added"]) == ("lea", second, "nothing", [])
    cover(lea)
    (applied,) = logged(lea.store, "privacy.applied")
    assert (applied.who, applied.data["marks"]) == ("lea", {first: 1, second: 1})
    assert not any(each.waits for each in pictures(lea).values())
    assert not [path for path in lea.settings.home.rglob("draft.json*")], "the home folder holds no decision"


def test_a_project_with_marks_names_the_extension_where_it_is_missing(
    lea: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark(lea, "0.png", "cover", [True], [BOX])
    assert project_check.remarks(lea.store) == []
    monkeypatch.setattr(extensions, "installed", dict)
    (remark,) = project_check.remarks(lea.store)
    assert "belongs to the extension Privacy, which is not installed." in remark


def test_another_server_sees_the_marks_and_covers_them(lea: Services, tmp_path: Path) -> None:
    other = at_another_server(lea, tmp_path / "other")
    mark(lea, "0.png", "cover", [True], [BOX])
    there = pictures(other)["0.png"]
    assert (there.decided, there.by, there.waits) == ("cover", "lea", True)
    assert [(box.place, box.cover) for box in there.boxes] == [(FOUND_BOX.place, True), (BOX.place, True)]
    stale = MarkRequest(there.seen.file, 0, None, "nothing", [True], [])
    with pytest.raises(page_work.MarkConflict, match="lea changed this picture first"):
        page_work.say(other.store, page_work.folder_of(other, "p"), by=lea.person, project="p", saying=stale)
    again = mark(other, "0.png", "cover", [False], [BOX])
    assert (again.revision, pictures(lea)["0.png"].revision) == (2, 2)
    those = {there.seen.file: 2}
    CoverJob(page_work.folder_of(other, "p"), "p", lea.person, those).run(
        lea.store, lea.media, lea.settings.home, unheard
    )
    now = pictures(lea)["0.png"]
    assert now.seen.decision is not None
    assert [(box.place, box.cover) for box in now.seen.decision.boxes] == [(FOUND_BOX.place, False), (BOX.place, True)]
    assert not shows(lea.media.path(now.seen.file))
    assert pictures(other)["0.png"].decided == "cover"


def test_of_two_marks_at_one_moment_the_first_counts(lea: Services) -> None:
    first, _ = shown(lea.store)
    noor = make_person(lea.store, "noor", role=Role.LEAD)
    seen = Mark(file=first, decided="cover", boxes=(), added=(BOX,), after=None, revision=1)
    saved = [
        marks.save(lea.store, by=by, project="p", name="0.png", mark=replace(seen, decided=decided))
        for by, decided in ((lea.person, "cover"), (noor, "nothing"))
    ]
    assert saved == [True, False]
    assert [(each.who, each.data["decided"]) for each in logged(lea.store, "privacy.marked")] == [("lea", "cover")]


@needs_archives
@pytest.mark.parametrize("left_out", [frozenset(), frozenset({ProjectPart.VOTES})], ids=["whole", "without votes"])
def test_an_archive_carries_marks_and_covered_pictures_into_an_empty_home(
    lea: Services, left_out: frozenset[ProjectPart], sqlite_template: Path, tmp_path: Path
) -> None:
    original, _ = shown(lea.store)
    mark(lea, "0.png", "cover", [False], [BOX])
    cover(lea)
    mark(lea, "1.png", "cover", [], [BOX])
    archive = lea.settings.home / "p.zip"
    export_project(lea.store, lea.media, out=archive)
    home = tmp_path / "empty"
    home.mkdir()
    shutil.copyfile(sqlite_template, home / "touchstone.db")
    store = open_store(None, home)
    try:
        media = MediaStore(home / "media")
        accounts.create_person(store, login="adm", name="Adm", is_admin=True)
        import_project(store, media, path=archive, without=left_out)
        here = Services(store, media, Settings(home, ""), accounts.find_person(store, login="adm"), "csrf")
        now = pictures(here)
        assert now["0.png"].seen.decision is not None
        assert [(box.place, box.cover) for box in now["0.png"].seen.decision.boxes] == [
            (FOUND_BOX.place, False),
            (BOX.place, True),
        ]
        assert not shows(media.path(now["0.png"].seen.file))
        assert original not in media
        assert (now["1.png"].decided, now["1.png"].waits, now["1.png"].boxes) == ("cover", True, (BOX,))
        assert put(store, media, home, file())[0] == now["0.png"].seen.file, "the original stays covered"
        cover(here)
        assert not any(shows(media.path(each)) for each in shown(store))
        kinds = [each.kind for each in audit.entries(store, by=None, project="p", kinds=["privacy."])]
        assert kinds.count("privacy.marked") == 2
    finally:
        store.close()


def test_marks_of_an_older_home_folder_are_taken_in_once(lea: Services) -> None:
    first, second = shown(lea.store)
    folder = page_work.folder_of(lea, "p")
    key = "face/0.500000/0.100000/0.200000/0.300000"
    before = {
        first: {
            "decided": "cover", "ticks": {key: False}, "added": [BOX.as_json()], "by": "lea", "after": None,
            "revision": 3,
        },
        second: {"decided": "nothing", "ticks": {}, "added": [], "by": "gone", "after": None, "revision": 1},
    }  # fmt: skip
    content = json.dumps(before)
    (folder / "draft.json").write_text(content)
    for _ in range(2):
        found = pictures(lea)
        assert (found["0.png"].decided, found["0.png"].by, found["0.png"].revision) == ("cover", "lea", 3)
        assert [(box.place, box.cover) for box in found["0.png"].boxes] == [
            (FOUND_BOX.place, False),
            (BOX.place, True),
        ]
        assert (found["1.png"].decided, found["1.png"].waits) == ("nothing", True)
        assert len(logged(lea.store, "privacy.marked")) == 2
        (folder / "draft.json").write_text(content)  # a crash before the file was put aside
    cover(lea)
    assert [(each.decided, each.waits) for each in pictures(lea).values()] == [("cover", False), ("nothing", False)]
    assert len(logged(lea.store, "privacy.marked")) == 2

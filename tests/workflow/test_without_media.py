"""What waits for its images or clips is given to no one, and everyone is told; afterwards it is offered anew."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import event, text, update
from sqlmodel import col, select

from annotation_schemas.loader import load_text
from db import assets, files, task_slots
from db.engine import Store
from db.tables import AssetRow, ItemAssetRow, TaskRow
from domain.errors import NotAllowedError
from domain.records import NoTask, Person, TaskView
from domain.roles import Role
from domain.states import Stage
from media.store import MediaStore
from testkit import missing_media
from testkit.factories import (
    BLIND,
    SETTLING,
    Clock,
    claimed,
    make_items,
    make_people,
    make_person,
    make_predictions,
    make_project,
    vote,
)
from testkit.looks import look
from workflow.access.projects import access_to
from workflow.annotate import (
    claims,
    no_work,
    progress,
    project_progress,
)
from workflow.files.project_check import check

pytestmark = pytest.mark.both_databases


@pytest.fixture
def media(home: Path) -> MediaStore:
    return MediaStore(home / "media")


def link(store: Store, item_ids: Sequence[int], *, role: str = "image", project: str = "p") -> None:
    """Let items have images that no one has brought in."""
    with store.write() as session:
        project_id = access_to(session, person=None, project=project).project_id
        for item_id in item_ids:
            name = f"{item_id}.png"
            asset = AssetRow(project_id=project_id, name=name, kind="image", created_at=store.now())
            session.add(asset)
            session.flush()
            session.add(ItemAssetRow(item_id=item_id, asset_id=asset.id, role=role))
    check(store, rebuild=True)  # slots are of items that have their links when they are made


def project(store: Store, *, name: str = "p", extra: str = "", assets: str = "{role: image, kind: image}") -> None:
    schema = BLIND.replace("RATERS", f"2{extra}").replace("PER_SOURCE", "2").replace("ADJUDICATION", SETTLING)
    schema = schema.replace("{role: image, kind: image}", assets)
    make_project(store, name=name, loaded=load_text(schema, "Be exact.", "blind"))


def sentence(store: Store, person: Person, stage: Stage = Stage.VERIFICATION) -> str:
    found = claims.next_task(store, person=person, project="p", stage=stage)
    assert isinstance(found, NoTask), found
    return found.sentence


@pytest.mark.thorough
@pytest.mark.one_database
def test_only_what_is_there_is_given_out(store: Store, media: MediaStore) -> None:
    project(store)
    ids = make_items(store, 3)
    make_predictions(store, ids, models=["m"])
    link(store, ids[:2])
    ann, ben = make_people(store, "ann", "ben")
    senior = make_person(store, "sue", role=Role.SENIOR)
    assert progress.progress(store, person=ann, project="p", stage=Stage.VERIFICATION).mine_left == 1
    there = vote(store, ann)
    assert vote(store, ben, "blue").item == there.item
    for person in (ann, ben):
        assert sentence(store, person) == no_work.WAITS_FOR_MEDIA
    claimed(store, ann, Stage.GRADING)
    link(store, ids[2:])  # what comes back by itself and what is to be settled wait as well
    assert sentence(store, senior, Stage.ADJUDICATION) == no_work.WAITS_FOR_MEDIA
    assert sentence(store, ben, Stage.GRADING) == no_work.WAITS_FOR_MEDIA
    (row,) = [
        row for row in project_progress.dashboard(store, person=None, project="p").rows if row.dimension == "colour"
    ]
    assert any("3 items wait for missing media: 3 images, such as 1.png." in why for why in row.blocked), row.blocked

    missing_media.fill(store, media)
    assert {vote(store, ann).item for _ in range(2)} == {vote(store, ben).item for _ in range(2)}
    claimed(store, senior, Stage.ADJUDICATION)
    claimed(store, ben, Stage.GRADING)


@pytest.mark.thorough
@pytest.mark.one_database
def test_what_waits_costs_those_who_look_for_work_nothing(store: Store) -> None:
    for name in ("few", "many"):
        project(store, name=name, extra="\n    order: oldest")

    def asked_for_the_first(name: str, n_waiting: int) -> int:
        """Statements until someone new has the first item that is not waiting, which stands last."""
        link(store, make_items(store, n_waiting, project=name), project=name)
        make_items(store, 1, project=name, dimension="shape")
        person = make_person(store, name, project=name)
        asked: list[str] = []
        listen = ("before_cursor_execute", lambda c, cursor, statement, *_: asked.append(statement))
        event.listen(store.engine, *listen)
        found = claims.next_task(store, person=person, project=name, stage=Stage.VERIFICATION)
        event.remove(store.engine, *listen)
        assert isinstance(found, TaskView)
        assert found.dimension == "shape"
        return len(asked)

    assert asked_for_the_first("few", 1) == asked_for_the_first("many", 400)


@pytest.mark.one_database
def test_someone_whose_own_work_waits_for_others_is_told_that(store: Store) -> None:
    project(store)
    ids = make_items(store, 2)
    ann = make_person(store, "ann")
    vote(store, ann)
    vote(store, ann)
    link(store, ids)  # what ann has voted on is nothing that she waits for
    assert sentence(store, ann).startswith("You have finished your tasks. The remaining items wait for other people.")


def test_what_is_noted_wrongly_is_found_and_mended(store: Store) -> None:
    project(store)
    ids = make_items(store, 2)
    link(store, ids[:1])
    with store.write() as session:
        session.exec(update(TaskRow).values(awaits_media=~col(TaskRow.awaits_media)))
    assert check(store, rebuild=True) == [
        *2 * ["p: item colour/0 lacks an image or clip, but its slot for verification is open."],
        *2 * ["p: item colour/1 has all images and clips, but its slot for verification still waits for media."],
    ]
    assert check(store) == []


def test_slots_that_open_while_an_image_comes_in_do_not_wait_for_it(store: Store, media: MediaStore) -> None:
    """Answers are passed on by one person while another brings in the image: neither sees the other's rows yet."""
    project(store)
    ids = make_items(store, 1)
    link(store, ids)
    with store.write() as session:
        access = access_to(session, person=None, project="p")
        (asset,) = session.exec(select(AssetRow.id))
        row = {"sha256": "0" * 64, "kind": "image", "mime": "image/png", "bytes": 1, "width": 64, "height": 48}
        assets.put_media(session, row={**row, "duration": None, "created_at": store.now()})
    with ThreadPoolExecutor(1) as others:
        with store.write() as session:
            files.fill_assets(session, hashes={asset or 0: "0" * 64})
            task_slots.offer_items_with(session, asset_ids=[asset or 0], needed=access.needed_roles)
            passing_on = others.submit(make_predictions, store, ids, models=["m"])
            while not store.is_sqlite and not _held_up(store):
                assert not passing_on.done(), "it has to wait for the image"
        passing_on.result()
    assert check(store) == []
    claimed(store, make_person(store, "gil"), Stage.GRADING)


def _held_up(store: Store) -> bool:
    """Whether someone waits for a row in PostgreSQL."""
    with store.engine.connect() as connection:
        return bool(connection.scalar(text("SELECT count(*) FROM pg_locks WHERE NOT granted")))


@pytest.mark.one_database
def test_what_was_given_up_waits_too(store: Store, media: MediaStore) -> None:
    store.clock = clock = Clock()
    project(store)
    ids = make_items(store, 1)
    ann, ben, cat = make_people(store, "ann", "ben", "cat")
    claimed(store, ann)
    claimed(store, ben)
    link(store, ids)  # a project of an earlier version, which gave it out
    clock.advance(hours=5)
    assert isinstance(claims.next_task(store, person=cat, project="p", stage=Stage.VERIFICATION), NoTask)
    assert claimed(store, ann).item, "who has it in hand keeps it"


def test_an_image_that_need_not_be_there_holds_nothing_back(store: Store) -> None:
    project(store, assets="{role: image, kind: image, min: 0}")
    link(store, make_items(store, 2))
    ann = make_person(store, "ann")
    assert progress.progress(store, person=ann, project="p", stage=Stage.VERIFICATION).mine_left == 2
    vote(store, ann)
    row = project_progress.dashboard(store, person=None, project="p").rows[0]
    assert not any("no one has brought in" in why for why in row.blocked)


@pytest.mark.one_database
def test_no_one_looks_into_what_they_will_be_asked_about(store: Store) -> None:
    project(store)
    link(store, make_items(store, 1))
    senior = make_person(store, "sue", role=Role.SENIOR)
    with pytest.raises(NotAllowedError, match="blind"):
        look(store, senior, "colour/0")

"""The pool, picking, and writing items."""

from __future__ import annotations

import pytest
from sqlmodel import select

from annotation_schemas.loader import load_text
from db.engine import Store
from db.tables import AssetRow, ItemRow, RevisionRow, SourceRow, TaskRow
from domain.errors import (
    AlreadyTakenError,
    ConflictError,
    InvalidInputError,
    LeaseLostError,
    NotAllowedError,
    NotFoundError,
)
from domain.records import NoTask, Person, SubmissionReceipt, TaskView
from domain.states import ItemState, Stage, TaskState
from testkit.factories import (
    UNVERIFIED,
    Clock,
    claimed,
    make_fields,
    make_people,
    make_person,
    make_pool,
    make_project,
    make_schema,
    vote,
)
from workflow.annotate import claims, drafts, image_pool, submissions
from workflow.files.project_check import check

pytestmark = pytest.mark.both_databases


def write(store: Store, person: Person, image: str, n: int = 1) -> tuple[TaskView, SubmissionReceipt]:
    view = image_pool.pick(store, person=person, project="p", dimension="colour", assets=[image])
    return view, submissions.submit(store, person=person, task=view.id, key=f"w-{view.id}", values=make_fields(n))


def ids(store: Store, person: Person) -> list[str]:
    return [asset.id for asset in image_pool.pool(store, person=person, project="p").assets]


def test_a_picked_image_leaves_everyones_pool(store: Store) -> None:
    make_project(store)
    ann, bob = make_people(store, "ann", "bob")
    first, second = make_pool(store, 2)
    view = image_pool.pick(store, person=ann, project="p", dimension="colour", assets=[first])
    assert [asset.id for asset in view.assets] == [first]
    assert view.assets[0].role == "image"
    assert (view.item, view.fields) == (None, {})
    assert ids(store, bob) == ids(store, ann) == [second]
    with pytest.raises(AlreadyTakenError):
        image_pool.pick(store, person=bob, project="p", dimension="colour", assets=[first])
    assert claimed(store, ann, Stage.AUTHORING).id == view.id


@pytest.mark.one_database
def test_a_written_item_waits_for_votes_of_others(store: Store) -> None:
    make_project(store)
    ann, bob, cy = make_people(store, "ann", "bob", "cy")
    (image,) = make_pool(store, 1)
    _, written = write(store, ann, image)
    assert written.state is ItemState.IN_VERIFICATION
    assert isinstance(claims.next_task(store, person=ann, project="p", stage=Stage.VERIFICATION), NoTask)
    view = vote(store, bob)
    assert (view.item, [asset.id for asset in view.assets]) == (written.item, [image])
    vote(store, cy)
    with store.read() as session:
        item = session.exec(select(ItemRow)).one()
    assert (item.state, item.author_id) == (ItemState.KEPT, ann.id)
    assert check(store) == []


@pytest.mark.one_database
def test_the_form_is_checked_and_knows_only_authored_fields(store: Store) -> None:
    make_project(store)
    ann = make_person(store, "ann")
    (image,) = make_pool(store, 1)
    view = image_pool.pick(store, person=ann, project="p", dimension="colour", assets=[image])
    for values in ({}, make_fields(answer="green"), make_fields(origin="smuggled"), make_fields(more=1)):
        with pytest.raises(InvalidInputError):
            submissions.submit(store, person=ann, task=view.id, key="k", values=values)
    submissions.submit(store, person=ann, task=view.id, key="k", values=make_fields())


def test_a_source_gives_no_more_than_the_schema_allows(store: Store) -> None:
    make_project(store, loaded=make_schema(per_source=2))
    ann = make_person(store, "ann")
    images = make_pool(store, 4, source="video")
    other = make_pool(store, 1, source="another")
    write(store, ann, images[0])
    assert set(ids(store, ann)) == {*images[1:], *other}
    write(store, ann, images[1], 2)
    assert ids(store, ann) == other
    with pytest.raises(AlreadyTakenError):
        image_pool.pick(store, person=ann, project="p", dimension="colour", assets=[images[2]])
    assert image_pool.pool(store, person=ann, project="p").total == 1


def test_giving_an_image_back_frees_it_and_its_source(store: Store) -> None:
    make_project(store, loaded=make_schema(per_source=1))
    ann, bob = make_people(store, "ann", "bob")
    images = make_pool(store, 2, source="video")
    view = image_pool.pick(store, person=ann, project="p", dimension="colour", assets=[images[0]])
    assert ids(store, bob) == []
    claims.release(store, person=ann, task=view.id)
    assert ids(store, bob) == images
    with store.read() as session:
        assert session.exec(select(SourceRow.taken)).one() == 0
    nothing = claims.next_task(store, person=ann, project="p", stage=Stage.AUTHORING)
    assert isinstance(nothing, NoTask)
    assert nothing.code == "pick_first"
    image_pool.pick(store, person=bob, project="p", dimension="colour", assets=[images[0]])


@pytest.mark.one_database
def test_an_abandoned_image_comes_back_and_its_author_may_go_on_until_it_is_taken(store: Store) -> None:
    clock = store.clock = Clock()
    make_project(store)
    ann, bob = make_people(store, "ann", "bob")
    first, second = make_pool(store, 2, source="video")
    begun = image_pool.pick(store, person=ann, project="p", dimension="colour", assets=[first])
    clock.advance(minutes=31)
    assert ids(store, bob) == [first, second]
    submissions.submit(store, person=ann, task=begun.id, key="late", values=make_fields())
    assert ids(store, bob) == [second]
    with store.read() as session:
        assert session.exec(select(SourceRow.taken)).one() == 1

    again = image_pool.pick(store, person=ann, project="p", dimension="colour", assets=[second])
    clock.advance(minutes=31)
    taken = image_pool.pick(store, person=bob, project="p", dimension="colour", assets=[second])
    with pytest.raises(LeaseLostError):
        submissions.submit(store, person=ann, task=again.id, key="too late", values=make_fields(2, question="Mine?"))
    kept = drafts.save_draft(store, person=ann, task=again.id, seq=0, values={})
    assert kept.values["values"]["question"] == "Mine?"
    assert isinstance(claims.next_task(store, person=ann, project="p", stage=Stage.AUTHORING), NoTask)
    submissions.submit(store, person=bob, task=taken.id, key="b", values=make_fields(3))
    with store.read() as session:
        assert len(session.exec(select(ItemRow)).all()) == 2
        assert session.exec(select(SourceRow.taken)).one() == 2
    assert check(store) == []


def test_an_author_may_correct_until_someone_votes(store: Store) -> None:
    make_project(store)
    ann, bob, cy = make_people(store, "ann", "bob", "cy")
    (image,) = make_pool(store, 1)
    view, written = write(store, ann, image)
    back = submissions.undo(store, person=ann, project="p", stage=Stage.AUTHORING)
    assert back.draft is not None
    assert back.draft.values["values"] == make_fields(1)
    submissions.submit(store, person=ann, task=view.id, key="again", values=make_fields(1, question="Better?"))
    seen = vote(store, bob)
    assert (seen.item, seen.revision, seen.fields["question"]) == (written.item, 2, "Better?")
    with pytest.raises(ConflictError, match="voted"):
        submissions.undo(store, person=ann, project="p", stage=Stage.AUTHORING)
    vote(store, cy)
    with store.read() as session:
        assert [row.number for row in session.exec(select(RevisionRow).order_by(RevisionRow.number))] == [1, 2]
        assert session.exec(select(ItemRow.state)).one() is ItemState.KEPT
        withdrawn = session.exec(select(TaskRow).where(TaskRow.state == TaskState.WITHDRAWN)).all()
    assert {row.revision for row in withdrawn} == {1}
    assert check(store) == []


@pytest.mark.one_database
def test_without_verification_an_item_is_unverified(store: Store) -> None:
    make_project(store, loaded=load_text(UNVERIFIED, "", "plain"))
    ann = make_person(store, "ann")
    (image,) = make_pool(store, 1)
    view = image_pool.pick(store, person=ann, project="p", dimension="colour", assets=[image])
    done = submissions.submit(store, person=ann, task=view.id, key="k", values={"question": "Why?"})
    assert done.state is ItemState.UNVERIFIED
    nothing = claims.next_task(store, person=ann, project="p", stage=Stage.VERIFICATION)
    assert isinstance(nothing, NoTask)
    assert nothing.code == "no_stage"


def test_only_ones_own_dimensions_and_images(store: Store) -> None:
    make_project(store)
    make_project(store, name="other")
    ann = make_person(store, "ann", dimensions=["shape"])
    free, for_colour = *make_pool(store, 1), *make_pool(store, 1, dimension="colour")
    (foreign,) = make_pool(store, 1, project="other")
    assert ids(store, ann) == [free]
    with pytest.raises(NotAllowedError):
        image_pool.pick(store, person=ann, project="p", dimension="colour", assets=[free])
    with pytest.raises(NotAllowedError):
        image_pool.pick(store, person=ann, project="p", dimension="shape", assets=[for_colour])
    with pytest.raises(NotAllowedError, match="for 'colour' only"):
        image_pool.pick(store, person=make_person(store, "bob"), project="p", dimension="shape", assets=[for_colour])
    with pytest.raises(NotFoundError):
        image_pool.pick(store, person=ann, project="p", dimension="shape", assets=[foreign])
    with pytest.raises(InvalidInputError):
        image_pool.pick(store, person=ann, project="p", dimension="shape", assets=[])
    with store.read() as session:
        assert all(session.exec(select(AssetRow.in_pool)).all())


def test_the_pool_comes_in_pages(store: Store) -> None:
    make_project(store)
    ann = make_person(store, "ann")
    images = make_pool(store, 5)
    page = image_pool.pool(store, person=ann, project="p", limit=2)
    rest = image_pool.pool(store, person=ann, project="p", after=page.assets[-1].id, limit=10)
    assert [asset.id for asset in (*page.assets, *rest.assets)] == images
    assert page.total == rest.total == 5

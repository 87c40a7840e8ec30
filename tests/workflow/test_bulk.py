"""Many items at once: what the preview says is what happens, or nothing does."""

from __future__ import annotations

import pytest
from sqlmodel import col, select

from db.engine import Store
from db.tables import AnnotationRow, ItemRow, TaskRow
from domain.errors import ConflictError, InvalidInputError
from domain.roles import Role
from domain.states import ItemState, Stage, TaskState
from testkit.factories import Clock, make_items, make_people, make_person, make_project, vote
from workflow.annotate import claims, priorities
from workflow.lead import bulk
from workflow.lead.bulk_plans import Action, BulkSelection

pytestmark = pytest.mark.both_databases


def held_by(store: Store, person_id: int) -> list[str]:
    with store.read() as session:
        wanted = select(ItemRow.external_id).join(TaskRow, col(TaskRow.item_id) == ItemRow.id)
        return list(session.exec(wanted.where(TaskRow.person_id == person_id, TaskRow.state == TaskState.CLAIMED)))


def test_nothing_is_done_if_something_has_changed_since_the_preview(store: Store) -> None:
    make_project(store)
    make_items(store, 3)
    lea = make_person(store, "lea", role=Role.LEAD)
    ann, ben = make_people(store, "ann", "ben")
    for person in (ann, ben):
        for _ in range(3):
            vote(store, person)
    given = {
        "by": lea,
        "project": "p",
        "action": Action.VERIFY_AGAIN,
        "chosen": BulkSelection(state=ItemState.KEPT, items=("colour/0", "colour/2", "colour/9")),
    }
    seen = bulk.preview(store, **given)
    assert seen.can == ("colour/0", "colour/2")
    assert [name for name, _ in seen.cannot] == ["colour/9"]
    priorities.set_priority(store, by=lea, project="p", names=["colour/2"], priority=5)
    with pytest.raises(ConflictError):
        bulk.do(store, token=seen.token, **given)
    again = bulk.preview(store, **given)
    assert bulk.do(store, token=again.token, **given) == 2
    with store.read() as session:
        rows = {row.external_id: (row.state, row.current_revision) for row in session.exec(select(ItemRow))}
        votes = session.exec(select(AnnotationRow.id)).all()
    assert rows == {
        "colour/0": (ItemState.IN_VERIFICATION, 2),
        "colour/1": (ItemState.KEPT, 1),
        "colour/2": (ItemState.IN_VERIFICATION, 2),
    }
    assert len(votes) == 6, "what was submitted stays"
    vote(store, ann)
    vote(store, ann)


def test_priorities_change_for_what_was_chosen(store: Store) -> None:
    make_project(store)
    make_items(store, 2)
    make_items(store, 2, dimension="shape")
    lea = make_person(store, "lea", role=Role.LEAD)
    priorities.set_priority(store, by=lea, project="p", names=["colour/0"], priority=7)
    given = {"by": lea, "project": "p", "action": Action.PRIORITISE, "chosen": BulkSelection(dimension="colour")}
    seen = bulk.preview(store, priority=7, **given)
    assert (seen.can, [name for name, _ in seen.cannot]) == (("colour/1",), ["colour/0"])
    assert bulk.do(store, token=seen.token, priority=7, **given) == 1
    with store.read() as session:
        assert sorted(session.exec(select(ItemRow.priority))) == [0, 0, 7, 7]
    for nothing in (BulkSelection(), BulkSelection(stage=Stage.VERIFICATION)):  # nothing chosen is no item
        with pytest.raises(InvalidInputError, match="No items are chosen"):
            bulk.preview(store, by=lea, project="p", action=Action.PRIORITISE, chosen=nothing, priority=3)
        with pytest.raises(InvalidInputError, match="No items are chosen"):
            bulk.do(store, by=lea, project="p", action=Action.VERIFY_AGAIN, chosen=nothing, token="")
    every = bulk.preview(
        store, by=lea, project="p", action=Action.PRIORITISE, chosen=BulkSelection(every=True), priority=3
    )
    assert len(every.can) == 4


def test_items_are_assigned_to_one_person_who_has_them_for_a_week(store: Store) -> None:
    """A free slot, or one that someone else has in hand; never of an item that they may not have."""
    clock = Clock()
    store.now = clock  # type: ignore[method-assign]
    make_project(store)
    make_items(store, 3)
    lea = make_person(store, "lea", role=Role.LEAD)
    ann, ben, eve = make_people(store, "ann", "ben", "eve")
    vote(store, ann)
    answered = "colour/0"
    with store.read() as session:
        answered = session.exec(select(ItemRow.external_id).join(TaskRow).where(TaskRow.state == TaskState.DONE)).one()
    chosen = BulkSelection(stage=Stage.VERIFICATION, items=("colour/0", "colour/1", "colour/2"))
    given = {"by": lea, "project": "p", "action": Action.ASSIGN, "chosen": chosen, "among": ("ann",)}
    seen = bulk.preview(store, **given)
    assert dict(seen.cannot) == {answered: "This person wrote, edited, answered or inspected the item."}
    assert bulk.do(store, token=seen.token, **given) == 2
    assert sorted(held_by(store, ann.id)) == sorted(set(chosen.items) - {answered})
    with pytest.raises(ConflictError):  # a second press does nothing
        bulk.do(store, token=seen.token, **given)
    assert set(dict(bulk.preview(store, **given).cannot)) == set(chosen.items)
    for person in (ben, eve):  # everything else is answered, so that only what ann has is left
        for _ in range(4):
            if (
                claims.next_task(store, person=person, project="p", stage=Stage.VERIFICATION).__class__.__name__
                != "TaskView"
            ):
                break
            vote(store, person)
    clock.advance(days=6)
    assert claims.next_task(store, person=eve, project="p", stage=Stage.VERIFICATION).__class__.__name__ != "TaskView"
    assert len(held_by(store, ann.id)) == 2


def test_items_are_shared_out_evenly_among_those_who_may_have_them(store: Store) -> None:
    """No one gets what they wrote or voted on, or what is not theirs; who no one may have is named with the reasons."""
    make_project(store)
    lea = make_person(store, "lea", role=Role.LEAD)
    ann, ben = make_people(store, "ann", "ben")
    make_person(store, "cy", dimensions=["shape"])
    make_person(store, "dan", stages=[Stage.GRADING])
    make_items(store, 1)
    vote(store, ann)  # colour/0: ann voted
    make_items(store, 3, author_id=ben.id)  # colour/1 to 3: ben wrote them
    make_items(store, 2)  # colour/4 and 5: either
    make_items(store, 5, dimension="shape", author_id=ben.id)  # shape/6 to 10: ann or cy
    names = (*(f"colour/{at}" for at in range(6)), *(f"shape/{at}" for at in range(6, 11)), "gone/1")
    chosen = BulkSelection(stage=Stage.VERIFICATION, items=names)
    given = {"by": lea, "project": "p", "action": Action.ASSIGN, "chosen": chosen, "among": ("ann", "ben", "cy")}
    seen = bulk.preview(store, **given)
    # ann alone may have colour/1 to 3, ben alone colour/0; ben gets 4 and 5 besides, and cy all but one of the shapes
    assert seen.shares == {"ann": 4, "ben": 3, "cy": 4}
    assert dict(seen.cannot) == {"gone/1": "No selected item has this ID."}
    assert bulk.do(store, token=seen.token, **given) == 11
    assert [len(held_by(store, person.id)) for person in (ann, ben)] == [4, 3]
    assert set(held_by(store, ben.id)) == {"colour/0", "colour/4", "colour/5"}
    with pytest.raises(ConflictError):
        bulk.do(store, token=seen.token, **given)
    again = bulk.preview(store, **{**given, "among": ("ann", "ben")})
    assert dict(again.cannot)["colour/1"] == "One of the chosen people already has the item."
    shapes = BulkSelection(stage=Stage.VERIFICATION, items=names[6:11])
    no_one = bulk.preview(store, **{**given, "chosen": shapes, "among": ("ben", "dan")})
    assert (no_one.can, set(dict(no_one.cannot).values())) == (
        (),
        {
            "None of these people may work on the item. ben: This person wrote, edited, answered or inspected the "
            "item. dan: This person does not work in the verification."
        },
    )

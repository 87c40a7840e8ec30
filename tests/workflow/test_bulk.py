"""Many at once: what the preview says is what happens, or nothing does."""

from __future__ import annotations

import pytest
from sqlmodel import col, select

from db.engine import Store
from db.tables import AnnotationRow, EventRow, ItemRow, TaskRow
from domain.errors import Conflict, InvalidInput, LeaseLost, NotAllowed
from domain.policies import LEASE
from domain.records import Person
from domain.roles import Role
from domain.states import ItemState, Stage, TaskState
from testkit.factories import Clock, claimed, make_items, make_people, make_person, make_project, vote
from workflow.annotate import claims, expired_drafts, priorities, submissions
from workflow.lead import bulk
from workflow.lead.bulk_plans import Action, BulkSelection

pytestmark = pytest.mark.both_databases


def _held(store: Store, person_id: int) -> list[str]:
    with store.read() as session:
        wanted = select(ItemRow.external_id).join(TaskRow, col(TaskRow.item_id) == ItemRow.id)
        return list(session.exec(wanted.where(TaskRow.person_id == person_id, TaskRow.state == TaskState.CLAIMED)))


@pytest.mark.one_database
def test_claims_go_back_to_everyone(store: Store) -> None:
    make_project(store)
    make_items(store, 3)
    lea = make_person(store, "lea", role=Role.LEAD)
    ann, ben = make_people(store, "ann", "ben")
    vote(store, ann)
    first = claimed(store, ann)
    claims.postpone(store, person=ann, task=first.id)
    claimed(store, ann)
    mine = _held(store, ann.id)
    given = {"by": lea, "project": "p", "action": Action.GIVE_BACK, "chosen": BulkSelection(person="ann")}
    seen = bulk.preview(store, **given)
    assert (sorted(seen.can), seen.cannot) == (sorted(mine), ())
    assert len(mine) == 2
    assert bulk.do(store, token=seen.token, **given) == 2
    assert _held(store, ann.id) == []
    for _ in range(3):
        vote(store, ben)  # nothing has been lost on the way
    with pytest.raises(Conflict):
        bulk.do(store, token=seen.token, **given)
    with pytest.raises(NotAllowed):
        bulk.preview(store, **{**given, "by": ann})


def _take_away(store: Store, lea: Person, **more: object) -> None:
    given = {"by": lea, "project": "p", "action": Action.GIVE_BACK, "chosen": BulkSelection(person="ann"), **more}
    assert bulk.do(store, token=bulk.preview(store, **given).token, **given) == 1


@pytest.mark.parametrize("reassigned", [False, True])
def test_what_a_lead_took_away_stays_away_from_the_page_that_is_still_open(store: Store, reassigned: bool) -> None:
    """Also when no one else has it; anyone who lost it may have it again as anyone may."""
    make_project(store)
    lea = make_person(store, "lea", role=Role.LEAD)
    ann = make_person(store, "ann")
    eve = make_person(store, "eve")
    make_items(store, 1)
    held = claimed(store, ann)
    if reassigned:
        _take_away(store, lea, action=Action.REASSIGN, to="eve")
        claims.release(store, person=eve, task=held.id)
    else:
        _take_away(store, lea)
    answer = {"person": ann, "task": held.id, "values": {"choice": "red"}}
    with pytest.raises(LeaseLost, match="A lead has taken this task away"):
        claims.heartbeat(store, person=ann, task=held.id)
    with pytest.raises(LeaseLost, match="A lead has taken this task away"):
        claims.postpone(store, person=ann, task=held.id)
    with pytest.raises(LeaseLost, match=r"A lead has taken this task away.*kept as a draft"):
        submissions.submit(store, key="1", **answer)
    assert _held(store, ann.id) == []
    (kept,) = expired_drafts.of_person(store, person=ann)
    assert (kept.why, kept.free) == ("A lead took it away.", True)
    again = claims.take_back(store, person=ann, task=held.id)
    assert again == ("p", Stage.VERIFICATION)
    claims.heartbeat(store, person=ann, task=held.id)
    claims.release(store, person=ann, task=held.id)
    claims.heartbeat(store, person=ann, task=held.id)  # ann gave it back this time, so the open page may take it up
    submissions.submit(store, key="2", **answer)


def test_a_claim_goes_only_to_someone_who_may_have_it(store: Store) -> None:
    clock = store.clock = Clock()
    make_project(store)
    lea = make_person(store, "lea", role=Role.LEAD)
    ann, ben = make_people(store, "ann", "ben")
    cy = make_person(store, "cy", dimensions=["shape"])
    dan = make_person(store, "dan", stages=[Stage.GRADING])
    make_items(store, 1, author_id=None)
    held = claimed(store, ann)
    vote(store, ben)  # the other slot of the same item
    for to, why in ((cy, "not one of their dimensions"), (dan, "no part"), (ben, "answered")):
        seen = bulk.preview(
            store, by=lea, project="p", action=Action.REASSIGN, chosen=BulkSelection(person="ann"), to=to.login
        )
        assert (seen.can, len(seen.cannot)) == ((), 1)
        assert why in seen.cannot[0][1]
    eve = make_person(store, "eve")
    given = {"by": lea, "project": "p", "action": Action.REASSIGN, "chosen": BulkSelection(person="ann"), "to": "eve"}
    clock.advance(minutes=20)
    seen = bulk.preview(store, **given)
    assert bulk.do(store, token=seen.token, **given) == 1
    with store.read() as session:
        until = session.exec(select(TaskRow.lease_until).where(TaskRow.person_id == eve.id)).one()
    assert until == clock.now + LEASE, "a whole lease, not what was left of ann's"
    assert claimed(store, eve).id == held.id
    vote(store, eve)
    with store.read() as session:
        assert session.exec(select(ItemRow.state)).all() == [ItemState.KEPT]
        moved = session.exec(select(EventRow).where(EventRow.kind == "task.reassigned")).one()
        given = session.exec(select(EventRow).where(EventRow.kind == "task.given")).one()
    assert (moved.person_id, moved.data["from"], moved.data["to"]) == (lea.id, "ann", "eve")
    assert (given.person_id, given.data["by"]) == (eve.id, "lea")


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
    with pytest.raises(Conflict):
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
    with pytest.raises(InvalidInput):
        bulk.preview(store, by=lea, project="p", action=Action.GIVE_BACK, chosen=BulkSelection())
    for nothing in (BulkSelection(), BulkSelection(stage=Stage.VERIFICATION)):  # nothing chosen is no item
        with pytest.raises(InvalidInput, match="No item is chosen"):
            bulk.preview(store, by=lea, project="p", action=Action.PRIORITISE, chosen=nothing, priority=3)
        with pytest.raises(InvalidInput, match="No item is chosen"):
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
    given = {"by": lea, "project": "p", "action": Action.ASSIGN, "chosen": chosen, "to": "ann"}
    seen = bulk.preview(store, **given)
    assert dict(seen.cannot) == {answered: "They wrote, edited, answered or looked into this item."}
    assert bulk.do(store, token=seen.token, **given) == 2
    assert sorted(_held(store, ann.id)) == sorted(set(chosen.items) - {answered})
    with pytest.raises(Conflict):  # a second press does nothing
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
    assert len(_held(store, ann.id)) == 2


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
    assert dict(seen.cannot) == {"gone/1": "There is no such item among the chosen."}
    assert bulk.do(store, token=seen.token, **given) == 11
    assert [len(_held(store, person.id)) for person in (ann, ben)] == [4, 3]
    assert set(_held(store, ben.id)) == {"colour/0", "colour/4", "colour/5"}
    with pytest.raises(Conflict):
        bulk.do(store, token=seen.token, **given)
    again = bulk.preview(store, **{**given, "among": ("ann", "ben")})
    assert dict(again.cannot)["colour/1"] == "One of them has it in hand already."
    shapes = BulkSelection(stage=Stage.VERIFICATION, items=names[6:11])
    no_one = bulk.preview(store, **{**given, "chosen": shapes, "among": ("ben", "dan")})
    assert (no_one.can, set(dict(no_one.cannot).values())) == (
        (),
        {
            "None of them may have it. ben: They wrote, edited, answered or looked into this item. "
            "dan: They have no part in the verification."
        },
    )

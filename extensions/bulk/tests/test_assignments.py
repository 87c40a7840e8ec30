"""Assignments move as the preview says, only to people who may have them, and stay away from who lost them."""

from __future__ import annotations

import pytest
from sqlmodel import select

from db.engine import Store
from db.tables import EventRow, ItemRow, TaskRow
from domain.errors import ConflictError, InvalidInputError, LeaseLostError, NotAllowedError
from domain.policies import LEASE
from domain.records import Person
from domain.roles import Role
from domain.states import ItemState, Stage
from extensions.bulk import assignments
from extensions.bulk.assignments import AssignmentSelection, Move
from testkit.factories import Clock, claimed, make_items, make_people, make_person, make_project, vote
from tests.workflow.test_bulk import held_by
from workflow.annotate import claims, expired_drafts, submissions

pytestmark = pytest.mark.both_databases


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
    mine = held_by(store, ann.id)
    given = {"by": lea, "project": "p", "move": Move.GIVE_BACK, "chosen": AssignmentSelection(person="ann"), "to": None}
    seen = assignments.preview(store, **given)
    assert (sorted(seen.can), seen.cannot) == (sorted(mine), ())
    assert len(mine) == 2
    assert assignments.do(store, token=seen.token, **given) == 2
    assert held_by(store, ann.id) == []
    for _ in range(3):
        vote(store, ben)  # nothing has been lost on the way
    with pytest.raises(ConflictError):
        assignments.do(store, token=seen.token, **given)
    with pytest.raises(NotAllowedError):
        assignments.preview(store, **{**given, "by": ann})
    with pytest.raises(InvalidInputError, match="Say whose assignments"):
        assignments.preview(store, **{**given, "chosen": AssignmentSelection()})


def _take_away(store: Store, lea: Person, **more: object) -> None:
    given = {
        "by": lea,
        "project": "p",
        "move": Move.GIVE_BACK,
        "chosen": AssignmentSelection(person="ann"),
        "to": None,
        **more,
    }
    assert assignments.do(store, token=assignments.preview(store, **given).token, **given) == 1


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
        _take_away(store, lea, move=Move.REASSIGN, to="eve")
        claims.release(store, person=eve, task=held.id)
    else:
        _take_away(store, lea)
    answer = {"person": ann, "task": held.id, "values": {"choice": "red"}}
    with pytest.raises(LeaseLostError, match="A lead has withdrawn this task from you"):
        claims.heartbeat(store, person=ann, task=held.id)
    with pytest.raises(LeaseLostError, match="A lead has withdrawn this task from you"):
        claims.postpone(store, person=ann, task=held.id)
    with pytest.raises(LeaseLostError, match=r"A lead has withdrawn this task from you.*saved as a draft"):
        submissions.submit(store, key="1", **answer)
    assert held_by(store, ann.id) == []
    (kept,) = expired_drafts.of_person(store, person=ann)
    assert (kept.why, kept.free) == ("A lead withdrew this task from you.", True)
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
    for to, why in ((cy, "not one of this person's dimensions"), (dan, "does not work in"), (ben, "answered")):
        seen = assignments.preview(
            store, by=lea, project="p", move=Move.REASSIGN, chosen=AssignmentSelection(person="ann"), to=to.login
        )
        assert (seen.can, len(seen.cannot)) == ((), 1)
        assert why in seen.cannot[0][1]
    eve = make_person(store, "eve")
    given = {"by": lea, "project": "p", "move": Move.REASSIGN, "chosen": AssignmentSelection(person="ann"), "to": "eve"}
    clock.advance(minutes=20)
    seen = assignments.preview(store, **given)
    assert assignments.do(store, token=seen.token, **given) == 1
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

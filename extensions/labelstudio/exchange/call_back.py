"""Call work back from another tool: remove finished tasks there, and decide what happens to each claim."""

from __future__ import annotations

from datetime import datetime

from db import people, tasks
from db.engine import Session
from db.records import StoredBridgeProject, StoredBridgeTask, StoredTask
from domain.runs import chunked
from domain.states import TaskState
from extensions.labelstudio.exchange.push_plan import Plan, part_of
from extensions.labelstudio.exchange.sync_lock import Link
from extensions.labelstudio.queries import sent_tasks, servers
from workflow.access import held_tasks
from workflow.access.accounts import person_of
from workflow.annotate import leases

CALLED_BACK_AT_ONCE = 100
"""Tasks that are called back in one transaction."""
_POSTPONED = "postponed"
_GIVEN_BACK = "given back"
_KEPT = "kept"
"""The ways to treat the claim of a task that is called back, if its rater still has it."""


def call_back(link: Link, plan: Plan) -> int:
    """Mark all tasks there that nobody may answer now for removal. Return their number."""
    now = link.store.now()
    with link.store.read() as session:
        over = {
            row.id: _why_over(row, slot, now)
            for row, slot in sent_tasks.stale_tasks(session, bridge_id=link.bridge_id, now=now)
        }
        for place in servers.places(session, bridge_id=link.bridge_id):
            why, then = why_not_here(session, link, plan, place)
            access = None if why else part_of(session, link, plan.persons[place.person_id])
            if not why and (access is None or access.dimensions is None):
                continue
            for row, slot in sent_tasks.with_slots(session, place_id=place.id):
                if why:
                    over.setdefault(row.id, (why, then))
                elif access is not None and not access.may_use(slot.dimension):
                    over.setdefault(row.id, ("This person no longer works on this dimension.", _GIVEN_BACK))
        stayed = sent_tasks.stayed_until(
            session, bridge_id=link.bridge_id, until=now - plan.hold if plan.stay else None
        )
    if stayed:
        with link.write() as session:
            sent_tasks.remove_stored(session, ids=stayed)
    for some in chunked(sorted(over), CALLED_BACK_AT_ONCE):
        with link.write() as session:
            for id in some:
                _end(session, link, id, *over[id])
    return len(over)


def _why_over(row: StoredBridgeTask, slot: StoredTask, now: datetime) -> tuple[str, str]:
    if slot.state is TaskState.DONE and slot.person_id == row.person_id:
        return "The task was answered in Touchstone.", _KEPT
    if slot.state is TaskState.WITHDRAWN:
        return "The task is no longer needed.", _KEPT
    if slot.state is not TaskState.CLAIMED or slot.person_id != row.person_id:
        return "The person gave the task back, or the task went to another person.", _KEPT
    if slot.lease_until is not None and slot.lease_until < now:
        return "The task was not answered in time.", _POSTPONED
    return "The item was edited.", _KEPT


def why_not_here(session: Session, link: Link, plan: Plan, place: StoredBridgeProject) -> tuple[str, str]:
    """Return why a project there must be emptied, and how to treat its claims. Empty if it must not."""
    mapped = plan.people.get(place.person_id)
    if mapped is None:
        return "This person's work no longer goes to Label Studio.", _GIVEN_BACK
    person = plan.persons.get(place.person_id)
    access = part_of(session, link, person) if person is not None else None
    if access is None:
        return "This person is no longer in the project.", _GIVEN_BACK
    looks = plan.stages.get(place.stage)
    if looks is None:
        return f"The stage {place.stage.value} no longer goes to Label Studio.", _GIVEN_BACK
    if looks.refused:
        return looks.refused, _GIVEN_BACK
    if not access.may_do(place.stage):
        return "This person no longer works on this stage.", _GIVEN_BACK
    if place.labeling_hash not in looks.hashes:
        return "The form of the task has changed.", _KEPT
    if place.outside_user != mapped.outside_user:
        return "This person now has another account in Label Studio.", _KEPT
    return "", _KEPT


def _end(session: Session, link: Link, id: int, why: str, then: str) -> None:
    row, slot = sent_tasks.lock(session, id=id)
    sent_tasks.call_back(session, row=row, why=why)
    held = tasks.lock(session, public_id=slot.public_id) if then != _KEPT else None
    if held is None or held.state is not TaskState.CLAIMED or held.person_id != row.person_id:
        return
    now = link.store.now()
    account = people.by_id(session, id=row.person_id)
    access = part_of(session, link, person_of(account)) if account is not None else None
    if account is None or access is None or then == _GIVEN_BACK:
        # No lead took it, so earlier answers there still count.
        held_tasks.give_back(session, row=held, by=None, now=now, kind="task.called_back")
    else:
        leases.give_up(session, access=access, row=held, person=person_of(account), now=now)

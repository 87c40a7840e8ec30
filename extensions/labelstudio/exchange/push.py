"""Send work to another tool: call back finished tasks, then send each person's claimed slots one by one.

A slot is claimed and recorded as "being sent" in one transaction. Then it is sent, and then recorded as out. After a
crash in between, the next try checks whether it arrived.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from db import items, outside_work, people, task_claims, tasks
from db.engine import Session, Store
from db.records import StoredBridgePerson, StoredBridgeProject, StoredBridgeTask, StoredTask
from domain.bridge import BridgeOutcome, BridgeState
from domain.errors import ServiceError, ServiceUnreachableError
from domain.records import AssetView, NoTask, Person
from domain.states import Stage, TaskState
from extensions.labelstudio.exchange.call_back import call_back, why_not_here
from extensions.labelstudio.exchange.pull import clear_away, is_gone, located
from extensions.labelstudio.exchange.push_plan import Looks, Plan, find_people, plan_of
from extensions.labelstudio.exchange.sent_outside import told_outside
from extensions.labelstudio.exchange.sync_lock import Forms, Link, opened
from extensions.labelstudio.front_end import FrontEnd, OutgoingTask
from extensions.labelstudio.queries import sent_tasks, servers
from workflow.access import exposure
from workflow.access.accounts import person_of
from workflow.access.projects import Access, access_to
from workflow.annotate import claims, gates, leases
from workflow.annotate.task_views import task_view

SENT_AT_ONCE = 100
CLAIMED_AT_ONCE = 10
"""Slots claimed in one transaction, which blocks others for its time."""
REST = timedelta(hours=1)
"""Shortest time before a task that was skipped there, or not answered in time, comes back to the same person."""
LONGEST_TITLE = 50


@dataclass(frozen=True)
class PushResult:
    """The result of sending."""

    sent: int
    called_back: int
    """Number of finished tasks: answered here, given to others, out of time, or of people who left."""
    removed: int
    """Number of tasks that were removed there."""
    outcomes: Mapping[BridgeOutcome, int] = field(default_factory=dict)
    """Outcomes of answers that were found during removal."""


def push(store: Store, front: FrontEnd, forms: Forms, *, by: Person | None, project: str) -> PushResult:
    """Send tasks to all mapped people up to their limit, and call back finished tasks. For leads.

    ``by`` None is the command on the machine itself.

    Raises
    ------
    ServiceUnreachableError
        The server does not answer. Nothing is lost or duplicated: the next try checks what has arrived.
    ConflictError
        Another process is doing the same.
    """
    with opened(store, front, forms, by=by, project=project) as link:
        find_people(link)
        plan = plan_of(link)
        called_back = call_back(link, plan)
        _look(link)
        clear_away(link)
        n_there = _waiting_there(link)
        why: dict[int, str] = {}
        for person_id, row in plan.people.items():
            sentences = [_fill(link, plan, row, stage, n_there.get((person_id, stage), 0)) for stage in plan.stages]
            why[person_id] = " ".join(sentence for sentence in sentences if sentence)
        sent = _send_all(link, plan)
        _drop(link, plan)
        with link.write() as session:
            servers.note_reason(session, bridge_id=link.bridge_id, why=why)
            servers.note_pushed(session, id=link.bridge_id, now=store.now())
        return PushResult(sent=sent, called_back=called_back, removed=link.removed, outcomes=dict(link.outcomes))


def _waiting_there(link: Link) -> dict[tuple[int, Stage], int]:
    with link.store.read() as session:
        return sent_tasks.count_waiting(session, bridge_id=link.bridge_id)


def _look(link: Link) -> None:
    """Find out which of the tasks that an earlier try was sending have arrived."""
    for place in _with(link, BridgeState.SENDING):
        place = located(link, place)
        if place.outside_id is None:
            continue
        with link.store.read() as session:
            wanted = {
                row.key: row.id for row in sent_tasks.in_state(session, place_id=place.id, states=[BridgeState.SENDING])
            }
        try:
            there = {wanted[task.key]: task.id for task in link.front.tasks(place.outside_id) if task.key in wanted}
        except ServiceError as error:
            if isinstance(error, ServiceUnreachableError) or not is_gone(link, place):
                raise
            continue
        if there:
            with link.write() as session:
                sent_tasks.record_ids(session, there=there)


def _fill(link: Link, plan: Plan, row: StoredBridgePerson, stage: Stage, n_there: int) -> str:
    """Claim the tasks that a person still lacks in a stage. Return why there are no more, if so."""
    person = plan.persons.get(row.person_id)
    if person is None:
        return (
            "This person's account is inactive, or this person is not in the project. Activate the account, or add "
            "the person to the project."
        )
    if row.outside_user is None:
        return f"Label Studio has no account with the address {row.email} yet. Invite this person to Label Studio."
    looks = plan.stages[stage]
    if looks.refused:
        return looks.refused
    want = plan.ahead - n_there
    if want <= 0:
        return ""
    with link.store.read() as session:
        access = access_to(session, person=person, project=link.project)
        in_hand = _in_hand(gates.Visit(session, access, person, stage, link.store.now()), want)
    while want > 0:
        with link.write() as session:
            access = access_to(session, person=person, project=link.project)
            for _ in range(min(want, CLAIMED_AT_ONCE)):
                slot = _next(session, access, person, stage, in_hand, link.store.now())
                if isinstance(slot, NoTask):
                    return f"{stage.value}: {slot.sentence}"
                if slot is None:
                    break
                if sent_tasks.waits(session, task_id=slot.id, person_id=person.id):
                    continue  # the person has postponed this task
                task_claims.hold_until(session, row=slot, until=link.store.now() + plan.hold)
                _add(session, link, looks, row, slot)
                want -= 1
    return ""


def _in_hand(visit: gates.Visit, limit: int) -> list[str]:
    """Return the person's claimed tasks that are not there yet. Before qualification, return only qualifying tasks."""
    if gates.why_closed(visit) is not None:
        return []
    return sent_tasks.claims_not_sent(
        visit.session,
        project_id=visit.access.project_id,
        stage=visit.stage,
        person_id=visit.person.id,
        only_qualifying=not visit.let_in,
        limit=limit,
    )


def _next(
    session: Session, access: Access, person: Person, stage: Stage, in_hand: list[str], now: datetime
) -> StoredTask | NoTask | None:
    """Return the next of a person's claimed tasks, or claim one more."""
    while in_hand:
        slot = tasks.lock(session, public_id=in_hand.pop(0))
        if slot is None or slot.person_id != person.id or not access.may_use(slot.dimension):
            continue
        if leases.extend(session, access=access, row=slot, person=person, now=now):
            return slot
    return claims.take_more(session, access=access, person=person, stage=stage, now=now, postponed_before=now - REST)


def _add(session: Session, link: Link, looks: Looks, row: StoredBridgePerson, slot: StoredTask) -> None:
    """Record that a claimed slot is being sent."""
    _, hash = looks.by_dimension[slot.dimension]
    here = {
        (place.person_id, place.stage, place.labeling_hash, place.outside_user): place
        for place in servers.places(session, bridge_id=link.bridge_id)
    }
    place = here.get((row.person_id, slot.stage, hash, row.outside_user or 0))
    if place is None:
        place = servers.add_place(
            session,
            bridge_id=link.bridge_id,
            person_id=row.person_id,
            stage=slot.stage,
            labeling_hash=hash,
            outside_user=row.outside_user or 0,
            now=link.store.now(),
        )
    item = items.by_id(session, id=slot.item_id) if slot.item_id is not None else None
    sent_tasks.add(
        session,
        place_id=place.id,
        task_id=slot.id,
        person_id=row.person_id,
        revision=item.current_revision if item is not None else None,
        now=link.store.now(),
    )


def _send_all(link: Link, plan: Plan) -> int:
    n = 0
    for place in _with(link, BridgeState.SENDING):
        there = _made(link, plan, place)
        try:
            n += _send(link, there)
        except ServiceError as error:
            if isinstance(error, ServiceUnreachableError) or not is_gone(link, there):
                raise
    return n


def _made(link: Link, plan: Plan, place: StoredBridgeProject) -> StoredBridgeProject:
    """Return a project with its id there. Create the project if it does not exist."""
    place = located(link, place)
    if place.outside_id is not None:
        return place
    with link.store.read() as session:
        name = people.names(session, ids=[place.person_id])[place.person_id]
    labelings = {hash: labeling for labeling, hash in plan.stages[place.stage].by_dimension.values()}
    title = f"{name} · {place.stage.value} · {plan.title}"[:LONGEST_TITLE]
    made = link.front.make_project(place.key, title=title, labeling=labelings[place.labeling_hash])
    with link.write() as session:
        return servers.locate(session, id=place.id, outside_id=made)


def _send(link: Link, place: StoredBridgeProject) -> int:
    """Send the tasks that are recorded as being sent to a project there. Return their number."""
    with link.store.read() as session:
        rows = sent_tasks.in_state(session, place_id=place.id, states=[BridgeState.SENDING])
        account = people.by_id(session, id=place.person_id)
    if account is None:
        return 0
    person = person_of(account)
    n = 0
    for some in _lots(rows, SENT_AT_ONCE):
        with link.store.read() as session:
            access = access_to(session, person=person, project=link.project)
            out = {row.id: _outgoing(session, link, access, person, row) for row in some}
        going = {id: task for id, task in out.items() if task is not None}
        if going:
            _note(link, person, [(row, going[row.id]) for row in some if row.id in going])
            link.front.send(place.outside_id or 0, list(going.values()))
            with link.write() as session:
                guideline = access.loaded.guideline_hash
                sent_tasks.record_sent(session, ids=sorted(going), guideline=guideline, now=link.store.now())
            n += len(going)
    return n


def _note(link: Link, person: Person, going: Sequence[tuple[StoredBridgeTask, OutgoingTask]]) -> None:
    """Record the content of tasks before they are sent."""
    with link.write() as session:
        for row, task in going:
            slot = tasks.by_id(session, id=row.task_id)
            if slot is not None:
                sent = {"data": dict(task.data), "predictions": list(task.predictions)}
                look = partial(told_outside, sent)
                now = link.store.now()
                exposure.going_out(session, person=person, task=slot.public_id, data=sent, look=look, now=now)


def _outgoing(
    session: Session, link: Link, access: Access, person: Person, row: StoredBridgeTask
) -> OutgoingTask | None:
    """Return a task for sending, with only what its rater may see here. None if the task is no longer the rater's."""
    slot = tasks.by_id(session, id=row.task_id)
    if slot is None or slot.person_id != person.id or slot.state is not TaskState.CLAIMED or slot.lease_until is None:
        return None
    until = slot.lease_until

    def address(asset: AssetView) -> str:
        return link.forms.link(row.key, asset, until)

    view = task_view(session, access=access, row=slot, person=person)
    data = dict(link.forms.data(access.schema, slot.stage, view, address))
    suggested = [{"result": row.suggestion}] if row.suggestion else []
    return OutgoingTask(key=row.key, data={**data, "touchstone": row.key, "says": row.says}, predictions=suggested)


def _with(link: Link, state: BridgeState) -> list[StoredBridgeProject]:
    with link.store.read() as session:
        waiting = outside_work.unfinished(session, bridge_id=link.bridge_id)
        places = servers.places(session, bridge_id=link.bridge_id)
        return [place for place in places if state in waiting.get(place.id, {})]


def _drop(link: Link, plan: Plan) -> None:
    """Remove projects there that have no task of ours and get no more. Projects with other people's tasks stay."""
    with link.store.read() as session:
        waiting = outside_work.unfinished(session, bridge_id=link.bridge_id)
        places = [
            place
            for place in servers.places(session, bridge_id=link.bridge_id)
            if place.id not in waiting and why_not_here(session, link, plan, place)[0]
        ]
    for place in places:
        place = located(link, place)
        left = 0
        if place.outside_id is not None:
            try:
                left = sum(1 for _ in link.front.tasks(place.outside_id))
            except ServiceError as error:
                if isinstance(error, ServiceUnreachableError) or not is_gone(link, place):
                    raise
                continue
            if not left:
                link.front.remove_project(place.outside_id)
        with link.write() as session:
            if left:
                servers.note_strangers(session, id=place.id, strangers=left)
            else:
                servers.remove_place(session, id=place.id, now=link.store.now())


def _lots(things: Iterable[Any], size: int) -> list[Sequence[Any]]:
    rows = list(things)
    return [rows[start : start + size] for start in range(0, len(rows), size)]

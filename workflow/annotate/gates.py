"""Gates on the way to a task: each gate lets a person pass, gives them a task, or refuses with a reason.

Every request for work passes the same gates in the same order. It may ask for the next task
(``claims.next_task``), for one more task (``claims.take_more``), or only for a preview (``claims.peek``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from db import items, postponed, task_claims, tasks
from db.engine import Session
from db.records import StoredTask
from domain.records import NoTask, Person
from domain.states import Purpose, Stage
from workflow.access.projects import Access
from workflow.annotate import claim_rules, free_slots, no_work, qualification, stage_kinds
from workflow.annotate.leases import extend, give_up, may_resume, resume


@dataclass(frozen=True)
class Visit:
    """A person who asks for work in a stage."""

    session: Session
    access: Access
    person: Person
    stage: Stage
    now: datetime
    dimension: str | None = None
    keeps: bool = False
    """Whether they keep their current tasks and ask for one more."""
    postponed: str | None = None
    """Page id of the item that they have just postponed, which is not offered again at once."""
    postponed_before: datetime | None = None
    """Only tasks postponed before this time are offered again; None means all of them."""
    reserves: bool = False
    """Whether the task waits in their browser, and they do not see it yet."""

    @cached_property
    def let_in(self) -> bool:
        """Whether they have the qualification that the stage requires, if any."""
        return qualification.may_begin(self.session, access=self.access, person=self.person, stage=self.stage)

    @property
    def dimensions(self) -> Sequence[str] | None:
        """Dimensions in which they look for work; None means all."""
        return self.access.dimensions if self.dimension is None else (self.dimension,)


@dataclass(frozen=True)
class GivenTask:
    """A task that a person now holds."""

    row: StoredTask
    postponed: bool = False
    """Whether they had postponed the task."""


class Continuation:
    """Marker that the search continues in another transaction, because it is long or the task found was replaced."""


Answer = GivenTask | NoTask | Continuation
Ahead = Sequence[int] | NoTask
"""Items (ids) of the next tasks, or why no task follows."""


@dataclass(frozen=True)
class Gate:
    """One gate."""

    name: str
    asks: str
    """The gate's question, in a sentence."""
    take: Callable[[Visit], Answer | None]
    """Function that gives a task or a refusal, or None to let the person pass."""
    look: Callable[[Visit, int], Ahead]
    """Preview of ``take`` that claims nothing and returns at most this many items; empty lets the person pass."""
    refuses: Callable[[Visit], NoTask | None] | None = None
    """Function that returns why the gate bars a person from all new work, or None."""


def ask(visit: Visit) -> Answer:
    """Return the answer of the first gate that does not let the person pass, or why no work is left."""
    for gate in GATES:
        answer = gate.take(visit)
        if isinstance(answer, GivenTask) and stage_kinds.of(answer.row.stage).renew(
            visit.session, access=visit.access, row=answer.row, now=visit.now
        ):
            return (
                Continuation()
            )  # one renewal per transaction, so that two people who renew the same pairs cannot deadlock
        if answer is not None:
            return answer
    return no_work.why_no_task(
        visit.session,
        access=visit.access,
        person=visit.person,
        stage=visit.stage,
        dimension=visit.dimension,
        now=visit.now,
    )


def coming_items(visit: Visit, *, limit: int) -> tuple[list[int], NoTask | None]:
    """Return the items (ids) of the next likely tasks, and the refusal if a gate ends the list; claim nothing."""
    item_ids: list[int] = []
    for gate in GATES:
        if len(item_ids) >= limit:
            break
        coming = gate.look(visit, limit - len(item_ids))
        if isinstance(coming, NoTask):
            return item_ids, coming
        item_ids += [item_id for item_id in dict.fromkeys(coming) if item_id not in item_ids]
    return item_ids, None


def why_refused(visit: Visit) -> NoTask | None:
    """Return why a person gets no new work at all, or None if they can get work."""
    refusals = (gate.refuses(visit) for gate in GATES if gate.refuses is not None)
    return next((nothing for nothing in refusals if nothing is not None), None)


# ---- questions of the gates ------------------------------------------------------------------------------------------


def why_closed(visit: Visit) -> NoTask | None:
    """Return why a person cannot work in the stage, or None if they can."""
    return no_work.why_closed(
        visit.session, access=visit.access, person=visit.person, stage=visit.stage, dimension=visit.dimension
    )


def _unqualified(visit: Visit) -> NoTask | None:
    if visit.let_in:
        return None
    return qualification.why_barred(visit.session, access=visit.access, person=visit.person, stage=visit.stage)


def _stopped(visit: Visit) -> NoTask | None:
    return claim_rules.why_stopped(visit.session, access=visit.access, person=visit.person, stage=visit.stage)


def _refusal(name: str, asks: str, why: Callable[[Visit], NoTask | None]) -> Gate:
    return Gate(name, asks, why, lambda visit, limit: why(visit) or (), why)


def _take_in_hand(visit: Visit) -> Answer | None:
    if visit.keeps:
        return None
    in_hand = before_them(visit)
    row = tasks.lock(visit.session, public_id=in_hand.public_id) if in_hand else None
    if row is None or row.person_id != visit.person.id or not visit.access.may_use(row.dimension):
        return None
    if row.reserved and row.purpose is Purpose.LIVE and why_refused(visit) is not None:
        give_up(visit.session, access=visit.access, row=row, person=visit.person, now=visit.now)
        return None
    held = extend(visit.session, access=visit.access, row=row, person=visit.person, now=visit.now)
    return GivenTask(row) if held else None


def _look_in_hand(visit: Visit, limit: int) -> Ahead:
    return [row.item_id for row in held_besides(visit) if row.item_id is not None][:limit]


def held_besides(visit: Visit) -> list[StoredTask]:
    """Return the tasks with items that they hold, without the task that they work on now."""
    first = before_them(visit)
    held = task_claims.in_hand(
        visit.session, project_id=visit.access.project_id, stage=visit.stage, person_id=visit.person.id
    )
    return [
        row
        for row in held
        if row.item_id is not None
        and (first is None or row.id != first.id)
        and visit.access.may_use(row.dimension)
        and (row.purpose is Purpose.QUALIFICATION if not visit.let_in else visit.dimension in (None, row.dimension))
    ]


def before_them(visit: Visit) -> StoredTask | None:
    """Return the first item that they have begun and still hold; None if they hold no item."""
    return task_claims.current_of(
        visit.session,
        project_id=visit.access.project_id,
        stage=visit.stage,
        person_id=visit.person.id,
        dimension=visit.dimension if visit.let_in else None,
        now=visit.now,
        only_qualifying=not visit.let_in,
    )


def _take_to_qualify(visit: Visit) -> Answer | None:
    if visit.let_in:
        return None
    return _take_postponed(visit) or _unqualified(visit)


def _look_to_qualify(visit: Visit, limit: int) -> Ahead:
    if visit.let_in:
        return ()
    return _look_postponed(visit, limit) or _unqualified(visit) or ()


def _take_free(visit: Visit) -> Answer | None:
    if visit.stage is Stage.AUTHORING:  # authors pick an image themselves
        return None
    row, more = free_slots.claim_next(
        visit.session,
        access=visit.access,
        person=visit.person,
        stage=visit.stage,
        dimensions=visit.dimensions,
        now=visit.now,
        reserves=visit.reserves,
    )
    if row is not None:
        return GivenTask(row)
    return Continuation() if more else None


def _look_free(visit: Visit, limit: int) -> Ahead:
    if visit.stage is Stage.AUTHORING:
        return ()
    return free_slots.ahead(
        visit.session,
        access=visit.access,
        person=visit.person,
        stage=visit.stage,
        dimensions=visit.dimensions,
        now=visit.now,
        limit=limit,
    )


def _postponed(visit: Visit) -> list[StoredTask]:
    """Return the postponed tasks that they may be offered again, oldest first.

    Before they have qualified, only qualification tasks are offered.
    """
    but = visit.postponed
    item = items.by_public_id(visit.session, project_id=visit.access.project_id, public_id=but) if but else None
    marked_tasks = postponed.of_person(
        visit.session, person_id=visit.person.id, project_id=visit.access.project_id, stage=visit.stage
    )
    return [
        row
        for mark, row in marked_tasks
        if (visit.postponed_before is None or mark.at <= visit.postponed_before)
        and visit.access.may_use(row.dimension)
        and visit.dimension in (None, row.dimension)
        and (item is None or row.item_id != item.id)
        and (visit.let_in or row.purpose is Purpose.QUALIFICATION)
    ]


def _take_postponed(visit: Visit) -> Answer | None:
    """Resume the first postponed task that is still available."""
    for row in _postponed(visit):
        mine = resume(visit.session, access=visit.access, row=row, person=visit.person, now=visit.now)
        if mine is not None:
            return GivenTask(mine, postponed=True)
    return None


def _look_postponed(visit: Visit, limit: int) -> Ahead:
    return [
        row.item_id
        for row in _postponed(visit)
        if row.item_id is not None and may_resume(visit.session, row=row, person=visit.person, now=visit.now)
    ][:limit]


GATES = (
    _refusal("closed", "Does the project have this stage, and does the person work in it?", why_closed),
    Gate("in hand", "Is the person already working on a task in this stage?", _take_in_hand, _look_in_hand),
    Gate(
        "qualified",
        "Does the person have the required qualification?",
        _take_to_qualify,
        _look_to_qualify,
        _unqualified,
    ),
    _refusal("stopped", "Do the rules of extensions, such as gold checks, allow more work?", _stopped),
    Gate("free", "Is a task free, or is a gold check due?", _take_free, _look_free),
    Gate("postponed", "Has the person postponed a task?", _take_postponed, _look_postponed),
)
"""All gates, in the order in which they are asked.

Held tasks come before the gates that bar people from new work. Someone who qualifies holds their qualification
items, and someone who is stopped may finish what they have begun.
"""

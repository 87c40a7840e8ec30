"""The gates on the way to a task: each lets someone by, gives them a task, or says why there is none.

Anyone who asks for work goes through the same rows in the same order, whether they want their next task
(``claims.next_task``), one more besides what they have in hand (``claims.take_more``), or only to know what comes
(``claims.peek``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from db import items, postponed, task_claims, tasks
from db.engine import Session
from db.records import StoredTask
from domain.records import NothingLeft, Person
from domain.states import Purpose, Stage
from workflow.access.projects import Access
from workflow.annotate import comparison, free_slots, gold_checks, no_work, qualification
from workflow.annotate.leases import extend, may_resume, resume


@dataclass(frozen=True)
class Visit:
    """Someone who asks for work in a stage."""

    session: Session
    access: Access
    person: Person
    stage: Stage
    now: datetime
    dimension: str | None = None
    keeps: bool = False
    """They keep what they have in hand and ask for one more."""
    postponed: str | None = None
    """The item (page id) that they have postponed just now: it does not come back at once."""
    postponed_before: datetime | None = None
    """Only what was postponed before comes back; None: everything that was."""

    @cached_property
    def let_in(self) -> bool:
        """Whether they have the qualification that the stage asks for, or it asks for none."""
        return qualification.may_begin(self.session, access=self.access, person=self.person, stage=self.stage)

    @property
    def dimensions(self) -> Sequence[str] | None:
        """Where they look for work; None: everywhere."""
        return self.access.dimensions if self.dimension is None else (self.dimension,)


@dataclass(frozen=True)
class Given:
    """A task that is in someone's hands now."""

    row: StoredTask
    postponed: bool = False
    """They had postponed it."""


class Later:
    """The search is long, or what was found had to give way to something newer: it goes on in another transaction."""


Answer = Given | NothingLeft | Later
Ahead = Sequence[int] | NothingLeft
"""The items (ids) of the tasks that would come, or why none does."""


@dataclass(frozen=True)
class Gate:
    """One gate."""

    name: str
    asks: str
    """The question that it asks, in a sentence."""
    take: Callable[[Visit], Answer | None]
    """What it gives or says; None: it lets them by."""
    look: Callable[[Visit, int], Ahead]
    """The same for someone who takes nothing: at most so many items; none: it lets them by."""
    refuses: Callable[[Visit], NothingLeft | None] | None = None
    """Of a gate that keeps people from all new work: why."""


def ask(visit: Visit) -> Answer:
    """What the first gate gives or says that does not let someone by; behind the last one, why nothing is left."""
    for gate in GATES:
        said = gate.take(visit)
        if isinstance(said, Given) and comparison.renew(
            visit.session, access=visit.access, row=said.row, now=visit.now
        ):
            return Later()  # one in a transaction, so that two who renew the same ones never wait for each other
        if said is not None:
            return said
    return no_work.why_no_task(
        visit.session,
        access=visit.access,
        person=visit.person,
        stage=visit.stage,
        dimension=visit.dimension,
        now=visit.now,
    )


def coming(visit: Visit, *, limit: int) -> tuple[list[int], NothingLeft | None]:
    """The items (ids) of the tasks that would probably come next, and why no more do if a gate says so; nothing is
    taken."""
    found: list[int] = []
    for gate in GATES:
        if len(found) >= limit:
            break
        said = gate.look(visit, limit - len(found))
        if isinstance(said, NothingLeft):
            return found, said
        found += [item_id for item_id in dict.fromkeys(said) if item_id not in found]
    return found, None


def why_refused(visit: Visit) -> NothingLeft | None:
    """Why someone gets no new work whatever waits; None if they do."""
    said = (gate.refuses(visit) for gate in GATES if gate.refuses is not None)
    return next((nothing for nothing in said if nothing is not None), None)


# ---- what each of them asks ------------------------------------------------------------------------------------------


def why_closed(visit: Visit) -> NothingLeft | None:
    """Why someone cannot work in the stage at all; None if they can."""
    return no_work.why_closed(
        visit.session, access=visit.access, person=visit.person, stage=visit.stage, dimension=visit.dimension
    )


def _unqualified(visit: Visit) -> NothingLeft | None:
    if visit.let_in:
        return None
    return qualification.why_barred(visit.session, access=visit.access, person=visit.person, stage=visit.stage)


def _stopped(visit: Visit) -> NothingLeft | None:
    return gold_checks.why_stopped(visit.session, access=visit.access, person=visit.person, stage=visit.stage)


def _refusal(name: str, asks: str, why: Callable[[Visit], NothingLeft | None]) -> Gate:
    return Gate(name, asks, why, lambda visit, limit: why(visit) or (), why)


def _take_in_hand(visit: Visit) -> Answer | None:
    if visit.keeps:
        return None
    found = before_them(visit)
    row = tasks.lock(visit.session, public_id=found.public_id) if found else None
    if row is None or row.person_id != visit.person.id or not visit.access.may_use(row.dimension):
        return None
    held = extend(visit.session, access=visit.access, row=row, person=visit.person, now=visit.now)
    return Given(row) if held else None


def _look_in_hand(visit: Visit, limit: int) -> Ahead:
    """What they have in hand comes after what is before them now."""
    first = before_them(visit)
    held = task_claims.in_hand(
        visit.session, project_id=visit.access.project_id, stage=visit.stage, person_id=visit.person.id
    )
    return [
        row.item_id
        for row in held
        if row.item_id is not None
        and (first is None or row.id != first.id)
        and visit.access.may_use(row.dimension)
        and (row.purpose is Purpose.QUALIFICATION if not visit.let_in else visit.dimension in (None, row.dimension))
    ][:limit]


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
    )
    if row is not None:
        return Given(row)
    return Later() if more else None


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
    """What they have postponed and may be asked again, the longest ago first; before they have qualified, only what
    belongs to that."""
    but = visit.postponed
    item = items.by_public_id(visit.session, project_id=visit.access.project_id, public_id=but) if but else None
    found = postponed.of_person(
        visit.session, person_id=visit.person.id, project_id=visit.access.project_id, stage=visit.stage
    )
    return [
        row
        for mark, row in found
        if (visit.postponed_before is None or mark.at <= visit.postponed_before)
        and visit.access.may_use(row.dimension)
        and visit.dimension in (None, row.dimension)
        and (item is None or row.item_id != item.id)
        and (visit.let_in or row.purpose is Purpose.QUALIFICATION)
    ]


def _take_postponed(visit: Visit) -> Answer | None:
    """What no one can give them any more is forgotten."""
    for row in _postponed(visit):
        mine = resume(visit.session, access=visit.access, row=row, person=visit.person, now=visit.now)
        if mine is not None:
            return Given(mine, postponed=True)
    return None


def _look_postponed(visit: Visit, limit: int) -> Ahead:
    return [
        row.item_id
        for row in _postponed(visit)
        if row.item_id is not None and may_resume(visit.session, row=row, person=visit.person, now=visit.now)
    ][:limit]


GATES = (
    _refusal("closed", "Has the project this stage, and they a part in it?", why_closed),
    Gate("in hand", "Have they begun something that they still have?", _take_in_hand, _look_in_hand),
    Gate(
        "qualified",
        "Have they the qualification that the stage asks for?",
        _take_to_qualify,
        _look_to_qualify,
        _unqualified,
    ),
    _refusal("stopped", "Do their answers to gold let them go on?", _stopped),
    Gate("free", "Is there something that no one has, gold in its turn?", _take_free, _look_free),
    Gate("postponed", "Is there something that they have postponed?", _take_postponed, _look_postponed),
)
"""In the order in which they are asked. What is in hand comes before what bars people from new work: anyone who
qualifies has their items in hand, and anyone who is stopped may still finish what they have begun."""

"""Queries on slots of work. Those on the annotator's path walk an index and stop at the first row that fits."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, case, exists, func, or_, update
from sqlalchemy import select as sa_select
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db import missing_media
from db.engine import insert_or_ignore
from db.records import StoredTask
from db.tables import AnnotationRow, AsideRow, InsightRow, ItemRow, PredictionRow, RevisionRow, TaskRow
from db.types import public_id
from db.withdrawn_runs import of_counting_runs
from domain.policies import LEASE
from domain.states import BLIND, ItemState, Purpose, Stage, TaskState

SHUFFLE_RANGE = 2**31
_AT_ONCE = 500
_EQUALS = 2**20
"""So many places have items that are equally contested: a thousand times as many lie within the shuffled order."""
_OTHER = aliased(TaskRow)
"""Another slot of the same unit. Made once: an alias costs more than the query that uses it."""

BEGUN = -1
"""The rank, in a random order, of slots of a unit that somebody has done a slot of."""

# ---- making slots ---------------------------------------------------------------------------------------------------


def unit_of_revision(stage: Stage, *, item_id: int, revision: int) -> str:
    """The name of an item's revision as something to vote on or to settle."""
    return f"{stage.value}/item/{item_id}/{revision}"


def unit_of_prediction(*, prediction_id: int) -> str:
    """The name of a model's answer as something to grade."""
    return f"{Stage.GRADING.value}/prediction/{prediction_id}"


def unit_of_refinement(*, prediction_id: int, revision: int) -> str:
    """The name of a model's answer beside a revision of its item."""
    return f"{Stage.REFINEMENT.value}/prediction/{prediction_id}/{revision}"


def shuffle_key(*, seed: int | str, unit: str, slot: int) -> int:
    """A slot's place in the shuffled order of its stage: from the project's seed, so that it can be made again."""
    return _number(f"{seed}/{unit}/{slot}")


def contest_key(*, seed: int, unit: str, contest: float) -> int:
    """A senior's place for what is contested so much (0 to 1): the most contested stands first, equals are shuffled."""
    return round((1 - contest) * 1000) * _EQUALS + shuffle_key(seed=seed, unit=unit, slot=0) % _EQUALS


def rank_of(order: str, *, slot: int, item_id: int, priority: int = 0) -> int:
    """A slot's rank in an order that a schema names: lower comes first, and equals come as they were shuffled."""
    return {"fewest_votes": slot, "oldest": item_id, "priority": -priority}.get(order, 0)


def moment() -> int:
    """Now, as a number that grows: for the order in which slots are offered. It is no date."""
    return time.time_ns() // 1000


def add_slots(session: Session, *, slots: Iterable[Mapping[str, Any]], needed: Sequence[str]) -> int:
    """Add open slots; one that exists already is left as it is. The number added.

    Slots about items that lack an image or clip in a role that is ``needed`` wait until it comes
    (``offer_items_with``).
    """
    slots = list(slots)
    waiting = missing_media.waiting(session, item_ids=[slot["item_id"] for slot in slots], needed=needed)
    new = {"state": TaskState.OPEN, "correcting": False, "rank": 0, "opened": moment()}
    rows = [{"public_id": public_id(), **new, "awaits_media": slot["item_id"] in waiting, **slot} for slot in slots]
    return insert_or_ignore(session, TaskRow, rows)


def add(session: Session, *, row: StoredTask) -> StoredTask:
    """Add one slot and give it its id."""
    session.add(row)
    session.flush()
    return row


# ---- finding work ---------------------------------------------------------------------------------------------------


def lock(session: Session, *, public_id: str) -> StoredTask | None:
    """A slot, held against everybody else until the transaction ends."""
    found: StoredTask | None = session.exec(_by_public_id(hold=True), params={"slot": public_id}).first()
    return found


def by_public_id(session: Session, *, public_id: str) -> StoredTask | None:
    """A slot."""
    found: StoredTask | None = session.exec(_by_public_id(hold=False), params={"slot": public_id}).first()
    return found


@cache
def _by_public_id(*, hold: bool) -> Any:
    wanted = select(TaskRow).where(col(TaskRow.public_id) == bindparam("slot"))
    return wanted.with_for_update(key_share=True).execution_options(populate_existing=True) if hold else wanted


def lock_by_ids(session: Session, *, ids: Iterable[int]) -> Sequence[StoredTask]:
    """Slots by id, held in one order, so that two transactions never wait for each other."""
    wanted_ids = sorted(set(ids))
    if not wanted_ids:
        return []
    wanted = select(TaskRow).where(col(TaskRow.id).in_(wanted_ids)).order_by(col(TaskRow.id))
    return session.exec(wanted.with_for_update(key_share=True).execution_options(populate_existing=True)).all()


def held_by(
    session: Session, *, person_id: int, project_id: int | None = None, lock: bool = False
) -> Sequence[StoredTask]:
    """What a person has in hand or has taken back to correct, in one project or all of them."""
    mine = or_(col(TaskRow.state) == TaskState.CLAIMED, col(TaskRow.correcting).is_(True))
    wanted = select(TaskRow).where(TaskRow.person_id == person_id, mine).order_by(col(TaskRow.id))
    if project_id is not None:
        wanted = wanted.where(TaskRow.project_id == project_id)
    if lock:
        wanted = wanted.with_for_update(key_share=True).execution_options(populate_existing=True)
    return session.exec(wanted).all()


def mine(
    session: Session,
    *,
    project_id: int,
    stage: Stage,
    person_id: int,
    dimension: str | None,
    now: datetime,
    only_qualifying: bool = False,
) -> StoredTask | None:
    """What a person has in hand in a stage: a correction, or a claim (an expired one too, if nobody took it).

    ``only_qualifying`` leaves out live work, which waits until they have passed.
    """
    given = {"project": project_id, "stage": stage, "taker": person_id, "dimension": dimension, "now": now}
    for wanted in (_correction, _claim):
        statement = wanted(dimension is not None)
        if only_qualifying:
            statement = statement.where(col(TaskRow.purpose) == Purpose.QUALIFICATION)
        found: StoredTask | None = session.exec(statement, params=given).first()
        if found is not None:
            return found
    return None


@cache
def _correction(within: bool) -> Any:
    return _mine(within).where(
        col(TaskRow.correcting).is_(True),
        col(TaskRow.state) == TaskState.DONE,
        col(TaskRow.lease_until) > bindparam("now"),
    )


@cache
def _claim(within: bool) -> Any:
    return _mine(within).where(col(TaskRow.state) == TaskState.CLAIMED, not_put_off(TaskRow))


def _mine(within: bool) -> Any:
    wanted = select(TaskRow).where(col(TaskRow.person_id) == bindparam("taker"), *of_stage())
    if within:
        wanted = wanted.where(col(TaskRow.dimension) == bindparam("dimension"))
    return wanted.order_by(col(TaskRow.id)).limit(1)


def in_hand(session: Session, *, project_id: int, stage: Stage, person_id: int) -> list[StoredTask]:
    """The claims of a person in a stage that they have not put off."""
    given = {"project": project_id, "stage": stage, "taker": person_id}
    return list(session.exec(_claim(False).limit(50), params=given))


def abandoned(
    session: Session,
    *,
    project_id: int,
    stage: Stage,
    person_id: int,
    dimensions: Sequence[str] | None,
    now: datetime,
    limit: int,
) -> list[StoredTask]:
    """Slots whose lease has ended that this person may take, the longest abandoned first."""
    given = {"project": project_id, "stage": stage, "taker": person_id, "now": now, "limit": limit}
    wanted = _abandoned(stage, dimensions is not None)
    return list(session.exec(wanted, params={**given, "dimensions": dimensions}))


@cache
def _abandoned(stage: Stage, within: bool) -> Any:
    conditions = [*of_stage(), *may_take_conditions(stage), col(TaskRow.awaits_media).is_(False), not_put_off(TaskRow)]
    wanted = select(TaskRow).where(
        *conditions,
        col(TaskRow.state) == TaskState.CLAIMED,
        col(TaskRow.lease_until) < bindparam("now"),
        col(TaskRow.purpose) == Purpose.LIVE,
    )
    if within:
        wanted = wanted.where(col(TaskRow.dimension).in_(bindparam("dimensions", expanding=True)))
    return wanted.order_by(col(TaskRow.lease_until)).limit(bindparam("limit"))


def beside(session: Session, *, task_id: int, stage: Stage, person_id: int) -> list[tuple[int, str]]:
    """Open slots (id, unit) of the same item and rank as a slot, itself included, that a person may take and has not
    put off."""
    return [(id, unit) for id, unit in session.execute(_beside(stage), {"task": task_id, "taker": person_id})]


@cache
def _beside(stage: Stage) -> Any:
    one = aliased(TaskRow)
    return (
        sa_select(col(TaskRow.id), col(TaskRow.unit))
        .join(one, col(one.id) == bindparam("task"))
        .where(
            col(TaskRow.item_id) == col(one.item_id),
            col(TaskRow.stage) == stage,
            col(TaskRow.state) == TaskState.OPEN,
            col(TaskRow.purpose) == Purpose.LIVE,
            col(TaskRow.rank) == col(one.rank),
            *may_take_conditions(stage),
            not_put_off(TaskRow),
        )
        .order_by(col(TaskRow.id))
    )


def take(session: Session, *, task_id: int, stage: Stage, person_id: int, now: datetime) -> StoredTask | None:
    """Give a slot to a person; None if somebody else was faster or (on PostgreSQL) holds it just now."""
    given = {"task": task_id, "taker": person_id}
    locked: StoredTask | None = session.exec(_lockable(stage), params=given).first()
    if locked is None or not is_free(locked, now=now):
        return None
    given_up = locked.person_id is not None
    locked.state, locked.person_id, locked.lease_until = TaskState.CLAIMED, person_id, now + LEASE
    session.add(locked)
    session.flush()
    if given_up:
        _announce(session, unit=locked.unit)
    return locked


def reopen(session: Session, *, row: StoredTask) -> None:
    """Offer a locked slot to everybody again; also to those who have gone past it."""
    row.state, row.person_id, row.lease_until, row.opened = TaskState.OPEN, None, None, moment()
    session.add(row)
    session.flush()
    _announce(session, unit=row.unit)


def _announce(session: Session, *, unit: str) -> None:
    """Offer the open slots of a unit anew: somebody has lost a slot of it, and may take another one now.

    A slot that is held just now is about to be taken.
    """
    wanted = select(TaskRow.id).where(TaskRow.unit == unit, TaskRow.state == TaskState.OPEN)
    ids = list(session.exec(wanted.with_for_update(skip_locked=True, key_share=True)))
    if ids:
        session.exec(update(TaskRow).where(col(TaskRow.id).in_(ids)).values(opened=moment()))


def begin_unit(session: Session, *, row: StoredTask, whole_item: bool) -> None:
    """Offer the open slots of a unit that somebody has done before all others (``BEGUN``), or those of all units of its
    item in the stage. A slot that is held just now is about to be taken."""
    about = col(TaskRow.item_id) == row.item_id if whole_item else col(TaskRow.unit) == row.unit
    wanted = select(TaskRow.id).where(
        about,
        TaskRow.stage == row.stage,
        TaskRow.state == TaskState.OPEN,
        TaskRow.purpose == Purpose.LIVE,
        TaskRow.rank == 0,
    )
    ids = list(session.exec(wanted.with_for_update(skip_locked=True, key_share=True)))
    if ids:
        session.exec(update(TaskRow).where(col(TaskRow.id).in_(ids)).values(rank=BEGUN, opened=moment()))


def set_ranks(session: Session, *, ranks: Mapping[int, int], stage: Stage) -> None:
    """Give the unfinished slots of items (by id) another rank in a stage."""
    by_rank: dict[int, list[int]] = {}
    for item_id, rank in ranks.items():
        by_rank.setdefault(rank, []).append(item_id)
    for rank, item_ids in by_rank.items():
        session.exec(
            update(TaskRow)
            .where(
                col(TaskRow.item_id).in_(item_ids), col(TaskRow.stage) == stage, col(TaskRow.state) != TaskState.DONE
            )
            .values(rank=rank, opened=moment())
        )


@cache
def _lockable(stage: Stage) -> Any:
    return (
        select(TaskRow)
        .where(col(TaskRow.id) == bindparam("task"), *may_take_conditions(stage, join=False))
        .with_for_update(skip_locked=True, of=TaskRow, key_share=True)
        .execution_options(populate_existing=True)
    )


def is_free(row: StoredTask, *, now: datetime) -> bool:
    """Whether a slot waits for somebody: open, or claimed and abandoned, and its images and clips are there."""
    abandoned = row.state is TaskState.CLAIMED and row.lease_until is not None and row.lease_until < now
    return (row.state is TaskState.OPEN or abandoned) and not row.awaits_media


def may_take(session: Session, *, row: StoredTask, person_id: int) -> bool:
    """Whether the protocol lets a person have this slot at all."""
    wanted = select(TaskRow.id).where(TaskRow.id == row.id, *may_take_conditions(row.stage, join=False))
    return session.exec(wanted, params={"taker": person_id}).first() is not None


def may_be_taken(session: Session, *, project_id: int, stage: Stage, person_id: int) -> dict[int, str]:
    """The open slots of a stage that the protocol lets a person have, with their units."""
    given = {"project": project_id, "stage": stage, "taker": person_id}
    return dict(session.exec(_may_be_taken(stage), params=given).all())


@cache
def _may_be_taken(stage: Stage) -> Any:
    wanted = select(TaskRow.id, TaskRow.unit).where(*of_stage(), col(TaskRow.state) == TaskState.OPEN)
    return wanted.where(col(TaskRow.purpose) == Purpose.LIVE, *may_take_conditions(stage))


def open_units(session: Session, *, project_id: int, stage: Stage, dimension: str) -> dict[str, int]:
    """How many slots nobody has, by unit."""
    wanted = select(TaskRow.unit, func.count()).where(
        TaskRow.project_id == project_id,
        TaskRow.stage == stage,
        TaskRow.state == TaskState.OPEN,
        TaskRow.dimension == dimension,
        TaskRow.purpose == Purpose.LIVE,
    )
    return dict(session.exec(wanted.group_by(col(TaskRow.unit))).all())


# ---- counting -------------------------------------------------------------------------------------------------------


def count_available(
    session: Session,
    *,
    project_id: int,
    stage: Stage,
    person_id: int,
    dimensions: Sequence[str] | None,
    now: datetime,
) -> dict[str, int]:
    """How many different units wait that this person may take, by dimension."""
    given = {"project": project_id, "stage": stage, "taker": person_id, "dimensions": dimensions, "now": now}
    return dict(session.exec(_available(stage, dimensions is not None), params=given).all())


@cache
def _available(stage: Stage, within: bool) -> Any:
    waiting = or_(
        col(TaskRow.state) == TaskState.OPEN,
        and_(col(TaskRow.state) == TaskState.CLAIMED, col(TaskRow.lease_until) < bindparam("now")),
    )
    wanted = select(TaskRow.dimension, func.count(func.distinct(TaskRow.unit))).where(
        *of_stage(),
        col(TaskRow.state).in_((TaskState.OPEN, TaskState.CLAIMED)),
        col(TaskRow.purpose) == Purpose.LIVE,
        waiting,
        *may_take_conditions(stage),
        col(TaskRow.awaits_media).is_(False),
    )
    if within:
        wanted = wanted.where(col(TaskRow.dimension).in_(bindparam("dimensions", expanding=True)))
    return wanted.group_by(col(TaskRow.dimension))


def count_done(session: Session, *, project_id: int, stage: Stage, person_id: int) -> dict[str, int]:
    """How many slots a person has done in a stage, by dimension."""
    given = {"project": project_id, "stage": stage, "taker": person_id}
    return dict(session.exec(_in_state(TaskState.DONE), params=given).all())


def count_in_hand(session: Session, *, project_id: int, stage: Stage, person_id: int) -> dict[str, int]:
    """How many claims a person has in a stage, by dimension."""
    given = {"project": project_id, "stage": stage, "taker": person_id}
    return dict(session.exec(_in_state(TaskState.CLAIMED), params=given).all())


@cache
def _in_state(state: TaskState) -> Any:
    # Grouped by an expression: by the column itself, SQLite goes through all that anybody has done in this stage.
    dimension = col(TaskRow.dimension).concat("")
    wanted = select(dimension, func.count()).where(
        col(TaskRow.person_id) == bindparam("taker"),
        *of_stage(),
        col(TaskRow.state) == state,
        col(TaskRow.purpose) != Purpose.QUALIFICATION,
    )
    return wanted.group_by(dimension)


def count_correcting(
    session: Session, *, project_id: int, stage: Stage, person_id: int, now: datetime
) -> dict[str, int]:
    """How many submissions a person has taken back into the form, by dimension."""
    given = {"project": project_id, "stage": stage, "taker": person_id, "now": now}
    return dict(session.exec(_correcting(), params=given).all())


@cache
def _correcting() -> Any:
    wanted = select(TaskRow.dimension, func.count()).where(
        col(TaskRow.person_id) == bindparam("taker"),
        col(TaskRow.correcting).is_(True),
        *of_stage(),
        col(TaskRow.lease_until) > bindparam("now"),
    )
    return wanted.group_by(col(TaskRow.dimension))


def unfinished(session: Session, *, project_id: int, stage: Stage) -> Sequence[StoredTask]:
    """The slots of a stage that wait or are being worked on."""
    wanted = select(TaskRow).where(
        TaskRow.project_id == project_id,
        TaskRow.stage == stage,
        TaskRow.purpose == Purpose.LIVE,
        col(TaskRow.state).in_((TaskState.OPEN, TaskState.CLAIMED)),
    )
    return session.exec(wanted).all()


def dimensions_in(
    session: Session, *, project_id: int, stage: Stage, dimensions: Iterable[str], states: Iterable[TaskState]
) -> set[str]:
    """Those of the dimensions in which a stage has slots in one of the states, each found by one look at an index."""
    found = set()
    for dimension in dimensions:
        for state in states:
            given = {"project": project_id, "stage": stage, "dimension": dimension, "state": state}
            if session.exec(_any_in(), params=given).first() is not None:
                found.add(dimension)
                break
    return found


@cache
def _any_in() -> Any:
    wanted = select(TaskRow.id).where(*of_stage(), col(TaskRow.state) == bindparam("state"))
    live = col(TaskRow.purpose) == Purpose.LIVE
    return wanted.where(live, col(TaskRow.dimension) == bindparam("dimension")).limit(1)


def count_by_state(session: Session, *, project_id: int, stage: Stage) -> dict[tuple[str, TaskState], int]:
    """How many slots a stage has, by dimension and state."""
    wanted = (
        select(TaskRow.dimension, TaskRow.state, func.count())
        .where(TaskRow.project_id == project_id, TaskRow.stage == stage, TaskRow.purpose == Purpose.LIVE)
        .group_by(col(TaskRow.dimension), col(TaskRow.state))
    )
    return {(dimension, TaskState(state)): n for dimension, state, n in session.exec(wanted)}


def of_unit(session: Session, *, unit: str, lock: bool = False) -> Sequence[StoredTask]:
    """All slots of a unit."""
    wanted = select(TaskRow).where(TaskRow.unit == unit).order_by(col(TaskRow.slot))
    return session.exec(wanted.with_for_update(key_share=True) if lock else wanted).all()


def put_ranks(session: Session, *, ranks: Mapping[int, int]) -> None:
    """Give slots (by id) another rank."""
    for id, rank in sorted(ranks.items()):
        session.exec(update(TaskRow).where(col(TaskRow.id) == id).values(rank=rank))


def withdraw(session: Session, *, unit: str) -> None:
    """Call off the slots of a unit that nobody has done."""
    session.exec(
        update(TaskRow)
        .where(col(TaskRow.unit) == unit, col(TaskRow.state).in_((TaskState.OPEN, TaskState.CLAIMED)))
        .values(state=TaskState.WITHDRAWN, lease_until=None)
    )


def offer(session: Session, *, slot: Mapping[str, Any], needed: Sequence[str]) -> None:
    """Have one open slot: add it, or offer it again if it was called off; ``needed`` as in ``add_slots``."""
    if add_slots(session, slots=[slot], needed=needed):
        return
    session.exec(
        update(TaskRow)
        .where(
            col(TaskRow.unit) == slot["unit"],
            col(TaskRow.slot) == slot["slot"],
            col(TaskRow.state) == TaskState.WITHDRAWN,
        )
        .values(state=TaskState.OPEN, person_id=None, lease_until=None, shuffle=slot["shuffle"], opened=moment())
    )


@dataclass(frozen=True)
class AnswerSlots:
    """A model's answer that was passed on to people, and where its slots are."""

    unit: str
    prediction_id: int
    item_id: int
    model: str
    dimension: str
    open: int
    claimed: int
    done: int
    withdrawn: int

    @property
    def touched(self) -> bool:
        """Somebody has graded it or has it in hand."""
        return bool(self.claimed or self.done)

    @property
    def place(self) -> tuple[str, str]:
        """What a sample is even over."""
        return self.dimension, self.model


def answer_slots(session: Session, *, project_id: int, stage: Stage, item_id: int | None = None) -> list[AnswerSlots]:
    """The answers of runs that count that were passed on to a stage, to all items or to one, in the order in which they
    came."""

    def n(state: TaskState) -> Any:
        return func.sum(case((col(TaskRow.state) == state, 1), else_=0))

    wanted = (
        sa_select(
            col(TaskRow.unit),
            func.min(TaskRow.prediction_id),
            func.min(TaskRow.item_id),
            func.min(PredictionRow.model),
            func.min(TaskRow.dimension),
            *(n(state) for state in (TaskState.OPEN, TaskState.CLAIMED, TaskState.DONE, TaskState.WITHDRAWN)),
        )
        .join(PredictionRow, col(PredictionRow.id) == col(TaskRow.prediction_id))
        .where(col(TaskRow.project_id) == project_id, col(TaskRow.stage) == stage, col(TaskRow.purpose) == Purpose.LIVE)
        .where(of_counting_runs())
        .group_by(col(TaskRow.unit))
    )
    if item_id is not None:
        wanted = wanted.where(col(TaskRow.item_id) == item_id)
    found = [
        AnswerSlots(unit, int(prediction_id), int(item_id), model, dimension, *map(int, counts))
        for unit, prediction_id, item_id, model, dimension, *counts in session.execute(wanted)
    ]
    return sorted(found, key=lambda each: each.prediction_id)


def call_off_untouched(session: Session, *, units: Sequence[str]) -> set[str]:
    """Call off all slots of these units, but of none that somebody has or takes just now; the units that were left."""
    left: set[str] = set()
    for begin in range(0, len(units), _AT_ONCE):
        some = list(units[begin : begin + _AT_ONCE])
        slots = Counter(session.exec(select(TaskRow.unit).where(col(TaskRow.unit).in_(some))))
        wanted = select(TaskRow).where(col(TaskRow.unit).in_(some)).order_by(col(TaskRow.id))
        held: dict[str, list[StoredTask]] = {}
        for row in session.exec(
            wanted.with_for_update(skip_locked=True, key_share=True).execution_options(populate_existing=True)
        ):
            held.setdefault(row.unit, []).append(row)
        idle = (TaskState.OPEN, TaskState.WITHDRAWN)
        free = [
            unit
            for unit in some
            if len(held.get(unit, ())) == slots[unit] and all(row.state in idle for row in held[unit])
        ]
        left |= set(some) - set(free)
        session.exec(
            update(TaskRow)
            .where(col(TaskRow.unit).in_(free), col(TaskRow.state) == TaskState.OPEN)
            .values(state=TaskState.WITHDRAWN, lease_until=None)
        )
    return left


def offer_units(session: Session, *, units: Sequence[str]) -> int:
    """Offer the slots of these units that were called off; how many."""
    n = 0
    for begin in range(0, len(units), _AT_ONCE):
        some = select(TaskRow.id).where(
            col(TaskRow.unit).in_(list(units[begin : begin + _AT_ONCE])), TaskRow.state == TaskState.WITHDRAWN
        )
        ids = list(session.exec(some.order_by(col(TaskRow.id)).with_for_update(key_share=True)))
        session.exec(
            update(TaskRow)
            .where(col(TaskRow.id).in_(ids))
            .values(state=TaskState.OPEN, person_id=None, lease_until=None, opened=moment())
        )
        n += len(ids)
    return n


def begin_units(session: Session, *, units: Sequence[str]) -> None:
    """Offer the open slots of these units before those of all others in a random order."""
    for begin in range(0, len(units), _AT_ONCE):
        wanted = select(TaskRow.id).where(
            col(TaskRow.unit).in_(list(units[begin : begin + _AT_ONCE])),
            TaskRow.state == TaskState.OPEN,
            TaskRow.rank == 0,
        )
        ids = list(session.exec(wanted.with_for_update(skip_locked=True, key_share=True)))
        session.exec(update(TaskRow).where(col(TaskRow.id).in_(ids)).values(rank=BEGUN, opened=moment()))


def of_item(session: Session, *, item_id: int, stage: Stage) -> Sequence[StoredTask]:
    """The live slots about an item in a stage."""
    wanted = select(TaskRow).where(TaskRow.item_id == item_id, TaskRow.stage == stage, TaskRow.purpose == Purpose.LIVE)
    return session.exec(wanted.order_by(col(TaskRow.id))).all()


def offer_items_with(session: Session, *, asset_ids: Sequence[int], needed: Sequence[str]) -> None:
    """Offer what waited for these assets, which are there now, also to everybody who has gone past it."""
    item_ids = missing_media.with_assets(session, asset_ids=asset_ids)
    there = sorted(item_ids - missing_media.waiting(session, item_ids=item_ids, needed=needed))
    ids: list[int] = []
    for begin in range(0, len(there), _AT_ONCE):
        some = col(TaskRow.item_id).in_(there[begin : begin + _AT_ONCE])
        ids += [id for id in session.exec(select(TaskRow.id).where(some, col(TaskRow.awaits_media).is_(True)))]
    note_media(session, ids=ids, awaits=False)


def note_media(session: Session, *, ids: Iterable[int], awaits: bool) -> None:
    """Have slots (by id) wait for an image or clip, or offer them, also to everybody who has gone past them."""
    ids = sorted(ids)
    for begin in range(0, len(ids), _AT_ONCE):
        some = ids[begin : begin + _AT_ONCE]
        held = select(TaskRow.id).where(col(TaskRow.id).in_(some)).order_by(col(TaskRow.id))
        session.exec(held.with_for_update(key_share=True)).all()
        changed = update(TaskRow).where(col(TaskRow.id).in_(some))
        session.exec(changed.values(awaits_media=awaits, opened=moment()))


def any_waits_for_media(
    session: Session, *, project_id: int, stage: Stage, person_id: int, dimensions: Sequence[str] | None
) -> bool:
    """Whether something that a person may take waits for an image or clip; a few hundred slots are looked at."""
    given = {"project": project_id, "stage": stage, "taker": person_id, "dimensions": dimensions}
    return session.execute(_any_waits(stage, dimensions is not None), given).first() is not None


@cache
def _any_waits(stage: Stage, within: bool) -> Any:
    raw = select(TaskRow).where(*of_stage(), col(TaskRow.state) == TaskState.OPEN, col(TaskRow.awaits_media).is_(True))
    raw = raw.where(col(TaskRow.purpose) == Purpose.LIVE)
    if within:
        raw = raw.where(col(TaskRow.dimension).in_(bindparam("dimensions", expanding=True)))
    slot = aliased(TaskRow, raw.limit(_AT_ONCE).subquery("raw"))
    wanted: Any = sa_select(col(slot.id))
    return wanted.where(*may_take_conditions(stage, of=slot)).limit(1)


def offer_again(session: Session, *, unit: str) -> None:
    """Offer the slots of a unit that were called off."""
    session.exec(
        update(TaskRow)
        .where(col(TaskRow.unit) == unit, col(TaskRow.state) == TaskState.WITHDRAWN)
        .values(state=TaskState.OPEN, person_id=None, lease_until=None, opened=moment())
    )


def fed(session: Session, *, item_id: int, counting: bool = False) -> list[int]:
    """The models' answers (ids) that were ever shown beside an item to refine it; ``counting``: those of runs that
    count."""
    wanted = select(TaskRow.prediction_id).where(TaskRow.item_id == item_id, TaskRow.stage == Stage.REFINEMENT)
    if counting:
        wanted = wanted.join(PredictionRow, col(PredictionRow.id) == TaskRow.prediction_id).where(of_counting_runs())
    return sorted({id for id in session.exec(wanted) if id is not None})


def fed_of_run(session: Session, *, run_id: int) -> list[tuple[int, int, int, str]]:
    """A run's answers (prediction id, item id, the item's revision as it stands, dimension) that were ever shown beside
    their items to refine them."""
    wanted = (
        select(TaskRow.prediction_id, ItemRow.id, ItemRow.current_revision, ItemRow.dimension)
        .join(PredictionRow, col(PredictionRow.id) == TaskRow.prediction_id)
        .join(ItemRow, col(ItemRow.id) == TaskRow.item_id)
        .where(PredictionRow.run_id == run_id, TaskRow.stage == Stage.REFINEMENT)
        .distinct()
        .order_by(col(TaskRow.prediction_id))
    )
    return [(id or 0, item_id, revision, dimension) for id, item_id, revision, dimension in session.exec(wanted)]


def fed_units(session: Session, *, project_id: int) -> set[str]:
    """The units of refinement that a project has."""
    wanted = select(TaskRow.unit).where(TaskRow.project_id == project_id, TaskRow.stage == Stage.REFINEMENT)
    return set(session.exec(wanted))


def place_of(session: Session, *, item_id: int, stage: Stage, person_id: int, unit: str) -> tuple[int, int]:
    """Which unit of its item this is for a person (those done before, and this one), and how many units there are."""
    rows = session.exec(
        select(TaskRow.unit, TaskRow.person_id, TaskRow.state).where(
            TaskRow.item_id == item_id,
            TaskRow.stage == stage,
            TaskRow.state != TaskState.WITHDRAWN,
            TaskRow.purpose == Purpose.LIVE,
        )
    ).all()
    done = {other for other, person, state in rows if person == person_id and state is TaskState.DONE and other != unit}
    return len(done) + 1, len({other for other, _, _ in rows})


# ---- the rules, as conditions ---------------------------------------------------------------------------------------
#
# Statements on the annotator's path are made once and filled in by name (``taker``, ``project``, ``stage``, ``now``):
# putting one together costs more than running it.


def of_stage() -> list[ColumnElement[bool]]:
    """Slots of the ``stage`` of the ``project``."""
    return [col(TaskRow.project_id) == bindparam("project"), col(TaskRow.stage) == bindparam("stage")]


def on_offer() -> list[ColumnElement[bool]]:
    """Open slots of the ``stage`` of the ``project`` that do not wait for an image or clip.

    That is no part of ``may_take_conditions``: who may be asked about an item once its image is there must not look
    into it before.
    """
    return [*of_stage(), col(TaskRow.state) == TaskState.OPEN, col(TaskRow.awaits_media).is_(False)]


def may_take_conditions(stage: Stage, *, join: bool = True, of: Any = TaskRow) -> list[ColumnElement[bool]]:
    """What the protocol asks of the ``taker`` of a slot: no second slot of a unit, never one's own item; and
    blind only about what one has not looked into.

    Adding nothing to a person's id keeps PostgreSQL from going through all that the person has done: it looks at the
    few slots of the unit instead, whatever its statistics say.
    """
    other = _OTHER
    person_id: ColumnElement[int] = bindparam("taker")
    second = [col(other.unit) == col(of.unit), col(other.person_id) + 0 == person_id]
    if not join:
        second.append(col(other.id) != col(of.id))
    conditions: list[ColumnElement[bool]] = [~exists().where(*second)]
    if stage in (Stage.VERIFICATION, Stage.ADJUDICATION):
        conditions.append(~exists().where(col(ItemRow.id) == col(of.item_id), col(ItemRow.author_id) + 0 == person_id))
        conditions.append(
            ~exists().where(col(RevisionRow.item_id) == col(of.item_id), col(RevisionRow.editor_id) == person_id)
        )
    if stage in BLIND:
        conditions.append(
            ~exists().where(col(InsightRow.item_id) == col(of.item_id), col(InsightRow.person_id) == person_id)
        )
    if stage is Stage.GRADING:  # what they graded to qualify, whose results they see
        graded = (col(other.prediction_id) == col(of.prediction_id), col(other.person_id) + 0 == person_id)
        conditions.append(~exists().where(*graded, col(other.purpose) == Purpose.QUALIFICATION))
    if stage is Stage.REFINEMENT:  # its page shows the key
        conditions.append(~exists().where(col(ItemRow.id) == col(of.item_id), col(ItemRow.author_id) + 0 == person_id))
        conditions.append(~_asked_blind(of, person_id))
    if stage is Stage.ADJUDICATION:
        conditions.append(
            ~exists().where(
                col(AnnotationRow.item_id) == col(of.item_id),
                col(AnnotationRow.stage) == Stage.VERIFICATION,
                col(AnnotationRow.person_id) + 0 == person_id,
            )
        )
    return conditions


def _asked_blind(of: Any, person_id: ColumnElement[int]) -> ColumnElement[bool]:
    """The person answers about the item of a slot blind just now, or may still take back what they answered."""
    unsettled = exists().where(
        col(ItemRow.id) == col(_OTHER.item_id),
        col(ItemRow.state).in_((ItemState.IN_VERIFICATION, ItemState.IN_ADJUDICATION)),
        col(ItemRow.current_revision) == col(_OTHER.revision),
    )
    return exists().where(
        col(_OTHER.item_id) == col(of.item_id),
        col(_OTHER.person_id) + 0 == person_id,
        col(_OTHER.stage).in_(BLIND),
        or_(
            col(_OTHER.state) == TaskState.CLAIMED,
            col(_OTHER.correcting).is_(True),
            and_(col(_OTHER.stage) == Stage.VERIFICATION, col(_OTHER.state) == TaskState.DONE, unsettled),
        ),
    )


def not_put_off(of: Any) -> ColumnElement[bool]:
    """The ``taker`` has not put the unit of a slot off."""
    return ~exists().where(col(AsideRow.person_id) == bindparam("taker"), col(AsideRow.unit) == col(of.unit))


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % SHUFFLE_RANGE

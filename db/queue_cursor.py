"""Finding the next slots for a person. Each order is walked once, so that a search costs the same in a large project.

Slots of a stage are in one index by ``rank``, then by ``shuffle``. A person goes along it in a *lap*, which never looks
again at slots that the person may not take. In a random order the lap visits blocks of the index in a personal order,
which follows from the project's seed. Slots offered after the lap began are found in a second index, by the moment of
their offer. Each is offered once, so it is looked at once.

Slots of units that someone has begun may have a level of their own, which is searched first.

A new lap starts if many slots were added, or if nothing is found. It starts only so often that laps take at most one
part in ``RELAP_COST`` of the elapsed time.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sqlalchemy import and_, bindparam, func, tuple_
from sqlalchemy import select as sa_select
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db import prepared
from db.many_rows import insert_or_ignore
from db.records import StoredQueueCursor
from db.tables import QueueCursorRow, TaskRow
from db.task_rules import may_take_conditions, not_postponed, on_offer, taker
from db.task_slots import SHUFFLE_RANGE, moment
from domain.states import Purpose, Stage

RELAP_COST = 200
RELAP_AFTER = 30_000_000
"""The minimum number of microseconds between two laps if the only reason is that no work was found.

A new lap finds missed slots, for example one whose offer was committed after a later offer was seen.
"""

FIRST_LOOK = 8
LARGEST_LOOK = 512
"""The number of slots that one query looks at: few while there is work, more the longer none is found."""
MANY_NEW = 64
"""The number of slots added since the lap began that are worth another lap."""
FRUITLESS = 6
"""The number of blocks in sequence without work after which the blocks become larger.

Near the end of a queue few blocks have any work, and each costs a query.
"""
COARSER = 4
MOST_BITS = 20
PER_BLOCK = 2
BUDGET = 20_000
"""The number of slots that one transaction looks at. A longer search continues in another, so that nobody waits for it.
"""

_POSITION = {"bits", "rank", "place", "ended", "begun", "cost", "heard", "heard_id"}
_WIDTH = SHUFFLE_RANGE.bit_length() - 1


@dataclass(frozen=True)
class SearchedSlot:
    """A slot that the search looked at."""

    id: int
    item_id: int | None
    unit: str
    rank: int
    place: int
    """The position in the person's own order, if the order is random."""
    opened: int
    free: bool
    in_lap: bool = True


@dataclass
class _Look:
    """A place in a lap from which the search continues."""

    stage: Stage
    dimension: str
    bits: int | None
    rank: int
    place: int
    ended: bool


@dataclass
class Cursor:
    """A person's position in a queue. Moving the cursor changes nothing in the database until ``keep``."""

    row: StoredQueueCursor
    seed: int
    random: bool
    dimension: str = ""
    """The dimension, or an empty string for all of them."""
    level: int = 0
    """In a random order: the rank of the slots that it visits."""
    more: bool = False
    """Whether the search stopped early, so that there may be more work."""
    taker: Mapping[str, Any] = field(default_factory=dict)
    """The parameters of the protocol's rules for the person, as ``db.task_rules.taker`` returns them."""
    stored: Mapping[str, Any] = field(default_factory=dict)
    """The position in the database."""

    @property
    def given(self) -> dict[str, Any]:
        """The parameters of every query."""
        row = self.row
        return {
            "project": row.project_id,
            "stage": row.stage,
            **self.taker,
            "dimension": self.dimension,
            "level": self.level,
        }


def open_cursor(
    session: Session,
    *,
    project_id: int,
    person_id: int,
    stage: Stage,
    dimension: str,
    seed: int,
    random: bool,
    hold: bool,
    level: int = 0,
) -> Cursor:
    """Return a person's cursor. With ``hold``, nobody else claims for the person until the transaction ends.

    ``level`` is the rank of the slots that a random order visits. Each level has its own cursor.
    """
    key = dimension if level == 0 else f"{dimension}/{level}"  # no dimension has such a name
    given = {"project": project_id, "taker": person_id, "stage": stage, "dimension": key}
    found = prepared.first(session, _stored(hold), given)
    if found is None and hold:
        new = StoredQueueCursor.model_construct(project_id=project_id, person_id=person_id, stage=stage, dimension=key)
        insert_or_ignore(session, QueueCursorRow, [{**new.model_dump(exclude={"id"}), "stage": stage}])
        found = prepared.first(session, _stored(hold), given)
    given = {"project_id": project_id, "person_id": person_id, "stage": stage, "dimension": key}
    row = StoredQueueCursor.model_construct(**(given if found is None else found._asdict()))
    theirs = taker(session, stage, person_id)
    stored = row.model_dump(include=_POSITION)
    return Cursor(row=row, seed=seed, random=random, dimension=dimension, level=level, taker=theirs, stored=stored)


def keep(session: Session, cursor: Cursor) -> None:
    """Store the position of a cursor that was opened with ``hold``."""
    position = cursor.row.model_dump(include=_POSITION)
    if position != cursor.stored:
        prepared.change(session, QueueCursorRow, cursor.row, **position)


@cache
def _stored(hold: bool) -> Any:
    wanted = select(QueueCursorRow).where(
        col(QueueCursorRow.project_id) == bindparam("project"),
        col(QueueCursorRow.person_id) == bindparam("taker"),
        col(QueueCursorRow.stage) == bindparam("stage"),
        col(QueueCursorRow.dimension) == bindparam("dimension"),
    )
    return wanted.with_for_update(key_share=True) if hold else wanted


def search(session: Session, cursors: Sequence[Cursor], *, limit: int) -> list[tuple[Cursor, SearchedSlot]]:
    """Return the next slots that a person may take, best first, over the dimensions of these cursors.

    Return at least ``limit`` slots, if there are enough.
    """
    slots: list[tuple[Cursor, SearchedSlot]] = []
    for cursor in cursors:
        slots += [(cursor, spot) for spot in _ahead(session, cursor, limit=limit)]
    if cursors and cursors[0].random and not slots:
        for cursor in cursors:
            slots += [(cursor, spot) for spot in _news(session, cursor)]
    if not slots:
        for cursor in cursors:
            if not cursor.more and _relap_due(cursor, RELAP_AFTER):
                _begin_lap(session, cursor)
                slots += [(cursor, spot) for spot in _ahead(session, cursor, limit=limit)]
    return sorted(slots, key=lambda each: (each[1].rank, each[1].place))


def took(cursor: Cursor, spot: SearchedSlot) -> None:
    """Move the cursor to a slot that was taken."""
    if spot.in_lap:
        cursor.row.rank, cursor.row.place = spot.rank, spot.place


# ---- the lap --------------------------------------------------------------------------------------------------------


def _ahead(session: Session, cursor: Cursor, *, limit: int) -> list[SearchedSlot]:
    if cursor.row.bits is None:
        _begin_lap(session, cursor)
    news = [] if cursor.random else _news(session, cursor)
    return news + _lap(session, cursor, limit=limit)


def _lap(session: Session, cursor: Cursor, *, limit: int) -> list[SearchedSlot]:
    """Return free slots ahead in the lap. Move the cursor past slots that are not free, and stop before free ones."""
    row = cursor.row
    slots: list[SearchedSlot] = []
    look = _copy(cursor)
    size, seen, fruitless, began = FIRST_LOOK, 0, 0, time.perf_counter()
    while not look.ended and len(slots) < limit:
        if seen > BUDGET:
            cursor.more = not slots
            break
        spots = (
            _random_look(session, cursor, look, size) if cursor.random else _ranked_look(session, cursor, look, size)
        )
        free = [spot for spot in spots if spot.free]
        seen += len(spots) + 4
        slots += free
        if slots:
            continue
        row.rank, row.place, row.ended = look.rank, look.place, look.ended
        size = min(size * 2, LARGEST_LOOK)
        fruitless += 1
        if cursor.random and fruitless >= FRUITLESS and (row.bits or 0) > 0:
            _begin_lap(session, cursor, bits=max((row.bits or 0) - COARSER, 0))
            look, fruitless = _copy(cursor), 0
    if seen > 2 * FIRST_LOOK + 8:
        row.cost += int((time.perf_counter() - began) * 1e6)
    return slots


def _copy(cursor: Cursor) -> _Look:
    """Copy a cursor's place. Moving the copy changes nothing in the database."""
    row = cursor.row
    return _Look(row.stage, cursor.dimension, row.bits, row.rank, row.place, row.ended)


def _ranked_look(session: Session, cursor: Cursor, look: _Look, size: int) -> list[SearchedSlot]:
    given = {**cursor.given, "rank": look.rank, "place": look.place, "limit": size}
    rows = prepared.rows(session, _ranked(look.stage, bool(look.dimension)), given)
    spots = [SearchedSlot(*row) for row in rows]
    if spots:
        look.rank, look.place = spots[-1].rank, spots[-1].place
    look.ended = len(rows) < size
    return spots


def _random_look(session: Session, cursor: Cursor, look: _Look, size: int) -> list[SearchedSlot]:
    bits = look.bits or 0
    width = _WIDTH - bits
    after = look.place + 1
    turn, low = after >> width, after & ((1 << width) - 1)
    begin = block_at(turn, bits=bits, key=_key(cursor, bits)) << width
    given = {**cursor.given, "from": begin + low, "to": begin + (1 << width) - 1, "limit": size}
    rows = prepared.rows(session, _block(look.stage, bool(look.dimension)), given)
    spots = [
        SearchedSlot(id, item_id, unit, cursor.level, (turn << width) + shuffle - begin, opened, free)
        for id, item_id, unit, _, shuffle, opened, free in rows
    ]
    look.place = spots[-1].place if len(rows) == size else ((turn + 1) << width) - 1
    look.ended = look.place >= SHUFFLE_RANGE - 1
    return spots


def _begin_lap(session: Session, cursor: Cursor, *, bits: int | None = None) -> None:
    row = cursor.row
    if bits is None:
        bits = _blocks(session, cursor) if cursor.random else 0
        row.cost = 0
        row.begun = moment()
    row.bits, row.rank, row.place, row.ended = bits, cursor.level if cursor.random else -(2**31), -1, False
    row.heard, row.heard_id = row.begun - 1_000_000, 0  # the latest offers may not have been visible yet


def _relap_due(cursor: Cursor, at_least: int) -> bool:
    return moment() - cursor.row.begun >= max(at_least, RELAP_COST * cursor.row.cost)


def _blocks(session: Session, cursor: Cursor) -> int:
    """Choose the number of blocks, as a power of two, so that each holds few slots. The density is estimated."""
    begin = int.from_bytes(hashlib.sha256(f"{_name(cursor)}/density".encode()).digest()[:8], "big") % (
        SHUFFLE_RANGE // 2
    )
    wanted = _density(cursor.row.stage, bool(cursor.dimension))
    n, last = session.execute(wanted, {**cursor.given, "from": begin, "limit": MANY_NEW}).one()
    if n == MANY_NEW:
        slots = n * SHUFFLE_RANGE // (last - begin + 1)
    else:
        slots = session.execute(wanted, {**cursor.given, "from": 0, "limit": 4 * MANY_NEW}).one()[0]
    return min(max(int(slots) // PER_BLOCK, 1).bit_length() - 1, MOST_BITS)


def _name(cursor: Cursor) -> str:
    row = cursor.row
    return f"{cursor.seed}/person/{row.person_id}/{row.stage.value}/{row.dimension}"


def _key(cursor: Cursor, bits: int) -> bytes:
    return _hash(f"{_name(cursor)}/{bits}")


@cache
def _hash(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()


def block_at(turn: int, *, bits: int, key: bytes) -> int:
    """Return the block at a position in one of the orders of ``2**bits`` blocks. The key selects the order.

    Each step (add, multiply by an odd number, mix the upper half into the lower) can be undone, so no block comes
    twice.
    """
    if bits == 0:
        return 0
    mask, half = (1 << bits) - 1, bits // 2 + 1
    block = turn
    for step in range(0, 32, 8):
        odd = int.from_bytes(key[step : step + 4], "big") | 1
        plus = int.from_bytes(key[step + 4 : step + 8], "big")
        block = ((block + plus) * odd) & mask
        block ^= block >> half
    return block


# ---- later offers ----------------------------------------------------------------------------------------------------


def _news(session: Session, cursor: Cursor) -> list[SearchedSlot]:
    """Return free slots offered since the lap began in the part that it has passed, a few at a time, in order."""
    row = cursor.row
    seen, began = 0, time.perf_counter()
    while seen <= BUDGET:
        given = {**cursor.given, "heard": row.heard, "heard_id": row.heard_id, "limit": MANY_NEW}
        found = prepared.rows(session, _offered(row.stage, bool(cursor.dimension), cursor.random), given)
        spots = [
            SearchedSlot(id, item_id, unit, rank, place, opened, free, in_lap=False)
            for id, item_id, unit, rank, place, opened, free in found
        ]
        passed = spots if row.ended else [spot for spot in spots if (spot.rank, spot.place) <= (row.rank, row.place)]
        free = [spot for spot in passed if spot.free]
        if len(spots) == MANY_NEW and free and _relap_due(cursor, 0):
            _begin_lap(session, cursor)
            return _lap(session, cursor, limit=1) if cursor.random else []
        for spot in spots:
            if spot in free:
                break
            row.heard, row.heard_id = spot.opened, spot.id
        if free:
            return sorted(free, key=lambda spot: _hash(f"{_name(cursor)}/{spot.unit}")) if cursor.random else free
        seen += len(spots)
        if len(spots) < MANY_NEW:
            break
    else:
        cursor.more = True
    if seen > MANY_NEW:
        row.cost += int((time.perf_counter() - began) * 1e6)
    return []


# ---- the queries -----------------------------------------------------------------------------------------------------


def _open(within: bool) -> Any:
    wanted = select(TaskRow).where(*on_offer())
    return wanted.where(col(TaskRow.dimension) == bindparam("dimension")) if within else wanted


def _free(stage: Stage, slot: Any) -> list[Any]:
    may = may_take_conditions(stage, of=slot)
    return [col(slot.purpose) == Purpose.LIVE, *may, not_postponed(slot)]


def _looked(raw: Any, stage: Stage, *order: str) -> Any:
    """Return a query for each slot that a raw query finds, and whether the person may take it."""
    slot = aliased(TaskRow, raw.subquery("raw"))
    free = and_(*_free(stage, slot))
    columns: list[Any] = [slot.id, slot.item_id, slot.unit, slot.rank, slot.shuffle, slot.opened]
    return sa_select(*columns, free.label("free")).order_by(*[getattr(slot, name) for name in order])


@cache
def _ranked(stage: Stage, within: bool) -> Any:
    place = tuple_(col(TaskRow.rank), col(TaskRow.shuffle))
    raw = _open(within).where(place > tuple_(bindparam("rank"), bindparam("place")))
    raw = raw.order_by(col(TaskRow.rank), col(TaskRow.shuffle)).limit(bindparam("limit"))
    return _looked(raw, stage, "rank", "shuffle")


@cache
def _block(stage: Stage, within: bool) -> Any:
    shuffle = col(TaskRow.shuffle)
    level = col(TaskRow.rank) == bindparam("level")
    raw = _open(within).where(level, shuffle >= bindparam("from"), shuffle <= bindparam("to"))
    return _looked(raw.order_by(shuffle).limit(bindparam("limit")), stage, "shuffle")


@cache
def _offered(stage: Stage, within: bool, random: bool) -> Any:
    place = tuple_(col(TaskRow.opened), col(TaskRow.id))
    raw = select(TaskRow).where(*on_offer())
    raw = raw.where(place > tuple_(bindparam("heard"), bindparam("heard_id")))
    raw = raw.order_by(col(TaskRow.opened), col(TaskRow.id)).limit(bindparam("limit"))
    slot = aliased(TaskRow, raw.subquery("raw"))
    conditions = _free(stage, slot)
    if within:
        conditions.append(col(slot.dimension) == bindparam("dimension"))
    if random:
        conditions.append(col(slot.rank) == bindparam("level"))
    columns: list[Any] = [slot.id, slot.item_id, slot.unit, slot.rank, slot.shuffle, slot.opened]
    return sa_select(*columns, and_(*conditions).label("free")).order_by(col(slot.opened), col(slot.id))


@cache
def _density(stage: Stage, within: bool) -> Any:
    shuffle = col(TaskRow.shuffle)
    level = col(TaskRow.rank) == bindparam("level")
    raw = _open(within).where(level, shuffle >= bindparam("from")).order_by(shuffle)
    near = raw.with_only_columns(shuffle).limit(bindparam("limit")).subquery("near")
    return select(func.count(), func.max(near.c.shuffle)).select_from(near)

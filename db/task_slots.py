"""Opening slots of work, and offering or withdrawing existing slots."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import exists, func, update
from sqlmodel import Session, col, select

from db import missing_media
from db.many_rows import insert_or_ignore
from db.records import StoredTask
from db.tables import ItemRow, TaskRow
from db.types import public_id
from domain.policies import LEASE
from domain.runs import chunked
from domain.states import VOTED_ON, Purpose, Stage, TaskState

SHUFFLE_RANGE = 2**31
_EQUALS = 2**20
"""The number of positions for items that are equally contested. The shuffled order has room for a thousand such groups.
"""

BEGUN = -1
"""The rank, in a random order, of slots whose unit has a finished slot."""


def unit_of_revision(stage: Stage, *, item_id: int, revision: int) -> str:
    """Return the unit name of an item's revision to vote on or to adjudicate."""
    return f"{stage.value}/item/{item_id}/{revision}"


def unit_to_settle(stage: Stage, *, item_id: int, revision: int) -> str:
    """Return the unit name of an item's revision to adjudicate after the votes of a stage."""
    of = Stage.ADJUDICATION.value + stage.value.removeprefix(Stage.VERIFICATION.value)
    return f"{of}/item/{item_id}/{revision}"


def settled_in(unit: str) -> Stage:
    """Return the stage whose votes a slot with this unit name adjudicates.

    >>> settled_in("adjudication_2/item/7/1").value
    'verification_2'
    """
    return Stage(Stage.VERIFICATION.value + unit.partition("/")[0].removeprefix(Stage.ADJUDICATION.value))


def unit_of_answer(stage: Stage, *, prediction_id: int) -> str:
    """Return the unit name of a model's answer in a stage."""
    return f"{stage.value}/prediction/{prediction_id}"


def unit_of_prediction(*, prediction_id: int) -> str:
    """Return the unit name of a model's answer to grade."""
    return unit_of_answer(Stage.GRADING, prediction_id=prediction_id)


def unit_of_refinement(*, prediction_id: int, revision: int) -> str:
    """Return the unit name of a model's answer next to a revision of its item."""
    return f"{Stage.REFINEMENT.value}/prediction/{prediction_id}/{revision}"


def shuffle_key(*, seed: int | str, unit: str, slot: int) -> int:
    """Return a slot's position in the shuffled order of its stage. It follows from the project's seed."""
    return _number(f"{seed}/{unit}/{slot}")


def contest_key(*, seed: int, unit: str, contest: float) -> int:
    """Return a position in the seniors' queue for a contest from 0 to 1: most contested first, equals shuffled."""
    return round((1 - contest) * 1000) * _EQUALS + shuffle_key(seed=seed, unit=unit, slot=0) % _EQUALS


def rank_of(order: str, *, slot: int, item_id: int, priority: int = 0) -> int:
    """Return a slot's rank in an order that a schema names. Lower comes first, and equals come in shuffled order."""
    return {"fewest_votes": slot, "oldest": item_id, "priority": -priority}.get(order, 0)


def moment() -> int:
    """Return the current time as a growing number, for the order in which slots are offered."""
    return time.time_ns() // 1000


@dataclass(frozen=True, kw_only=True)
class Slot:
    """A slot to open: its unit, its person, and its position in the order of its stage."""

    project_id: int
    stage: Stage
    unit: str
    """The unit name. With ``slot`` it identifies the slot: an existing slot is not opened again."""
    slot: int = 0
    item_id: int | None = None
    revision: int | None = None
    prediction_id: int | None = None
    dimension: str
    purpose: Purpose = Purpose.LIVE
    person_id: int | None = None
    """The only person who may have it: the slot opens as claimed. None: it is on offer."""
    called_off: bool = False
    """Whether it is withdrawn until ``offer_units``."""
    rank: int = 0
    shuffle: int
    at: datetime
    public_id: str = field(default_factory=public_id)


def open_slots(session: Session, *, slots: Iterable[Slot], needed: Sequence[str] = ()) -> int:
    """Open slots. Existing slots stay unchanged. Return the number of new slots. Only this function creates slots.

    Slots about items that lack an image or clip in a ``needed`` role wait until the file arrives
    (``offer_items_with``).
    """
    slots = list(slots)
    about = [slot.item_id for slot in slots if slot.item_id is not None]
    waiting = missing_media.waiting(session, item_ids=about, needed=needed)
    opened = moment()
    rows = [_columns(slot, opened=opened, awaits_media=slot.item_id in waiting) for slot in slots]
    return insert_or_ignore(session, TaskRow, rows)


def items_without(session: Session, *, project_id: int, stage: Stage) -> list[int]:
    """Return the items (ids) under vote in a stage whose current revision has no slot there."""
    there = exists().where(
        col(TaskRow.item_id) == ItemRow.id,
        col(TaskRow.stage) == stage,
        col(TaskRow.revision) == ItemRow.current_revision,
    )
    wanted = select(ItemRow.id).where(ItemRow.project_id == project_id, ItemRow.state == VOTED_ON[stage], ~there)
    return list(session.exec(wanted.order_by(col(ItemRow.id))))


def open_for_person(session: Session, *, slot: Slot) -> StoredTask | None:
    """Open a slot that its person has claimed. Return None if it exists already."""
    if not open_slots(session, slots=[slot]):
        return None
    return session.exec(select(TaskRow).where(TaskRow.public_id == slot.public_id)).one()


def _columns(slot: Slot, *, opened: int, awaits_media: bool) -> dict[str, Any]:
    """Return every column of a new slot except its id."""
    state = TaskState.OPEN if slot.person_id is None else TaskState.CLAIMED
    return {
        "public_id": slot.public_id,
        "project_id": slot.project_id,
        "stage": slot.stage,
        "unit": slot.unit,
        "slot": slot.slot,
        "item_id": slot.item_id,
        "revision": slot.revision,
        "prediction_id": slot.prediction_id,
        "dimension": slot.dimension,
        "dimension_given": None,  # a new slot has the current name of its dimension
        "dimension_version": None,
        "state": TaskState.WITHDRAWN if slot.called_off else state,
        "person_id": slot.person_id,
        "lease_until": None if slot.person_id is None else slot.at + LEASE,
        "correcting": False,
        "reserved": False,
        "purpose": slot.purpose,
        "rank": slot.rank,
        "shuffle": slot.shuffle,
        "opened": opened,
        "awaits_media": awaits_media,
        "created_at": slot.at,
    }


def begin_unit(session: Session, *, row: StoredTask, whole_item: bool) -> None:
    """Offer the open slots of a unit before all others (``BEGUN``), because someone has done a slot of the unit.

    ``whole_item``: the slots of all units of its item in the stage. A locked slot is skipped, because it is about to be
    taken.
    """
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
    """Set the rank of the unfinished slots of items (by id) in a stage."""
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


def put_ranks(session: Session, *, ranks: Mapping[int, int]) -> None:
    """Set the rank of slots (by id)."""
    for id, rank in sorted(ranks.items()):
        session.exec(update(TaskRow).where(col(TaskRow.id) == id).values(rank=rank))


def withdraw(session: Session, *, units: Sequence[str], held: bool = True) -> None:
    """Withdraw the unfinished slots of units. ``held``: including claimed slots."""
    idle = (TaskState.OPEN, TaskState.CLAIMED) if held else (TaskState.OPEN,)
    for lot in chunked(units):
        some = col(TaskRow.unit).in_(lot)
        session.exec(
            update(TaskRow)
            .where(some, col(TaskRow.state).in_(idle))
            .values(state=TaskState.WITHDRAWN, lease_until=None)
        )


def call_off_surplus(session: Session, *, project_id: int, stage: Stage, most: int) -> int:
    """Withdraw the open slots of a unit that exceed the number of people to ask. Return their number."""
    about = (TaskRow.project_id == project_id, TaskRow.stage == stage, TaskRow.purpose == Purpose.LIVE)
    there = col(TaskRow.state).in_((TaskState.OPEN, TaskState.CLAIMED, TaskState.DONE))
    full = select(TaskRow.unit).where(*about, there).group_by(col(TaskRow.unit)).having(func.count() > most)
    rows: dict[str, list[tuple[int, TaskState]]] = {}
    wanted = select(TaskRow.id, TaskRow.unit, TaskRow.state).where(*about, there, col(TaskRow.unit).in_(full))
    for id, unit, state in session.exec(wanted.order_by(col(TaskRow.slot))):
        rows.setdefault(unit, []).append((id, TaskState(state)))
    ids: list[int] = []
    for slots in rows.values():
        idle = [id for id, state in slots if state is TaskState.OPEN]
        ids += idle[max(0, most - (len(slots) - len(idle))) :]
    for lot in chunked(ids):
        some = col(TaskRow.id).in_(lot)
        session.exec(
            update(TaskRow).where(some, col(TaskRow.state) == TaskState.OPEN).values(state=TaskState.WITHDRAWN)
        )
    return len(ids)


def offer(session: Session, *, slots: Sequence[Slot], needed: Sequence[str]) -> None:
    """Open these slots, or offer them again if they were withdrawn. ``needed`` as in ``open_slots``."""
    if open_slots(session, slots=slots, needed=needed) == len(slots):
        return
    for slot in slots:
        session.exec(
            update(TaskRow)
            .where(
                col(TaskRow.unit) == slot.unit,
                col(TaskRow.slot) == slot.slot,
                col(TaskRow.state) == TaskState.WITHDRAWN,
            )
            .values(state=TaskState.OPEN, person_id=None, lease_until=None, shuffle=slot.shuffle, opened=moment())
        )


def call_off_untouched(session: Session, *, units: Sequence[str]) -> set[str]:
    """Withdraw all slots of these units, except units that someone has claimed, done or is taking. Return the
    exceptions.
    """
    left: set[str] = set()
    for some in chunked(units):
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


def offer_units(session: Session, *, units: Sequence[str], most: int | None = None) -> int:
    """Offer the withdrawn slots of these units. Return their number.

    ``most``: only until a unit has this number of slots that are not withdrawn. More slots come from a time when the
    schema asked more people.
    """
    n = 0
    for lot in chunked(units):
        some = col(TaskRow.unit).in_(lot)
        off = select(TaskRow.id, TaskRow.unit).where(some, TaskRow.state == TaskState.WITHDRAWN)
        held = off.order_by(col(TaskRow.id)).with_for_update(key_share=True)
        held_units = list(session.exec(held))
        if held_units and most is not None:
            others = select(TaskRow.unit).where(some, TaskRow.state != TaskState.WITHDRAWN)
            there = Counter(session.exec(others))
            ids = []
            for id, unit in held_units:
                if there[unit] < most:
                    there[unit] += 1
                    ids.append(id)
        else:
            ids = [id for id, _ in held_units]
        session.exec(
            update(TaskRow)
            .where(col(TaskRow.id).in_(ids))
            .values(state=TaskState.OPEN, person_id=None, lease_until=None, opened=moment())
        )
        n += len(ids)
    return n


def begin_units(session: Session, *, units: Sequence[str]) -> None:
    """Offer the open slots of these units before those of all others in a random order."""
    for lot in chunked(units):
        wanted = select(TaskRow.id).where(
            col(TaskRow.unit).in_(lot),
            TaskRow.state == TaskState.OPEN,
            TaskRow.rank == 0,
        )
        ids = list(session.exec(wanted.with_for_update(skip_locked=True, key_share=True)))
        session.exec(update(TaskRow).where(col(TaskRow.id).in_(ids)).values(rank=BEGUN, opened=moment()))


def offer_items_with(session: Session, *, asset_ids: Sequence[int], needed: Sequence[str]) -> None:
    """Offer the slots that waited for these assets, also to people whose cursor has passed them."""
    item_ids = missing_media.with_assets(session, asset_ids=asset_ids)
    there = sorted(item_ids - missing_media.waiting(session, item_ids=item_ids, needed=needed))
    ids: list[int] = []
    for lot in chunked(there):
        some = col(TaskRow.item_id).in_(lot)
        ids += [id for id in session.exec(select(TaskRow.id).where(some, col(TaskRow.awaits_media).is_(True)))]
    note_media(session, ids=ids, awaits=False)


def note_media(session: Session, *, ids: Iterable[int], awaits: bool) -> None:
    """Mark slots (by id) as waiting for media, or offer them, also to people whose cursor has passed them."""
    ids = sorted(ids)
    for some in chunked(ids):
        held = select(TaskRow.id).where(col(TaskRow.id).in_(some)).order_by(col(TaskRow.id))
        session.exec(held.with_for_update(key_share=True)).all()
        changed = update(TaskRow).where(col(TaskRow.id).in_(some))
        session.exec(changed.values(awaits_media=awaits, opened=moment()))


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % SHUFFLE_RANGE

"""Opening slots of work, and offering or calling off those that are there."""

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
from domain.states import VOTED_ON, Purpose, Stage, TaskState

SHUFFLE_RANGE = 2**31
_AT_ONCE = 500
_EQUALS = 2**20
"""So many places have items that are equally contested: a thousand times as many lie within the shuffled order."""

BEGUN = -1
"""The rank, in a random order, of slots of a unit that someone has done a slot of."""


def unit_of_revision(stage: Stage, *, item_id: int, revision: int) -> str:
    """The name of an item's revision as something to vote on or to settle."""
    return f"{stage.value}/item/{item_id}/{revision}"


def unit_to_settle(stage: Stage, *, item_id: int, revision: int) -> str:
    """The name of an item's revision as something to settle after the votes of a stage."""
    of = Stage.ADJUDICATION.value + stage.value.removeprefix(Stage.VERIFICATION.value)
    return f"{of}/item/{item_id}/{revision}"


def settled_in(unit: str) -> Stage:
    """The stage whose votes are settled by a slot of that name.

    >>> settled_in("adjudication_2/item/7/1").value
    'verification_2'
    """
    return Stage(Stage.VERIFICATION.value + unit.partition("/")[0].removeprefix(Stage.ADJUDICATION.value))


def unit_of_answer(stage: Stage, *, prediction_id: int) -> str:
    """The name of a model's answer as something to work on in a stage."""
    return f"{stage.value}/prediction/{prediction_id}"


def unit_of_pair(first_id: int, second_id: int) -> str:
    """The name of two models' answers to an item as something to compare."""
    return f"{unit_of_answer(Stage.COMPARISON, prediction_id=first_id)}/{second_id}"


def pair_of(unit: str) -> tuple[int, int]:
    """The two answers (ids) that a name of ``unit_of_pair`` is about."""
    _, _, first, second = unit.split("/")
    return int(first), int(second)


def unit_of_prediction(*, prediction_id: int) -> str:
    """The name of a model's answer as something to grade."""
    return unit_of_answer(Stage.GRADING, prediction_id=prediction_id)


def unit_of_refinement(*, prediction_id: int, revision: int) -> str:
    """The name of a model's answer next to a revision of its item."""
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


@dataclass(frozen=True, kw_only=True)
class Slot:
    """A slot to open: what it is about, whom it is for, and its place in the order of its stage."""

    project_id: int
    stage: Stage
    unit: str
    """With ``slot`` it names the slot: one that exists is not opened again."""
    slot: int = 0
    item_id: int | None = None
    revision: int | None = None
    prediction_id: int | None = None
    dimension: str
    purpose: Purpose = Purpose.LIVE
    person_id: int | None = None
    """The only person that it is for: it opens in their hands. None: it is on offer."""
    called_off: bool = False
    """It is not on offer before ``offer_units``."""
    rank: int = 0
    shuffle: int
    at: datetime
    public_id: str = field(default_factory=public_id)


def open_slots(session: Session, *, slots: Iterable[Slot], needed: Sequence[str] = ()) -> int:
    """Open slots; one that exists already is left as it is. The number opened. No slot comes into being elsewhere.

    Slots about items that lack an image or clip in a role that is ``needed`` wait until it comes
    (``offer_items_with``).
    """
    slots = list(slots)
    about = [slot.item_id for slot in slots if slot.item_id is not None]
    waiting = missing_media.waiting(session, item_ids=about, needed=needed)
    opened = moment()
    rows = [_columns(slot, opened=opened, awaits_media=slot.item_id in waiting) for slot in slots]
    return insert_or_ignore(session, TaskRow, rows)


def like(row: StoredTask, *, slot: int, rank: int, seed: int, apart: bool, at: datetime) -> Slot:
    """One more slot of the unit of another, called off so far; ``apart``: it has a place of its own in the shuffled
    order, and does not stand with the others."""
    return Slot(
        project_id=row.project_id,
        stage=row.stage,
        unit=row.unit,
        slot=slot,
        item_id=row.item_id,
        revision=row.revision,
        prediction_id=row.prediction_id,
        dimension=row.dimension,
        called_off=True,
        rank=rank,
        shuffle=shuffle_key(seed=seed, unit=row.unit, slot=slot if apart else 0),
        at=at,
    )


def items_without(session: Session, *, project_id: int, stage: Stage) -> list[int]:
    """The items that are voted on in a stage and of whose current revision there is no slot in it, by id."""
    there = exists().where(
        col(TaskRow.item_id) == ItemRow.id,
        col(TaskRow.stage) == stage,
        col(TaskRow.revision) == ItemRow.current_revision,
    )
    wanted = select(ItemRow.id).where(ItemRow.project_id == project_id, ItemRow.state == VOTED_ON[stage], ~there)
    return list(session.exec(wanted.order_by(col(ItemRow.id))))


def open_for_person(session: Session, *, slot: Slot) -> StoredTask | None:
    """Open a slot in the hands of the person that it is for; None if it exists already."""
    if not open_slots(session, slots=[slot]):
        return None
    return session.exec(select(TaskRow).where(TaskRow.public_id == slot.public_id)).one()


def _columns(slot: Slot, *, opened: int, awaits_media: bool) -> dict[str, Any]:
    """Every column of a new slot but its id."""
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
        "dimension_given": None,  # what a slot is opened in, is called so today
        "dimension_version": None,
        "state": TaskState.WITHDRAWN if slot.called_off else state,
        "person_id": slot.person_id,
        "lease_until": None if slot.person_id is None else slot.at + LEASE,
        "correcting": False,
        "purpose": slot.purpose,
        "rank": slot.rank,
        "shuffle": slot.shuffle,
        "opened": opened,
        "awaits_media": awaits_media,
        "created_at": slot.at,
    }


def begin_unit(session: Session, *, row: StoredTask, whole_item: bool) -> None:
    """Offer the open slots of a unit that someone has done before all others (``BEGUN``), or those of all units of its
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


def put_ranks(session: Session, *, ranks: Mapping[int, int]) -> None:
    """Give slots (by id) another rank."""
    for id, rank in sorted(ranks.items()):
        session.exec(update(TaskRow).where(col(TaskRow.id) == id).values(rank=rank))


def withdraw(session: Session, *, units: Sequence[str], held: bool = True) -> None:
    """Call off the slots of units that no one has done; ``held``: also those that people have in hand."""
    idle = (TaskState.OPEN, TaskState.CLAIMED) if held else (TaskState.OPEN,)
    for begin in range(0, len(units), _AT_ONCE):
        some = col(TaskRow.unit).in_(units[begin : begin + _AT_ONCE])
        session.exec(
            update(TaskRow)
            .where(some, col(TaskRow.state).in_(idle))
            .values(state=TaskState.WITHDRAWN, lease_until=None)
        )


def call_off_idle(session: Session, *, unit: str) -> None:
    """Call off the open slots of a unit, but for one that someone takes just now."""
    idle = select(TaskRow.id).where(TaskRow.unit == unit, TaskRow.state == TaskState.OPEN).order_by(col(TaskRow.id))
    ids = list(session.exec(idle.with_for_update(skip_locked=True, key_share=True)))
    session.exec(update(TaskRow).where(col(TaskRow.id).in_(ids)).values(state=TaskState.WITHDRAWN))


def call_off_surplus(session: Session, *, project_id: int, stage: Stage, most: int) -> int:
    """Call off the open slots that a unit has beyond the people who are asked about it; how many."""
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
    for begin in range(0, len(ids), _AT_ONCE):
        some = col(TaskRow.id).in_(ids[begin : begin + _AT_ONCE])
        session.exec(
            update(TaskRow).where(some, col(TaskRow.state) == TaskState.OPEN).values(state=TaskState.WITHDRAWN)
        )
    return len(ids)


def offer(session: Session, *, slots: Sequence[Slot], needed: Sequence[str]) -> None:
    """Have these slots open: open each, or offer it again if it was called off; ``needed`` as in ``open_slots``."""
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
    """Call off all slots of these units, but of none that someone has or takes just now; the units that were left."""
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


def offer_units(session: Session, *, units: Sequence[str], most: int | None = None) -> int:
    """Offer the slots of these units that were called off; how many. ``most``: only until a unit has so many that are
    wanted or done; further ones are of a time when the schema asked more people."""
    n = 0
    for begin in range(0, len(units), _AT_ONCE):
        some = col(TaskRow.unit).in_(list(units[begin : begin + _AT_ONCE]))
        off = select(TaskRow.id, TaskRow.unit).where(some, TaskRow.state == TaskState.WITHDRAWN)
        held = off.order_by(col(TaskRow.id)).with_for_update(key_share=True)
        found = list(session.exec(held))
        if found and most is not None:
            others = select(TaskRow.unit).where(some, TaskRow.state != TaskState.WITHDRAWN)
            there = Counter(session.exec(others))
            ids = []
            for id, unit in found:
                if there[unit] < most:
                    there[unit] += 1
                    ids.append(id)
        else:
            ids = [id for id, _ in found]
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


def offer_items_with(session: Session, *, asset_ids: Sequence[int], needed: Sequence[str]) -> None:
    """Offer what waited for these assets, which are there now, also to everyone who has gone past it."""
    item_ids = missing_media.with_assets(session, asset_ids=asset_ids)
    there = sorted(item_ids - missing_media.waiting(session, item_ids=item_ids, needed=needed))
    ids: list[int] = []
    for begin in range(0, len(there), _AT_ONCE):
        some = col(TaskRow.item_id).in_(there[begin : begin + _AT_ONCE])
        ids += [id for id in session.exec(select(TaskRow.id).where(some, col(TaskRow.awaits_media).is_(True)))]
    note_media(session, ids=ids, awaits=False)


def note_media(session: Session, *, ids: Iterable[int], awaits: bool) -> None:
    """Have slots (by id) wait for an image or clip, or offer them, also to everyone who has gone past them."""
    ids = sorted(ids)
    for begin in range(0, len(ids), _AT_ONCE):
        some = ids[begin : begin + _AT_ONCE]
        held = select(TaskRow.id).where(col(TaskRow.id).in_(some)).order_by(col(TaskRow.id))
        session.exec(held.with_for_update(key_share=True)).all()
        changed = update(TaskRow).where(col(TaskRow.id).in_(some))
        session.exec(changed.values(awaits_media=awaits, opened=moment()))


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % SHUFFLE_RANGE

"""Finding slots of work by their id, unit, item or person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from sqlalchemy import bindparam, or_
from sqlmodel import Session, col, select

from db import prepared
from db.records import StoredTask
from db.tables import PredictionRow, TaskRow
from db.withdrawn_runs import of_counting_runs
from domain.runs import chunked
from domain.states import Purpose, Stage, TaskState


def lock(session: Session, *, public_id: str) -> StoredTask | None:
    """Return a slot, locked until the transaction ends."""
    return of_record(prepared.first(session, _by_public_id(hold=True), {"slot": public_id}))


def of_record(found: Any) -> StoredTask | None:
    """Return a record (``db.prepared``) of a slot as one that ``task_claims`` may change."""
    return None if found is None else StoredTask.model_construct(**found._asdict())


def by_public_id(session: Session, *, public_id: str) -> StoredTask | None:
    """Return a slot by its public id."""
    return of_record(prepared.first(session, _by_public_id(hold=False), {"slot": public_id}))


@cache
def _by_public_id(*, hold: bool) -> Any:
    wanted = select(TaskRow).where(col(TaskRow.public_id) == bindparam("slot"))
    return wanted.with_for_update(key_share=True) if hold else wanted


def by_id(session: Session, *, id: int) -> StoredTask | None:
    """Return a slot by its id."""
    return session.get(TaskRow, id)


def lock_by_ids(session: Session, *, ids: Iterable[int]) -> Sequence[StoredTask]:
    """Return slots by id, locked in one order, so that two transactions never deadlock."""
    wanted_ids = sorted(set(ids))
    if not wanted_ids:
        return []
    wanted = select(TaskRow).where(col(TaskRow.id).in_(wanted_ids)).order_by(col(TaskRow.id))
    return session.exec(wanted.with_for_update(key_share=True).execution_options(populate_existing=True)).all()


def held_by(
    session: Session, *, person_id: int, project_id: int | None = None, lock: bool = False
) -> Sequence[StoredTask]:
    """Return the slots that a person has claimed or is correcting, in one project or all of them."""
    mine = or_(col(TaskRow.state) == TaskState.CLAIMED, col(TaskRow.correcting).is_(True))
    wanted = select(TaskRow).where(TaskRow.person_id == person_id, mine).order_by(col(TaskRow.id))
    if project_id is not None:
        wanted = wanted.where(TaskRow.project_id == project_id)
    if lock:
        wanted = wanted.with_for_update(key_share=True).execution_options(populate_existing=True)
    return session.exec(wanted).all()


def unfinished(session: Session, *, project_id: int, stage: Stage) -> Sequence[StoredTask]:
    """Return the open and claimed slots of a stage."""
    wanted = select(TaskRow).where(
        TaskRow.project_id == project_id,
        TaskRow.stage == stage,
        TaskRow.purpose == Purpose.LIVE,
        col(TaskRow.state).in_((TaskState.OPEN, TaskState.CLAIMED)),
    )
    return session.exec(wanted).all()


def open_slots(session: Session, *, project_id: int, stage: Stage) -> list[tuple[int, str, int]]:
    """Return id, dimension and item (id) of the open live slots of a stage, oldest first."""
    wanted = select(TaskRow.id, TaskRow.dimension, TaskRow.item_id).where(
        TaskRow.project_id == project_id,
        TaskRow.stage == stage,
        TaskRow.purpose == Purpose.LIVE,
        TaskRow.state == TaskState.OPEN,
    )
    return [(id, dimension, item_id or 0) for id, dimension, item_id in session.exec(wanted.order_by(col(TaskRow.id)))]


def waiting(
    session: Session, *, project_id: int, stage: Stage, dimension: str | None, limit: int
) -> Sequence[StoredTask]:
    """Return the first open live slots of a stage in queue order, of one dimension or all.

    Slots with missing media are left out.
    """
    wanted = select(TaskRow).where(
        TaskRow.project_id == project_id,
        TaskRow.stage == stage,
        TaskRow.state == TaskState.OPEN,
        col(TaskRow.awaits_media).is_(False),
        TaskRow.purpose == Purpose.LIVE,
    )
    if dimension is not None:
        wanted = wanted.where(TaskRow.dimension == dimension)
    return session.exec(wanted.order_by(col(TaskRow.rank), col(TaskRow.shuffle)).limit(limit)).all()


def of_unit(session: Session, *, unit: str, lock: bool = False) -> Sequence[StoredTask]:
    """Return all slots of a unit."""
    wanted = select(TaskRow).where(TaskRow.unit == unit).order_by(col(TaskRow.slot))
    return session.exec(wanted.with_for_update(key_share=True) if lock else wanted).all()


def of_item(session: Session, *, item_id: int, stage: Stage) -> Sequence[StoredTask]:
    """Return the live slots about an item in a stage."""
    wanted = select(TaskRow).where(TaskRow.item_id == item_id, TaskRow.stage == stage, TaskRow.purpose == Purpose.LIVE)
    return session.exec(wanted.order_by(col(TaskRow.id))).all()


def submitted_items(session: Session, *, item_ids: Sequence[int]) -> dict[int, int]:
    """Return the people (ids) who have authored and submitted these items, by item, while their slots exist."""
    persons_by_item: dict[int, int] = {}
    for lot in chunked(item_ids):
        wanted = select(TaskRow.item_id, TaskRow.person_id).where(
            col(TaskRow.item_id).in_(lot),
            TaskRow.stage == Stage.AUTHORING,
            TaskRow.state == TaskState.DONE,
        )
        persons_by_item |= {item or 0: person or 0 for item, person in session.exec(wanted)}
    return persons_by_item


def answers_in_refinement(session: Session, *, item_id: int, counting: bool = False) -> list[int]:
    """Return the models' answers (ids) that were ever shown in refinement of an item.

    ``counting``: without withdrawn runs.
    """
    wanted = select(TaskRow.prediction_id).where(TaskRow.item_id == item_id, TaskRow.stage == Stage.REFINEMENT)
    if counting:
        wanted = wanted.join(PredictionRow, col(PredictionRow.id) == TaskRow.prediction_id).where(of_counting_runs())
    return sorted({id for id in session.exec(wanted) if id is not None})


def known_units(session: Session, *, units: Sequence[str]) -> set[str]:
    """Return those of these units that have slots, in any state."""
    known: set[str] = set()
    for lot in chunked(units):
        some = col(TaskRow.unit).in_(lot)
        known |= set(session.exec(select(TaskRow.unit).where(some).distinct()))
    return known


def place_of(session: Session, *, item_id: int, stage: Stage, person_id: int, unit: str) -> tuple[int, int]:
    """Return the position of this unit among a person's units of its item, and the number of units."""
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


def open_or_held(session: Session, *, item_ids: Sequence[int], stage: Stage, lock: bool = False) -> list[StoredTask]:
    """Return the open and claimed live slots of items in a stage, open ones first."""
    stored_tasks: list[StoredTask] = []
    for lot in chunked(item_ids):
        wanted: Any = select(TaskRow).where(
            col(TaskRow.item_id).in_(lot),
            TaskRow.stage == stage,
            TaskRow.purpose == Purpose.LIVE,
            col(TaskRow.state).in_((TaskState.OPEN, TaskState.CLAIMED)),
        )
        wanted = wanted.order_by(col(TaskRow.id))
        if lock:
            wanted = wanted.with_for_update(key_share=True).execution_options(populate_existing=True)
        stored_tasks += session.exec(wanted)
    return sorted(stored_tasks, key=lambda row: (row.state is TaskState.CLAIMED, row.id))

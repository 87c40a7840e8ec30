"""Claiming slots and releasing them. Queries on the annotator's path walk an index and stop at the first match."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import bindparam, exists, func, update
from sqlalchemy import select as sa_select
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db import prepared, tasks
from db.records import StoredTask
from db.tables import ItemRow, TaskRow
from db.task_rules import may_take_conditions, not_postponed, of_stage, taker
from db.task_slots import moment
from domain.policies import LEASE, RESERVED
from domain.runs import chunked
from domain.states import VOTED_ON, ItemState, Purpose, Stage, TaskState

_WANTED_IN = {**VOTED_ON, Stage.ADJUDICATION: ItemState.IN_ADJUDICATION}
"""The state of an item in which a stage needs more people for it."""


def current_of(
    session: Session,
    *,
    project_id: int,
    stage: Stage,
    person_id: int,
    dimension: str | None,
    now: datetime,
    only_qualifying: bool = False,
) -> StoredTask | None:
    """Return a person's current slot in a stage: a correction, or a claim, even an expired one that nobody took.

    ``only_qualifying`` leaves out live work, which waits until they have passed.
    """
    given = {"project": project_id, "stage": stage, "taker": person_id, "dimension": dimension, "now": now}
    task: StoredTask | None = prepared.first(session, _current(dimension is not None, only_qualifying), given)
    return task


@cache
def _current(within: bool, only_qualifying: bool) -> Any:
    """Return one query, because every claim runs it. Each half of it uses an index of its own."""
    ids = []
    for mine in (_correction(within), _claim(within)):
        if only_qualifying:
            mine = mine.where(col(TaskRow.purpose) == Purpose.QUALIFICATION)
        ids.append(mine.with_only_columns(col(TaskRow.id)).scalar_subquery())
    current = aliased(TaskRow)
    return select(current).where(col(current.id) == func.coalesce(*ids))


@cache
def _correction(within: bool) -> Any:
    return _mine(within).where(
        col(TaskRow.correcting).is_(True),
        col(TaskRow.state) == TaskState.DONE,
        col(TaskRow.lease_until) > bindparam("now"),
    )


@cache
def _claim(within: bool) -> Any:
    """Return one query for a person's claims. A task that they have not seen yet comes after the others."""
    mine = _mine(within).where(col(TaskRow.state) == TaskState.CLAIMED, not_postponed(TaskRow))
    return mine.order_by(None).order_by(col(TaskRow.reserved), col(TaskRow.id))


def _mine(within: bool) -> Any:
    wanted = select(TaskRow).where(col(TaskRow.person_id) == bindparam("taker"), *of_stage())
    if within:
        wanted = wanted.where(col(TaskRow.dimension) == bindparam("dimension"))
    return wanted.order_by(col(TaskRow.id)).limit(1)


def in_hand(session: Session, *, project_id: int, stage: Stage, person_id: int) -> list[StoredTask]:
    """Return a person's claims in a stage that they have not postponed."""
    given = {"project": project_id, "stage": stage, "taker": person_id}
    return prepared.rows(session, _in_hand(), given)


@cache
def _in_hand() -> Any:
    return _claim(False).limit(50)


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
    """Return slots with an expired lease that this person may take, the earliest expired first."""
    given = {"project": project_id, "stage": stage, **taker(session, stage, person_id), "now": now, "limit": limit}
    wanted = _abandoned(stage, dimensions is not None)
    return prepared.rows(session, wanted, given if dimensions is None else {**given, "dimensions": dimensions})


@cache
def _abandoned(stage: Stage, within: bool) -> Any:
    conditions = [
        *of_stage(),
        *may_take_conditions(stage),
        col(TaskRow.awaits_media).is_(False),
        not_postponed(TaskRow),
    ]
    wanted = select(TaskRow).where(
        *conditions,
        col(TaskRow.state) == TaskState.CLAIMED,
        col(TaskRow.lease_until) < bindparam("now"),
        col(TaskRow.purpose) == Purpose.LIVE,
    )
    if stage in _WANTED_IN:  # nobody else gets a slot that a changed schema no longer needs
        item = (col(ItemRow.id) == col(TaskRow.item_id), col(ItemRow.state) == _WANTED_IN[stage])
        wanted = wanted.where(exists().where(*item))
    if within:
        wanted = wanted.where(col(TaskRow.dimension).in_(bindparam("dimensions", expanding=True)))
    return wanted.order_by(col(TaskRow.lease_until)).limit(bindparam("limit"))


def open_siblings(session: Session, *, task_id: int, stage: Stage, person_id: int) -> list[tuple[int, str]]:
    """Return open slots (id, unit) with the item and rank of a slot, including itself.

    A person may take them and has not postponed them.
    """
    given = {"task": task_id, **taker(session, stage, person_id)}
    return [(id, unit) for id, unit in session.execute(_open_siblings(stage), given)]


@cache
def _open_siblings(stage: Stage) -> Any:
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
            not_postponed(TaskRow),
        )
        .order_by(col(TaskRow.id))
    )


def take(
    session: Session, *, task_id: int, stage: Stage, person_id: int, now: datetime, reserves: bool = False
) -> StoredTask | None:
    """Claim a slot for a person. Return None if someone was faster or, on PostgreSQL, has it locked.

    ``reserves``: only hold the slot until its person sees it.
    """
    given = {"task": task_id, **taker(session, stage, person_id)}
    locked = tasks.of_record(prepared.first(session, _lockable(stage), given))
    if locked is None or not is_free(locked, now=now):
        return None
    given_up = locked.person_id is not None
    until = now + (RESERVED if reserves else LEASE)
    _set(session, locked, state=TaskState.CLAIMED, person_id=person_id, lease_until=until, reserved=reserves)
    if given_up:
        _announce(session, unit=locked.unit)
    return locked


def claim(session: Session, *, row: StoredTask, person_id: int, now: datetime) -> None:
    """Lease a locked slot to a person."""
    _set(session, row, state=TaskState.CLAIMED, person_id=person_id, lease_until=now + LEASE, reserved=False)


def reserve(session: Session, *, row: StoredTask, now: datetime) -> None:
    """Hold a locked claim for a while, until its person sees it."""
    _set(session, row, reserved=True, lease_until=now + RESERVED)


def begin(session: Session, *, row: StoredTask, now: datetime) -> None:
    """Lease a locked, reserved slot to its person, who sees it now."""
    _set(session, row, reserved=False, lease_until=now + LEASE)


def renew(session: Session, *, row: StoredTask, now: datetime) -> None:
    """Renew the lease of a locked slot. A lease that ends later stays unchanged."""
    hold_until(session, row=row, until=now + LEASE)


def hold_until(session: Session, *, row: StoredTask, until: datetime) -> None:
    """Extend the lease of a locked claim to a moment, unless it ends later anyway."""
    if row.lease_until is None or row.lease_until < until:
        _set(session, row, lease_until=until)


def end_lease(session: Session, *, row: StoredTask) -> None:
    """Remove the end of the lease of a locked slot that only its person may take."""
    _set(session, row, lease_until=None)


def finish(session: Session, *, row: StoredTask) -> None:
    """Close a locked slot, because its submission is stored."""
    _set(session, row, state=TaskState.DONE, correcting=False, lease_until=None)


def correct(session: Session, *, row: StoredTask, now: datetime) -> None:
    """Let the person of a locked, finished slot correct it. Their submission counts until then."""
    _set(session, row, correcting=True, lease_until=now + LEASE)


def leave_as_submitted(session: Session, *, row: StoredTask) -> None:
    """End the correction of a locked slot without a change."""
    _set(session, row, correcting=False, lease_until=None)


def call_off(session: Session, *, row: StoredTask) -> None:
    """Withdraw a locked slot, so that nobody works on it."""
    _set(session, row, state=TaskState.WITHDRAWN, lease_until=None)


def note_item(session: Session, *, row: StoredTask, item_id: int) -> None:
    """Record the item that was written in a locked authoring slot."""
    _set(session, row, item_id=item_id)


def _set(session: Session, row: StoredTask, **values: Any) -> None:
    prepared.change(session, TaskRow, row, **values)


def reopen(session: Session, *, row: StoredTask) -> None:
    """Offer a locked slot to everyone again, including people whose cursor has passed it.

    A slot that is no longer needed, because the schema now asks fewer people, is withdrawn.
    """
    if row.stage in _WANTED_IN:
        item = select(ItemRow.state).where(ItemRow.id == row.item_id)
        if session.exec(item).first() is not _WANTED_IN[row.stage]:
            call_off(session, row=row)
            return
    free = {"state": TaskState.OPEN, "person_id": None, "lease_until": None, "reserved": False}
    _set(session, row, **free, opened=moment())
    _announce(session, unit=row.unit)


def _announce(session: Session, *, unit: str) -> None:
    """Offer the open slots of a unit again, because a person who lost a slot of it may take another one now.

    A locked slot is skipped, because it is about to be taken.
    """
    wanted = select(TaskRow.id).where(TaskRow.unit == unit, TaskRow.state == TaskState.OPEN)
    ids = list(session.exec(wanted.with_for_update(skip_locked=True, key_share=True)))
    if ids:
        session.exec(update(TaskRow).where(col(TaskRow.id).in_(ids)).values(opened=moment()))


@cache
def _lockable(stage: Stage) -> Any:
    return (
        select(TaskRow)
        .where(col(TaskRow.id) == bindparam("task"), *may_take_conditions(stage, join=False))
        .with_for_update(skip_locked=True, of=TaskRow, key_share=True)
    )


def is_free(row: StoredTask, *, now: datetime) -> bool:
    """Tell whether a slot can be taken: open, or claimed with an expired lease, and without missing media."""
    abandoned = row.state is TaskState.CLAIMED and row.lease_until is not None and row.lease_until < now
    return (row.state is TaskState.OPEN or abandoned) and not row.awaits_media


def may_take(session: Session, *, row: StoredTask, person_id: int) -> bool:
    """Tell whether the protocol allows a person to have this slot."""
    wanted = select(TaskRow.id).where(TaskRow.id == row.id, *may_take_conditions(row.stage, join=False))
    return session.exec(wanted, params=taker(session, row.stage, person_id)).first() is not None


def may_take_of(session: Session, *, rows: Sequence[StoredTask], person_id: int) -> set[int]:
    """Return those of these slots (ids) that the protocol allows a person to have."""
    persons: set[int] = set()
    for stage in {row.stage for row in rows}:
        ids = [row.id for row in rows if row.stage is stage]
        given = taker(session, stage, person_id)
        for lot in chunked(ids):
            some = col(TaskRow.id).in_(lot)
            wanted = select(TaskRow.id).where(some, *may_take_conditions(stage, join=False))
            persons.update(session.exec(wanted, params=given))
    return persons


def may_be_taken(session: Session, *, project_id: int, stage: Stage, person_id: int) -> dict[int, str]:
    """Return the open slots of a stage that the protocol allows a person to have, with their units."""
    given = {"project": project_id, "stage": stage, **taker(session, stage, person_id)}
    return dict(session.exec(_may_be_taken(stage), params=given).all())


@cache
def _may_be_taken(stage: Stage) -> Any:
    wanted = select(TaskRow.id, TaskRow.unit).where(*of_stage(), col(TaskRow.state) == TaskState.OPEN)
    return wanted.where(col(TaskRow.purpose) == Purpose.LIVE, *may_take_conditions(stage))

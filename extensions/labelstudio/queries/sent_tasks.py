"""Queries on the tasks sent to another tool and their states. No query runs once per task."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, case, exists, func, literal, not_, or_, update
from sqlmodel import Session, col, select

from db.records import StoredBridgeTask, StoredTask
from db.tables import BridgeProjectRow, BridgeTaskRow, ItemRow, TaskRow
from db.task_rules import not_postponed
from db.types import UTCDateTime
from domain.bridge import BridgeState
from domain.runs import chunked
from domain.states import Purpose, Stage, TaskState

THERE = (BridgeState.SENDING, BridgeState.OUT)
"""The states of a task that waits on the server for its rater, or is about to."""


# ---- changing one task ----------------------------------------------------------------------------------------------


def add(session: Session, *, place_id: int, task_id: int, person_id: int, revision: int | None, now: datetime) -> None:
    """Record that a slot is being sent to a project on the server."""
    row = BridgeTaskRow(
        bridge_project_id=place_id,
        task_id=task_id,
        person_id=person_id,
        state=BridgeState.SENDING,
        revision=revision,
        created_at=now,
    )
    _store(session, row)


def call_back(session: Session, *, row: StoredBridgeTask, why: str) -> None:
    """Mark a task that waits for its rater for removal from the server. A task in any other state stays unchanged."""
    if row.state in THERE:
        row.state, row.why = BridgeState.REMOVING, why
        _store(session, row)


def send_again(
    session: Session, *, row: StoredBridgeTask, says: str, suggestion: Sequence[Any] | None, now: datetime
) -> None:
    """Call a task back and send it once more, with a message above it and with the rater's earlier answer."""
    call_back(session, row=row, why=says)
    again = BridgeTaskRow(
        bridge_project_id=row.bridge_project_id,
        task_id=row.task_id,
        person_id=row.person_id,
        number=row.number + 1,
        state=BridgeState.SENDING,
        says=says,
        suggestion=None if suggestion is None else list(suggestion),
        revision=row.revision,
        created_at=now,
    )
    _store(session, again)


def leave(session: Session, *, row: StoredBridgeTask, why: str) -> None:
    """Leave a task on the server for someone to look at, with the reason."""
    row.why = why
    _store(session, row)


def store_answer(
    session: Session, *, row: StoredBridgeTask, annotation_id: int | None, stay: bool, now: datetime
) -> None:
    """Record that the answer to a task is stored here.

    The task is then removed from the server, or may ``stay`` there so that its rater can change the answer.
    """
    row.annotation_id, row.ended_at = annotation_id, now
    if row.state in THERE:
        row.state = BridgeState.STORED if stay else BridgeState.REMOVING
    _store(session, row)


def note_deleted(session: Session, *, row: StoredBridgeTask, why: str, now: datetime) -> None:
    """Record that a task was deleted on the server. Its stored answer stays valid."""
    row.state = BridgeState.STORED if row.annotation_id is not None else BridgeState.OVER
    row.gone_at, row.ended_at = now, row.ended_at or now
    row.why = row.why or why
    _store(session, row)


def _store(session: Session, row: StoredBridgeTask) -> None:
    session.add(row)
    session.flush()


# ---- changing several tasks -----------------------------------------------------------------------------------------


def record_ids(session: Session, *, there: Mapping[int, int]) -> None:
    """Record the ids that tasks (by our id) have on the server. These tasks have arrived."""
    for id, outside in sorted(there.items()):
        session.exec(
            update(BridgeTaskRow)
            .where(col(BridgeTaskRow.id) == id)
            .values(
                outside_id=outside,
                gone_at=None,
                state=case(
                    (col(BridgeTaskRow.state) == BridgeState.SENDING, BridgeState.OUT.value),
                    (col(BridgeTaskRow.gone_at).is_not(None), BridgeState.REMOVING.value),
                    else_=col(BridgeTaskRow.state),
                ),
            )
        )


def record_sent(session: Session, *, ids: Sequence[int], guideline: str, now: datetime) -> None:
    """Record that tasks have arrived on the server."""
    for lot in chunked(ids):
        session.exec(
            update(BridgeTaskRow)
            .where(
                col(BridgeTaskRow.id).in_(lot),
                col(BridgeTaskRow.state) == BridgeState.SENDING,
            )
            .values(state=BridgeState.OUT, sent_at=now, guideline=guideline)
        )


def note_removed(session: Session, *, ids: Collection[int], now: datetime) -> None:
    """Record that tasks marked for removal are gone from the server."""
    known = sorted(ids)
    for lot in chunked(known):
        session.exec(
            update(BridgeTaskRow)
            .where(
                col(BridgeTaskRow.id).in_(lot),
                col(BridgeTaskRow.state) == BridgeState.REMOVING,
            )
            .values(
                state=case(
                    (col(BridgeTaskRow.annotation_id).is_not(None), BridgeState.STORED.value),
                    else_=BridgeState.OVER.value,
                ),
                gone_at=now,
                ended_at=func.coalesce(col(BridgeTaskRow.ended_at), literal(now, UTCDateTime())),
            )
        )


def remove_stored(session: Session, *, ids: Sequence[int]) -> None:
    """Mark tasks whose answers are stored here for removal from the server."""
    for lot in chunked(ids):
        session.exec(
            update(BridgeTaskRow)
            .where(col(BridgeTaskRow.id).in_(lot), col(BridgeTaskRow.state) == BridgeState.STORED)
            .values(state=BridgeState.REMOVING)
        )


# ---- finding --------------------------------------------------------------------------------------------------------


def lock(session: Session, *, id: int) -> tuple[StoredBridgeTask, StoredTask]:
    """Return a sent task with its slot. The row is locked until the transaction ends."""
    wanted = (
        select(BridgeTaskRow, TaskRow)
        .join(TaskRow, col(TaskRow.id) == BridgeTaskRow.task_id)
        .where(BridgeTaskRow.id == id)
        .with_for_update(of=BridgeTaskRow, key_share=True)
        .execution_options(populate_existing=True)
    )
    row, slot = session.exec(wanted).one()
    return row, slot


def by_keys(session: Session, *, keys: Sequence[str]) -> dict[str, StoredBridgeTask]:
    """Return sent tasks, by key."""
    tasks_by_key: dict[str, StoredBridgeTask] = {}
    for lot in chunked(keys):
        wanted = select(BridgeTaskRow).where(col(BridgeTaskRow.key).in_(lot))
        tasks_by_key |= {row.key: row for row in session.exec(wanted.execution_options(populate_existing=True))}
    return tasks_by_key


def task_out(session: Session, *, key: str) -> StoredTask | None:
    """Return the slot that was sent under a key, while the task waits on the server."""
    wanted = (
        select(TaskRow)
        .join(BridgeTaskRow, col(BridgeTaskRow.task_id) == TaskRow.id)
        .where(BridgeTaskRow.key == key, col(BridgeTaskRow.state).in_(THERE))
    )
    return session.exec(wanted).first()


def slot_shown(session: Session, *, key: str) -> StoredTask | None:
    """Return the slot that was sent under a key, while its person may see it.

    The task either waits for the person who has claimed it, or stays on the server after it was answered.
    """
    joined = select(TaskRow).join(BridgeTaskRow, col(BridgeTaskRow.task_id) == TaskRow.id)
    return session.exec(joined.where(BridgeTaskRow.key == key, _shown())).first()


def keys_over(session: Session, *, keys: Sequence[str]) -> set[str]:
    """Return those of these keys that Touchstone sent and whose task is no longer shown."""
    over: set[str] = set()
    joined = select(BridgeTaskRow.key).join(TaskRow, col(TaskRow.id) == BridgeTaskRow.task_id)
    for lot in chunked(keys):
        some = col(BridgeTaskRow.key).in_(lot)
        over |= set(session.exec(joined.where(some, not_(_shown()))))
    return over


def _shown() -> ColumnElement[bool]:
    theirs = and_(col(TaskRow.person_id).is_not(None), col(TaskRow.person_id) == col(BridgeTaskRow.person_id))
    waits = and_(col(BridgeTaskRow.state).in_(THERE), col(TaskRow.state) == TaskState.CLAIMED)
    stored = and_(col(BridgeTaskRow.state) == BridgeState.STORED, col(TaskRow.state) == TaskState.DONE)
    return and_(theirs, or_(waits, and_(stored, col(BridgeTaskRow.gone_at).is_(None))))


def in_state(
    session: Session, *, place_id: int, states: Iterable[BridgeState], after: int = 0, limit: int | None = None
) -> Sequence[StoredBridgeTask]:
    """Return the tasks of a project on the server in these states that are not gone, oldest first."""
    wanted = (
        select(BridgeTaskRow)
        .where(
            BridgeTaskRow.bridge_project_id == place_id,
            col(BridgeTaskRow.gone_at).is_(None),
            col(BridgeTaskRow.state).in_(tuple(states)),
            col(BridgeTaskRow.id) > after,
        )
        .order_by(col(BridgeTaskRow.id))
        .execution_options(populate_existing=True)
    )
    return session.exec(wanted if limit is None else wanted.limit(limit)).all()


def sent_keys(session: Session, *, place_id: int, until: int) -> dict[str, tuple[int, int | None]]:
    """Return the tasks expected in a project on the server, up to the id ``until``: (id, id on the server) by key."""
    wanted = select(BridgeTaskRow.key, BridgeTaskRow.id, BridgeTaskRow.outside_id).where(
        BridgeTaskRow.bridge_project_id == place_id,
        col(BridgeTaskRow.gone_at).is_(None),
        BridgeTaskRow.state != BridgeState.SENDING,
        col(BridgeTaskRow.id) <= until,
    )
    return {key: (id, outside) for key, id, outside in session.exec(wanted)}


def newest(session: Session, *, place_id: int) -> int:
    """Return the id of the last task sent to a project on the server."""
    wanted = select(func.max(BridgeTaskRow.id)).where(BridgeTaskRow.bridge_project_id == place_id)
    return session.exec(wanted).one() or 0


def stale_tasks(session: Session, *, bridge_id: int, now: datetime) -> list[tuple[StoredBridgeTask, StoredTask]]:
    """Return waiting tasks that should no longer be on the server.

    Their slot is done, withdrawn, reassigned or has lost its lease, or their item has a newer revision.
    """
    revised = and_(col(BridgeTaskRow.revision).is_not(None), col(BridgeTaskRow.revision) != ItemRow.current_revision)
    wanted = (
        select(BridgeTaskRow, TaskRow)
        .join(BridgeProjectRow, col(BridgeProjectRow.id) == BridgeTaskRow.bridge_project_id)
        .join(TaskRow, col(TaskRow.id) == BridgeTaskRow.task_id)
        .join(ItemRow, col(ItemRow.id) == TaskRow.item_id, isouter=True)
        .where(
            BridgeProjectRow.bridge_id == bridge_id,
            col(BridgeProjectRow.removed_at).is_(None),
            col(BridgeTaskRow.gone_at).is_(None),
            col(BridgeTaskRow.state).in_(THERE),
            or_(
                col(TaskRow.state) != TaskState.CLAIMED,
                col(TaskRow.person_id) != col(BridgeTaskRow.person_id),
                col(TaskRow.lease_until) < now,
                revised,
            ),
        )
        .order_by(col(BridgeTaskRow.id))
    )
    return [(row, slot) for row, slot in session.exec(wanted)]


def with_slots(session: Session, *, place_id: int) -> list[tuple[StoredBridgeTask, StoredTask]]:
    """Return the tasks that wait for their rater in a project on the server, with their slots."""
    wanted = (
        select(BridgeTaskRow, TaskRow)
        .join(TaskRow, col(TaskRow.id) == BridgeTaskRow.task_id)
        .where(
            BridgeTaskRow.bridge_project_id == place_id,
            col(BridgeTaskRow.gone_at).is_(None),
            col(BridgeTaskRow.state).in_(THERE),
        )
        .order_by(col(BridgeTaskRow.id))
    )
    return [(row, slot) for row, slot in session.exec(wanted)]


def stayed_until(session: Session, *, bridge_id: int, until: datetime | None) -> list[int]:
    """Return tasks whose answer is stored here and that are still on the server.

    ``until``: only tasks that ended before this moment; None: all of them.
    """
    wanted = (
        select(BridgeTaskRow.id)
        .join(BridgeProjectRow, col(BridgeProjectRow.id) == BridgeTaskRow.bridge_project_id)
        .where(
            BridgeProjectRow.bridge_id == bridge_id,
            col(BridgeProjectRow.removed_at).is_(None),
            col(BridgeTaskRow.gone_at).is_(None),
            BridgeTaskRow.state == BridgeState.STORED,
        )
    )
    if until is not None:
        wanted = wanted.where(col(BridgeTaskRow.ended_at) < until)
    return [id for id in session.exec(wanted)]


def claims_not_sent(
    session: Session, *, project_id: int, stage: Stage, person_id: int, only_qualifying: bool, limit: int
) -> list[str]:
    """Return a person's claims (public ids) in a stage that are neither postponed nor waiting on a server."""
    out = exists().where(
        col(BridgeTaskRow.task_id) == col(TaskRow.id),
        col(BridgeTaskRow.person_id) == person_id,
        col(BridgeTaskRow.state).in_(THERE),
    )
    wanted = select(TaskRow.public_id).where(
        TaskRow.person_id == person_id,
        TaskRow.project_id == project_id,
        TaskRow.stage == stage,
        TaskRow.state == TaskState.CLAIMED,
        not_postponed(TaskRow),
        ~out,
    )
    if only_qualifying:
        wanted = wanted.where(TaskRow.purpose == Purpose.QUALIFICATION)
    wanted = wanted.order_by(col(TaskRow.id)).limit(limit)
    return list(session.exec(wanted, params={"taker": person_id}))


def waits(session: Session, *, task_id: int, person_id: int) -> bool:
    """Tell whether a slot waits for a person on a server."""
    wanted = select(BridgeTaskRow.id).where(
        BridgeTaskRow.task_id == task_id,
        BridgeTaskRow.person_id == person_id,
        col(BridgeTaskRow.state).in_(THERE),
    )
    return session.exec(wanted.limit(1)).first() is not None


# ---- counting -------------------------------------------------------------------------------------------------------


def count_waiting(session: Session, *, bridge_id: int) -> dict[tuple[int, Stage], int]:
    """Count the tasks that wait on the server, by person and stage."""
    wanted = (
        select(BridgeTaskRow.person_id, BridgeProjectRow.stage, func.count())
        .join(BridgeProjectRow, col(BridgeProjectRow.id) == BridgeTaskRow.bridge_project_id)
        .where(
            BridgeProjectRow.bridge_id == bridge_id,
            col(BridgeProjectRow.removed_at).is_(None),
            col(BridgeTaskRow.gone_at).is_(None),
            col(BridgeTaskRow.state).in_(THERE),
        )
        .group_by(col(BridgeTaskRow.person_id), col(BridgeProjectRow.stage))
    )
    return {(person_id, Stage(stage)): n for person_id, stage, n in session.exec(wanted)}

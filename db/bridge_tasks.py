"""What was sent to another tool's screens, and where each of it stands. None of the queries asks once for each task."""

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
from domain.states import Purpose, Stage, TaskState

THERE = (BridgeState.SENDING, BridgeState.OUT)
"""What waits there for its rater, or is about to."""

AT_ONCE = 500
"""As many ids as go into one query."""


# ---- what becomes of one --------------------------------------------------------------------------------------------


def add(session: Session, *, place_id: int, task_id: int, person_id: int, revision: int | None, now: datetime) -> None:
    """Note that a slot is being sent to a project there."""
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
    """What waits there for its rater has to be removed there; anything else stays as it is."""
    if row.state in THERE:
        row.state, row.why = BridgeState.REMOVING, why
        _store(session, row)


def send_again(
    session: Session, *, row: StoredBridgeTask, says: str, suggestion: Sequence[Any] | None, now: datetime
) -> None:
    """Call a task back and send it once more, with a sentence above it, and with what its rater had answered."""
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
    """A task stays there, for someone to look at."""
    row.why = why
    _store(session, row)


def store_answer(
    session: Session, *, row: StoredBridgeTask, annotation_id: int | None, stay: bool, now: datetime
) -> None:
    """What was answered there is stored here; the task is removed there, or may ``stay`` for its rater to change."""
    row.annotation_id, row.ended_at = annotation_id, now
    if row.state in THERE:
        row.state = BridgeState.STORED if stay else BridgeState.REMOVING
    _store(session, row)


def note_deleted(session: Session, *, row: StoredBridgeTask, why: str, now: datetime) -> None:
    """A task was deleted there. What is stored of it stands."""
    row.state = BridgeState.STORED if row.annotation_id is not None else BridgeState.OVER
    row.gone_at, row.ended_at = now, row.ended_at or now
    row.why = row.why or why
    _store(session, row)


def _store(session: Session, row: StoredBridgeTask) -> None:
    session.add(row)
    session.flush()


# ---- what becomes of several ----------------------------------------------------------------------------------------


def seen(session: Session, *, there: Mapping[int, int]) -> None:
    """Note tasks (by id) under which ids they stand there; they arrived."""
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


def sent(session: Session, *, ids: Sequence[int], guideline: str, now: datetime) -> None:
    """Note that tasks have arrived there."""
    for start in range(0, len(ids), AT_ONCE):
        session.exec(
            update(BridgeTaskRow)
            .where(
                col(BridgeTaskRow.id).in_(ids[start : start + AT_ONCE]),
                col(BridgeTaskRow.state) == BridgeState.SENDING,
            )
            .values(state=BridgeState.OUT, sent_at=now, guideline=guideline)
        )


def note_removed(session: Session, *, ids: Collection[int], now: datetime) -> None:
    """Note that tasks that were to be removed stand there no more."""
    known = sorted(ids)
    for start in range(0, len(known), AT_ONCE):
        session.exec(
            update(BridgeTaskRow)
            .where(
                col(BridgeTaskRow.id).in_(known[start : start + AT_ONCE]),
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
    """Have what is stored here removed there."""
    for start in range(0, len(ids), AT_ONCE):
        session.exec(
            update(BridgeTaskRow)
            .where(
                col(BridgeTaskRow.id).in_(ids[start : start + AT_ONCE]), col(BridgeTaskRow.state) == BridgeState.STORED
            )
            .values(state=BridgeState.REMOVING)
        )


# ---- finding --------------------------------------------------------------------------------------------------------


def lock(session: Session, *, id: int) -> tuple[StoredBridgeTask, StoredTask]:
    """Something that was sent, with its slot; the row is held until the transaction ends."""
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
    """What was sent, by key."""
    found: dict[str, StoredBridgeTask] = {}
    for start in range(0, len(keys), AT_ONCE):
        wanted = select(BridgeTaskRow).where(col(BridgeTaskRow.key).in_(keys[start : start + AT_ONCE]))
        found |= {row.key: row for row in session.exec(wanted.execution_options(populate_existing=True))}
    return found


def task_out(session: Session, *, key: str) -> StoredTask | None:
    """The slot that was sent out under a key, as long as it waits there."""
    wanted = (
        select(TaskRow)
        .join(BridgeTaskRow, col(BridgeTaskRow.task_id) == TaskRow.id)
        .where(BridgeTaskRow.key == key, col(BridgeTaskRow.state).in_(THERE))
    )
    return session.exec(wanted).first()


def slot_shown(session: Session, *, key: str) -> StoredTask | None:
    """The slot that was sent out under a key, as long as its person has it in hand and it stands there, or stays there
    after it was answered."""
    joined = select(TaskRow).join(BridgeTaskRow, col(BridgeTaskRow.task_id) == TaskRow.id)
    return session.exec(joined.where(BridgeTaskRow.key == key, _shown())).first()


def keys_over(session: Session, *, keys: Sequence[str]) -> set[str]:
    """Those of these keys that are ours and under which nothing is shown any more."""
    over: set[str] = set()
    joined = select(BridgeTaskRow.key).join(TaskRow, col(TaskRow.id) == BridgeTaskRow.task_id)
    for start in range(0, len(keys), AT_ONCE):
        some = col(BridgeTaskRow.key).in_(keys[start : start + AT_ONCE])
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
    """The tasks of a project there that are not gone, in these states, in the order in which they were made."""
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
    """Tasks that should stand in a project there, and were made before another one: (id, id there) by key."""
    wanted = select(BridgeTaskRow.key, BridgeTaskRow.id, BridgeTaskRow.outside_id).where(
        BridgeTaskRow.bridge_project_id == place_id,
        col(BridgeTaskRow.gone_at).is_(None),
        BridgeTaskRow.state != BridgeState.SENDING,
        col(BridgeTaskRow.id) <= until,
    )
    return {key: (id, outside) for key, id, outside in session.exec(wanted)}


def newest(session: Session, *, place_id: int) -> int:
    """The id of what was sent last to a project there."""
    wanted = select(func.max(BridgeTaskRow.id)).where(BridgeTaskRow.bridge_project_id == place_id)
    return session.exec(wanted).one() or 0


def stale_tasks(session: Session, *, bridge_id: int, now: datetime) -> list[tuple[StoredBridgeTask, StoredTask]]:
    """What stands there although its slot is done, called off, someone else's, or its lease has ended, or although its
    item has another revision now."""
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
    """What waits for its rater in a project there, with the slots."""
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
    """What is stored here and still stands there, since before a moment (None: since whenever)."""
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
    """The claims (public ids) of a person in a stage that they have not postponed and that wait on no server."""
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
    """Whether a slot waits for a person on some server."""
    wanted = select(BridgeTaskRow.id).where(
        BridgeTaskRow.task_id == task_id,
        BridgeTaskRow.person_id == person_id,
        col(BridgeTaskRow.state).in_(THERE),
    )
    return session.exec(wanted.limit(1)).first() is not None


# ---- counting -------------------------------------------------------------------------------------------------------


def unfinished(session: Session, *, bridge_id: int) -> dict[int, dict[BridgeState, int]]:
    """How many tasks each project there may still have, by state."""
    wanted = (
        select(BridgeTaskRow.bridge_project_id, BridgeTaskRow.state, func.count())
        .join(BridgeProjectRow, col(BridgeProjectRow.id) == BridgeTaskRow.bridge_project_id)
        .where(
            BridgeProjectRow.bridge_id == bridge_id,
            col(BridgeProjectRow.removed_at).is_(None),
            col(BridgeTaskRow.gone_at).is_(None),
        )
        .group_by(col(BridgeTaskRow.bridge_project_id), col(BridgeTaskRow.state))
    )
    found: dict[int, dict[BridgeState, int]] = {}
    for id, state, n in session.exec(wanted):
        found.setdefault(id, {})[BridgeState(state)] = n
    return found


def count_waiting(session: Session, *, bridge_id: int) -> dict[tuple[int, Stage], int]:
    """How many tasks wait there, by person and stage."""
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

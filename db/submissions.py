"""Queries on what people submitted, and on their drafts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from db.tables import AnnotationRow, DraftRow, TaskRow
from domain.states import Stage


def by_key(session: Session, *, person_id: int, key: str) -> AnnotationRow | None:
    """What a person submitted under an idempotency key."""
    found: AnnotationRow | None = session.exec(_by_key(), params={"person": person_id, "key": key}).first()
    return found


@cache
def _by_key() -> Any:
    return select(AnnotationRow).where(
        col(AnnotationRow.person_id) == bindparam("person"), col(AnnotationRow.submit_key) == bindparam("key")
    )


def latest_of_task(session: Session, *, task_id: int) -> AnnotationRow | None:
    """What counts for a slot."""
    found: AnnotationRow | None = session.exec(_latest_of_task(), params={"task": task_id}).first()
    return found


@cache
def _latest_of_task() -> Any:
    wanted = select(AnnotationRow).where(col(AnnotationRow.task_id) == bindparam("task"))
    return wanted.order_by(col(AnnotationRow.id).desc()).limit(1)


def last_of_person(
    session: Session, *, person_id: int, project_id: int, stage: Stage
) -> tuple[AnnotationRow, TaskRow] | None:
    """A person's newest submission in a stage, and its slot."""
    wanted = (
        select(AnnotationRow, TaskRow)
        .join(TaskRow, col(TaskRow.id) == AnnotationRow.task_id)
        .where(
            AnnotationRow.person_id == person_id, AnnotationRow.project_id == project_id, AnnotationRow.stage == stage
        )
        .order_by(col(AnnotationRow.id).desc())
        .limit(1)
    )
    found = session.exec(wanted).first()
    return (found[0], found[1]) if found else None


def draft(session: Session, *, task_id: int, person_id: int, lock: bool = False) -> DraftRow | None:
    """What a person has typed for a slot."""
    found: DraftRow | None = session.exec(_draft(lock), params={"task": task_id, "person": person_id}).first()
    return found


@cache
def _draft(lock: bool) -> Any:
    wanted = select(DraftRow).where(
        col(DraftRow.task_id) == bindparam("task"), col(DraftRow.person_id) == bindparam("person")
    )
    return wanted.with_for_update(key_share=True) if lock else wanted


def put_draft(
    session: Session,
    *,
    task_id: int,
    person_id: int,
    seq: int | None,
    content: Mapping[str, Any],
    now: datetime,
    lost: bool = False,
) -> DraftRow:
    """Keep what a person has typed, unless something newer is there. ``seq`` None is newer than everything."""
    row = draft(session, task_id=task_id, person_id=person_id, lock=True)
    if row is None:
        row = DraftRow(task_id=task_id, person_id=person_id, seq=-1, content={}, saved_at=now)
    if seq is None:
        seq = row.seq + 1
    if seq > row.seq:
        row.seq, row.content, row.saved_at, row.lost = seq, dict(content), now, lost
        session.add(row)
        session.flush()
    return row


def copy_draft(session: Session, *, of: int, to: int, person_id: int, now: datetime) -> None:
    """Give a person's text to another slot of theirs, unless something is there already."""
    text = draft(session, task_id=of, person_id=person_id)
    if text is not None and draft(session, task_id=to, person_id=person_id) is None:
        put_draft(session, task_id=to, person_id=person_id, seq=None, content=text.content, now=now)

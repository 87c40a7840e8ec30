"""Queries on submissions and drafts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import and_, bindparam, delete, exists, func, or_
from sqlmodel import Session, col, select

from db import prepared, reworded, task_claims
from db.records import StoredAnnotation, StoredDraft, StoredTask
from db.tables import AnnotationRow, DraftRow, PostponementRow, TaskRow
from db.types import public_id
from domain.states import Purpose, Stage, TaskState

_INSERT = prepared.insertion(AnnotationRow)


def add(
    session: Session,
    *,
    task: StoredTask,
    person_id: int,
    key: str,
    item_id: int,
    revision: int,
    answers: Mapping[str, Any],
    reasons: Mapping[str, Any],
    shown: dict[str, Any] | None,
    note: str,
    seconds: float | None,
    weight: float | None,
    supersedes_id: int | None,
    schema_version_id: int,
    schema_hash: str,
    guideline_hash: str,
    now: datetime,
) -> StoredAnnotation:
    """Store a person's submission for a locked slot, and close the slot."""
    row = dict(
        public_id=public_id(),
        project_id=task.project_id,
        task_id=task.id,
        person_id=person_id,
        stage=task.stage,
        purpose=task.purpose,
        dimension=task.dimension,
        item_id=item_id,
        revision=revision,
        prediction_id=task.prediction_id,
        submit_key=key,
        answers=dict(answers),
        reasons=dict(reasons),
        shown=shown,
        note=note,
        seconds=seconds,
        weight=weight,
        supersedes_id=supersedes_id,
        schema_version_id=schema_version_id,
        schema_hash=schema_hash,
        guideline_hash=guideline_hash,
        schema_change=None,
        created_at=now,
    )
    prepared.run(session, _INSERT, row)
    task_claims.finish(session, row=task)
    annotation = by_key(session, person_id=person_id, key=key)  # in the current words: the form may be an earlier one
    if annotation is None:
        raise ValueError("a submission that was just stored is missing")
    return annotation


def by_key(session: Session, *, person_id: int, key: str) -> StoredAnnotation | None:
    """Return a person's submission under an idempotency key."""
    return next(iter(reworded.read_annotations(session, _by_key(), {"person": person_id, "key": key})), None)


@cache
def _by_key() -> Any:
    return select(AnnotationRow).where(
        col(AnnotationRow.person_id) == bindparam("person"), col(AnnotationRow.submit_key) == bindparam("key")
    )


def latest_of_task(session: Session, *, task_id: int) -> StoredAnnotation | None:
    """Return the submission that counts for a slot."""
    return next(iter(reworded.read_annotations(session, _latest_of_task(), {"task": task_id})), None)


@cache
def _latest_of_task() -> Any:
    wanted = select(AnnotationRow).where(col(AnnotationRow.task_id) == bindparam("task"))
    return wanted.order_by(col(AnnotationRow.id).desc()).limit(1)


def last_of_person(
    session: Session, *, person_id: int, project_id: int, stage: Stage, task: str | None = None
) -> tuple[StoredAnnotation, StoredTask] | None:
    """Return a person's newest submission in a stage, and its slot. ``task``: only of this slot."""
    wanted = (
        select(AnnotationRow, TaskRow)
        .join(TaskRow, col(TaskRow.id) == AnnotationRow.task_id)
        .where(
            AnnotationRow.person_id == person_id,
            AnnotationRow.project_id == project_id,
            AnnotationRow.stage == stage,
            *([] if task is None else [TaskRow.public_id == task]),
        )
        .order_by(col(AnnotationRow.id).desc())
        .limit(1)
    )
    return next(iter(reworded.query(session, wanted)), None)


def recent_of_person(
    session: Session, *, person_id: int, since: datetime, limit: int
) -> list[tuple[StoredAnnotation, StoredTask]]:
    """Return a person's newest submission of each slot that they have filled since a moment, newest first.

    Qualification tasks are left out.
    """
    newest = (
        select(func.max(col(AnnotationRow.id)))
        .where(AnnotationRow.person_id == person_id, col(AnnotationRow.created_at) > since)
        .group_by(col(AnnotationRow.task_id))
    )
    wanted = (
        select(AnnotationRow, TaskRow)
        .join(TaskRow, col(TaskRow.id) == AnnotationRow.task_id)
        .where(
            col(AnnotationRow.id).in_(newest),
            TaskRow.person_id == person_id,
            TaskRow.state == TaskState.DONE,
            col(TaskRow.purpose) != Purpose.QUALIFICATION,
        )
        .order_by(col(AnnotationRow.id).desc())
        .limit(limit)
    )
    return reworded.query(session, wanted)


def draft(session: Session, *, task_id: int, person_id: int, lock: bool = False) -> StoredDraft | None:
    """Return a person's draft for a slot."""
    given = {"task": task_id, "person": person_id}
    draft_row: StoredDraft | None = (
        session.exec(_draft(lock), params=given).first() if lock else prepared.first(session, _draft(lock), given)
    )
    return draft_row


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
) -> StoredDraft:
    """Store a person's draft unless a newer one is stored. ``seq`` None is newer than all others."""
    row = draft(session, task_id=task_id, person_id=person_id, lock=True)
    if row is None:
        row = DraftRow(task_id=task_id, person_id=person_id, seq=-1, content={}, saved_at=now)
    if seq is None:
        seq = row.seq + 1
    if seq > row.seq:
        row.seq, row.content, row.saved_at, row.lost, row.put_away_at = seq, dict(content), now, lost, None
        session.add(row)
        session.flush()
    return row


def drop_draft(session: Session, *, task_id: int, person_id: int) -> None:
    """Delete a person's draft for a slot."""
    session.exec(delete(DraftRow).where(col(DraftRow.task_id) == task_id, col(DraftRow.person_id) == person_id))


def put_away(session: Session, *, draft: StoredDraft, now: datetime) -> None:
    """Remove a stored draft from its author's list. It stays stored."""
    draft.put_away_at = now
    session.add(draft)
    session.flush()


def copy_draft(session: Session, *, of: int, to: int, person_id: int, now: datetime) -> None:
    """Copy a person's draft to another of their slots, unless that slot has one."""
    text = draft(session, task_id=of, person_id=person_id)
    if text is not None and draft(session, task_id=to, person_id=person_id) is None:
        put_draft(session, task_id=to, person_id=person_id, seq=None, content=text.content, now=now)


def lost_of_person(session: Session, *, person_id: int, limit: int) -> list[tuple[StoredDraft, StoredTask]]:
    """Return a person's drafts for tasks that they have not claimed, finished or postponed, newest first."""
    postponed = exists().where(
        col(PostponementRow.person_id) == person_id, col(PostponementRow.unit) == col(TaskRow.unit)
    )
    done = exists().where(col(AnnotationRow.task_id) == col(TaskRow.id), col(AnnotationRow.person_id) == person_id)
    theirs = and_(col(TaskRow.person_id) == person_id, col(TaskRow.state) != TaskState.WITHDRAWN)
    wanted = (
        select(DraftRow, TaskRow)
        .join(TaskRow, col(TaskRow.id) == DraftRow.task_id)
        .where(
            DraftRow.person_id == person_id,
            col(DraftRow.put_away_at).is_(None),
            or_(col(TaskRow.person_id).is_(None), ~theirs),
            ~postponed,
            ~done,
        )
        .order_by(col(DraftRow.saved_at).desc())
        .limit(limit)
    )
    return [(draft, row) for draft, row in session.exec(wanted)]

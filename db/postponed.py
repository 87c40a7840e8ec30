"""Queries on the tasks that people have postponed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import delete, func
from sqlmodel import Session, col, select

from db.records import StoredPostponement, StoredTask
from db.tables import PostponementRow, TaskRow
from domain.states import Stage


def postpone(session: Session, *, row: StoredTask, person_id: int, released: bool, now: datetime) -> None:
    """Postpone a slot's unit for a person. A unit that is postponed already gets the new time."""
    forget(session, person_id=person_id, unit=row.unit)
    session.add(
        PostponementRow(
            project_id=row.project_id,
            person_id=person_id,
            stage=row.stage,
            task_id=row.id,
            unit=row.unit,
            released=released,
            at=now,
        )
    )
    session.flush()


def forget(session: Session, *, person_id: int, unit: str) -> None:
    """Delete the mark that a person postponed a unit."""
    session.exec(
        delete(PostponementRow).where(col(PostponementRow.person_id) == person_id, col(PostponementRow.unit) == unit)
    )


def of_person(
    session: Session, *, person_id: int, project_id: int | None = None, stage: Stage | None = None, limit: int = 50
) -> list[tuple[StoredPostponement, StoredTask]]:
    """Return a person's postponed slots, the earliest postponed first."""
    conditions: list[Any] = [PostponementRow.person_id == person_id]
    if project_id is not None:
        conditions.append(PostponementRow.project_id == project_id)
    if stage is not None:
        conditions.append(PostponementRow.stage == stage)
    wanted = (
        select(PostponementRow, TaskRow)
        .join(TaskRow, col(TaskRow.id) == PostponementRow.task_id)
        .where(*conditions)
        .order_by(col(PostponementRow.at), col(PostponementRow.id))
        .limit(limit)
    )
    return [(mark, row) for mark, row in session.exec(wanted)]


def count(session: Session, *, person_id: int, project_id: int, stage: Stage) -> int:
    """Count a person's postponed units in a stage."""
    wanted = select(func.count()).where(
        PostponementRow.person_id == person_id, PostponementRow.project_id == project_id, PostponementRow.stage == stage
    )
    return session.exec(wanted).one()

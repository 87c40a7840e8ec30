"""Queries on what people have postponed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import delete, func
from sqlmodel import Session, col, select

from db.records import StoredPostponed, StoredTask
from db.tables import PostponedRow, TaskRow
from domain.states import Stage


def put(session: Session, *, row: StoredTask, person_id: int, released: bool, now: datetime) -> None:
    """Postpone a slot's unit for a person; what was postponed before is postponed anew."""
    forget(session, person_id=person_id, unit=row.unit)
    session.add(
        PostponedRow(
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
    """A person has a unit in hand again, or no longer can."""
    session.exec(delete(PostponedRow).where(col(PostponedRow.person_id) == person_id, col(PostponedRow.unit) == unit))


def of_person(
    session: Session, *, person_id: int, project_id: int | None = None, stage: Stage | None = None, limit: int = 50
) -> list[tuple[StoredPostponed, StoredTask]]:
    """What a person has postponed, the longest ago first."""
    conditions: list[Any] = [PostponedRow.person_id == person_id]
    if project_id is not None:
        conditions.append(PostponedRow.project_id == project_id)
    if stage is not None:
        conditions.append(PostponedRow.stage == stage)
    wanted = (
        select(PostponedRow, TaskRow)
        .join(TaskRow, col(TaskRow.id) == PostponedRow.task_id)
        .where(*conditions)
        .order_by(col(PostponedRow.at), col(PostponedRow.id))
        .limit(limit)
    )
    return [(mark, row) for mark, row in session.exec(wanted)]


def count(session: Session, *, person_id: int, project_id: int, stage: Stage) -> int:
    """How much a person has postponed in a stage."""
    wanted = select(func.count()).where(
        PostponedRow.person_id == person_id, PostponedRow.project_id == project_id, PostponedRow.stage == stage
    )
    return session.exec(wanted).one()

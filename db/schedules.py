"""Commands and queries on deadlines and on the order of stages. Every version is kept, and the newest counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from db.records import StoredSchedule
from db.tables import PersonRow, ScheduleRow


def newest(session: Session, *, projects: Iterable[int]) -> dict[int, StoredSchedule]:
    """Return the current schedules of these projects, by project. Projects without one are left out."""
    last = select(func.max(col(ScheduleRow.id))).where(col(ScheduleRow.project_id).in_(list(projects)))
    wanted = select(ScheduleRow).where(col(ScheduleRow.id).in_(last.group_by(col(ScheduleRow.project_id))))
    return {row.project_id: row for row in session.exec(wanted)}


def of_project(session: Session, *, project_id: int) -> list[tuple[StoredSchedule, str | None]]:
    """Return all versions, oldest first, with the login of the person who set each."""
    wanted = (
        select(ScheduleRow, PersonRow.login)
        .join(PersonRow, col(PersonRow.id) == ScheduleRow.by_id, isouter=True)
        .where(ScheduleRow.project_id == project_id)
        .order_by(col(ScheduleRow.number))
    )
    return [(row, login) for row, login in session.exec(wanted)]


def add(
    session: Session,
    *,
    project_id: int,
    number: int,
    deadlines: Mapping[str, Any],
    order: list[str],
    by_id: int | None,
    now: datetime,
) -> None:
    """Store a version. It counts from now on."""
    row = ScheduleRow(
        project_id=project_id,
        number=number,
        deadlines=dict(deadlines),
        stage_order=order,
        by_id=by_id,
        created_at=now,
    )
    session.add(row)
    session.flush()

"""Commands and queries on deadlines and on the order of stages. Every version is kept, and the newest counts."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import func
from sqlmodel import Session, col, select

from db.records import StoredSchedule
from db.tables import ScheduleRow


def newest(session: Session, *, projects: Iterable[int]) -> dict[int, StoredSchedule]:
    """Return the current schedules of these projects, by project. Projects without one are left out."""
    last = select(func.max(col(ScheduleRow.id))).where(col(ScheduleRow.project_id).in_(list(projects)))
    wanted = select(ScheduleRow).where(col(ScheduleRow.id).in_(last.group_by(col(ScheduleRow.project_id))))
    return {row.project_id: row for row in session.exec(wanted)}

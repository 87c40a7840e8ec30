"""Queries on submissions that came too late to count."""

from __future__ import annotations

from sqlmodel import Session, col, select

from db.records import StoredDraft, StoredPerson, StoredTask
from db.tables import DraftRow, PersonRow, TaskRow


def lost_of_project(
    session: Session, *, project_id: int, limit: int, id: int | None = None
) -> list[tuple[StoredDraft, StoredTask, StoredPerson]]:
    """Return submissions that came too late to count, newest first. ``id``: only this one."""
    wanted = (
        select(DraftRow, TaskRow, PersonRow)
        .join(TaskRow, col(TaskRow.id) == DraftRow.task_id)
        .join(PersonRow, col(PersonRow.id) == DraftRow.person_id)
        .where(col(DraftRow.lost).is_(True), TaskRow.project_id == project_id)
        .order_by(col(DraftRow.saved_at).desc())
        .limit(limit)
    )
    if id is not None:
        wanted = wanted.where(DraftRow.id == id)
    return [(draft, row, person) for draft, row, person in session.exec(wanted)]

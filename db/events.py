"""Queries of the event log."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from db.tables import EventRow


def record(
    session: Session,
    *,
    at: datetime,
    kind: str,
    project_id: int | None = None,
    person_id: int | None = None,
    item_id: int | None = None,
    task_id: int | None = None,
    data: Mapping[str, Any] | None = None,
) -> None:
    """Add a line to the log."""
    session.add(
        EventRow(
            at=at,
            kind=kind,
            project_id=project_id,
            person_id=person_id,
            item_id=item_id,
            task_id=task_id,
            data=dict(data or {}),
        )
    )


def last_at(session: Session, *, project_id: int) -> datetime | None:
    """When something last happened in a project: the date of a release made of its present state."""
    newest = select(func.max(EventRow.id)).where(EventRow.project_id == project_id).scalar_subquery()
    return session.exec(select(EventRow.at).where(EventRow.id == newest)).first()


def held(session: Session, *, task_id: int, person_id: int) -> bool:
    """Whether a person has ever been given a task."""
    wanted = select(EventRow.id).where(
        EventRow.task_id == task_id,
        EventRow.person_id == person_id,
        col(EventRow.kind).in_(("task.claimed", "pool.picked")),
    )
    return session.exec(wanted.limit(1)).first() is not None


def of_item(session: Session, *, item_id: int) -> list[EventRow]:
    """What happened to an item, oldest first."""
    return list(session.exec(select(EventRow).where(EventRow.item_id == item_id).order_by(col(EventRow.id))))

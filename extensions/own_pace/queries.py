"""Queries on one person's own pace, and on the daily goal that they set for themselves."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import bindparam, func
from sqlmodel import Session, col, select

from db import prepared
from db.tables import AnnotationRow, DailyGoalRow, TriageDecisionRow
from domain.states import Purpose, Stage


def submitted(
    session: Session, *, person_id: int, projects: Iterable[int], since: datetime
) -> list[tuple[datetime, float | None]]:
    """Return when a person first submitted each task since a moment, and the active seconds it took.

    Qualification tasks are left out.
    """
    row = AnnotationRow
    wanted = select(row.created_at, row.seconds).where(
        row.person_id == person_id,
        col(row.project_id).in_(list(projects)),
        col(row.stage).in_(list(Stage)),  # together with the purposes this lets an index find the last days
        col(row.purpose).in_([purpose for purpose in Purpose if purpose is not Purpose.QUALIFICATION]),
        row.created_at >= since,
        col(row.supersedes_id).is_(None),
        col(row.schema_change).is_(None),
    )
    return [(at, seconds) for at, seconds in session.exec(wanted)]


def triaged(session: Session, *, person_id: int, projects: Iterable[int], since: datetime) -> list[datetime]:
    """Return when a person first kept or dropped each candidate image since a moment."""
    row = TriageDecisionRow
    first = func.min(col(row.created_at))
    wanted = (
        select(first)
        .where(
            row.person_id == person_id,
            col(row.project_id).in_(list(projects)),
            col(row.action).in_(("kept", "dropped")),
        )
        .group_by(col(row.project_id), col(row.asset_id))
        .having(first >= since)
    )
    return list(session.exec(wanted))


def goal(session: Session, *, person_id: int) -> int | None:
    """Return a person's daily goal in tasks, or None."""
    tasks: int | None = prepared.first(session, _goal(), {"person": person_id})
    return tasks


@cache
def _goal() -> Any:
    return select(DailyGoalRow.tasks).where(col(DailyGoalRow.person_id) == bindparam("person"))


def set_goal(session: Session, *, person_id: int, tasks: int | None, now: datetime) -> None:
    """Store a daily goal, or delete it if ``tasks`` is None."""
    row = session.get(DailyGoalRow, person_id)
    if tasks is None:
        if row is not None:
            session.delete(row)
    elif row is None:
        session.add(DailyGoalRow(person_id=person_id, tasks=tasks, set_at=now))
    else:
        row.tasks, row.set_at = tasks, now
        session.add(row)
    session.flush()

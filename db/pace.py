"""Queries about who submitted what and when, for figures about people."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy
from sqlmodel import Session, col, select

from db.tables import AnnotationRow
from domain.states import Purpose, Stage


class Sent(NamedTuple):
    """One submission."""

    id: int
    person_id: int
    task_id: int
    stage: Stage
    purpose: Purpose
    item_id: int
    revision: int
    prediction_id: int | None
    answers: dict[str, Any]
    reasons: dict[str, Any]
    seconds: float | None
    weight: float | None
    supersedes_id: int | None
    guideline: str
    at: datetime


def submissions(session: Session, *, project_id: int) -> list[Sent]:
    """Everything that was submitted in a project, oldest first: read once, and not as rows that are kept."""
    row = AnnotationRow
    wanted: Any = (
        sqlalchemy.select(
            col(row.id),
            col(row.person_id),
            col(row.task_id),
            col(row.stage),
            col(row.purpose),
            col(row.item_id),
            col(row.revision),
            col(row.prediction_id),
            col(row.answers),
            col(row.reasons),
            col(row.seconds),
            col(row.weight),
            col(row.supersedes_id),
            col(row.guideline_hash),
            col(row.created_at),
        )
        .where(col(row.project_id) == project_id)
        .order_by(col(row.id))
    )
    return [Sent(*found) for found in session.execute(wanted)]


def first_submissions(session: Session, *, project_id: int) -> list[tuple[Stage, datetime]]:
    """When the tasks of a project were first submitted."""
    wanted = select(AnnotationRow.stage, AnnotationRow.created_at).where(
        AnnotationRow.project_id == project_id,
        AnnotationRow.purpose == Purpose.LIVE,
        col(AnnotationRow.supersedes_id).is_(None),
    )
    return [(Stage(stage), at) for stage, at in session.exec(wanted)]

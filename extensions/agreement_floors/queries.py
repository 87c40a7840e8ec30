"""Queries on votes from before the schema changed."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func
from sqlmodel import Session, col, select

from db.tables import AnnotationRow, ImportedRatingRow
from domain.states import Purpose, Stage


def n_before(session: Session, *, project_id: int, stage: Stage, before: datetime) -> int:
    """Count a stage's submissions before a moment, plus the units that imported raters had rated."""
    submitted = select(func.count()).where(
        AnnotationRow.project_id == project_id,
        AnnotationRow.stage == stage,
        AnnotationRow.purpose == Purpose.LIVE,
        col(AnnotationRow.supersedes_id).is_(None),
        AnnotationRow.created_at < before,
    )
    rated = (
        select(ImportedRatingRow.unit, ImportedRatingRow.rater)
        .where(
            ImportedRatingRow.project_id == project_id,
            ImportedRatingRow.stage == stage,
            ImportedRatingRow.created_at < before,
        )
        .distinct()
        .subquery()
    )
    from_files = select(func.count()).select_from(rated)
    return session.exec(submitted).one() + session.exec(from_files).one()

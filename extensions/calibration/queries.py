"""Queries of this extension."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func
from sqlmodel import Session, col, select

from db.tables import AttemptRow, ImportedRatingRow, RunRow


def first_reply(session: Session, *, project_id: int, judges: Sequence[str]) -> datetime | None:
    """Return the time of the first reply or rating of these judges, or None."""
    asked = (
        select(func.min(AttemptRow.created_at))
        .join(RunRow, col(RunRow.id) == AttemptRow.run_id)
        .where(RunRow.project_id == project_id, col(RunRow.name).in_(list(judges)))
    )
    rated = select(func.min(ImportedRatingRow.created_at)).where(
        ImportedRatingRow.project_id == project_id, col(ImportedRatingRow.rater).in_(list(judges))
    )
    return min((at for at in (session.exec(asked).one(), session.exec(rated).one()) if at is not None), default=None)

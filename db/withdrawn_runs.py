"""Conditions that leave out the answers of withdrawn runs."""

from __future__ import annotations

from sqlalchemy import ColumnElement, select
from sqlmodel import Session, col

from db.tables import PredictionRow, RunRow

WITHDRAWN, TAKEN_BACK = "run.withdrawn", "run.taken_back"
"""Kinds of events: a run was withdrawn, or its withdrawal was taken back."""


def of_counting_runs() -> ColumnElement[bool]:
    """Return the condition on answers that their run was not withdrawn."""
    withdrawn = select(col(RunRow.id)).where(col(RunRow.withdrawn_at).is_not(None))
    return col(PredictionRow.run_id).not_in(withdrawn)


def answers(session: Session, *, project_id: int) -> list[tuple[int, str]]:
    """Return item and model of every answer in a project whose run was withdrawn."""
    wanted = select(col(PredictionRow.item_id), col(PredictionRow.model)).where(
        col(PredictionRow.project_id) == project_id, ~of_counting_runs()
    )
    return [(item, model) for item, model in session.connection().execute(wanted)]


def ids(session: Session, *, project_id: int) -> set[int]:
    """Return the answers (ids) of a project whose run was withdrawn."""
    wanted = select(col(PredictionRow.id)).where(col(PredictionRow.project_id) == project_id, ~of_counting_runs())
    return {id for id in session.connection().execute(wanted).scalars()}

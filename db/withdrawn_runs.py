"""Which answers count: not those of runs that were withdrawn."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, exists, func, select
from sqlmodel import Session, col

from db.tables import EventRow, PredictionRow, RunRow

WITHDRAWN, TAKEN_BACK = "run.withdrawn", "run.taken_back"
"""Kinds of events."""


def of_counting_runs() -> ColumnElement[bool]:
    """Of answers: their run was not withdrawn."""
    withdrawn = select(col(RunRow.id)).where(col(RunRow.withdrawn_at).is_not(None))
    return col(PredictionRow.run_id).not_in(withdrawn)


def about_counting(answer: Any) -> ColumnElement[bool]:
    """Of what is about an answer (a column with its id) or about none: the answer's run was not withdrawn."""
    return ~exists().where(
        col(PredictionRow.id) == answer,
        col(RunRow.id) == col(PredictionRow.run_id),
        col(RunRow.withdrawn_at).is_not(None),
    )


def mark(session: Session, *, project_id: int) -> int:
    """A number that changes whenever a run of a project is withdrawn or taken back: the id of the newest such event."""
    wanted = select(func.max(col(EventRow.id))).where(
        col(EventRow.project_id) == project_id, col(EventRow.kind).in_((WITHDRAWN, TAKEN_BACK))
    )
    return session.connection().execute(wanted).scalar() or 0


def answers(session: Session, *, project_id: int) -> list[tuple[int, str]]:
    """Item and model of every answer of a project that was withdrawn with its run."""
    wanted = select(col(PredictionRow.item_id), col(PredictionRow.model)).where(
        col(PredictionRow.project_id) == project_id, ~of_counting_runs()
    )
    return [(item, model) for item, model in session.connection().execute(wanted)]


def ids(session: Session, *, project_id: int) -> set[int]:
    """The answers of a project that were withdrawn with their run."""
    wanted = select(col(PredictionRow.id)).where(col(PredictionRow.project_id) == project_id, ~of_counting_runs())
    return {id for id in session.connection().execute(wanted).scalars()}

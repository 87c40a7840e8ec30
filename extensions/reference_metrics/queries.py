"""Queries on answers that metrics measure, and on measured similarities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import select as sa_select
from sqlmodel import Session, col, select

from db.attributes import LABELLED
from db.tables import AttemptRow, EventRow, JudgeUnitRow


def similarities(session: Session, *, project_id: int, name: str) -> Sequence[Mapping[str, Any]]:
    """Return how a label of items was measured, once for each measurement, oldest first."""
    wanted = select(EventRow.data).where(EventRow.project_id == project_id, EventRow.kind == LABELLED)
    events = [data for data in session.exec(wanted.order_by(col(EventRow.id))) if data.get("name") == name]
    return [data["similarity"] for data in events if "similarity" in data]


def units_of_answers(session: Session, *, run_id: int) -> dict[int, int]:
    """Return the unit of every answer that a metric has measured, by the answer's id."""
    wanted = select(JudgeUnitRow.prediction_id, JudgeUnitRow.id).where(JudgeUnitRow.run_id == run_id)
    return {answer: id for answer, id in session.exec(wanted) if answer is not None}


def text_hashes(session: Session, *, run_id: int) -> dict[int, str]:
    """Return the hash of the texts that a metric measured last, by the answer's id."""
    wanted = (
        sa_select(col(JudgeUnitRow.prediction_id), col(AttemptRow.prompt_hash))
        .join(AttemptRow, col(AttemptRow.unit_id) == col(JudgeUnitRow.id))
        .where(col(JudgeUnitRow.run_id) == run_id, col(AttemptRow.run_id) == run_id)
        .order_by(col(AttemptRow.id))
    )
    return {answer: hash for answer, hash in session.connection().execute(wanted) if answer is not None}

"""Queries on the attempts of a run."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import func
from sqlmodel import Session, col, select

from db.records import StoredAttempt
from db.run_attempts import is_last
from db.tables import AttemptRow, RunRow
from domain.run_kinds import RunKind


def last_ones(session: Session, *, run_ids: Iterable[int]) -> list[StoredAttempt]:
    """Return the last final attempt at each unit of these runs, in the order of runs."""
    stored_attempts: list[StoredAttempt] = []
    for run_id in sorted(set(run_ids)):
        wanted = select(AttemptRow).where(
            AttemptRow.run_id == run_id, col(AttemptRow.final).is_(True), is_last(AttemptRow)
        )
        stored_attempts += session.exec(wanted.order_by(col(AttemptRow.unit_id))).all()
    return stored_attempts


def count(session: Session, *, project_id: int, kind: RunKind) -> int:
    """Count the attempts of a project's runs of a kind, including withdrawn runs."""
    of_project = select(RunRow.id).where(RunRow.project_id == project_id, RunRow.kind == kind)
    return session.exec(select(func.count()).where(col(AttemptRow.run_id).in_(of_project))).one()

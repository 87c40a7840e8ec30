"""Queries on batch files: which questions were submitted, and their outcomes."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session, col, select

from db.records import StoredRunBatch
from db.tables import RunBatchRow


def of_run(session: Session, *, run_id: int) -> Sequence[StoredRunBatch]:
    """Return a run's batches in the order of their creation, with their current state."""
    wanted = select(RunBatchRow).where(RunBatchRow.run_id == run_id).order_by(col(RunBatchRow.number))
    return session.exec(wanted.execution_options(populate_existing=True)).all()

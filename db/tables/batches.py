"""Tables of batch files of runs."""

from __future__ import annotations

from sqlalchemy import UniqueConstraint

from db.records.batches import StoredRunBatch, StoredRunBatchProblem, StoredRunBatchUnit


class RunBatchRow(StoredRunBatch, table=True):
    __tablename__ = "run_batch"
    __table_args__ = (UniqueConstraint("run_id", "number"),)


class RunBatchUnitRow(StoredRunBatchUnit, table=True):
    __tablename__ = "run_batch_unit"
    __table_args__ = (UniqueConstraint("batch_id", "unit_id"),)


class RunBatchProblemRow(StoredRunBatchProblem, table=True):
    __tablename__ = "run_batch_problem"
    __table_args__ = (UniqueConstraint("run_id", "key"),)

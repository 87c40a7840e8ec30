"""Tables of runs, models' answers, and imported ratings."""

from __future__ import annotations

from sqlalchemy import Index, UniqueConstraint

from db.records.runs import (
    StoredAttempt,
    StoredFileRater,
    StoredImportedRating,
    StoredPrediction,
    StoredReading,
    StoredRun,
    StoredRunChunk,
    StoredRunWorker,
    StoredToolResult,
)


class RunRow(StoredRun, table=True):
    __tablename__ = "run"


class RunChunkRow(StoredRunChunk, table=True):
    __tablename__ = "run_chunk"
    __table_args__ = (
        UniqueConstraint("run_id", "number"),
        Index("ix_run_chunk_next", "run_id", "done", "lease_until", "number"),
    )


class RunWorkerRow(StoredRunWorker, table=True):
    __tablename__ = "run_worker"


class AttemptRow(StoredAttempt, table=True):
    __tablename__ = "attempt"
    __table_args__ = (
        UniqueConstraint("run_id", "unit_id", "number"),
        Index("ix_attempt_run_id_outcome", "run_id", "outcome", "id"),
    )


class PredictionRow(StoredPrediction, table=True):
    __tablename__ = "prediction"
    __table_args__ = (
        UniqueConstraint("item_id", "model", "run_id"),
        Index("ix_prediction_project_id_model", "project_id", "model"),
    )


class ReadingRow(StoredReading, table=True):
    __tablename__ = "reading"
    __table_args__ = (UniqueConstraint("prediction_id", "reader", "version", "asked"),)


class ToolResultRow(StoredToolResult, table=True):
    __tablename__ = "tool_result"
    __table_args__ = (UniqueConstraint("item_id", "tool", "arguments_key"),)


class ImportedRatingRow(StoredImportedRating, table=True):
    __tablename__ = "imported_rating"
    __table_args__ = (UniqueConstraint("project_id", "stage", "unit", "rater", "criterion"),)


class FileRaterRow(StoredFileRater, table=True):
    __tablename__ = "file_rater"
    __table_args__ = (UniqueConstraint("project_id", "name"),)

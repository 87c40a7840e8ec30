"""The table of jobs."""

from __future__ import annotations

from sqlalchemy import Index, text

from db.records.jobs import StoredJob

_OPEN = text("ended_at IS NULL")


class JobRow(StoredJob, table=True):
    __tablename__ = "jobs"
    __table_args__ = (
        Index("ix_jobs_open", "slot", unique=True, sqlite_where=_OPEN, postgresql_where=_OPEN),
        Index("ix_jobs_next", "state", "due_at", "id"),
        Index("ix_jobs_slot_id", "slot", "id"),
    )

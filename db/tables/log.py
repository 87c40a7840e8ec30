"""The table of the event log."""

from __future__ import annotations

from sqlalchemy import Index

from db.records.log import StoredEvent


class EventRow(StoredEvent, table=True):
    __tablename__ = "event"
    __table_args__ = (
        Index("ix_event_project_id_id", "project_id", "id"),
        Index("ix_event_project_id_kind", "project_id", "kind", "id"),
    )

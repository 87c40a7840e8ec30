"""Records of the event log."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, row_id


class StoredEvent(SQLModel):
    """An event: who did what, when and from where. Append-only.

    Few decisions read the log: what a person may still see, when a calibration rule came into force, the goals of
    videos, and which items are with their authors.
    """

    id: int = row_id()
    at: datetime = Field(sa_type=UTCDateTime)
    kind: str
    project_id: int | None = Field(default=None, foreign_key="project.id")
    person_id: int | None = Field(default=None, foreign_key="person.id", index=True)
    item_id: int | None = Field(default=None, foreign_key="item.id", index=True)
    task_id: int | None = Field(default=None, foreign_key="task.id", index=True)
    origin: str | None = None
    """The network address, or ``command``."""
    data: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)

"""What people were told."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, row_id


class StoredNoticeMark(SQLModel):
    """That someone has seen a notice. Notices themselves follow from what else is stored (``db.notices``)."""

    id: int = row_id()
    person_id: int = Field(foreign_key="person.id")
    project_id: int = Field(foreign_key="project.id", index=True)
    key: str
    """What it told of, such as ``comment:17``."""
    seen_at: datetime | None = Field(default=None, sa_type=UTCDateTime)

"""What was sent to whom about which item."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, row_id, word_column
from domain.exposure import Route


class StoredExposureShape(SQLModel):
    """Which kinds of facts were in what was sent, once for all payloads of a project that had the same. Append-only."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    hash: str
    """SHA-256 of ``told`` and the version of the schema."""
    schema_version_id: int = Field(foreign_key="schema_version.id")
    """Under which schema it was sent: the fields are called as there."""
    told: dict[str, Any] = Field(sa_type=JSON)
    """``domain.exposure.Told``."""


class StoredExposure(SQLModel):
    """That something of an item was sent to a person. Append-only, and stored before it is sent."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id", index=True)
    item_id: int | None = Field(default=None, foreign_key="item.id")
    person_id: int = Field(foreign_key="person.id")
    task_id: int | None = None
    asset_id: int | None = None
    """Of a picture or clip; then there is no item, as several may have it."""
    shape_id: int
    route: Route = Field(sa_column=word_column(Route))
    stage: str = ""
    revision: int | None = None
    sha256: str
    """Of the bytes that were sent."""
    bytes: int
    at: datetime = Field(sa_type=UTCDateTime)

"""Records of what each person was sent about an item."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, row_id, word_column
from domain.exposure import Route


class StoredExposureShape(SQLModel):
    """The kinds of facts in a payload, stored once for all payloads of a project with the same kinds. Append-only."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    hash: str
    """SHA-256 of ``told`` and the version of the schema."""
    schema_version_id: int = Field(foreign_key="schema_version.id")
    """The schema under which the payload was sent. It defines the names of the fields."""
    told: dict[str, Any] = Field(sa_type=JSON)
    """The kinds of facts (``domain.exposure.Disclosure``)."""


class StoredExposure(SQLModel):
    """One transfer of content about an item to a person. Append-only, and stored before the transfer."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id", index=True)
    item_id: int | None = Field(default=None, foreign_key="item.id")
    person_id: int = Field(foreign_key="person.id")
    task_id: int | None = None
    asset_id: int | None = None
    """The asset, for an image or clip. Then there is no item, because several items may have the asset."""
    shape_id: int
    route: Route = Field(sa_column=word_column(Route))
    stage: str = ""
    revision: int | None = None
    sha256: str
    """SHA-256 of the transferred bytes."""
    bytes: int
    at: datetime = Field(sa_type=UTCDateTime)

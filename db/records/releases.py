"""Releases: frozen exports, what is said of them, and what was withdrawn."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Text
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, row_id


class StoredRelease(SQLModel):
    """A frozen export of a project. Append-only."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    number: int
    """Counts from 1 in each project; point releases have that of the one that they mend."""
    point: int = 0
    """Counts withdrawals from a release; 0: the release itself."""
    asked: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    """What was asked for (``workflow.releases.settings.Asked``)."""
    told: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    """Its manifest without the list of files and what is counted item by item."""
    manifest_sha256: str
    by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredReleaseItem(SQLModel):
    """An item of a release, at the revision in it. Append-only."""

    release_id: int = Field(primary_key=True, foreign_key="release.id", sa_column_kwargs={"autoincrement": False})
    item_id: int = Field(primary_key=True, foreign_key="item.id", sa_column_kwargs={"autoincrement": False})
    revision: int
    split: str
    place: int
    """Where it stands in the release, from 0."""


class StoredWithdrawal(SQLModel):
    """That an item was withdrawn from a release, which then has a point release without it. Append-only."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    release_id: int = Field(foreign_key="release.id", index=True)
    """The point release that lacks it first."""
    item_id: int = Field(foreign_key="item.id")
    reason: str = Field(sa_type=Text)
    by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredReleaseAbout(SQLModel):
    """What the leads say of their releases: licence, makers, limits, what must hold. Append-only: the newest holds."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    number: int
    """Counts from 1 in each project."""
    about: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)

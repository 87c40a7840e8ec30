"""Records of releases: frozen exports, their descriptions, and withdrawals."""

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
    """The number of the release, from 1 in each project. A point release has the number of the release it corrects."""
    point: int = 0
    """The number of withdrawals from the release. 0: the release itself."""
    asked: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    """The options of the release (``workflow.releases.settings.ReleaseOptions``)."""
    told: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    """The manifest without the list of files and the counts per item."""
    manifest_sha256: str
    by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredReleaseItem(SQLModel):
    """An item of a release, at the revision in the release. Append-only."""

    release_id: int = Field(primary_key=True, foreign_key="release.id", sa_column_kwargs={"autoincrement": False})
    item_id: int = Field(primary_key=True, foreign_key="item.id", sa_column_kwargs={"autoincrement": False})
    revision: int
    split: str
    place: int
    """The position in the release, from 0."""


class StoredWithdrawal(SQLModel):
    """The withdrawal of an item from a release, which leads to a point release without the item. Append-only."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    release_id: int = Field(foreign_key="release.id", index=True)
    """The first point release without the item."""
    item_id: int = Field(foreign_key="item.id")
    reason: str = Field(sa_type=Text)
    by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredReleaseAbout(SQLModel):
    """The leads' description of their releases: license, makers, limits, conditions. Append-only: the newest counts."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    number: int
    """The number of the version, from 1 in each project."""
    about: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)

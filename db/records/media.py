"""Media: sources, files, pools, and decisions of triage."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, Column
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, public_id, row_id, word_column
from domain.states import TriageState


class StoredSource(SQLModel):
    """A video or collection that media came from. ``taken`` counts its images that left the pool, ``kept`` its
    candidates that came into it."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    name: str
    taken: int = 0
    kept: int = Field(default=0, sa_column_kwargs={"server_default": "0"})


class StoredMediaObject(SQLModel):
    """A file of the media store."""

    sha256: str = Field(primary_key=True)
    kind: str
    mime: str
    bytes: int = Field(sa_type=BigInteger)
    width: int | None = None
    height: int | None = None
    duration: float | None = None
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredAsset(SQLModel):
    """An image or clip of a project. Without ``sha256`` it is named by a file, but missing."""

    id: int = row_id()
    public_id: str = Field(default_factory=public_id, unique=True)
    project_id: int = Field(foreign_key="project.id")
    sha256: str | None = Field(default=None, foreign_key="media_object.sha256")
    name: str
    kind: str
    source_id: int | None = Field(default=None, foreign_key="source.id")
    dimension: str | None = None
    """The only dimension that may use it; None: any."""
    dimension_given: str | None = None
    """As of an item."""
    dimension_version: int | None = None
    in_pool: bool = False
    """Free in the shared pool now; of a group, its first one only, which stands for all of it."""
    group_name: str | None = None
    """The images and clips that one item is written about, by the name of their group; None: it stands alone."""
    role: str | None = None
    """Its place in that item."""
    place: int | None = None
    """Its place in the group, from 0."""
    proposal: dict[str, Any] | None = Field(
        default=None, sa_column=Column("proposal", JSON(none_as_null=True), nullable=True)
    )
    """What a model proposes for an item about it, and whether its author is shown that (``domain.drafting.Proposal``);
    of a group with its first one."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredPick(SQLModel):
    """An image that someone took out of the pool. Its primary key makes that possible once."""

    asset_id: int = Field(primary_key=True, foreign_key="asset.id")
    task_id: int = Field(foreign_key="task.id", index=True)
    position: int


class StoredCandidate(SQLModel):
    """An image that goes through triage before it may be in the pool, and in whose hands it is."""

    asset_id: int = Field(primary_key=True, foreign_key="asset.id", sa_column_kwargs={"autoincrement": False})
    project_id: int = Field(foreign_key="project.id")
    source_id: int | None = Field(default=None, foreign_key="source.id", index=True)
    state: TriageState = Field(default=TriageState.WAITING, sa_column=word_column(TriageState, TriageState.WAITING))
    """A cache of what its latest decision says."""
    sharpness: float | None = None
    look: int | None = Field(default=None, sa_type=BigInteger)
    """Its difference hash: images that look alike differ in few bits."""
    person_id: int | None = Field(default=None, foreign_key="person.id")
    lease_until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    group_id: int | None = None
    """The asset next to which it was shown last."""
    decision_id: int | None = None
    """Its latest decision."""


class StoredTriageDecision(SQLModel):
    """What someone decided about a candidate. Append-only; the latest counts."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    asset_id: int = Field(foreign_key="asset.id", index=True)
    person_id: int | None = Field(default=None, foreign_key="person.id")
    submit_key: str
    action: str
    """kept, dropped, undone or brought_back."""
    reason: str = ""
    """Of a dropped one: a value of the schema's, or typed."""
    typed: bool = False
    schema_version_id: int = Field(foreign_key="schema_version.id")
    guideline_hash: str
    created_at: datetime = Field(sa_type=UTCDateTime)

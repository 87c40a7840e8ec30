"""Records of media: sources, files, pools, and triage decisions."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, Column
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, public_id, row_id, word_column
from domain.states import TriageState


class StoredSource(SQLModel):
    """A video or collection that media came from.

    ``taken`` counts its images that left the pool, ``kept`` its candidates that entered the pool.
    """

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
    """An image or clip of a project. Without ``sha256`` an imported file names it, but its own file is missing."""

    id: int = row_id()
    public_id: str = Field(default_factory=public_id, unique=True)
    project_id: int = Field(foreign_key="project.id")
    sha256: str | None = Field(default=None, foreign_key="media_object.sha256")
    name: str
    kind: str
    source_id: int | None = Field(default=None, foreign_key="source.id")
    dimension: str | None = None
    """The only dimension that may use it. None: any dimension."""
    dimension_given: str | None = None
    """The dimension as given, like ``StoredItem.dimension_given``."""
    dimension_version: int | None = None
    in_pool: bool = False
    """Whether it is free in the shared pool. In a group only the first asset is marked, for the whole group."""
    group_name: str | None = None
    """The name of the group of assets that one item is written about. None: it belongs to no group."""
    role: str | None = None
    """The role in the item."""
    place: int | None = None
    """The position in the group, from 0."""
    proposal: dict[str, Any] | None = Field(
        default=None, sa_column=Column("proposal", JSON(none_as_null=True), nullable=True)
    )
    """A model's proposal for an item, and whether the author sees it.

    In a group it is stored with the first asset.
    """
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredPick(SQLModel):
    """An image that someone took out of the pool. The primary key makes that possible only once."""

    asset_id: int = Field(primary_key=True, foreign_key="asset.id")
    task_id: int = Field(foreign_key="task.id", index=True)
    position: int


class StoredCandidate(SQLModel):
    """An image in triage that is not yet in the pool, and the person who has it."""

    asset_id: int = Field(primary_key=True, foreign_key="asset.id", sa_column_kwargs={"autoincrement": False})
    project_id: int = Field(foreign_key="project.id")
    source_id: int | None = Field(default=None, foreign_key="source.id", index=True)
    state: TriageState = Field(default=TriageState.WAITING, sa_column=word_column(TriageState, TriageState.WAITING))
    """The state, a cache of the latest decision."""
    sharpness: float | None = None
    look: int | None = Field(default=None, sa_type=BigInteger)
    """The difference hash. Hashes of similar images differ in few bits."""
    person_id: int | None = Field(default=None, foreign_key="person.id")
    lease_until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    group_id: int | None = None
    """The asset next to which it was last shown."""
    decision_id: int | None = None
    """The latest decision."""


class StoredTriageDecision(SQLModel):
    """A person's decision about a candidate. Append-only; the latest counts."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    asset_id: int = Field(foreign_key="asset.id", index=True)
    person_id: int | None = Field(default=None, foreign_key="person.id")
    submit_key: str
    action: str
    """The action: kept, dropped, undone or brought_back."""
    reason: str = ""
    """The reason for dropping it: a value of the schema, or typed text."""
    typed: bool = False
    schema_version_id: int = Field(foreign_key="schema_version.id")
    guideline_hash: str
    created_at: datetime = Field(sa_type=UTCDateTime)

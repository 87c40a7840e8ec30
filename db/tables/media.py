"""Media: sources, files, pools, and what was sifted."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, public_id, row_id, word_column
from domain.states import Sifted


class SourceRow(SQLModel, table=True):
    """A video or collection that media came from. ``taken`` counts its images that left the pool, ``kept`` its
    candidates that came into it."""

    __tablename__ = "source"
    __table_args__ = (UniqueConstraint("project_id", "name"),)

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    name: str
    taken: int = 0
    kept: int = Field(default=0, sa_column_kwargs={"server_default": "0"})


class MediaObjectRow(SQLModel, table=True):
    """A file of the media store."""

    __tablename__ = "media_object"

    sha256: str = Field(primary_key=True)
    kind: str
    mime: str
    bytes: int = Field(sa_type=BigInteger)
    width: int | None = None
    height: int | None = None
    duration: float | None = None
    created_at: datetime = Field(sa_type=UTCDateTime)


class AssetRow(SQLModel, table=True):
    """An image or clip of a project. Without ``sha256`` it is named by a file, but missing."""

    __tablename__ = "asset"
    __table_args__ = (
        Index("ix_asset_project_id_name", "project_id", "name"),
        Index("ix_asset_pool", "project_id", "in_pool", "id"),
        Index("ix_asset_project_id_sha256", "project_id", "sha256"),
    )

    id: int = row_id()
    public_id: str = Field(default_factory=public_id, unique=True)
    project_id: int = Field(foreign_key="project.id")
    sha256: str | None = Field(default=None, foreign_key="media_object.sha256")
    name: str
    kind: str
    source_id: int | None = Field(default=None, foreign_key="source.id")
    dimension: str | None = None
    """The only dimension that may use it; None: any."""
    in_pool: bool = False
    """Free in the shared pool now."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class PickRow(SQLModel, table=True):
    """An image that somebody took out of the pool. Its primary key makes that possible once."""

    __tablename__ = "pick"

    asset_id: int = Field(primary_key=True, foreign_key="asset.id")
    task_id: int = Field(foreign_key="task.id", index=True)
    position: int


LOOK_PARTS = tuple(f"((look >> {9 * at}) & {511 if at < 6 else 1023})" for at in range(7))
"""The 64 bits of a hash in seven parts: two hashes that differ in at most six bits are the same in one of them."""


class CandidateRow(SQLModel, table=True):
    """An image that has to be sifted before it may be in the pool, and in whose hands it is."""

    __tablename__ = "candidate"
    __table_args__ = (
        Index("ix_candidate_waiting", "project_id", "state", "asset_id"),
        Index("ix_candidate_mine", "person_id", "project_id", "state"),
        *(Index(f"ix_candidate_look_{at}", "project_id", "state", text(part)) for at, part in enumerate(LOOK_PARTS)),
    )

    asset_id: int = Field(primary_key=True, foreign_key="asset.id", sa_column_kwargs={"autoincrement": False})
    project_id: int = Field(foreign_key="project.id")
    source_id: int | None = Field(default=None, foreign_key="source.id", index=True)
    state: Sifted = Field(default=Sifted.WAITING, sa_column=word_column(Sifted, Sifted.WAITING))
    """A cache of what its latest decision says."""
    sharpness: float | None = None
    look: int | None = Field(default=None, sa_type=BigInteger)
    """Its difference hash: images that look alike differ in few bits."""
    person_id: int | None = Field(default=None, foreign_key="person.id")
    lease_until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    group_id: int | None = None
    """The asset beside which it was shown last."""
    decision_id: int | None = None
    """Its latest decision."""


class SiftDecisionRow(SQLModel, table=True):
    """What somebody decided about a candidate. Append-only; the latest counts."""

    __tablename__ = "sift_decision"
    __table_args__ = (
        UniqueConstraint("person_id", "submit_key", "asset_id"),
        Index("ix_sift_decision_project_id_id", "project_id", "id"),
    )

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

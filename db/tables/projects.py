"""Projects: their schema, their guideline, who takes part."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, Text, UniqueConstraint, false
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, enum_column, row_id
from domain.roles import Role


class SchemaVersionRow(SQLModel, table=True):
    """A schema as it was when a project began to use it, with its guideline. Never changed."""

    __tablename__ = "schema_version"

    id: int = row_id()
    name: str
    version: int
    hash: str = Field(unique=True)
    guideline_hash: str
    text: str = Field(sa_type=Text)
    guideline_text: str = Field(sa_type=Text)
    created_at: datetime = Field(sa_type=UTCDateTime)


class ProjectRow(SQLModel, table=True):
    """A benchmark being made."""

    __tablename__ = "project"

    id: int = row_id()
    name: str = Field(unique=True)
    title: str
    made_up: bool = False
    schema_version_id: int = Field(foreign_key="schema_version.id")
    seed: int
    """From which every shuffled order of this project follows."""
    created_at: datetime = Field(sa_type=UTCDateTime)
    guideline_number: int = Field(default=1, sa_column_kwargs={"server_default": "1"})
    """The version of its guideline that is in force."""


class GuidelineVersionRow(SQLModel, table=True):
    """A guideline as it was in force for a while; the first came with the schema. Append-only."""

    __tablename__ = "guideline_version"
    __table_args__ = (
        UniqueConstraint("project_id", "number"),
        UniqueConstraint("project_id", "hash"),
    )

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    number: int
    hash: str
    text: str = Field(sa_type=Text)
    why: str = Field(default="", sa_type=Text)
    by_id: int | None = Field(default=None, foreign_key="person.id")
    requalify: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whoever has qualified for a stage has to pass a set that was made under this version or a later one."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class GuidelineSeenRow(SQLModel, table=True):
    """The version of the guideline that somebody has opened last."""

    __tablename__ = "guideline_seen"

    project_id: int = Field(primary_key=True, foreign_key="project.id")
    person_id: int = Field(primary_key=True, foreign_key="person.id")
    number: int
    seen_at: datetime = Field(sa_type=UTCDateTime)


class MemberRow(SQLModel, table=True):
    """A person's part in a project. None stands for all dimensions, all stages."""

    __tablename__ = "member"
    __table_args__ = (UniqueConstraint("project_id", "person_id"),)

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    role: Role = Field(sa_column=enum_column(Role))
    dimensions: list[str] | None = Field(default=None, sa_type=JSON)
    stages: list[str] | None = Field(default=None, sa_type=JSON)

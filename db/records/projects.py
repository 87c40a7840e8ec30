"""Records of projects: their schemas, guidelines and members."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, Text, false
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, enum_column, row_id
from domain.roles import Role


class StoredSchemaVersion(SQLModel):
    """A schema with its guideline, as a project began to use it. Never changed."""

    id: int = row_id()
    name: str
    version: int
    hash: str = Field(unique=True)
    guideline_hash: str
    text: str = Field(sa_type=Text)
    guideline_text: str = Field(sa_type=Text)
    created_at: datetime = Field(sa_type=UTCDateTime)


def _key() -> str:
    return secrets.token_hex(32)


class StoredProject(SQLModel):
    """A benchmark being made."""

    id: int = row_id()
    name: str = Field(unique=True)
    title: str
    made_up: bool = False
    schema_version_id: int = Field(foreign_key="schema_version.id")
    seed: int
    """The seed of every shuffled order in this project."""
    created_at: datetime = Field(sa_type=UTCDateTime)
    guideline_number: int = Field(default=1, sa_column_kwargs={"server_default": "1"})
    """The guideline version that is in force."""
    reading: dict[str, Any] | None = Field(
        default=None, sa_column=Column("reading", JSON(none_as_null=True), nullable=True)
    )
    """The rules for reading content given under earlier schemas (a ``Rewording``). None: there were none."""
    archived_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """The time since when nothing in it changes. None: it is in use."""
    release_key: str = Field(default_factory=_key, sa_column_kwargs={"default": _key, "server_default": ""})
    """A secret from which the canaries of its releases are derived, in hexadecimal digits. It is in no file."""


class StoredSchemaChange(SQLModel):
    """A project's change from one schema to another."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    number: int
    """The number of the change, from 1 in each project."""
    before_id: int = Field(foreign_key="schema_version.id")
    after_id: int = Field(foreign_key="schema_version.id")
    decisions: list[dict[str, Any]] = Field(default_factory=list, sa_type=JSON)
    """The decisions about the change (``Decisions`` of the extension Schema migration)."""
    reading_before: dict[str, Any] | None = Field(
        default=None, sa_column=Column("reading_before", JSON(none_as_null=True), nullable=True)
    )
    """The rules for reading content before the change (``StoredProject.reading``)."""
    guideline_before: int
    """The guideline version that was in force."""
    undoes: int | None = None
    """The number of the change that this change undoes."""
    by_id: int | None = Field(default=None, foreign_key="person.id")
    done_to: int = 0
    """The id up to which items were updated to the new schema."""
    finished_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """The time when all items were updated."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredGuidelineVersion(SQLModel):
    """A guideline that was in force for some time. The first came with the schema. Append-only."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    number: int
    hash: str
    text: str = Field(sa_type=Text)
    why: str = Field(default="", sa_type=Text)
    by_id: int | None = Field(default=None, foreign_key="person.id")
    requalify: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether qualified people have to pass a set that was created under this version or a later one."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredGuidelineVisit(SQLModel):
    """The guideline version that a person opened last."""

    project_id: int = Field(primary_key=True, foreign_key="project.id")
    person_id: int = Field(primary_key=True, foreign_key="person.id")
    number: int
    seen_at: datetime = Field(sa_type=UTCDateTime)


class StoredSchedule(SQLModel):
    """The deadlines of a project's stages and the order in which they are offered. Append-only: the newest counts."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    number: int
    """The number of the version, from 1 in each project."""
    deadlines: dict[str, str] = Field(default_factory=dict, sa_type=JSON)
    """The last day of stages (ISO 8601, in UTC)."""
    stage_order: list[str] = Field(default_factory=list, sa_type=JSON)
    """The stages that are offered first."""
    by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredEntryBudget(SQLModel):
    """The limit on a team's entries within a number of days. Append-only: the newest counts."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    number: int
    """The number of the version, from 1 in each project."""
    entries: int | None = None
    """The maximum number of entries. None: no limit."""
    days: int | None = None
    by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredMember(SQLModel):
    """A person's membership in a project. None means all dimensions or all stages."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    role: Role = Field(sa_column=enum_column(Role))
    dimensions: list[str] | None = Field(default=None, sa_type=JSON)
    dimensions_given: list[str] | None = Field(
        default=None, sa_column=Column("dimensions_given", JSON(none_as_null=True), nullable=True)
    )
    """The dimensions as given, if they have changed since (like ``StoredItem.dimension_given``)."""
    dimensions_version: int | None = None
    stages: list[str] | None = Field(default=None, sa_type=JSON)

"""Projects: their schema, their guideline, who takes part."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, Text, false
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, enum_column, row_id
from domain.roles import Role


class StoredSchemaVersion(SQLModel):
    """A schema as it was when a project began to use it, with its guideline. Never changed."""

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
    """From which every shuffled order of this project follows."""
    created_at: datetime = Field(sa_type=UTCDateTime)
    guideline_number: int = Field(default=1, sa_column_kwargs={"server_default": "1"})
    """The version of its guideline that is in force."""
    reading: dict[str, Any] | None = Field(
        default=None, sa_column=Column("reading", JSON(none_as_null=True), nullable=True)
    )
    """How what was given under its earlier schemas is read (``domain.rewording.Reading``); None: it had none."""
    archived_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """Since when nothing in it is changed; None: it is in use."""
    release_key: str = Field(default_factory=_key, sa_column_kwargs={"default": _key, "server_default": ""})
    """A secret from which canaries of its releases follow, in hexadecimal digits; it is in no file."""


class StoredSchemaChange(SQLModel):
    """That a project went from one schema to another."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    number: int
    """Counts from 1 in each project."""
    before_id: int = Field(foreign_key="schema_version.id")
    after_id: int = Field(foreign_key="schema_version.id")
    decisions: list[dict[str, Any]] = Field(default_factory=list, sa_type=JSON)
    """What was decided about it (``annotation_schemas.changes.Decisions``)."""
    reading_before: dict[str, Any] | None = Field(
        default=None, sa_column=Column("reading_before", JSON(none_as_null=True), nullable=True)
    )
    """How everything was read until then (``StoredProject.reading``)."""
    guideline_before: int
    """The version of the guideline that was in force."""
    undoes: int | None = None
    """The number of the change that this one takes back."""
    by_id: int | None = Field(default=None, foreign_key="person.id")
    done_to: int = 0
    """The items up to this one (id) are brought up to the new schema."""
    finished_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When all of them were."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredGuidelineVersion(SQLModel):
    """A guideline as it was in force for a while; the first came with the schema. Append-only."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    number: int
    hash: str
    text: str = Field(sa_type=Text)
    why: str = Field(default="", sa_type=Text)
    by_id: int | None = Field(default=None, foreign_key="person.id")
    requalify: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Anyone who has qualified for a stage has to pass a set that was made under this version or a later one."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredGuidelineSeen(SQLModel):
    """The version of the guideline that someone has opened last."""

    project_id: int = Field(primary_key=True, foreign_key="project.id")
    person_id: int = Field(primary_key=True, foreign_key="person.id")
    number: int
    seen_at: datetime = Field(sa_type=UTCDateTime)


class StoredSchedule(SQLModel):
    """Until when the stages of a project are to be done, and in which order they are offered. Append-only: the newest
    holds."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    number: int
    """Counts from 1 in each project."""
    deadlines: dict[str, str] = Field(default_factory=dict, sa_type=JSON)
    """The last day of stages (ISO 8601, in UTC)."""
    stage_order: list[str] = Field(default_factory=list, sa_type=JSON)
    """The stages that are offered first."""
    by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredEntryBudget(SQLModel):
    """How many entries of a team are taken within so many days. Append-only: the newest holds."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    number: int
    """Counts from 1 in each project."""
    entries: int | None = None
    """None: as many as they like."""
    days: int | None = None
    by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredMember(SQLModel):
    """A person's part in a project. None stands for all dimensions, all stages."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    role: Role = Field(sa_column=enum_column(Role))
    dimensions: list[str] | None = Field(default=None, sa_type=JSON)
    dimensions_given: list[str] | None = Field(
        default=None, sa_column=Column("dimensions_given", JSON(none_as_null=True), nullable=True)
    )
    """What they were when someone said so, where they are others since (as ``StoredItem.dimension_given``)."""
    dimensions_version: int | None = None
    stages: list[str] | None = Field(default=None, sa_type=JSON)

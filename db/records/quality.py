"""Qualification and gold."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, false
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, public_id, row_id


class StoredQualificationSet(SQLModel):
    """The items to pass before a stage. The newest set of a stage is the one that people work on. Append-only."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    stage: str = Field(max_length=32)
    number: int
    item_ids: list[int] = Field(sa_type=JSON)
    prediction_ids: list[int] | None = Field(
        default=None, sa_column=Column("prediction_ids", JSON(none_as_null=True), nullable=True)
    )
    """Where models' answers are graded: each of them, ``item_ids`` naming its item at the same place."""
    requalify: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Everyone who passed an earlier set has to pass this one, too."""
    guideline_hash: str
    seed: int
    """From which the draw of the items follows."""
    wanted: int | None = None
    """How many were to be drawn, which may be more than there were; None: the items were named."""
    made_by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredQualification(SQLModel):
    """One try of a person to qualify for a stage, or their exemption (without a set). Append-only: where it stands
    follows from the answers and the reviews."""

    id: int = row_id()
    public_id: str = Field(default_factory=public_id, unique=True)
    project_id: int = Field(foreign_key="project.id")
    stage: str = Field(max_length=32)
    set_id: int | None = Field(default=None, foreign_key="qualification_set.id")
    person_id: int = Field(foreign_key="person.id")
    number: int
    exempt_by_id: int | None = Field(default=None, foreign_key="person.id")
    why: str = Field(default="", sa_column_kwargs={"server_default": ""})
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredQualificationReview(SQLModel):
    """What a senior said of a try: signed or sent back, with comments by item. Append-only; a reviewer's newest
    counts."""

    id: int = row_id()
    qualification_id: int = Field(foreign_key="qualification.id", index=True)
    person_id: int = Field(foreign_key="person.id")
    signs: bool
    comments: dict[str, str] = Field(default_factory=dict, sa_type=JSON)
    state: str = Field(max_length=32)
    """Where the try stood with this review, as it was then: what lets someone into the stage."""
    n_right: int
    reference_ids: list[int] | None = Field(
        default=None, sa_column=Column("reference_ids", JSON(none_as_null=True), nullable=True)
    )
    """The seniors' answers (annotations) that the try was compared with; None in rows from before it was kept."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredGold(SQLModel):
    """An item's revision, or a model's answer, whose right answers in a stage are known. Withdrawn ones count for
    no one; nothing else of a row changes."""

    id: int = row_id()
    public_id: str = Field(default_factory=public_id, unique=True)
    project_id: int = Field(foreign_key="project.id")
    stage: str = Field(max_length=32)
    item_id: int = Field(foreign_key="item.id", index=True)
    revision: int
    prediction_id: int | None = Field(default=None, foreign_key="prediction.id")
    dimension: str
    answers: dict[str, Any] = Field(sa_type=JSON)
    """The right answers by criterion; what is not in it is not looked at."""
    schema_version_id: int | None = None
    """In the words of which schema they are; None: as they stand."""
    made_by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)
    withdrawn_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    why: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """Why it was withdrawn."""


class StoredGoldPardon(SQLModel):
    """A lead lets someone work on whom their answers to gold had stopped: what came before counts no more for that.
    Append-only."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    stage: str = Field(max_length=32)
    person_id: int = Field(foreign_key="person.id", index=True)
    by_id: int | None = Field(default=None, foreign_key="person.id")
    why: str
    created_at: datetime = Field(sa_type=UTCDateTime)

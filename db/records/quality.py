"""Records of qualification and gold."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, false
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, public_id, row_id


class StoredQualificationSet(SQLModel):
    """The items to pass before a stage. People work on the newest set of a stage. Append-only."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    stage: str = Field(max_length=32)
    number: int
    item_ids: list[int] = Field(sa_type=JSON)
    prediction_ids: list[int] | None = Field(
        default=None, sa_column=Column("prediction_ids", JSON(none_as_null=True), nullable=True)
    )
    """The answers to grade, where models' answers are graded. ``item_ids`` names their items at the same positions."""
    requalify: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether everyone who passed an earlier set has to pass this one."""
    guideline_hash: str
    seed: int
    """The seed of the draw of the items."""
    wanted: int | None = None
    """The number of items to draw, which may exceed the number available. None: the items were named."""
    made_by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredQualification(SQLModel):
    """A person's attempt to qualify for a stage, or their exemption (without a set).

    Append-only: its state follows from the answers and the reviews.
    """

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
    """A senior's review of an attempt: signed or sent back, with comments by item.

    Append-only; a reviewer's newest review counts.
    """

    id: int = row_id()
    qualification_id: int = Field(foreign_key="qualification.id", index=True)
    person_id: int = Field(foreign_key="person.id")
    signs: bool
    comments: dict[str, str] = Field(default_factory=dict, sa_type=JSON)
    state: str = Field(max_length=32)
    """The state of the attempt after this review. It decides whether the person may work in the stage."""
    n_right: int
    reference_ids: list[int] | None = Field(
        default=None, sa_column=Column("reference_ids", JSON(none_as_null=True), nullable=True)
    )
    """The seniors' answers (annotations) that the attempt was compared with. None: the row predates this column."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredGold(SQLModel):
    """An item's revision, or a model's answer, with known right answers in a stage.

    Withdrawn gold does not count for anyone. Nothing except the withdrawal changes in a row.
    """

    id: int = row_id()
    public_id: str = Field(default_factory=public_id, unique=True)
    project_id: int = Field(foreign_key="project.id")
    stage: str = Field(max_length=32)
    item_id: int = Field(foreign_key="item.id", index=True)
    revision: int
    prediction_id: int | None = Field(default=None, foreign_key="prediction.id")
    dimension: str
    answers: dict[str, Any] = Field(sa_type=JSON)
    """The right answers by criterion. Other criteria are not checked."""
    schema_version_id: int | None = None
    """The id of the schema whose words the answers use. None: the current words."""
    made_by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)
    withdrawn_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    why: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """The reason for the withdrawal."""


class StoredGoldPardon(SQLModel):
    """A lead's permission to continue for a person who was stopped by wrong answers to gold.

    Earlier answers no longer count against the person. Append-only.
    """

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    stage: str = Field(max_length=32)
    person_id: int = Field(foreign_key="person.id", index=True)
    by_id: int | None = Field(default=None, foreign_key="person.id")
    why: str
    created_at: datetime = Field(sa_type=UTCDateTime)

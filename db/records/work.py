"""Records of work: slots, submissions and drafts."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, Column, Text, false
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, enum_column, public_id, row_id, word_column
from domain.states import Purpose, Stage, TaskState


class StoredTask(SQLModel):
    """One slot of work in a stage.

    ``unit`` names the subject of the work: an item's revision in a stage, a prediction, or an item being written. Two
    constraints enforce the protocol: a slot exists once, and a person has at most one slot of a unit.
    """

    id: int = row_id()
    public_id: str = Field(default_factory=public_id, unique=True)
    project_id: int = Field(foreign_key="project.id")
    stage: Stage = Field(sa_column=word_column(Stage))
    unit: str
    slot: int = 0
    item_id: int | None = Field(default=None, foreign_key="item.id", index=True)
    revision: int | None = None
    prediction_id: int | None = Field(default=None, foreign_key="prediction.id", index=True)
    dimension: str
    dimension_given: str | None = None
    """The dimension as given, like ``StoredItem.dimension_given``, for a slot without an item."""
    dimension_version: int | None = None
    state: TaskState = Field(sa_column=enum_column(TaskState))
    person_id: int | None = Field(default=None, foreign_key="person.id")
    lease_until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    correcting: bool = False
    """Whether a finished slot was reopened by its person. The annotation counts until a superseding one arrives."""
    reserved: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether a claimed slot waits in its person's browser and was not shown yet. Its lease begins when it is shown."""
    purpose: Purpose = Field(default=Purpose.LIVE, sa_column=word_column(Purpose, Purpose.LIVE))
    rank: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """The rank. Lower comes first, before the shuffled order (``db.task_slots.rank_of``)."""
    shuffle: int
    opened: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    """The time of the last offer, as a growing number. People who have seen everything before still have to see the
    slot.
    """
    awaits_media: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether the item lacks an image or clip that the schema needs. Then nobody gets the slot.

    A cache of ``missing_media.waiting``. It is part of the indexes, so that waiting slots do not slow down searches.
    """
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredQueueCursor(SQLModel):
    """A person's position in the order of a stage, or of one of its dimensions (``db.queue_cursor``).

    A lap visits once everything that was open when it began. Later offers follow after the lap, and in ranked orders
    during the lap.
    """

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    stage: Stage = Field(sa_column=word_column(Stage))
    dimension: str = ""
    """The dimension. Empty: all dimensions."""
    bits: int | None = None
    """The exponent of two for the number of blocks in the person's own order. None before the first lap."""
    rank: int = Field(default=0, sa_type=BigInteger)
    place: int = Field(default=-1, sa_type=BigInteger)
    """With ``rank``: the last position that the lap looked at. In a random order it is counted in the person's own
    order.
    """
    ended: bool = False
    begun: int = Field(default=0, sa_type=BigInteger)
    """The time when the lap began, on the scale of ``StoredTask.opened``."""
    cost: int = Field(default=0, sa_type=BigInteger)
    """Microseconds spent in this lap on looking at slots that the person could not take."""
    heard: int = Field(default=0, sa_type=BigInteger)
    heard_id: int = Field(default=0, sa_type=BigInteger)
    """With ``heard``: the last offer since the lap began that the person has seen."""


class StoredPostponement(SQLModel):
    """A unit that a person has postponed. It is offered to them again after all other units."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    person_id: int = Field(foreign_key="person.id")
    stage: Stage = Field(sa_column=word_column(Stage))
    task_id: int = Field(foreign_key="task.id", index=True)
    unit: str
    released: bool
    """Whether others may take it at once. Otherwise it stays with the person until its lease ends."""
    at: datetime = Field(sa_type=UTCDateTime)


class StoredWorkCount(SQLModel):
    """A cached count of a person's waiting work in a stage, because counting thousands of slots takes long."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    stage: Stage = Field(sa_column=word_column(Stage))
    counted_at: datetime = Field(sa_type=UTCDateTime)
    fresh_until: datetime = Field(sa_type=UTCDateTime)
    left: dict[str, int] = Field(default_factory=dict, sa_type=JSON)
    """The waiting units by dimension, like ``done``."""
    done: dict[str, int] = Field(default_factory=dict, sa_type=JSON)
    kept: int = 0
    decided: int = 0


class StoredAnnotation(SQLModel):
    """A rater's submission for one task, with its schema and guideline. Append-only; the latest counts."""

    id: int = row_id()
    public_id: str = Field(default_factory=public_id, unique=True)
    project_id: int = Field(foreign_key="project.id")
    task_id: int = Field(foreign_key="task.id", index=True)
    person_id: int = Field(foreign_key="person.id")
    stage: Stage = Field(sa_column=word_column(Stage))
    purpose: Purpose = Field(default=Purpose.LIVE, sa_column=word_column(Purpose, Purpose.LIVE))
    dimension: str
    item_id: int = Field(foreign_key="item.id")
    revision: int
    prediction_id: int | None = Field(default=None, foreign_key="prediction.id", index=True)
    submit_key: str
    answers: dict[str, Any] = Field(sa_type=JSON)
    """The values by criterion, or by field in authoring."""
    reasons: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    shown: dict[str, Any] | None = Field(
        default=None, sa_column=Column("shown", JSON(none_as_null=True), nullable=True)
    )
    """The order on the page of fields whose entries were shuffled for this rater.

    Under ``prediction``: the position of this answer among the item's shuffled answers, and their number.
    """
    note: str = Field(default="", sa_type=Text)
    seconds: float | None = None
    weight: float | None = None
    """The rater's qualification score at that moment, in projects that weigh votes."""
    supersedes_id: int | None = Field(default=None, foreign_key="annotation.id")
    schema_version_id: int = Field(foreign_key="schema_version.id")
    schema_hash: str
    guideline_hash: str
    schema_change: int | None = None
    """The number of the schema change that replaced a submission by this row. None: a person submitted it."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredDraft(SQLModel):
    """A person's unsubmitted text for a task. It is kept if the task goes to someone else."""

    id: int = row_id()
    task_id: int = Field(foreign_key="task.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    seq: int
    content: dict[str, Any] = Field(sa_type=JSON)
    lost: bool = False
    """Whether it arrived as a submission after the lease had gone to someone else."""
    put_away_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """The time when its author removed it from the list of drafts."""
    saved_at: datetime = Field(sa_type=UTCDateTime)

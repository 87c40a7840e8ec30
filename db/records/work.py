"""Work: slots, what people submit for them, drafts."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, Column, Text, false
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, enum_column, public_id, row_id, word_column
from domain.states import Purpose, Stage, TaskState


class StoredTask(SQLModel):
    """One slot of work in a stage.

    ``unit`` names what is worked on (an item's revision in a stage, a prediction, an item being written), so that
    two constraints hold the protocol: a slot exists once, and a person has at most one slot of a unit.
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
    """As of an item, of what has no item yet."""
    dimension_version: int | None = None
    state: TaskState = Field(sa_column=enum_column(TaskState))
    person_id: int | None = Field(default=None, foreign_key="person.id")
    lease_until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    correcting: bool = False
    """Done, and reopened by the person who did it; the annotation stands until a superseding one arrives."""
    purpose: Purpose = Field(default=Purpose.LIVE, sa_column=word_column(Purpose, Purpose.LIVE))
    rank: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """Lower comes first, whatever the shuffled order says (``db.task_slots.rank_of``)."""
    shuffle: int
    opened: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    """When it was last offered, as a number that grows: what people who have looked at everything still have to see."""
    awaits_media: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """An image or clip of its item that the schema needs is not there yet, so it is handed out to no one. A cache of
    ``media_wanted.waiting``, and a part of the indices: what waits costs those who look for work nothing."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredQueueCursor(SQLModel):
    """Where a person is in the order of a stage, or of one dimension of it (``db.queue_cursor``).

    A lap goes once over everything that was open when it began; after it, and in ranked orders next to it, comes what
    has been offered since.
    """

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    stage: Stage = Field(sa_column=word_column(Stage))
    dimension: str = ""
    """Empty: all of them."""
    bits: int | None = None
    """The lap goes through two to this power blocks in an order of the person's own; None before the first lap."""
    rank: int = Field(default=0, sa_type=BigInteger)
    place: int = Field(default=-1, sa_type=BigInteger)
    """With ``rank``, the last place of the lap that was looked at; a random order is counted along the person's own."""
    ended: bool = False
    begun: int = Field(default=0, sa_type=BigInteger)
    """When the lap began, on the scale of ``StoredTask.opened``."""
    cost: int = Field(default=0, sa_type=BigInteger)
    """Microseconds spent in this lap on looking at slots that the person could not take."""
    heard: int = Field(default=0, sa_type=BigInteger)
    heard_id: int = Field(default=0, sa_type=BigInteger)
    """With ``heard``, up to where the person has seen what was offered since the lap began."""


class StoredPostponed(SQLModel):
    """A unit that a person has postponed: it is offered to them again after everything else."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    person_id: int = Field(foreign_key="person.id")
    stage: Stage = Field(sa_column=word_column(Stage))
    task_id: int = Field(foreign_key="task.id", index=True)
    unit: str
    released: bool
    """Given back for others at once; else it stays with the person until its lease ends."""
    at: datetime = Field(sa_type=UTCDateTime)


class StoredWorkCount(SQLModel):
    """How much waits for a person in a stage, as it was counted a while ago: counting thousands takes long."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    stage: Stage = Field(sa_column=word_column(Stage))
    counted_at: datetime = Field(sa_type=UTCDateTime)
    fresh_until: datetime = Field(sa_type=UTCDateTime)
    left: dict[str, int] = Field(default_factory=dict, sa_type=JSON)
    """By dimension, as ``done``."""
    done: dict[str, int] = Field(default_factory=dict, sa_type=JSON)
    kept: int = 0
    decided: int = 0


class StoredAnnotation(SQLModel):
    """What one rater submitted for one task, under which schema and guideline. Append-only; the latest counts."""

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
    """The values by criterion (authoring: by field)."""
    reasons: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    shown: dict[str, Any] | None = Field(
        default=None, sa_column=Column("shown", JSON(none_as_null=True), nullable=True)
    )
    """Fields whose entries were shuffled for this rater, as they stood on the page; under ``prediction`` which of an
    item's shuffled answers this was, and of how many."""
    note: str = Field(default="", sa_type=Text)
    seconds: float | None = None
    weight: float | None = None
    """Where votes are weighed: its rater's score in the qualification at that moment, if there was one."""
    supersedes_id: int | None = Field(default=None, foreign_key="annotation.id")
    schema_version_id: int = Field(foreign_key="schema_version.id")
    schema_hash: str
    guideline_hash: str
    schema_change: int | None = None
    """The number of the change of the schema that put it in the place of what someone had submitted; None: someone
    submitted it."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredDraft(SQLModel):
    """What someone has typed for a task so far; kept when the task goes to someone else."""

    id: int = row_id()
    task_id: int = Field(foreign_key="task.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    seq: int
    content: dict[str, Any] = Field(sa_type=JSON)
    lost: bool = False
    """Arrived as a submission after the lease had gone to someone else."""
    put_away_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When its writer removed it from the list of drafts."""
    saved_at: datetime = Field(sa_type=UTCDateTime)

"""Models' answers: runs, what they wrote, ratings out of files."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, Text, false
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, public_id, row_id, word_column
from domain.reading.answers import AnswerKind, ReadOutcome
from domain.run_kinds import RunKind
from domain.runs import Outcome, RunState
from domain.states import Stage


class StoredRun(SQLModel):
    """One execution of a model or of a judge over many items, or one import of such answers."""

    id: int = row_id()
    public_id: str = Field(default_factory=public_id, unique=True)
    project_id: int = Field(foreign_key="project.id", index=True)
    kind: RunKind = Field(sa_column=word_column(RunKind, RunKind.IMPORT))
    name: str
    """Of the model, as tables show it."""
    params: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    """Of an import: its file. Of a model: ``spec`` and ``plan``, as they were when it was started."""
    state: RunState = Field(default=RunState.DONE, sa_column=word_column(RunState, RunState.DONE))
    spec_hash: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """SHA-256 of the model's description and the plan."""
    wanted: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """How many units it is about."""
    said: str = Field(default="", sa_type=Text, sa_column_kwargs={"server_default": ""})
    """Why it stopped, as a sentence."""
    withdrawn_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """Since when it counts nowhere; None: it counts."""
    withdrawn_why: str = Field(default="", sa_type=Text, sa_column_kwargs={"server_default": ""})
    by_id: int | None = None
    """The person who started it; None: the command on the machine itself."""
    created_at: datetime = Field(sa_type=UTCDateTime)
    started_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class StoredRunChunk(SQLModel):
    """Some units of a run, which one worker at a time works on."""

    id: int = row_id()
    run_id: int = Field(foreign_key="run.id")
    number: int
    unit_ids: list[int] = Field(sa_type=JSON)
    since: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """The last attempt there was when the chunk was made: what failed before is asked again, what came after is not."""
    done: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    worker_id: int | None = Field(default=None, foreign_key="run_worker.id")
    lease_until: datetime | None = Field(default=None, sa_type=UTCDateTime)


class StoredRunWorker(SQLModel):
    """A worker that took part in a run, and what it worked with."""

    id: int = row_id()
    run_id: int = Field(foreign_key="run.id", index=True)
    name: str
    """Machine and process."""
    about: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    """Versions of libraries, device, dtype, batch size; what a probe of the endpoint found."""
    started_at: datetime = Field(sa_type=UTCDateTime)
    seen_at: datetime = Field(sa_type=UTCDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class StoredAttempt(SQLModel):
    """Asking once, and what became of it (``domain.runs.Attempt``). Append-only; a unit's last one counts."""

    id: int = row_id()
    run_id: int = Field(foreign_key="run.id")
    worker_id: int = Field(foreign_key="run_worker.id")
    unit_id: int
    """An item's id, of a judge's run that of what it asks about."""
    item_id: int = Field(foreign_key="item.id", index=True)
    number: int
    """Counts from 1 for each unit."""
    outcome: Outcome = Field(sa_column=word_column(Outcome, Outcome.FAILED))
    final: bool
    text: str = Field(default="", sa_type=Text)
    finish_reason: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float | None = None
    waited: float = 0.0
    status: int | None = None
    error: str = Field(default="", sa_type=Text)
    request_id: str | None = None
    prompt_hash: str = ""
    image_hashes: list[str] = Field(default_factory=list, sa_type=JSON)
    cost: float | None = None
    detail: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredPrediction(SQLModel):
    """A model's answer to an item."""

    id: int = row_id()
    public_id: str = Field(default_factory=public_id, unique=True)
    project_id: int = Field(foreign_key="project.id")
    item_id: int = Field(foreign_key="item.id")
    run_id: int = Field(foreign_key="run.id", index=True)
    model: str
    text: str = Field(sa_type=Text)
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredReading(SQLModel):
    """What an answer states, as a version of a reader reads it. Append-only: reading it again with a newer version, or
    after the protocol asks something else, adds a row, and the newest version's last row counts."""

    id: int = row_id()
    prediction_id: int = Field(foreign_key="prediction.id")
    reader: str
    """``rules``, or the name of a model that was asked."""
    version: int
    revision: int
    """Of the item, when it was answered: the options are those."""
    kind: AnswerKind = Field(sa_column=word_column(AnswerKind, AnswerKind.TEXT))
    asked: str
    """A hash of all that was asked: kind, options, unit; of a model also of what it was asked with."""
    outcome: ReadOutcome = Field(sa_column=word_column(ReadOutcome, ReadOutcome.UNREADABLE))
    value: Any = Field(default=None, sa_column=Column("value", JSON(none_as_null=True), nullable=True))
    """Only where ``outcome`` is read."""
    places: list[int] = Field(default_factory=list, sa_type=JSON)
    spans: list[list[int]] = Field(default_factory=list, sa_type=JSON)
    """Where in the answer it stands, from and up to."""
    rule: str = ""
    why: str = Field(default="", sa_type=Text)
    detail: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    """Of a model that was asked: its reply, and what became of asking."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredToolResult(SQLModel):
    """What a tool says about an item, found beforehand."""

    id: int = row_id()
    item_id: int = Field(foreign_key="item.id")
    tool: str
    arguments: dict[str, Any] | None = Field(default=None, sa_column=Column("arguments", JSON(none_as_null=True)))
    """None: the result does not depend on any."""
    arguments_key: str = Field(default="", sa_type=Text)
    """The same as one text; empty for None."""
    result: Any = Field(sa_column=Column("result", JSON, nullable=False))
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredImportedRating(SQLModel):
    """A line of a ratings file."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    stage: Stage = Field(sa_column=word_column(Stage))
    unit: str
    rater: str
    criterion: str
    value: Any = Field(sa_column=Column("value", JSON, nullable=True))
    dimension: str | None = None
    schema_version_id: int | None = None
    """In the words of which schema it is; None: as it stands."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredFileRater(SQLModel):
    """Someone has said whether a rater whose ratings came from a file is a person; without a row no one has."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    name: str
    is_person: bool

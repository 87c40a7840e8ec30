"""Records of runs, models' answers, and imported ratings."""

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
    """The name of the model, as tables show it."""
    params: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    """The parameters at the start. Import: the file. Model: ``spec`` and ``plan``."""
    state: RunState = Field(default=RunState.DONE, sa_column=word_column(RunState, RunState.DONE))
    spec_hash: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """SHA-256 of the model's description and the plan."""
    wanted: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """The number of units to ask about."""
    said: str = Field(default="", sa_type=Text, sa_column_kwargs={"server_default": ""})
    """The reason why it stopped, as a sentence."""
    withdrawn_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """The time since when it counts nowhere. None: it counts."""
    withdrawn_why: str = Field(default="", sa_type=Text, sa_column_kwargs={"server_default": ""})
    by_id: int | None = None
    """The person who started it. None: the command line."""
    created_at: datetime = Field(sa_type=UTCDateTime)
    started_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class StoredRunChunk(SQLModel):
    """A chunk of a run's units. One worker at a time works on it."""

    id: int = row_id()
    run_id: int = Field(foreign_key="run.id")
    number: int
    unit_ids: list[int] = Field(sa_type=JSON)
    since: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """The last attempt before the chunk was created. Earlier failures are asked again, later ones are not."""
    done: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    worker_id: int | None = Field(default=None, foreign_key="run_worker.id")
    lease_until: datetime | None = Field(default=None, sa_type=UTCDateTime)


class StoredRunWorker(SQLModel):
    """A worker of a run, and its environment."""

    id: int = row_id()
    run_id: int = Field(foreign_key="run.id", index=True)
    name: str
    """The machine and the process."""
    about: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    """Versions of libraries, device, dtype, batch size, and the result of probing the endpoint."""
    started_at: datetime = Field(sa_type=UTCDateTime)
    seen_at: datetime = Field(sa_type=UTCDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class StoredAttempt(SQLModel):
    """One attempt to ask about a unit, and its outcome (``domain.runs.Attempt``). Append-only; a unit's last one
    counts.
    """

    id: int = row_id()
    run_id: int = Field(foreign_key="run.id")
    worker_id: int = Field(foreign_key="run_worker.id")
    unit_id: int
    """The id of an item, or in a judge's run the id of a ``judge_unit``."""
    item_id: int = Field(foreign_key="item.id", index=True)
    number: int
    """The number of the attempt, from 1 for each unit."""
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
    """What an answer states, as a version of a reader reads it.

    Append-only: reading it again adds a row, for example with a newer version or after the protocol changed its
    question. The last row of the newest version counts.
    """

    id: int = row_id()
    prediction_id: int = Field(foreign_key="prediction.id")
    reader: str
    """``rules``, or the name of a model that was asked."""
    version: int
    revision: int
    """The revision of the item at the time of the answer. It defines the options."""
    kind: AnswerKind = Field(sa_column=word_column(AnswerKind, AnswerKind.TEXT))
    asked: str
    """The hash of the question: kind, options and unit, and the model's prompt if a model was asked."""
    outcome: ReadOutcome = Field(sa_column=word_column(ReadOutcome, ReadOutcome.UNREADABLE))
    value: Any = Field(default=None, sa_column=Column("value", JSON(none_as_null=True), nullable=True))
    """The value, only if ``outcome`` is read."""
    places: list[int] = Field(default_factory=list, sa_type=JSON)
    spans: list[list[int]] = Field(default_factory=list, sa_type=JSON)
    """The start and end positions in the answer."""
    rule: str = ""
    why: str = Field(default="", sa_type=Text)
    detail: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    """The reply and the outcome of the request, if a model was asked."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredToolResult(SQLModel):
    """A tool's precomputed result about an item."""

    id: int = row_id()
    item_id: int = Field(foreign_key="item.id")
    tool: str
    arguments: dict[str, Any] | None = Field(default=None, sa_column=Column("arguments", JSON(none_as_null=True)))
    """The arguments. None: the result depends on no arguments."""
    arguments_key: str = Field(default="", sa_type=Text)
    """The arguments as one text. Empty for None."""
    result: Any = Field(sa_column=Column("result", JSON, nullable=False))
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredImportedRating(SQLModel):
    """A row of a ratings file."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    stage: Stage = Field(sa_column=word_column(Stage))
    unit: str
    rater: str
    criterion: str
    value: Any = Field(sa_column=Column("value", JSON, nullable=True))
    dimension: str | None = None
    schema_version_id: int | None = None
    """The id of the schema whose words the rating uses. None: the current words."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredFileRater(SQLModel):
    """The mark that an imported rater is a person or a machine. Unmarked raters have no row."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    name: str
    is_person: bool

"""Batch files of runs: what was handed in, and what became of every question and line."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Text, false
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, row_id, word_column
from domain.batches import BatchState


class StoredRunBatch(SQLModel):
    """Some questions of a run that are handed in together. It is stored before anything is handed in."""

    id: int = row_id()
    run_id: int = Field(foreign_key="run.id")
    number: int
    """Counts from 1 in each run."""
    worker_id: int = Field(foreign_key="run_worker.id")
    """The process that made it."""
    by_hand: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    state: BatchState = Field(sa_column=word_column(BatchState, BatchState.MAKING))
    file: str | None = Field(default=None, sa_type=Text)
    """The endpoint's id of the file that was handed in; by hand: its path."""
    server_id: str | None = Field(default=None, sa_type=Text)
    """The endpoint's id of the batch."""
    most_cost: float = Field(default=0.0, sa_column_kwargs={"server_default": "0"})
    """What it can cost at most, as far as prices are known."""
    told: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    """What the endpoint said of it last: ``status``, and how many of its questions are ``completed`` and ``failed``."""
    said: str = Field(default="", sa_type=Text)
    """What happened to it, as a sentence."""
    created_at: datetime = Field(sa_type=UTCDateTime)
    sent_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class StoredRunBatchUnit(SQLModel):
    """A question of a batch."""

    id: int = row_id()
    batch_id: int = Field(foreign_key="run_batch.id")
    unit_id: int
    item_id: int = Field(foreign_key="item.id")
    prompt_hash: str = ""
    image_hashes: list[str] = Field(default_factory=list, sa_type=JSON)
    attempt_id: int | None = Field(default=None, foreign_key="attempt.id")
    """What came of it; None: nothing yet."""
    digest: str = ""
    """SHA-256 of the line that it came of; empty: no line did."""


class StoredRunBatchProblem(SQLModel):
    """A line that came back and is no one's answer."""

    id: int = row_id()
    run_id: int = Field(foreign_key="run.id")
    key: str
    """SHA-256 of the line, and the how manieth of its kind it is in its file: reading a file twice adds nothing."""
    why: str = Field(sa_type=Text)
    raw: str = Field(sa_type=Text)
    """The line, cut where it is very long."""
    created_at: datetime = Field(sa_type=UTCDateTime)

"""Records of batch files of runs: the submitted questions, and the outcome of every question and output line."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Text, false
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, row_id, word_column
from domain.batches import BatchState


class StoredRunBatch(SQLModel):
    """A batch of a run's questions that are submitted together. It is stored before the submission."""

    id: int = row_id()
    run_id: int = Field(foreign_key="run.id")
    number: int
    """The number of the batch, from 1 in each run."""
    worker_id: int = Field(foreign_key="run_worker.id")
    """The process that created the batch."""
    by_hand: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    state: BatchState = Field(sa_column=word_column(BatchState, BatchState.MAKING))
    file: str | None = Field(default=None, sa_type=Text)
    """The endpoint's id of the submitted file, or the path of a file that is submitted by hand."""
    server_id: str | None = Field(default=None, sa_type=Text)
    """The endpoint's id of the batch."""
    most_cost: float = Field(default=0.0, sa_column_kwargs={"server_default": "0"})
    """The highest possible cost, as far as prices are known."""
    told: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    """The endpoint's last report: ``status``, and how many questions are ``completed`` and ``failed``."""
    said: str = Field(default="", sa_type=Text)
    """The history of the batch, as a sentence."""
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
    """The attempt with the result. None: there is no result yet."""
    digest: str = ""
    """SHA-256 of the output line with the result. Empty: there was no line."""


class StoredRunBatchProblem(SQLModel):
    """An output line that answers no question."""

    id: int = row_id()
    run_id: int = Field(foreign_key="run.id")
    key: str
    """SHA-256 of the line, and its count among equal lines of the file. Reading a file twice adds nothing."""
    why: str = Field(sa_type=Text)
    raw: str = Field(sa_type=Text)
    """The line, cut if it is very long."""
    created_at: datetime = Field(sa_type=UTCDateTime)

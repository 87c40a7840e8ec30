"""The record of a job."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Text
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, public_id, row_id, word_column
from domain.jobs import JobState


class StoredJob(SQLModel):
    """A long task: what is asked for, who works on it, how far it is, and its outcome.

    A worker owns a running job until its lease ends. Another worker may take the job then.
    """

    id: int = row_id()
    public_id: str = Field(default_factory=public_id, unique=True)
    kind: str
    slot: str
    """The database accepts one open job of a slot."""
    project_id: int | None = Field(default=None, foreign_key="project.id", index=True)
    """None: the job concerns no project, or it deletes the project."""
    project: str | None = None
    """The project's name."""
    person_id: int | None = Field(default=None, foreign_key="person.id", index=True)
    origin: str | None = None
    """The network address from which the person began the job, or ``command``."""
    state: JobState = Field(sa_column=word_column(JobState))
    at: str = Field(default="", sa_type=Text)
    done: int = 0
    of: int = 0
    said: str = Field(default="", sa_type=Text)
    input: Any = Field(default=None, sa_type=JSON)
    result: Any = Field(default=None, sa_type=JSON)
    files: dict[str, str] = Field(default_factory=dict, sa_type=JSON)
    """Files by their role: the SHA-256 of each."""
    attempts: int = 0
    """How often a process has taken it. The number tells the attempts apart."""
    deaths: int = 0
    """How many processes died while they worked on it."""
    worker: str = ""
    """The machine and process that works on it, or did last."""
    process: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    """That process among all that ever ran on its machine."""
    lease_until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    canceling: bool = False
    """Whether someone has asked to cancel it."""
    due_at: datetime = Field(sa_type=UTCDateTime)
    created_at: datetime = Field(sa_type=UTCDateTime)
    started_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    read_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When the person closed the message about its outcome."""

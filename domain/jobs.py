"""Jobs: long tasks that a process of its own does, and the record of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from domain import typed_json

Progress = Callable[[str, int, int], None]
"""Receives what a job does now, how much of it is done, and how much there is."""


def unheard(what: str, done: int, of: int) -> None:
    """Ignore progress."""


class JobState(StrEnum):
    """The state of a job."""

    WAITING = "waiting"
    """No process has taken it yet, or the process that had taken it is gone."""
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    """It ended without a result. The job's ``said`` is the reason."""
    CANCELED = "canceled"


OPEN_JOBS = (JobState.WAITING, JobState.RUNNING)
"""The states of a job that has not ended."""


@dataclass(frozen=True)
class Job:
    """A job as its reader sees it."""

    id: str
    """A random id, which may be shown."""
    kind: str
    slot: str
    """One job of a slot is open at a time."""
    project: str | None
    person: int | None
    """The id of who began it. None: a command or the server itself."""
    state: JobState
    at: str
    """What it does now, in words."""
    done: int
    of: int
    said: str
    """The sentence about its outcome: what came of it, or the reason why nothing did."""
    told: Any
    """What was asked for, as ``typed_json`` writes it."""
    came: Any
    """The result, as ``typed_json`` writes it. None until the job is done, and where only its state was read."""
    attempts: int
    """How often a process has taken it."""
    deaths: int
    """How many processes died while they worked on it."""
    canceling: bool
    """Whether someone has asked to cancel it."""
    worker: str
    """The machine and process that works on it, or did last."""
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    due_at: datetime
    """It does not start earlier."""
    is_read: bool = False
    """Whether the message about its outcome was closed."""

    @property
    def input(self) -> Any:
        """Return what was asked for."""
        return typed_json.decode(self.told)

    @property
    def result(self) -> Any:
        """Return the result of a job that was read with it."""
        return typed_json.decode(self.came)

    @property
    def is_open(self) -> bool:
        """Tell whether the job has not ended."""
        return self.state in OPEN_JOBS

    @property
    def refused(self) -> str:
        """Return the reason why nothing came of the job; empty while it is open or if it is done."""
        return "" if self.is_open or self.state is JobState.DONE else self.said

    @property
    def share(self) -> float:
        """Return the part that is done, from 0 to 1."""
        return min(self.done / self.of, 1.0) if self.of else 0.0

"""What a kind of job is: a name, words for it, and the function that does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

from db.engine import Store
from domain.errors import TouchstoneError
from domain.jobs import Job, Progress
from domain.records import Person
from domain.settings import Settings


class Lane(StrEnum):
    """The processes that do a kind of job. Each lane has its own, so no kind waits for kinds of another lane."""

    TASKS = "tasks"
    """Tasks that people wait for. Several run at once."""
    FIGURES = "figures"
    """Figures of pages, one at a time and at the lowest priority."""
    RUNS = "runs"
    """Threads of ``touchstone worker``, each with the model of its run in memory."""
    MAIL = "mail"
    """A thread of ``touchstone worker``."""
    WORKER = "worker"
    """``touchstone worker`` itself, as long as it is there."""


@dataclass(frozen=True)
class JobContext:
    """What a job is done with."""

    job: Job
    store: Store
    home: Path
    settings: Settings
    by: Person | None
    """Who began it. None: a command or the server itself."""
    progress: Progress
    note: Callable[[Any], None]
    """Keeps a value for the process that goes on with the job if this one dies: its ``job.result``."""
    name_files: Callable[[dict[str, str]], None]
    """Records the SHA-256 of files that the job takes, by what they are called."""
    stop: Callable[[], bool]
    """Whether the process is to leave the job."""
    canceled: Callable[[], bool]
    """Whether someone has canceled it."""

    @property
    def input(self) -> Any:
        """Return what was asked for."""
        return self.job.input

    @property
    def is_resumed(self) -> bool:
        """Tell whether a process has worked on this job before, and died."""
        return self.job.deaths > 0


@dataclass(frozen=True)
class JobOutcome:
    """What came of a job."""

    said: str
    """A sentence."""
    value: Any = None
    """The result, for readers of the job."""
    again_in: timedelta | None = None
    """The job is not done: it starts again after so long."""


class JobRefused(TouchstoneError):
    """The reason why nothing came of a job, with a value for its readers."""

    def __init__(self, reason: str, value: Any) -> None:
        super().__init__(reason)
        self.value = value


Work = Callable[[JobContext], JobOutcome]


@dataclass(frozen=True)
class JobKind:
    """A row of the register of kinds (``app.jobs.kinds``)."""

    name: str
    title: str
    """Such as "Import"."""
    doing: str
    """What a page says while it runs, with ``{}`` for the project: "Importing into {}"."""
    work: Work
    """Does it. A ``TouchstoneError`` is the reason why nothing came of it."""
    lane: Lane = Lane.TASKS
    outlives: bool = True
    """Whether it goes on when the server that started its process has stopped. Otherwise it waits for a server."""
    resumes: bool = True
    """Whether another process goes on with it if its process dies. Otherwise it ends with a reason."""
    kept: int = 200
    """How many jobs of this kind that have ended are kept."""
    newest: bool = False
    """Whether only the newest result of a slot is kept."""

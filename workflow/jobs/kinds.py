"""The kinds of jobs: for each kind a name, its words on pages, and the function that executes it."""

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
from media.opening import open_media
from media.store import MediaStore


class Lane(StrEnum):
    """The processes for some kinds of jobs. Each lane has its own processes, so no kind waits for a kind of another
    lane.
    """

    TASKS = "tasks"
    """Tasks that people wait for. Several run at once."""
    FIGURES = "figures"
    """Figures of pages, one at a time and at the lowest priority."""
    RUNS = "runs"
    """Threads of ``touchstone worker``, each with the model of its run in memory."""
    REPEATED = "repeated"
    """Threads of ``touchstone worker``, one for each kind that repeats itself."""
    WORKER = "worker"
    """The process ``touchstone worker`` itself, while it runs."""
    COMMANDS = "commands"
    """The processes of commands, each with the job that it began itself."""


@dataclass(frozen=True)
class JobContext:
    """The job, the means and the callbacks for the function that executes a job."""

    job: Job
    store: Store
    home: Path
    settings: Settings
    by: Person | None
    """The person who began the job; None for a command or the server itself."""
    progress: Progress
    note: Callable[[Any], None]
    """Store an interim value as ``job.result``, for the process that continues the job if this one dies."""
    name_files: Callable[[dict[str, str]], None]
    """Store the SHA-256 of the job's input files, by name."""
    stop: Callable[[], bool]
    """Return whether the process should leave the job."""
    canceled: Callable[[], bool]
    """Return whether a person has canceled the job."""

    @property
    def media(self) -> MediaStore:
        """Return the media store."""
        return open_media(self.settings)

    @property
    def input(self) -> Any:
        """Return the input of the job."""
        return self.job.input

    @property
    def is_resumed(self) -> bool:
        """Return whether an earlier process of this job has died."""
        return self.job.deaths > 0


@dataclass(frozen=True)
class JobOutcome:
    """The outcome of a job."""

    said: str
    """The outcome as a sentence."""
    value: Any = None
    """The result, for readers of the job."""
    again_in: timedelta | None = None
    """The time after which the job starts again; None if the job is done."""


class JobFailure(TouchstoneError):
    """The reason why a job failed, with a value for the job's readers."""

    def __init__(self, reason: str, value: Any) -> None:
        super().__init__(reason)
        self.value = value


Work = Callable[[JobContext], JobOutcome]


def _never(settings: Settings) -> bool:
    return False


@dataclass(frozen=True)
class JobKind:
    """A row of the register of kinds (``app.jobs.kinds``)."""

    name: str
    title: str
    """The title, such as "Import"."""
    doing: str
    """The text of a page while the job runs, with ``{}`` for the project: "Importing into {}"."""
    work: Work
    """Execute the job. A ``TouchstoneError`` is the reason why the job failed."""
    lane: Lane = Lane.TASKS
    outlives: bool = True
    """Whether a job continues after the server that started its process has stopped. Otherwise the job waits for a
    server.
    """
    resumes: bool = True
    """Whether another process continues the job if its process dies. Otherwise the job ends with a reason."""
    kept: int = 200
    """The number of ended jobs of this kind that are kept."""
    repeats: Callable[[Settings], bool] = _never
    """Whether every worker of a server with these settings looks after one job of this kind, which repeats itself."""
    newest: bool = False
    """Whether only the newest result of a slot is kept."""

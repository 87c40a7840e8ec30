"""Records for the screens of another tool that serves as a front end: outgoing tasks, returned annotations, and its
client.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol


class BridgeState(StrEnum):
    """The state of a task that was sent to the other tool."""

    SENDING = "sending"
    """Stored here, but perhaps not in the other tool yet. The next push checks it."""
    OUT = "out"
    """The task is in the other tool and waits for its rater."""
    STORED = "stored"
    """Its answer is stored here. The other tool's copy is removed, or kept for a while if no other rater
    can open it.
    """
    REMOVING = "removing"
    """The task has ended, but the other tool's copy must still be removed."""
    OVER = "over"
    """The task ended without an answer: skipped, taken back, lost, or replaced by another try."""


class BridgeOutcome(StrEnum):
    """The result of fetching one annotation from the other tool."""

    STORED = "stored"
    SUPERSEDED = "superseded"
    """A changed annotation, stored as a correction of the earlier one."""
    REFUSED = "refused"
    """The annotation does not match the schema; the task is sent again with the reason."""
    NOT_THEIRS = "not_theirs"
    """Another person answered the task."""
    LATE = "late"
    """The lease had ended and the slot went to another person; the answer is kept as a draft."""
    SETTLED = "settled"
    """The annotation was changed after the verdict; the first submission still counts."""
    SKIPPED = "skipped"
    """The rater skipped the task in the other tool; the claim is given back."""
    DELETED = "deleted"
    """A stored annotation was deleted in the other tool, or a task was deleted without an answer."""


@dataclass(frozen=True)
class OutgoingTask:
    """An outgoing task: its key and the data of its screen, without any secret of the stage."""

    key: str
    data: Mapping[str, Any]
    predictions: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class OutsideAnnotation:
    """An annotation in the other tool."""

    id: int
    by: int | None
    """The ID of the other tool's user who made it."""
    result: Sequence[Mapping[str, Any]]
    updated: str
    """The time of the last change, as the other tool writes it."""
    lead_seconds: float | None = None
    cancelled: bool = False
    """Whether the rater skipped the task."""
    raw: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class OutsideTask:
    """A task in the other tool; ``key`` is empty for tasks that are not ours."""

    id: int
    key: str
    annotations: Sequence[OutsideAnnotation] = ()


@dataclass(frozen=True)
class OutsideUser:
    """A user with an account in the other tool."""

    id: int
    email: str


class FrontEnd(Protocol):
    """A client of one server. Every call raises ``ServiceUnreachableError`` or ``ServiceError`` with a sentence."""

    @property
    def address(self) -> str:
        """Return the server's address, without a slash at the end."""

    def users(self) -> Sequence[OutsideUser]:
        """Return all users with an account on the server."""

    def project_of(self, key: str) -> int | None:
        """Return the project that was created with this key, or None."""

    def make_project(self, key: str, *, title: str, labeling: str) -> int:
        """Create a project that ``project_of`` finds by its key."""

    def remove_project(self, project: int) -> None:
        """Remove a project. A missing project is no error."""

    def send(self, project: int, tasks: Sequence[OutgoingTask]) -> None:
        """Add tasks to a project, all of them or none."""

    def tasks(self, project: int) -> Iterator[OutsideTask]:
        """Yield all tasks of a project with their annotations, read page by page."""

    def task(self, task: int) -> OutsideTask | None:
        """Return one task, or None if it was removed."""

    def remove(self, tasks: Sequence[int], *, project: int | None = None) -> None:
        """Remove tasks. Missing tasks are no error. If ``project`` is named, many tasks are removed at once."""

"""Records for another tool that serves as a front end: outgoing tasks, returned annotations, and its client."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


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

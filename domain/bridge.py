"""Another tool's screens as a front end: what goes out to it, what comes back, and what a client of it can do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol


class BridgeState(StrEnum):
    """Where a task stands that was sent out."""

    SENDING = "sending"
    """Stored here, perhaps not there: the next push looks."""
    OUT = "out"
    """It stands there and waits for its rater."""
    STORED = "stored"
    """Its answer is stored here and its task is gone there, or stays for a while where no other rater could open it."""
    REMOVING = "removing"
    """It is over; its task there has still to be removed."""
    OVER = "over"
    """It is over without an answer: skipped, taken back, lost, or replaced by another try."""


class BridgeOutcome(StrEnum):
    """What became of one annotation that was found there."""

    STORED = "stored"
    SUPERSEDED = "superseded"
    """A changed annotation, stored as a correction of the one before."""
    REFUSED = "refused"
    """It does not fit the schema; the task is sent again with the reason."""
    NOT_THEIRS = "not_theirs"
    """Someone else answered it."""
    LATE = "late"
    """The lease had ended and the slot went to someone else; kept as a draft."""
    SETTLED = "settled"
    """It was changed after the verdict; what was submitted first stands."""
    SKIPPED = "skipped"
    """The rater skipped the task there; the claim goes back."""
    DELETED = "deleted"
    """An annotation that is stored here was deleted there, or a task was deleted there without an answer."""


@dataclass(frozen=True)
class OutgoingTask:
    """A task as it is sent: its key and what its screen shows, without anything that its rater must not know."""

    key: str
    data: Mapping[str, Any]
    predictions: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class OutsideAnnotation:
    """An annotation as it stands there."""

    id: int
    by: int | None
    """The user there who made it."""
    result: Sequence[Mapping[str, Any]]
    updated: str
    """When it was changed last, as the other tool writes it."""
    lead_seconds: float | None = None
    cancelled: bool = False
    """Its rater skipped the task."""
    raw: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class OutsideTask:
    """A task as it stands there; ``key`` is empty for tasks that are not ours."""

    id: int
    key: str
    annotations: Sequence[OutsideAnnotation] = ()


@dataclass(frozen=True)
class OutsideUser:
    """Someone with an account there."""

    id: int
    email: str


class FrontEnd(Protocol):
    """A client of one server. Every call raises ``OutsideUnreachable`` or ``OutsideRefused`` with a sentence."""

    @property
    def address(self) -> str:
        """Where the server answers, without a slash at the end."""

    def users(self) -> Sequence[OutsideUser]:
        """Everyone with an account there."""

    def project_of(self, key: str) -> int | None:
        """The project that was made with this key, or None."""

    def make_project(self, key: str, *, title: str, labeling: str) -> int:
        """Make a project that ``project_of`` finds again by its key."""

    def remove_project(self, project: int) -> None:
        """Remove a project; nothing if it is gone already."""

    def send(self, project: int, tasks: Sequence[OutgoingTask]) -> None:
        """Put tasks into a project, all of them or none."""

    def tasks(self, project: int) -> Iterator[OutsideTask]:
        """All tasks of a project with their annotations, read page by page."""

    def task(self, task: int) -> OutsideTask | None:
        """One task; None if it is gone."""

    def remove(self, tasks: Sequence[int], *, project: int | None = None) -> None:
        """Remove tasks; those that are gone already are no error. Many of one project go at once if it is named."""

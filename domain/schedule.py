"""Until when the stages of a project are to be done, and in which order they are offered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from domain.states import Stage

NEAR = timedelta(days=3)
"""So long before a deadline people are told of it."""


@dataclass(frozen=True)
class Schedule:
    """What a lead has set, as it holds until they set something else. Days are in UTC, and a deadline is met until its
    day ends."""

    number: int = 0
    """Counts from 1 in each project; 0: nothing was ever set."""
    deadlines: Mapping[Stage, date] = field(default_factory=dict)
    order: tuple[Stage, ...] = ()
    """The stages that are offered first; the others follow in the order of the protocol."""
    by: str | None = None
    """The login of who set it; None: the command on the machine itself."""
    at: datetime | None = None

    def in_order(self, stages: Iterable[Stage]) -> list[Stage]:
        """Stages as they are offered."""
        known = list(stages)
        return sorted(known, key=lambda stage: (self._place(stage), known.index(stage)))

    def _place(self, stage: Stage) -> int:
        return self.order.index(stage) if stage in self.order else len(self.order)

    def is_near(self, stage: Stage, now: datetime) -> bool:
        """Whether the deadline of a stage is near, or over."""
        due = self.deadlines.get(stage)
        return due is not None and due - day_of(now) <= NEAR


def day_of(now: datetime) -> date:
    """The day of a moment, in UTC."""
    return now.astimezone(UTC).date()


def said_of(due: date, now: datetime) -> str:
    """How far a deadline is, to be read after the name of a stage."""
    days = (due - day_of(now)).days
    if days < 0:
        return f"was due on {due}, {'yesterday' if days == -1 else f'{-days} days ago'}"
    return f"is due on {due}, {('today', 'tomorrow')[days] if days < 2 else f'in {days} days'}"

"""Deadlines of a project's stages, and the order in which stages are offered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from domain.language import _, ngettext
from domain.states import Stage

NEAR = timedelta(days=3)
"""How long before a deadline people are reminded."""


@dataclass(frozen=True)
class Schedule:
    """The deadlines and order that a lead set. Days are in UTC, and a deadline lasts until its day ends."""

    number: int = 0
    """The version, counted from 1 in each project; 0 if a lead never set a schedule."""
    deadlines: Mapping[Stage, date] = field(default_factory=dict)
    order: tuple[Stage, ...] = ()
    """The stages to offer first; the others follow in the order of the protocol."""
    by: str | None = None
    """The lead's login; None for the command on the machine itself."""
    at: datetime | None = None

    def in_order(self, stages: Iterable[Stage]) -> list[Stage]:
        """Return the stages in the order in which they are offered."""
        known = list(stages)
        return sorted(known, key=lambda stage: (self._place(stage), known.index(stage)))

    def _place(self, stage: Stage) -> int:
        return self.order.index(stage) if stage in self.order else len(self.order)

    def is_near(self, stage: Stage, now: datetime) -> bool:
        """Whether the deadline of a stage is near or past."""
        due = self.deadlines.get(stage)
        return due is not None and due - day_of(now) <= NEAR


def day_of(now: datetime) -> date:
    """Return the day of a time, in UTC."""
    return now.astimezone(UTC).date()


def said_of(due: date, now: datetime) -> str:
    """Return the words about a deadline that follow the name of a stage, in the person's language."""
    days = (due - day_of(now)).days
    if days < 0:
        ago = _("yesterday") if days == -1 else ngettext("{n} day ago", "{n} days ago", -days).format(n=-days)
        return _("was due on {day}, {when}").format(day=due, when=ago)
    ahead = ngettext("in {n} day", "in {n} days", days).format(n=days)
    when = {0: _("today"), 1: _("tomorrow")}.get(days, ahead)
    return _("is due on {day}, {when}").format(day=due, when=when)

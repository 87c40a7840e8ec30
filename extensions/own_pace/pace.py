"""A person's recent number of tasks, their speed, and the daily goal that they set."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from db import projects
from db.engine import Store
from domain.errors import InvalidInputError, Problem
from domain.records import Person
from extensions.own_pace import queries

DAYS = 7
"""Number of days shown, including today."""
LEAST = 5
"""Minimum number of timed tasks for a pace."""
LARGEST_GOAL = 10_000


@dataclass(frozen=True)
class OwnDay:
    """A person's work on one day."""

    day: date
    n: int
    """Number of tasks submitted for the first time plus frames decided in triage."""
    hours: float
    """Active hours on the tasks with a known time."""
    timed: int
    """Number of tasks with a known time."""


@dataclass(frozen=True)
class OwnPace:
    """A person's last days, in all of their projects."""

    days: Sequence[OwnDay]
    """The days up to today, including days without work."""
    goal: int | None
    """Number of tasks that they want to do a day."""

    @property
    def today(self) -> int:
        """Number of tasks today."""
        return self.days[-1].n

    @property
    def n(self) -> int:
        """Number of tasks on all these days."""
        return sum(day.n for day in self.days)

    @property
    def an_hour(self) -> float | None:
        """Tasks per active hour; None if too few tasks have a time."""
        timed, hours = sum(day.timed for day in self.days), sum(day.hours for day in self.days)
        return timed / hours if timed >= LEAST and hours else None


def own_pace(store: Store, *, person: Person, zone: str | None = None) -> OwnPace:
    """Return a person's last seven days, in all projects that they are a member of.

    Parameters
    ----------
    zone
        The time zone whose midnights separate days, such as ``Europe/Zurich``; None or an unknown zone means UTC.
    """
    here = _zone(zone)
    today = store.now().astimezone(here).date()
    days = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    since = datetime.combine(days[0], time(), here).astimezone(UTC)
    with store.read() as session:
        mine = [row.id for row, _ in projects.of_person(session, person_id=person.id)]
        sent = queries.submitted(session, person_id=person.id, projects=mine, since=since)
        triaged = queries.triaged(session, person_id=person.id, projects=mine, since=since)
        goal = queries.goal(session, person_id=person.id)
    n: Counter[date] = Counter(at.astimezone(here).date() for at in (*triaged, *(at for at, _ in sent)))
    times: dict[date, list[float]] = defaultdict(list)
    for at, took in sent:
        if took is not None:
            times[at.astimezone(here).date()].append(took)
    return OwnPace([OwnDay(day, n[day], sum(times[day]) / 3600, len(times[day])) for day in days], goal)


def today(store: Store, *, person: Person, zone: str | None = None) -> tuple[int, int] | None:
    """Return a person's number of tasks today (see ``own_pace``) and their goal, or None without a goal."""
    here = _zone(zone)
    since = datetime.combine(store.now().astimezone(here).date(), time(), here).astimezone(UTC)
    with store.read() as session:
        goal = queries.goal(session, person_id=person.id)
        if goal is None:  # no further query on the way to the next item
            return None
        mine = [row.id for row, _ in projects.of_person(session, person_id=person.id)]
        sent = queries.submitted(session, person_id=person.id, projects=mine, since=since)
        triaged = queries.triaged(session, person_id=person.id, projects=mine, since=since)
        return len(sent) + len(triaged), goal


def set_goal(store: Store, *, person: Person, tasks: int | None) -> None:
    """Set a person's daily goal in tasks; None or 0 removes the goal.

    Raises
    ------
    InvalidInputError
        The goal is negative or too large.
    """
    if tasks is not None and not 0 <= tasks <= LARGEST_GOAL:
        raise InvalidInputError(
            [Problem("goal", f"A goal must be a number of tasks from 1 to {LARGEST_GOAL:,}, or empty.")]
        )
    with store.write(archived_too=True) as session:
        queries.set_goal(session, person_id=person.id, tasks=tasks or None, now=store.now())


def _zone(name: str | None) -> tzinfo:
    try:
        return ZoneInfo(name) if name else UTC
    except (ZoneInfoNotFoundError, ValueError, OSError):  # a browser may send any text
        return UTC

"""How much someone has done on the last days, how fast, and the daily goal that they set themselves."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from db import own_pace as facts
from db import projects
from db.engine import Store
from domain.errors import InvalidInput, Problem
from domain.records import Person

DAYS = 7
"""So many days are looked at, today among them."""
LEAST = 5
"""A pace is told from so many tasks with a time on."""
LARGEST_GOAL = 10_000


@dataclass(frozen=True)
class OwnDay:
    """What someone did on a day."""

    day: date
    n: int
    """Tasks that they submitted for the first time, and frames that they decided in triage."""
    hours: float
    """Active hours on those of them of which a time is known."""
    timed: int
    """How many those are."""


@dataclass(frozen=True)
class OwnPace:
    """The last days of someone, in all of their projects."""

    days: Sequence[OwnDay]
    """The last one is today; days without work are there, too."""
    goal: int | None
    """How many tasks they want to do a day."""

    @property
    def today(self) -> int:
        """Tasks of today."""
        return self.days[-1].n

    @property
    def n(self) -> int:
        """Tasks of all these days."""
        return sum(each.n for each in self.days)

    @property
    def an_hour(self) -> float | None:
        """Tasks in an active hour; None where too few have a time."""
        timed, hours = sum(each.timed for each in self.days), sum(each.hours for each in self.days)
        return timed / hours if timed >= LEAST and hours else None


def own_pace(store: Store, *, person: Person, zone: str | None = None) -> OwnPace:
    """The last seven days of a person, in all projects that they are a member of.

    Parameters
    ----------
    zone
        The time zone by whose midnights days are told apart, such as ``Europe/Zurich``; None, or one that is not
        known: UTC.
    """
    here = _zone(zone)
    today = store.now().astimezone(here).date()
    days = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    since = datetime.combine(days[0], time(), here).astimezone(UTC)
    with store.read() as session:
        mine = [row.id for row, _ in projects.of_person(session, person_id=person.id)]
        sent = facts.submitted(session, person_id=person.id, projects=mine, since=since)
        triaged = facts.triaged(session, person_id=person.id, projects=mine, since=since)
        goal = facts.goal(session, person_id=person.id)
    n: Counter[date] = Counter(at.astimezone(here).date() for at in (*triaged, *(at for at, _ in sent)))
    times: dict[date, list[float]] = defaultdict(list)
    for at, took in sent:
        if took is not None:
            times[at.astimezone(here).date()].append(took)
    return OwnPace([OwnDay(day, n[day], sum(times[day]) / 3600, len(times[day])) for day in days], goal)


def today(store: Store, *, person: Person, zone: str | None = None) -> tuple[int, int] | None:
    """How many tasks someone has done today, as ``own_pace`` counts them, and their goal; None: they have set none."""
    here = _zone(zone)
    since = datetime.combine(store.now().astimezone(here).date(), time(), here).astimezone(UTC)
    with store.read() as session:
        goal = facts.goal(session, person_id=person.id)
        if goal is None:  # nothing more is asked on the way to the next item
            return None
        mine = [row.id for row, _ in projects.of_person(session, person_id=person.id)]
        sent = facts.submitted(session, person_id=person.id, projects=mine, since=since)
        triaged = facts.triaged(session, person_id=person.id, projects=mine, since=since)
        return len(sent) + len(triaged), goal


def set_goal(store: Store, *, person: Person, tasks: int | None) -> None:
    """Set how many tasks one wants to do a day; None or 0: no goal.

    Raises
    ------
    InvalidInput
        It is less than none, or more than anyone can do.
    """
    if tasks is not None and not 0 <= tasks <= LARGEST_GOAL:
        raise InvalidInput([Problem("goal", f"A goal is a number of tasks from 1 to {LARGEST_GOAL:,}, or none.")])
    with store.write(archived_too=True) as session:
        facts.set_goal(session, person_id=person.id, tasks=tasks or None, now=store.now())


def _zone(name: str | None) -> tzinfo:
    try:
        return ZoneInfo(name) if name else UTC
    except (ZoneInfoNotFoundError, ValueError, OSError):  # what a browser says may be anything
        return UTC

"""The number of a project's items in each state at the end of each day."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from db import events, items
from db.engine import Store
from domain.records import Person
from domain.states import ItemState
from extensions.schedule import queries
from workflow.access.projects import require_lead


@dataclass(frozen=True)
class Day:
    """The items of a project at the end of a day (UTC); of today, up to now."""

    day: date
    counts: dict[ItemState, int]
    """Items in each state that any item of the project has ever been in."""


def by_day(store: Store, *, by: Person | None, project: str) -> list[Day]:
    """Return every day up to today. The first one is the empty day before the first item came.

    With ``by`` None, the caller checks that the person may see it.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        there = queries.arrivals(session, project_id=access.project_id)
        changes = queries.changes(session, project_id=access.project_id)
        today = _day(store.now())
    moved: dict[date, Counter[ItemState]] = defaultdict(Counter)
    known: dict[int, ItemState] = {}
    for item_id, at, before, after in changes:
        if item_id not in there:
            continue
        if item_id not in known:
            known[item_id] = before
            moved[_day(there[item_id][0])][before] += 1
        moved[_day(at)].update({after: 1})
        moved[_day(at)].subtract({known[item_id]: 1})
        known[item_id] = after
    for item_id, (at, state) in there.items():
        if item_id not in known:
            moved[_day(at)][state] += 1
    if not moved:
        return []
    states = {state for moves in moved.values() for state in moves}
    now = dict.fromkeys((state for state in ItemState if state in states), 0)
    day = min(moved)
    days = [Day(day - timedelta(days=1), dict(now))]
    while day <= max(today, *moved):
        for state, n in moved.get(day, {}).items():
            now[state] += n
        days.append(Day(day, dict(now)))
        day += timedelta(days=1)
    return days


def mark(store: Store, *, by: Person | None, project: str) -> tuple[int | str, ...]:
    """Return a state that changes whenever the days may change: with a new day, a new item or a changed state."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        newest = (events.newest(session, project_id=access.project_id, kind=kind) for kind in queries.KINDS)
        return (_day(store.now()).isoformat(), access.began, *newest)


def size(store: Store, *, by: Person | None, project: str) -> int:
    """Return the approximate number of items and changes of state to read, with one change for every item."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return 2 * items.count(session, project_id=access.project_id)


def _day(at: datetime) -> date:
    return at.astimezone(UTC).date()  # a day of the chart

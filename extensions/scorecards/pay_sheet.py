"""The pay sheet: tasks and active minutes of each person, by stage."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from db import people, work_pace
from db.engine import Store
from domain.records import Person
from domain.states import Purpose, Stage
from workflow.access.projects import require_lead


@dataclass(frozen=True)
class Pay:
    """A line of the pay sheet: a person's work in a stage within the given days."""

    login: str
    name: str
    stage: str
    items: int = 0
    """Tasks submitted for the first time within the days, hidden gold included: to anyone who does it, it is work like
    any other. A correction is no second item. In triage, frames kept or dropped."""
    gold: int = 0
    """The number of hidden gold checks among the items."""
    corrections: int = 0
    qualification: int = 0
    """Tasks of a qualification, counted as items are; they are no items."""
    active_minutes: float = 0
    """The active minutes of all submissions on these days: items, corrections, qualification, gold."""
    untimed: int = 0
    """Submissions that came without a time, which count no minutes."""


def pay_sheet(
    store: Store, *, by: Person | None, project: str, since: date | None = None, until: date | None = None
) -> list[Pay]:
    """Return the work of all people from one day up to and including another (UTC), by login and stage, for leads."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        known = {row.id: row for row in people.all_people(session)}
        first = datetime.combine(since, time(), UTC) if since else None
        end = datetime.combine(until, time(), UTC) + timedelta(days=1) if until else None
        where = {"project_id": access.project_id}
        lines: dict[tuple[str, str], Pay] = {}

        def add(person_id: int, stage: Stage, **more: float) -> None:
            key = (known[person_id].login, stage.value)
            line = lines.get(key) or Pay(key[0], known[person_id].name, key[1])
            lines[key] = replace(line, **{name: getattr(line, name) + n for name, n in more.items()})

        for one in work_pace.paid(session, **where, since=first, until=end):
            new = one.n - one.corrections
            add(
                one.person_id,
                one.stage,
                items=0 if one.purpose is Purpose.QUALIFICATION else new,
                gold=new if one.purpose is Purpose.GOLD else 0,
                corrections=one.corrections,
                qualification=new if one.purpose is Purpose.QUALIFICATION else 0,
                active_minutes=one.seconds / 60,
                untimed=one.untimed,
            )
        for person_id, at in work_pace.triaged(session, **where):
            if (first is None or at >= first) and (end is None or at < end):
                add(person_id, Stage.TRIAGE, items=1, untimed=1)
        return [replace(line, active_minutes=round(line.active_minutes, 2)) for _, line in sorted(lines.items())]

"""The people at work with their claims, and a state that changes with their work."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from db import events, people, projects, work_pace
from db.engine import Store
from domain.policies import LEASE
from domain.records import Person
from domain.roles import Role
from workflow.access.projects import require_lead

WEEK = timedelta(days=7)
LATELY = timedelta(minutes=10)
"""A person is at work if their page has renewed its lease within this time."""


@dataclass(frozen=True)
class AtWork:
    """A person's present claims and recent work, over all stages of a project."""

    login: str
    name: str
    role: Role | None
    """The role; None for a former member or a deactivated account."""
    now: bool
    """Their page has answered within the last minutes."""
    seen: datetime | None
    """The moment of the person's last submission or lease renewal."""
    today: int
    """Tasks submitted for the first time today (UTC), and frames decided in triage."""
    week: int
    """The number of submissions in the last seven times 24 hours."""
    held: int
    """Tasks in hand whose lease runs, submissions that they correct included."""
    over: int
    """Tasks in hand whose lease has ended: they go to anyone who asks next."""
    postponed: int
    """Tasks that they have postponed."""
    drafts: int
    """Texts that they have typed and not submitted."""
    late: int
    """Submissions that came too late to count."""


def work_mark(store: Store, *, by: Person | None, project: str) -> tuple[int | str, ...]:
    """Return a state that changes whenever figures about people's work may change.

    The state covers submissions, items' states, gold, qualifications, the schema and people's names.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        names = (f"{row.id} {row.login} {row.active} {row.name}" for row in people.all_people(session))
        return (
            access.began,
            access.loaded.hash,
            work_pace.newest(session, project_id=access.project_id),
            events.newest(session, project_id=access.project_id),
            *names,
        )


def submissions_by_day(store: Store, *, by: Person | None, project: str, days: int = 7) -> Mapping[date, int]:
    """Return the submissions (``domain.item_counts``) of each of the last days up to today (UTC), for leads."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        today = store.now().astimezone(UTC).date()
        first = datetime.combine(today - timedelta(days=days - 1), datetime.min.time(), UTC)
        sent = work_pace.first_submissions(session, project_id=access.project_id, since=first)
        triaged = [at for _, at in work_pace.triaged(session, project_id=access.project_id) if at >= first]
    n = Counter(at.astimezone(UTC).date() for at in (*sent, *triaged))
    return {day: n[day] for day in (today - timedelta(days=back) for back in reversed(range(days)))}


def count_submissions(store: Store, *, by: Person | None, project: str) -> int:
    """Return the number of submissions."""
    with store.read() as session:
        return work_pace.count(session, project_id=require_lead(session, by=by, project=project).project_id)


def at_work(store: Store, *, by: Person | None, project: str) -> list[AtWork]:
    """Return the people at work with their claims, by login, for leads.

    A former member is included while they hold a claim or have submitted within the week.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        where: dict[str, Any] = {"project_id": access.project_id}
        now = store.now()
        midnight = datetime.combine(now.astimezone(UTC).date(), datetime.min.time(), UTC)
        lately = work_pace.lately(session, **where, week=now - WEEK, today=midnight)
        week = {person_id: one.week for person_id, one in lately.items()}
        today = {person_id: one.today for person_id, one in lately.items()}
        last = {person_id: one.last for person_id, one in lately.items()}
        for person_id, at in work_pace.triaged(session, **where):
            week[person_id] = week.get(person_id, 0) + (at >= now - WEEK)
            today[person_id] = today.get(person_id, 0) + (at >= midnight)
            last[person_id] = max(at, last.get(person_id, at))
        postponed = work_pace.postponed(session, **where)
        drafts = work_pace.drafts(session, **where)
        leases: dict[int, list[datetime]] = defaultdict(list)
        for person_id, until in work_pace.claimed_tasks(session, **where):
            leases[person_id].append(until or now)
        roles = {member.person_id: member.role for member, _ in projects.members(session, **where)}
        people_there = []
        for row in people.all_people(session):
            person_id = row.id
            theirs = leases.get(person_id, [])
            if person_id not in roles and not theirs and not week.get(person_id):
                continue
            beats = [until - LEASE for until in theirs if until - LEASE <= now]
            seen = max([*beats, *([last[person_id]] if person_id in last else [])], default=None)
            typed, late = drafts.get(person_id, (0, 0))
            running = sum(until > now for until in theirs)
            people_there.append(
                AtWork(
                    login=row.login,
                    name=row.name,
                    role=roles.get(person_id),
                    now=seen is not None and now - seen <= LATELY,
                    seen=seen,
                    today=today.get(person_id, 0),
                    week=week.get(person_id, 0),
                    held=running,
                    over=len(theirs) - running,
                    postponed=postponed.get(person_id, 0),
                    drafts=typed,
                    late=late,
                )
            )
        return people_there

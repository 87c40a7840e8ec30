"""The forecast of when a stage will be done, and the list of people at work."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from db import events, people, projects, task_counts, work_pace
from db.engine import Session, Store
from domain.policies import LEASE
from domain.records import Person
from domain.roles import Role
from domain.states import Stage
from workflow.access.projects import Access, require_lead, stages_of
from workflow.access.written_items import left_to_write
from workflow.annotate import triage_figures

PACE_DAYS = 7
"""The pace of a stage is computed over its last days with work, at most this number."""
PACE_SPAN = timedelta(days=14)
"""Older days do not count for the present pace."""
LEAST_DAYS = 3
"""A forecast needs at least this number of days with work."""
LEAST_TASKS = 10
"""A person's mean time for a task needs at least this number of tasks."""
WEEK = timedelta(days=7)
LATELY = timedelta(minutes=10)
"""A person is at work if their page has renewed its lease within this time."""


@dataclass(frozen=True)
class Forecast:
    """The day when a stage will be done if people keep their pace."""

    stage: Stage
    left: int
    """Slots that wait or are being worked on; in authoring, items left to write."""
    days: Sequence[int]
    """Tasks submitted on the last days with work before today."""
    span: int = 0
    """Calendar days from the first of those days up to yesterday."""
    finish: tuple[date, date] | None = None
    """The first and the last day on which the stage may be done; None where there is no pace."""
    hours: tuple[float, float] | None = None
    """The remaining active hours, at the mean time per task of the quickest and of the slowest person."""
    last: date | None = None
    """The last day with work before today, however long ago."""

    @property
    def more_days(self) -> tuple[int, int] | None:
        """Days with work that are still needed: at the pace of the best and of the worst of ``days``."""
        if not self.left or len(self.days) < LEAST_DAYS:
            return None
        return math.ceil(self.left / max(self.days)), math.ceil(self.left / min(self.days))

    @property
    def sentence(self) -> str:
        """Return the forecast as a sentence with its assumptions: a range, or the reason why there is no forecast."""
        if self.more_days is None or self.finish is None:
            n = f"{len(self.days)} day{'' if len(self.days) == 1 else 's'}"
            since = f"; the last work was on {self.last}" if self.last and not self.days else ""
            return f"No forecast: {n} with work in the two weeks before today, {LEAST_DAYS} needed{since}."
        low, high = self.more_days
        many = f"{low}" if low == high else f"{low} to {high}"
        mean = sum(self.days) / len(self.days)
        return (
            f"{many} more day{'' if high == 1 else 's'} with work, if they go as the last {len(self.days)} did:"
            f" {min(self.days)} to {max(self.days)} a day, {mean:.1f} on average."
            f" There was work on {len(self.days)} of the last {self.span} day{'' if self.span == 1 else 's'}."
        )


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


def forecasts(store: Store, *, by: Person | None, project: str) -> list[Forecast]:
    """Return the forecast of each unfinished stage: the remaining work, and the time at the pace of the last days.

    With ``by`` None, the caller checks that the person may see it.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        today = store.now().astimezone(UTC).date()
        begin = datetime.combine(today, datetime.min.time(), UTC) - PACE_SPAN
        counts: dict[Stage, dict[date, int]] = defaultdict(lambda: defaultdict(int))
        for stage, at in work_pace.first_submissions(session, project_id=access.project_id, since=begin):
            counts[stage][at.astimezone(UTC).date()] += 1
        triaged = work_pace.triaged(session, project_id=access.project_id)
        for _, at in triaged:
            if at >= begin:
                counts[Stage.TRIAGE][at.astimezone(UTC).date()] += 1
        ever = work_pace.last_submission(session, project_id=access.project_id)
        if triaged:
            ever[Stage.TRIAGE] = max(at for _, at in triaged)
        hours = _seconds_a_task(session, access)
        found = []
        for stage in stages_of(access.schema):
            left = _work_left(session, access, stage)
            if not left:
                continue
            worked = sorted(day for day in counts[stage] if day < today)[-PACE_DAYS:]  # today is not over
            days = [counts[stage][day] for day in worked]
            last = ever[stage].astimezone(UTC).date() if stage in ever else None
            found.append(_forecast(stage, left, worked, days, today, hours.get(stage), last))
        return found


def mark(store: Store, *, by: Person | None, project: str) -> tuple[int | str, ...]:
    """Return a state that changes whenever the forecasts may change, at least every day."""
    return (store.now().astimezone(UTC).date().isoformat(), *work_mark(store, by=by, project=project))


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
        found = []
        for row in people.all_people(session):
            person_id = row.id
            theirs = leases.get(person_id, [])
            if person_id not in roles and not theirs and not week.get(person_id):
                continue
            beats = [until - LEASE for until in theirs if until - LEASE <= now]
            seen = max([*beats, *([last[person_id]] if person_id in last else [])], default=None)
            typed, late = drafts.get(person_id, (0, 0))
            running = sum(until > now for until in theirs)
            found.append(
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
        return found


def _forecast(
    stage: Stage,
    left: int,
    worked: Sequence[date],
    days: Sequence[int],
    today: date,
    seconds: tuple[float, float] | None,
    last: date | None,
) -> Forecast:
    span = (today - worked[0]).days if worked else 0
    hours = (left * seconds[0] / 3600, left * seconds[1] / 3600) if seconds else None
    plain = Forecast(stage, left, days, span, None, hours, last)
    if plain.more_days is None:
        return plain
    low, high = (math.ceil(n * span / len(days)) for n in plain.more_days)
    finish = (today + timedelta(days=low - 1), today + timedelta(days=high))  # today may count as a day, or not
    return Forecast(stage, left, days, span, finish, hours, last)


def _work_left(session: Session, access: Access, stage: Stage) -> int:
    if stage is Stage.TRIAGE:
        return triage_figures.waiting(session, access=access)
    if stage is Stage.AUTHORING:
        return left_to_write(session, access=access)
    return task_counts.unfinished(session, project_id=access.project_id, stage=stage)


def _seconds_a_task(session: Session, access: Access) -> dict[Stage, tuple[float, float]]:
    """Return the mean active seconds for a task of the quickest and of the slowest person, by stage."""
    means: dict[Stage, list[float]] = defaultdict(list)
    for stage, _, n, seconds in work_pace.active_time(session, project_id=access.project_id):
        if n >= LEAST_TASKS:
            means[stage].append(seconds / n)
    return {stage: (min(theirs), max(theirs)) for stage, theirs in means.items()}

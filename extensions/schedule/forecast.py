"""The forecast of when a stage will be done."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

from db import work_pace
from db.engine import Session, Store
from domain.records import Person
from domain.states import VERIFICATIONS, WITHOUT_TASKS, Stage
from extensions.schedule import queries
from workflow.access.item_counts import count_project
from workflow.access.projects import Access, require_lead, stages_of
from workflow.annotate.stage_kinds import STAGE_KINDS
from workflow.annotate.verdicts import rounds_of
from workflow.lead import people_at_work

PACE_DAYS = 7
"""The pace of a stage is computed over its last days with work, at most this number."""
PACE_SPAN = timedelta(days=14)
"""Older days do not count for the present pace."""
LEAST_DAYS = 3
"""A forecast needs at least this number of days with work."""
SETTLING = (Stage.AUTHORING, *VERIFICATIONS, Stage.ADJUDICATION)
"""The stages after which an item has a verdict."""
LEAST_TASKS = 10
"""A person's mean time for a task needs at least this number of tasks."""


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
    to_come: int = 0
    """Votes that items left to write will need. They are no part of ``left``."""
    whole: tuple[date, date] | None = None
    """The same as ``finish``, with ``to_come``."""

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
            return (
                f"No forecast: {n} with work in the two weeks before today, but a forecast needs {LEAST_DAYS}{since}."
            )
        low, high = self.more_days
        many = f"{low}" if low == high else f"{low} to {high}"
        mean = sum(self.days) / len(self.days)
        return (
            f"{many} more day{'' if high == 1 else 's'} with work, at the pace of the last {len(self.days)} days "
            f"with work: {min(self.days)} to {max(self.days)} tasks per day, {mean:.1f} on average. People worked on "
            f"{len(self.days)} of the last {self.span} day{'' if self.span == 1 else 's'}."
        )


def forecasts(store: Store, *, by: Person | None, project: str) -> list[Forecast]:
    """Return the forecast of each unfinished stage: the remaining work, and the time at the pace of the last days.

    With ``by`` None, the caller checks that the person may see it.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        today = store.now().astimezone(UTC).date()
        begin = datetime.combine(today, datetime.min.time(), UTC) - PACE_SPAN
        counts: dict[Stage, dict[date, int]] = defaultdict(lambda: defaultdict(int))
        for stage, at in queries.first_submissions(session, project_id=access.project_id, since=begin):
            counts[stage][at.astimezone(UTC).date()] += 1
        triaged = work_pace.triaged(session, project_id=access.project_id)
        for _, at in triaged:
            if at >= begin:
                counts[Stage.TRIAGE][at.astimezone(UTC).date()] += 1
        ever = queries.last_submission(session, project_id=access.project_id)
        if triaged:
            ever[Stage.TRIAGE] = max(at for _, at in triaged)
        hours = _seconds_a_task(session, access)
        forecasts = []
        to_write, rounds = count_project(session, access=access).left, rounds_of(access.schema)
        for stage in stages_of(access.schema):
            left = _work_left(session, access, stage)
            to_come = to_write * rounds[stage].raters if stage in rounds else 0
            if not left and not to_come:
                continue
            worked = sorted(day for day in counts[stage] if day < today)[-PACE_DAYS:]  # today is not over
            days = [counts[stage][day] for day in worked]
            last = ever[stage].astimezone(UTC).date() if stage in ever else None
            whole = _forecast(stage, left + to_come, worked, days, today, None, last).finish
            one = _forecast(stage, left, worked, days, today, hours.get(stage), last)
            forecasts.append(replace(one, to_come=to_come, whole=whole))
        return forecasts


def last_item(found: Sequence[Forecast]) -> tuple[date, date] | None:
    """Return the first and the last day on which every wanted item may have a verdict. None: a stage has no pace."""
    settling = [one.whole for one in found if one.stage in SETTLING]
    ends = [whole for whole in settling if whole is not None]
    if not ends or len(ends) < len(settling):
        return None
    first, last = (max(days) for days in zip(*ends, strict=True))
    return first, last


def mark(store: Store, *, by: Person | None, project: str) -> tuple[int | str, ...]:
    """Return a state that changes whenever the forecasts may change, at least every day."""
    return (store.now().astimezone(UTC).date().isoformat(), *people_at_work.work_mark(store, by=by, project=project))


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
    if stage in WITHOUT_TASKS:
        kind = STAGE_KINDS.get(stage)
        return kind.waiting(session, access=access) if kind is not None else 0
    if stage is Stage.AUTHORING:
        return count_project(session, access=access).left
    return queries.unfinished(session, project_id=access.project_id, stage=stage)


def _seconds_a_task(session: Session, access: Access) -> dict[Stage, tuple[float, float]]:
    """Return the mean active seconds for a task of the quickest and of the slowest person, by stage."""
    means: dict[Stage, list[float]] = defaultdict(list)
    for stage, _, n, seconds in queries.active_time(session, project_id=access.project_id):
        if n >= LEAST_TASKS:
            means[stage].append(seconds / n)
    return {stage: (min(theirs), max(theirs)) for stage, theirs in means.items()}

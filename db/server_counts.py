"""Counts over all projects, for the operator: no name, text or answer is among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func
from sqlmodel import Session, col, select

from db.tables import (
    AttemptRow,
    CandidateRow,
    EventRow,
    ExposureRow,
    JobRow,
    MediaObjectRow,
    TaskRow,
)
from domain.jobs import JobState
from domain.states import Stage, TaskState

BACKED_UP = "server.backed_up"
"""The kind of event: a backup of the whole server was written."""


@dataclass(frozen=True)
class ServerCounts:
    """The counts of a whole server."""

    claims: Mapping[str, int]
    """By stage, the tasks and candidate images that a person has now, without reserved tasks, which nobody sees yet."""
    jobs: Mapping[str, int]
    """By state, the jobs in the list. Old ended jobs are deleted."""
    oldest_due: datetime | None
    """When the job that has waited longest was due. None: no job waits."""
    attempts: Mapping[str, int]
    """By outcome, the attempts of all runs."""
    cost: float
    """The cost of all attempts, in the unit of the prices in the models' descriptions."""
    exposures: int
    """The rows that the exposure ledger has ever had."""
    exposure_bytes: int
    """The bytes that the ledger records as sent."""
    media_bytes: int
    """The bytes of all images and clips in the media store, without smaller copies."""
    backed_up_at: datetime | None
    """When the last backup was written. None: never, since Touchstone records this."""


def count(session: Session, *, now: datetime) -> ServerCounts:
    """Return the counts at this time."""
    stage, state = col(TaskRow.stage), col(TaskRow.state)
    claimed = select(stage, func.count()).where(
        state == TaskState.CLAIMED, col(TaskRow.reserved).is_(False), col(TaskRow.lease_until) > now
    )
    claims = {Stage(name).value: n for name, n in session.execute(claimed.group_by(stage))}
    in_triage = select(func.count()).where(
        col(CandidateRow.person_id).is_not(None), col(CandidateRow.lease_until) > now
    )
    candidates = session.execute(in_triage).scalar_one()
    if candidates:
        claims[Stage.TRIAGE.value] = claims.get(Stage.TRIAGE.value, 0) + candidates
    waits = (JobRow.state == JobState.WAITING, col(JobRow.due_at) <= now)
    attempts, cost = {}, 0.0
    outcome = col(AttemptRow.outcome)
    for name, n, spent in session.execute(select(outcome, func.count(), func.sum(AttemptRow.cost)).group_by(outcome)):
        attempts[name.value] = n
        cost += spent or 0.0
    last_exposure, exposed = session.execute(select(func.max(ExposureRow.id), func.sum(ExposureRow.bytes))).one()
    return ServerCounts(
        claims=claims,
        jobs={
            name.value: n
            for name, n in session.execute(select(col(JobRow.state), func.count()).group_by(col(JobRow.state)))
        },
        oldest_due=session.execute(select(func.min(JobRow.due_at)).where(*waits)).scalar_one(),
        attempts=attempts,
        cost=cost,
        exposures=last_exposure or 0,
        exposure_bytes=int(exposed or 0),
        media_bytes=int(session.execute(select(func.sum(MediaObjectRow.bytes))).scalar_one() or 0),
        backed_up_at=session.execute(
            select(func.max(EventRow.at)).where(col(EventRow.project_id).is_(None), EventRow.kind == BACKED_UP)
        ).scalar_one(),
    )

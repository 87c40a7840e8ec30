"""Queries about who submitted what and when, for figures about people."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy
from sqlalchemy import ColumnElement, and_, case, exists, func
from sqlmodel import Session, col, select

from db import reworded
from db.tables import AnnotationRow, DraftRow, PersonRow, PostponementRow, TaskRow, TriageDecisionRow
from domain.states import Purpose, Stage, TaskState


class TimedSubmission(NamedTuple):
    """One submission."""

    id: int
    person_id: int
    task_id: int
    stage: Stage
    purpose: Purpose
    item_id: int
    revision: int
    prediction_id: int | None
    answers: dict[str, Any]
    reasons: dict[str, Any]
    seconds: float | None
    weight: float | None
    supersedes_id: int | None
    guideline: str
    at: datetime


def submissions(session: Session, *, project_id: int, item_ids: Sequence[int] | None = None) -> list[TimedSubmission]:
    """Return all submissions in a project, or about these items, oldest first. They are read as plain columns for
    speed.
    """
    row = AnnotationRow
    wanted: Any = (
        sqlalchemy.select(
            col(row.id),
            col(row.person_id),
            col(row.task_id),
            col(row.stage),
            col(row.purpose),
            col(row.item_id),
            col(row.revision),
            col(row.prediction_id),
            col(row.answers),
            col(row.reasons),
            col(row.seconds),
            col(row.weight),
            col(row.supersedes_id),
            col(row.guideline_hash),
            col(row.created_at),
            col(row.schema_version_id),
        )
        .where(col(row.project_id) == project_id)
        .order_by(col(row.id))
    )
    if item_ids is not None:
        wanted = wanted.where(col(row.item_id).in_(item_ids))
    rows = [(TimedSubmission(*columns), version) for *columns, version in session.execute(wanted)]
    if not reworded.differs(session, project_id=project_id):
        return [sent for sent, _ in rows]
    return [_said_now(session, project_id, sent, version) for sent, version in rows]


def _said_now(session: Session, project_id: int, sent: TimedSubmission, version: int) -> TimedSubmission:
    about: dict[str, Any] = {"project_id": project_id, "version": version}
    return sent._replace(
        answers=reworded.answers(session, **about, stage=Stage(sent.stage), given=sent.answers),
        reasons=reworded.reasons(session, **about, given=sent.reasons),
    )


def newest(session: Session, *, project_id: int) -> int:
    """Return the id of the newest submission in a project, or 0."""
    # one query per stage reads the end of an index, while one query for all would scan them
    of_stage = (
        select(func.max(AnnotationRow.id)).where(AnnotationRow.project_id == project_id, AnnotationRow.stage == stage)
        for stage in Stage
    )
    ids = session.execute(sqlalchemy.select(*(query.scalar_subquery() for query in of_stage))).one()
    return max(id or 0 for id in ids)


def _by_person(project_id: int) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions for a project's submissions, in a form that uses the index by person."""
    return col(AnnotationRow.project_id) == project_id, col(AnnotationRow.person_id).in_(select(PersonRow.id))


def count(session: Session, *, project_id: int) -> int:
    """Count the submissions of a project, including superseded ones."""
    return session.exec(select(func.count()).where(AnnotationRow.project_id == project_id)).one()


class WorkTotals(NamedTuple):
    """The totals of a person's submissions in a stage for one purpose."""

    person_id: int
    stage: Stage
    purpose: Purpose
    n: int
    corrections: int
    """The number of submissions in ``n`` that superseded an earlier one."""
    seconds: float
    untimed: int
    """The number of submissions in ``n`` without a time."""


def paid(session: Session, *, project_id: int, since: datetime | None, until: datetime | None) -> list[WorkTotals]:
    """Return the totals of everyone's submissions in a period."""
    row = AnnotationRow
    n = func.count()
    wanted: Any = sqlalchemy.select(
        col(row.person_id),
        col(row.stage),
        col(row.purpose),
        n,
        func.count(col(row.supersedes_id)),
        func.sum(col(row.seconds)),
        n - func.count(col(row.seconds)),
    ).where(*_by_person(project_id), col(row.schema_change).is_(None))
    if since is not None:
        wanted = wanted.where(row.created_at >= since)
    if until is not None:
        wanted = wanted.where(row.created_at < until)
    rows = session.execute(wanted.group_by(col(row.person_id), col(row.stage), col(row.purpose)))
    return [
        WorkTotals(who, Stage(stage), Purpose(purpose), n, more, seconds or 0.0, untimed)
        for who, stage, purpose, n, more, seconds, untimed in rows
    ]


def triaged(session: Session, *, project_id: int) -> list[tuple[int, datetime]]:
    """Return (person, moment) of the first time that each person kept or dropped each candidate image."""
    first = select(TriageDecisionRow.person_id, func.min(col(TriageDecisionRow.created_at))).where(
        TriageDecisionRow.project_id == project_id,
        col(TriageDecisionRow.action).in_(("kept", "dropped")),
        col(TriageDecisionRow.person_id).is_not(None),
    )
    first = first.group_by(col(TriageDecisionRow.person_id), col(TriageDecisionRow.asset_id))
    return [(person or 0, at) for person, at in session.exec(first)]


# ---- current activity ------------------------------------------------------------------------------------------------


class RecentWork(NamedTuple):
    """A person's recent submissions."""

    last: datetime
    """The time of the last submission."""
    week: int
    """The number of tasks first submitted since the first moment, without qualification tasks."""
    today: int
    """The same number since the second moment."""


def lately(session: Session, *, project_id: int, week: datetime, today: datetime) -> dict[int, RecentWork]:
    """Return the recent submissions since two moments, by person, for everyone who has submitted anything."""
    row = AnnotationRow
    counts = and_(col(row.purpose) != Purpose.QUALIFICATION, col(row.supersedes_id).is_(None))
    wanted: Any = sqlalchemy.select(
        col(row.person_id),
        func.max(col(row.created_at)),
        *(func.count(case((and_(counts, col(row.created_at) >= since), 1))) for since in (week, today)),
    ).where(*_by_person(project_id))
    return {who: RecentWork(*figures) for who, *figures in session.execute(wanted.group_by(col(row.person_id)))}


def _without_index(column: Any) -> Any:
    """Return a number as an expression. With the plain column SQLite would scan all slots of a project."""
    return col(column) + 0


def claimed_tasks(session: Session, *, project_id: int) -> list[tuple[int, datetime | None]]:
    """Return (person, end of the lease) of every claimed task and every task under correction."""
    claims: list[tuple[int, datetime | None]] = []
    claimed = (
        col(TaskRow.project_id) == project_id,
        col(TaskRow.stage).in_(Stage),
        col(TaskRow.state) == TaskState.CLAIMED,
    )
    corrected = (
        _without_index(TaskRow.project_id) == project_id,
        col(TaskRow.correcting).is_(True),
        col(TaskRow.state) != TaskState.CLAIMED,
    )
    for held_so in (claimed, corrected):  # two queries, because each uses an index of its own
        wanted = select(TaskRow.person_id, TaskRow.lease_until).where(
            *held_so,
            col(TaskRow.person_id).in_(select(PersonRow.id)),
            TaskRow.purpose != Purpose.QUALIFICATION,
        )
        claims += [(person or 0, until) for person, until in session.exec(wanted)]
    return claims


def postponed(session: Session, *, project_id: int) -> dict[int, int]:
    """Count the units that each person has postponed."""
    wanted = select(PostponementRow.person_id, func.count()).where(
        PostponementRow.project_id == project_id, col(PostponementRow.released).is_(False)
    )
    return dict(session.exec(wanted.group_by(col(PostponementRow.person_id))).all())


def drafts(session: Session, *, project_id: int) -> dict[int, tuple[int, int]]:
    """Count drafts by person: unsubmitted texts, and submissions that came too late."""
    sent = exists().where(
        col(AnnotationRow.task_id) == col(DraftRow.task_id), col(AnnotationRow.person_id) == col(DraftRow.person_id)
    )
    late = func.sum(case((col(DraftRow.lost).is_(True), 1), else_=0))
    wanted = (
        select(DraftRow.person_id, func.count(), late)
        .join(TaskRow, col(TaskRow.id) == DraftRow.task_id)
        .where(_without_index(TaskRow.project_id) == project_id, col(DraftRow.put_away_at).is_(None), ~sent)
        .group_by(col(DraftRow.person_id))
    )
    return {person: (n - late, late) for person, n, late in session.exec(wanted)}


def first_submissions(session: Session, *, project_id: int, since: datetime) -> list[datetime]:
    """Return when each task was first submitted since a moment, without qualification tasks."""
    row = AnnotationRow
    wanted = select(row.created_at).where(
        *_by_person(project_id),
        col(row.purpose) != Purpose.QUALIFICATION,
        col(row.supersedes_id).is_(None),
        col(row.created_at) >= since,
    )
    return list(session.exec(wanted))

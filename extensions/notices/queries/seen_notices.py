"""Queries for notices: the stored facts that they are made of, and the notices that a person has seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from sqlalchemy import update
from sqlmodel import Session, col, select

from db.many_rows import insert_or_ignore
from db.records import StoredEvent, StoredQualification
from db.tables import (
    EventRow,
    NoticeMarkRow,
    QualificationReviewRow,
    QualificationRow,
    TaskRow,
)
from domain.states import Stage, TaskState

PART_SET = "member.set"
"""The kind of event: someone's role in a project was set. ``login`` names the person."""
TASK_GIVEN = "task.given"
"""The kind of event: a lead gave someone a task."""


def parts_set(
    session: Session, *, projects: Iterable[int], login: str, person_id: int, since: datetime
) -> list[StoredEvent]:
    """Return events by which others set this person's role in these projects, oldest first."""
    wanted = select(EventRow).where(
        col(EventRow.project_id).in_(list(projects)),
        EventRow.kind == PART_SET,
        EventRow.at >= since,
        col(EventRow.data)["login"].as_string() == login,
    )
    return [row for row in session.exec(wanted.order_by(col(EventRow.id))) if row.person_id != person_id]


def given_tasks(
    session: Session, *, projects: Iterable[int], person_id: int, since: datetime, now: datetime
) -> list[tuple[int, Stage, int, datetime]]:
    """Return a person's claimed tasks that someone gave them: project, stage, event and time."""
    in_hand = select(TaskRow.id, TaskRow.project_id, TaskRow.stage).where(
        TaskRow.person_id == person_id,
        col(TaskRow.project_id).in_(list(projects)),
        col(TaskRow.stage).in_(list(Stage)),  # so that the index finds the claimed slots without reading the done ones
        TaskRow.state == TaskState.CLAIMED,
        col(TaskRow.lease_until) > now,
    )
    tasks = {id: (project, Stage(stage)) for id, project, stage in session.exec(in_hand)}
    if not tasks:
        return []
    events = select(EventRow.task_id, EventRow.id, EventRow.at, EventRow.person_id).where(
        col(EventRow.task_id).in_(list(tasks)), EventRow.kind == TASK_GIVEN, EventRow.at >= since
    )
    return [
        (*tasks[task], event, at)
        for task, event, at, whose in session.exec(events)
        if task is not None and whose == person_id
    ]


def reviews(
    session: Session, *, projects: Iterable[int], person_id: int, since: datetime
) -> list[tuple[StoredQualification, int, str, datetime]]:
    """Return seniors' reviews of a person's qualification attempts, oldest first.

    Each has the attempt, the id of the review, the state after the review, and the time.
    """
    wanted = (
        select(
            QualificationRow,
            QualificationReviewRow.id,
            QualificationReviewRow.state,
            QualificationReviewRow.created_at,
        )
        .join(QualificationReviewRow, col(QualificationReviewRow.qualification_id) == QualificationRow.id)
        .where(
            col(QualificationRow.project_id).in_(list(projects)),
            QualificationRow.person_id == person_id,
            QualificationReviewRow.created_at >= since,
        )
    )
    rows = session.exec(wanted.order_by(col(QualificationReviewRow.id)))
    return [(row, id, state, at) for row, id, state, at in rows]


def exemptions(
    session: Session, *, projects: Iterable[int], person_id: int, since: datetime
) -> Sequence[StoredQualification]:
    """Return exemptions from a qualification that others granted a person, oldest first."""
    wanted = select(QualificationRow).where(
        col(QualificationRow.project_id).in_(list(projects)),
        QualificationRow.person_id == person_id,
        col(QualificationRow.set_id).is_(None),
        QualificationRow.created_at >= since,
    )
    rows = session.exec(wanted.order_by(col(QualificationRow.id))).all()
    return [row for row in rows if row.exempt_by_id != person_id]


# ---- seen notices ---------------------------------------------------------------------------------------------------


def seen_notices(session: Session, *, person_id: int, keys: Sequence[str]) -> set[str]:
    """Return those of these notices that a person has seen."""
    wanted = select(NoticeMarkRow.key).where(
        NoticeMarkRow.person_id == person_id,
        col(NoticeMarkRow.key).in_(keys),
        col(NoticeMarkRow.seen_at).is_not(None),
    )
    return set(session.exec(wanted))


def note_seen(session: Session, *, person_id: int, keys: Mapping[str, int], now: datetime) -> None:
    """Record that a person has seen these notices (key and project)."""
    insert_or_ignore(
        session,
        NoticeMarkRow,
        [{"person_id": person_id, "project_id": project, "key": key, "seen_at": now} for key, project in keys.items()],
    )
    marks = update(NoticeMarkRow).where(
        col(NoticeMarkRow.person_id) == person_id,
        col(NoticeMarkRow.key).in_(list(keys)),
        col(NoticeMarkRow.seen_at).is_(None),
    )
    session.exec(marks.values(seen_at=now))

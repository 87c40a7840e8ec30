"""Queries on deadlines, on the pace of work, and on the states of items over time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from db.records import StoredSchedule
from db.tables import AnnotationRow, EventRow, ItemRow, PersonRow, ScheduleRow, TaskRow
from domain.states import ItemState, Purpose, Stage, TaskState

CHANGED = "item.state"
"""The kind of event that changes an item's state."""
KINDS = (CHANGED, "item.imported", "item.authored")
"""Kinds of events by which an item arrives or changes its state."""


def arrivals(session: Session, *, project_id: int) -> dict[int, tuple[datetime, ItemState]]:
    """Return when each item arrived, and its current state, by id."""
    wanted = select(ItemRow.id, ItemRow.created_at, ItemRow.state).where(ItemRow.project_id == project_id)
    return {id: (at, ItemState(state)) for id, at, state in session.exec(wanted)}


def changes(session: Session, *, project_id: int) -> list[tuple[int, datetime, ItemState, ItemState]]:
    """Return (item, moment, state before, state after) of every change of an item's state, oldest first."""
    wanted = (
        select(EventRow.item_id, EventRow.at, EventRow.data)
        .where(EventRow.project_id == project_id, EventRow.kind == CHANGED)
        .order_by(col(EventRow.id))
    )
    rows = session.exec(wanted)
    return [(id or 0, at, ItemState(data["from"]), ItemState(data["to"])) for id, at, data in rows]


def first_submissions(session: Session, *, project_id: int, since: datetime) -> list[tuple[Stage, datetime]]:
    """Return when the tasks of a project were first submitted, since a moment."""
    wanted = select(AnnotationRow.stage, AnnotationRow.created_at).where(
        AnnotationRow.project_id == project_id,
        AnnotationRow.purpose == Purpose.LIVE,
        col(AnnotationRow.supersedes_id).is_(None),
        col(AnnotationRow.created_at) >= since,
    )
    return [(Stage(stage), at) for stage, at in session.exec(wanted)]


def last_submission(session: Session, *, project_id: int) -> dict[Stage, datetime]:
    """Return the time of the last submission in each stage."""
    wanted = select(AnnotationRow.stage, func.max(col(AnnotationRow.created_at))).where(
        AnnotationRow.project_id == project_id, AnnotationRow.purpose == Purpose.LIVE
    )
    return {Stage(stage): at for stage, at in session.exec(wanted.group_by(col(AnnotationRow.stage)))}


def active_time(session: Session, *, project_id: int) -> list[tuple[Stage, int, int, float]]:
    """Return (stage, person, number of timed tasks, total seconds). Corrections add to the seconds of their task."""
    wanted = (
        select(
            AnnotationRow.stage,
            AnnotationRow.person_id,
            func.count(func.distinct(col(AnnotationRow.task_id))),
            func.sum(col(AnnotationRow.seconds)),
        )
        .where(
            AnnotationRow.project_id == project_id,
            AnnotationRow.purpose == Purpose.LIVE,
            col(AnnotationRow.seconds).is_not(None),
        )
        .group_by(col(AnnotationRow.stage), col(AnnotationRow.person_id))
    )
    return [(Stage(stage), person, n, seconds or 0.0) for stage, person, n, seconds in session.exec(wanted)]


def of_project(session: Session, *, project_id: int) -> list[tuple[StoredSchedule, str | None]]:
    """Return all versions, oldest first, with the login of the person who set each."""
    wanted = (
        select(ScheduleRow, PersonRow.login)
        .join(PersonRow, col(PersonRow.id) == ScheduleRow.by_id, isouter=True)
        .where(ScheduleRow.project_id == project_id)
        .order_by(col(ScheduleRow.number))
    )
    return [(row, login) for row, login in session.exec(wanted)]


def add(
    session: Session,
    *,
    project_id: int,
    number: int,
    deadlines: Mapping[str, Any],
    order: list[str],
    by_id: int | None,
    now: datetime,
) -> None:
    """Store a version. It counts from now on."""
    row = ScheduleRow(
        project_id=project_id,
        number=number,
        deadlines=dict(deadlines),
        stage_order=order,
        by_id=by_id,
        created_at=now,
    )
    session.add(row)
    session.flush()


def unfinished(session: Session, *, project_id: int, stage: Stage) -> int:
    """Count the open and claimed slots of a stage."""
    wanted = select(func.count()).where(
        TaskRow.project_id == project_id,
        TaskRow.stage == stage,
        TaskRow.purpose == Purpose.LIVE,
        col(TaskRow.state).in_((TaskState.OPEN, TaskState.CLAIMED)),
    )
    return session.exec(wanted).one()

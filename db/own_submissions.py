"""Queries on one person's own submissions, in pages, newest first. Other people's data do not affect them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Text, and_, cast, exists, func
from sqlalchemy import select as plain_select
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db import reworded
from db.item_list import likely_part
from db.records import StoredAnnotation, StoredTask
from db.tables import AnnotationRow, ItemRow, RevisionRow, TaskRow
from domain.states import Purpose, Stage, TaskState

_AT_ONCE = 5_000


@dataclass(frozen=True)
class SubmissionFilter:
    """The person and the filters of a search for submissions."""

    project_id: int
    person_id: int
    stages: Sequence[Stage]
    dimensions: Sequence[str]
    since: datetime | None = None
    until: datetime | None = None
    """The end of the period, which is not included."""


Says = Callable[[Stage, Mapping[str, Any]], bool]
"""A function that tells whether an item's content, as a stage shows it, has the searched words."""


def page(
    session: Session, *, of: SubmissionFilter, text: str = "", says: Says | None = None, offset: int, limit: int
) -> tuple[list[StoredAnnotation], int]:
    """Return a page of a person's current submissions, newest first, and the number on all pages.

    Qualification answers are left out. So are submissions about a unit that the person has claimed again, because the
    repeated question must not show the earlier answer. With ``says``: only submissions whose item has ``text``.
    """
    if says is not None:
        matching = _with_text(session, of, text, says)
        ids, n = matching[offset:][:limit], len(matching)
    else:
        wanted = plain_select(col(AnnotationRow.id), func.count().over()).where(*_conditions(session, of))
        rows = session.execute(wanted.order_by(col(AnnotationRow.id).desc()).offset(offset).limit(limit)).all()
        ids, n = [id for id, _ in rows], rows[0][1] if rows else 0
    rows = reworded.query(session, select(AnnotationRow).where(col(AnnotationRow.id).in_(ids)))
    loaded = {row.id: row for row in rows}
    return [loaded[id] for id in ids], n


def find_submission(
    session: Session, *, of: SubmissionFilter, public_id: str
) -> tuple[StoredAnnotation, StoredTask] | None:
    """Return one of the submissions of ``page`` by its public id, with its slot, or None."""
    wanted = (
        select(AnnotationRow, TaskRow)
        .join(TaskRow, col(TaskRow.id) == AnnotationRow.task_id)
        .where(AnnotationRow.public_id == public_id, *_conditions(session, of))
    )
    return next(iter(reworded.query(session, wanted)), None)


def of_items(session: Session, *, of: SubmissionFilter, item_ids: Sequence[int]) -> list[StoredAnnotation]:
    """Return the submissions of ``page`` that are about these items."""
    wanted = select(AnnotationRow).where(col(AnnotationRow.item_id).in_(item_ids), *_conditions(session, of))
    return reworded.query(session, wanted.order_by(col(AnnotationRow.id).desc()))


def before(session: Session, *, said: StoredAnnotation) -> list[StoredAnnotation]:
    """Return a person's earlier submissions for the same slot, newest first."""
    wanted = select(AnnotationRow).where(
        AnnotationRow.task_id == said.task_id,
        AnnotationRow.person_id == said.person_id,
        col(AnnotationRow.id) < said.id,
    )
    return reworded.query(session, wanted.order_by(col(AnnotationRow.id).desc()))


def tasks(session: Session, *, ids: Sequence[int]) -> dict[int, str]:
    """Return the public ids of slots, by id."""
    wanted = plain_select(col(TaskRow.id), col(TaskRow.public_id)).where(col(TaskRow.id).in_(ids))
    return {id: public_id for id, public_id in session.execute(wanted)}


def _conditions(session: Session, of: SubmissionFilter) -> list[ColumnElement[bool]]:
    newer = aliased(AnnotationRow)
    conditions: list[ColumnElement[bool]] = [
        col(AnnotationRow.person_id) == of.person_id,
        col(AnnotationRow.project_id) == of.project_id,
        col(AnnotationRow.stage).in_(of.stages),
        exists().where(col(ItemRow.id) == col(AnnotationRow.item_id), col(ItemRow.dimension).in_(of.dimensions)),
        col(AnnotationRow.purpose) != Purpose.QUALIFICATION,
        ~exists().where(col(newer.supersedes_id) == col(AnnotationRow.id)),
    ]
    if of.since is not None:
        conditions.append(col(AnnotationRow.created_at) >= of.since)
    if of.until is not None:
        conditions.append(col(AnnotationRow.created_at) < of.until)
    in_hand = select(TaskRow).where(
        TaskRow.person_id == of.person_id,
        TaskRow.project_id == of.project_id,
        TaskRow.state == TaskState.CLAIMED,
        col(TaskRow.item_id).is_not(None),
    )
    for task in session.exec(in_hand):
        same = and_(
            col(AnnotationRow.item_id) == task.item_id,
            col(AnnotationRow.stage) == task.stage,
            func.coalesce(col(AnnotationRow.prediction_id), 0) == (task.prediction_id or 0),
        )
        conditions.append(~same)
    return conditions


def _with_text(session: Session, of: SubmissionFilter, text: str, says: Says) -> list[int]:
    """Return the ids of submissions whose item has the text, after checking the content of each candidate."""
    wanted = (
        plain_select(
            col(AnnotationRow.id),
            col(AnnotationRow.stage),
            col(RevisionRow.item_id),
            col(RevisionRow.content),
            col(RevisionRow.schema_version_id),
        )
        .join(
            RevisionRow,
            and_(
                col(RevisionRow.item_id) == col(AnnotationRow.item_id),
                col(RevisionRow.number) == col(AnnotationRow.revision),
            ),
        )
        .where(*_conditions(session, of))
        .order_by(col(AnnotationRow.id).desc())
    )
    part = likely_part(text)
    if part and not reworded.differs(session, project_id=of.project_id):
        wanted = wanted.where(cast(col(RevisionRow.content), Text).ilike(part, escape="!"))
    ids = []
    for id, stage, item_id, given, version in session.execute(wanted.execution_options(yield_per=_AT_ONCE)):
        about = {"item_id": item_id, "project_id": of.project_id}
        if says(stage, reworded.content(session, version=version, given=given, **about)):
            ids.append(id)
    return ids

"""Queries on qualification: the sets, the attempts and the reviews by seniors."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import and_, bindparam
from sqlmodel import Session, col, select

from db import reworded
from db.many_rows import insert_or_ignore
from db.records import (
    StoredAnnotation,
    StoredPerson,
    StoredQualification,
    StoredQualificationReview,
    StoredQualificationSet,
)
from db.tables import (
    AnnotationRow,
    InsightRow,
    PersonRow,
    QualificationReviewRow,
    QualificationRow,
    QualificationSetRow,
    TaskRow,
)
from domain.states import Purpose, Stage


def add_try(
    session: Session,
    *,
    project_id: int,
    stage: Stage,
    person_id: int,
    now: datetime,
    set_id: int | None = None,
    exempt_by_id: int | None = None,
    why: str = "",
) -> StoredQualification:
    """Add a person's next attempt at a set, or their exemption if there is no set.

    Raise ``IntegrityError`` if the person starts the same attempt elsewhere at the same moment.
    """
    before = tries_of(session, project_id=project_id, stage=stage, person_id=person_id)
    row = QualificationRow(
        project_id=project_id,
        stage=stage.value,
        set_id=set_id,
        person_id=person_id,
        number=len(before) + 1,
        exempt_by_id=exempt_by_id,
        why=why,
        created_at=now,
    )
    session.add(row)
    session.flush()
    return row


def note_insights(session: Session, *, item_ids: Sequence[int], person_id: int, now: datetime) -> None:
    """Record that a person knows the keys of these items."""
    rows = [{"item_id": item_id, "person_id": person_id, "created_at": now} for item_id in item_ids]
    insert_or_ignore(session, InsightRow, rows)


def sets(session: Session, *, project_id: int, stage: Stage) -> list[StoredQualificationSet]:
    """Return the sets of a stage, newest last."""
    return list(session.exec(_sets(), params={"project": project_id, "stage": stage.value}))


@cache
def _sets() -> Any:
    mine = and_(
        col(QualificationSetRow.project_id) == bindparam("project"),
        col(QualificationSetRow.stage) == bindparam("stage"),
    )
    return select(QualificationSetRow).where(mine).order_by(col(QualificationSetRow.number))


def set_by_id(session: Session, *, id: int) -> StoredQualificationSet:
    """Return a set, which must exist."""
    return session.exec(select(QualificationSetRow).where(QualificationSetRow.id == id)).one()


def tries_of(session: Session, *, project_id: int, stage: Stage, person_id: int) -> list[StoredQualification]:
    """Return the attempts and exemptions of a person for a stage, newest last."""
    given = {"project": project_id, "stage": stage.value, "person": person_id}
    return list(session.exec(_tries_of(), params=given))


@cache
def _tries_of() -> Any:
    return (
        select(QualificationRow)
        .where(
            col(QualificationRow.project_id) == bindparam("project"),
            col(QualificationRow.stage) == bindparam("stage"),
            col(QualificationRow.person_id) == bindparam("person"),
        )
        .order_by(col(QualificationRow.number))
    )


def outcomes(
    session: Session, *, project_id: int, stage: Stage, person_id: int
) -> list[tuple[int | None, str | None, int | None]]:
    """Return a person's attempts after each review, oldest first: set, state, number of right answers.

    An exemption has no set. The function runs before all live work, so it is one statement.
    """
    given = {"project": project_id, "stage": stage.value, "person": person_id}
    return [(set_id, state, right) for set_id, state, right in session.exec(_outcomes(), params=given)]


@cache
def _outcomes() -> Any:
    review = and_(col(QualificationReviewRow.qualification_id) == col(QualificationRow.id))
    return (
        select(QualificationRow.set_id, QualificationReviewRow.state, QualificationReviewRow.n_right)
        .join(QualificationReviewRow, review, isouter=True)
        .where(
            col(QualificationRow.project_id) == bindparam("project"),
            col(QualificationRow.stage) == bindparam("stage"),
            col(QualificationRow.person_id) == bindparam("person"),
        )
        .order_by(col(QualificationRow.number), col(QualificationReviewRow.id))
    )


def tries(session: Session, *, project_id: int, stage: Stage) -> list[tuple[StoredQualification, StoredPerson]]:
    """Return all attempts and exemptions for a stage with their people, by login, newest last."""
    wanted = (
        select(QualificationRow, PersonRow)
        .join(PersonRow, col(PersonRow.id) == QualificationRow.person_id)
        .where(QualificationRow.project_id == project_id, QualificationRow.stage == stage.value)
        .order_by(col(PersonRow.login), col(QualificationRow.number))
    )
    return [(row, person) for row, person in session.exec(wanted)]


def reviews(session: Session, *, qualification_id: int) -> list[tuple[StoredQualificationReview, StoredPerson]]:
    """Return the reviews of an attempt, oldest first."""
    wanted = (
        select(QualificationReviewRow, PersonRow)
        .join(PersonRow, col(PersonRow.id) == QualificationReviewRow.person_id)
        .where(QualificationReviewRow.qualification_id == qualification_id)
        .order_by(col(QualificationReviewRow.id))
    )
    return [(row, person) for row, person in session.exec(wanted)]


def answers(session: Session, *, qualification_id: int, until: datetime | None = None) -> dict[int, StoredAnnotation]:
    """Return the answers that count in an attempt, or that counted at a moment, by item id.

    Where models' answers are graded, the key is the prediction's id.
    """
    in_set = (
        select(QualificationSetRow.item_ids, QualificationSetRow.prediction_ids)
        .join(QualificationRow, col(QualificationRow.set_id) == QualificationSetRow.id)
        .where(QualificationRow.id == qualification_id)
    )
    of_items, of_predictions = session.exec(in_set).first() or ((), None)
    units = [f"{Purpose.QUALIFICATION.value}/{qualification_id}/{id}" for id in of_predictions or of_items]
    wanted = (
        select(AnnotationRow)
        .join(TaskRow, col(TaskRow.id) == AnnotationRow.task_id)
        .where(
            col(TaskRow.unit).in_(units),
            col(AnnotationRow.purpose) == Purpose.QUALIFICATION,
        )
        .order_by(col(AnnotationRow.id))
    )
    if until is not None:
        wanted = wanted.where(col(AnnotationRow.created_at) <= until)
    return {row.prediction_id or row.item_id: row for row in reworded.query(session, wanted)}

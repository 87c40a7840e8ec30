"""Queries that look for what should be impossible."""

from __future__ import annotations

from sqlalchemy import exists, func
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db.tables import AnnotationRow, ItemRow, RevisionRow, TaskRow
from domain.states import Stage, TaskState


def slots(session: Session, *, item_id: int, revision: int) -> int:
    """How many slots for votes a revision has that are still wanted."""
    wanted = select(func.count()).where(
        TaskRow.item_id == item_id,
        TaskRow.stage == Stage.VERIFICATION,
        TaskRow.revision == revision,
        TaskRow.state != TaskState.WITHDRAWN,
    )
    return session.exec(wanted).one()


def overfilled(session: Session, *, project_id: int, stage: Stage, raters: int) -> list[tuple[str, int]]:
    """Units with more submissions that count than the schema asks for."""
    newer = aliased(AnnotationRow)
    wanted = (
        select(TaskRow.unit, func.count())
        .join(AnnotationRow, col(AnnotationRow.task_id) == TaskRow.id)
        .where(
            TaskRow.project_id == project_id,
            TaskRow.stage == stage,
            ~exists().where(col(newer.supersedes_id) == col(AnnotationRow.id)),
        )
        .group_by(col(TaskRow.unit))
        .having(func.count() > raters)
    )
    return [(unit, n) for unit, n in session.exec(wanted)]


def own_votes(session: Session, *, project_id: int) -> list[str]:
    """External ids of items that somebody verified who wrote or edited them."""
    wanted = (
        select(ItemRow.external_id)
        .join(AnnotationRow, col(AnnotationRow.item_id) == ItemRow.id)
        .join(RevisionRow, col(RevisionRow.item_id) == ItemRow.id)
        .where(
            ItemRow.project_id == project_id,
            AnnotationRow.stage == Stage.VERIFICATION,
            RevisionRow.number <= AnnotationRow.revision,
            (col(RevisionRow.editor_id) == AnnotationRow.person_id)
            | (col(ItemRow.author_id) == AnnotationRow.person_id),
        )
        .distinct()
    )
    return list(session.exec(wanted))


def done_without_annotation(session: Session, *, project_id: int) -> list[str]:
    """Slots that are done without a submission of the person who did them."""
    wanted = select(TaskRow.public_id).where(
        TaskRow.project_id == project_id,
        TaskRow.state == TaskState.DONE,
        ~exists().where(
            col(AnnotationRow.task_id) == col(TaskRow.id), col(AnnotationRow.person_id) == col(TaskRow.person_id)
        ),
    )
    return list(session.exec(wanted))


def annotated_but_open(session: Session, *, project_id: int) -> list[str]:
    """Slots that are offered although something was submitted for them."""
    wanted = select(TaskRow.public_id).where(
        TaskRow.project_id == project_id,
        TaskRow.state != TaskState.DONE,
        exists().where(col(AnnotationRow.task_id) == col(TaskRow.id)),
    )
    return list(session.exec(wanted))

"""Queries on the submissions under each version of a guideline, and on the reasons that a version answers."""

from __future__ import annotations

from sqlalchemy import exists, func
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db.tables import AnnotationRow, ReasonAnswerRow
from domain.states import Purpose, Stage

_NEWER = aliased(AnnotationRow)
"""An annotation that supersedes another."""


def count_submissions(session: Session, *, project_id: int) -> dict[tuple[str, Stage], int]:
    """Count the submissions that count, by the guideline's hash and stage."""
    wanted = (
        select(AnnotationRow.guideline_hash, AnnotationRow.stage, func.count())
        .where(
            AnnotationRow.project_id == project_id,
            AnnotationRow.purpose == Purpose.LIVE,
            ~exists().where(col(_NEWER.supersedes_id) == col(AnnotationRow.id)),
        )
        .group_by(col(AnnotationRow.guideline_hash), col(AnnotationRow.stage))
    )
    return {(hash, Stage(stage)): n for hash, stage, n in session.exec(wanted)}


def count_answers(session: Session, *, project_id: int) -> dict[int, int]:
    """Count the decisions that each guideline version answers, by version id."""
    wanted = (
        select(ReasonAnswerRow.guideline_version_id, func.count())
        .join(AnnotationRow, col(AnnotationRow.id) == ReasonAnswerRow.annotation_id)
        .where(AnnotationRow.project_id == project_id, AnnotationRow.stage == Stage.ADJUDICATION)
        .group_by(col(ReasonAnswerRow.guideline_version_id))
    )
    return dict(session.exec(wanted).all())

"""Queries on qualification sets, and on attempts and their reviews."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlmodel import Session, col, select

from db import reworded
from db.qualifications import sets
from db.records import StoredAnnotation, StoredQualification, StoredQualificationReview, StoredQualificationSet
from db.tables import AnnotationRow, QualificationReviewRow, QualificationRow, QualificationSetRow
from domain.qualification import Standing
from domain.runs import chunked
from domain.states import Stage


def by_public_id(session: Session, *, public_id: str, hold: bool = False) -> StoredQualification | None:
    """Return an attempt by its public id."""
    wanted = select(QualificationRow).where(QualificationRow.public_id == public_id)
    return session.exec(wanted.with_for_update(key_share=True) if hold else wanted).first()


def by_ids(session: Session, *, ids: Sequence[int]) -> list[StoredAnnotation]:
    """Return answers by their ids, oldest first."""
    stored_annotations: list[StoredAnnotation] = []
    for lot in chunked(ids):
        wanted = select(AnnotationRow).where(col(AnnotationRow.id).in_(lot))
        stored_annotations += reworded.query(session, wanted)
    return sorted(stored_annotations, key=lambda row: row.id)


def make_set(
    session: Session,
    *,
    project_id: int,
    stage: Stage,
    item_ids: Sequence[int],
    prediction_ids: Sequence[int] | None,
    requalify: bool,
    guideline_hash: str,
    seed: int,
    wanted: int | None,
    by_id: int | None,
    now: datetime,
) -> StoredQualificationSet:
    """Add the next set of a stage."""
    row = QualificationSetRow(
        project_id=project_id,
        stage=stage.value,
        number=len(sets(session, project_id=project_id, stage=stage)) + 1,
        item_ids=list(item_ids),
        prediction_ids=None if prediction_ids is None else list(prediction_ids),
        requalify=requalify,
        guideline_hash=guideline_hash,
        seed=seed,
        wanted=wanted,
        made_by_id=by_id,
        created_at=now,
    )
    session.add(row)
    session.flush()
    return row


def add_review(
    session: Session,
    *,
    qualification_id: int,
    person_id: int,
    signs: bool,
    comments: Mapping[str, str],
    state: Standing,
    n_right: int,
    reference_ids: Sequence[int],
    now: datetime,
) -> StoredQualificationReview:
    """Store a senior's review of an attempt, and the state of the attempt after the review."""
    row = QualificationReviewRow(
        qualification_id=qualification_id,
        person_id=person_id,
        signs=signs,
        comments=dict(comments),
        state=state.value,
        n_right=n_right,
        reference_ids=list(reference_ids),
        created_at=now,
    )
    session.add(row)
    session.flush()
    return row

"""Queries on qualification sets and attempts by their ids."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session, col, select

from db import reworded
from db.records import StoredAnnotation, StoredQualification
from db.tables import AnnotationRow, QualificationRow
from domain.runs import chunked


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

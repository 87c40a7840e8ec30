"""Queries on the submissions that are written to a file for the other tool."""

from __future__ import annotations

from sqlmodel import Session, col, select

from db import reworded
from db.files import counting
from db.records import StoredAnnotation, StoredPerson
from db.tables import AnnotationRow, PersonRow
from domain.states import Stage


def counting_annotations(
    session: Session, *, project_id: int, stage: Stage
) -> list[tuple[StoredAnnotation, StoredPerson]]:
    """Return a stage's submissions that count, with their authors. Superseded submissions are left out."""
    wanted = counting(select(AnnotationRow, PersonRow), project_id=project_id, stage=stage)
    return reworded.query(session, wanted.order_by(col(AnnotationRow.id)))

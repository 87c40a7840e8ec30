"""Queries that a trial project makes."""

from __future__ import annotations

from sqlmodel import Session, select

from db.tables import AnnotationRow


def any_in(session: Session, *, project_id: int) -> bool:
    """Tell whether anyone has submitted anything in a project."""
    wanted = select(AnnotationRow.id).where(AnnotationRow.project_id == project_id).limit(1)
    return session.exec(wanted).first() is not None

"""Queries on where an item came from, and what people said about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import exists
from sqlmodel import Session, col, select

from db import reworded
from db.records import StoredAnnotation, StoredCandidate, StoredEvent, StoredPerson
from db.tables import AnnotationRow, CandidateRow, EventRow, PersonRow, PredictionRow, TriageDecisionRow


def of_asset(session: Session, *, asset_id: int) -> tuple[StoredCandidate, StoredPerson | None] | None:
    """Return an asset's triage record and the person whose decision counts. None: the asset was never in triage."""
    wanted = (
        select(CandidateRow, PersonRow)
        .join(TriageDecisionRow, col(TriageDecisionRow.id) == CandidateRow.decision_id, isouter=True)
        .join(PersonRow, col(PersonRow.id) == TriageDecisionRow.person_id, isouter=True)
        .where(CandidateRow.asset_id == asset_id)
    )
    return session.exec(wanted).first()


def submissions(session: Session, *, item_id: int) -> list[tuple[StoredAnnotation, StoredPerson, str | None]]:
    """Return all submissions about an item, oldest first, with the person and the model concerned."""
    wanted = (
        select(AnnotationRow, PersonRow, PredictionRow.model)
        .join(PersonRow, col(PersonRow.id) == AnnotationRow.person_id)
        .join(PredictionRow, col(PredictionRow.id) == AnnotationRow.prediction_id, isouter=True)
        .where(AnnotationRow.item_id == item_id)
        .order_by(col(AnnotationRow.id))
    )
    return reworded.query(session, wanted)


def events(session: Session, *, item_id: int) -> list[tuple[StoredEvent, StoredPerson | None]]:
    """Return the events of an item, oldest first, with the person who caused each."""
    wanted = (
        select(EventRow, PersonRow)
        .join(PersonRow, col(PersonRow.id) == EventRow.person_id, isouter=True)
        .where(EventRow.item_id == item_id)
        .order_by(col(EventRow.id))
    )
    return [(event, person) for event, person in session.exec(wanted)]


def logins(session: Session, *, ids: Iterable[int]) -> dict[int, str]:
    """Return the logins of people, by id."""
    wanted = select(PersonRow.id, PersonRow.login).where(col(PersonRow.id).in_(sorted(set(ids))))
    return {id: login for id, login in session.exec(wanted)}


def of_kind_since(
    session: Session, *, project_id: int, kind: str, since: datetime, limit: int
) -> Sequence[StoredEvent]:
    """Return the first events of a kind since a moment."""
    wanted = select(EventRow).where(EventRow.project_id == project_id, EventRow.kind == kind, EventRow.at >= since)
    return session.exec(wanted.order_by(col(EventRow.id)).limit(limit)).all()


def people(session: Session, *, project_id: int) -> list[str]:
    """Return the logins of everyone who has caused an event in a project."""
    theirs = exists().where(col(EventRow.person_id) == col(PersonRow.id), col(EventRow.project_id) == project_id)
    return list(session.exec(select(PersonRow.login).where(theirs).order_by(col(PersonRow.login))))

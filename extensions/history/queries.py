"""Queries on where an item came from, and what people said about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import exists, or_
from sqlmodel import Session, col, select

from db import reworded
from db.records import StoredAnnotation, StoredCandidate, StoredEvent, StoredPerson
from db.tables import AnnotationRow, CandidateRow, EventRow, PersonRow, PredictionRow, TaskRow, TriageDecisionRow
from domain.states import BLIND, Purpose, Stage, TaskState


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


def asked_blind(session: Session, *, project_id: int, person_id: int, own: bool) -> set[int]:
    """Return the items that a person may have to be kept blind about.

    The person has or had a slot in a blind stage. Unless ``own``, an open blind slot of anyone is enough.
    """
    mine = col(TaskRow.person_id) == person_id
    waiting = or_(col(TaskRow.state).in_((TaskState.OPEN, TaskState.CLAIMED)), col(TaskRow.correcting))
    wanted = select(TaskRow.item_id).where(
        TaskRow.project_id == project_id, col(TaskRow.stage).in_(BLIND), mine if own else or_(mine, waiting)
    )
    return {id for id in session.exec(wanted.distinct()) if id is not None}


def differing(session: Session, *, project_id: int, stage: Stage) -> Sequence[StoredAnnotation]:
    """Return a stage's submissions that count, by item, to find items on which raters differ."""
    newer = select(AnnotationRow.supersedes_id).where(
        col(AnnotationRow.supersedes_id).is_not(None), AnnotationRow.project_id == project_id
    )
    wanted = select(AnnotationRow).where(
        AnnotationRow.project_id == project_id,
        AnnotationRow.stage == stage,
        AnnotationRow.purpose == Purpose.LIVE,
        col(AnnotationRow.id).not_in(newer),
    )
    return reworded.query(session, wanted.order_by(col(AnnotationRow.item_id)))


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

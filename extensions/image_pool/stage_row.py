"""The record of the stage ``triage``: what waits, and what a person holds and has decided."""

from __future__ import annotations

from datetime import datetime

from db.engine import Session
from domain.language import marked
from domain.records import Person
from domain.states import Stage
from extensions.image_pool import queries
from extensions.image_pool.triage_figures import triage_of, waiting
from workflow.access.projects import Access
from workflow.annotate.stage_kinds import StageKind


def _done_by(session: Session, *, access: Access, person: Person) -> int:
    return queries.decided_by(session, project_id=access.project_id, person_id=person.id)


def _has_in_hand(session: Session, *, access: Access, person: Person, now: datetime) -> bool:
    about = {"project_id": access.project_id, "person_id": person.id}
    return bool(queries.in_hand(session, **about, now=now, per_source=triage_of(access).per_source))


ROW = StageKind(
    Stage.TRIAGE,
    nothing_yet=marked("No frames are waiting for triage."),
    waiting=waiting,
    done_by=_done_by,
    has_in_hand=_has_in_hand,
)

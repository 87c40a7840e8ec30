"""Runs' answers on their way to the people who grade them: all of them, or a planned sample."""

from __future__ import annotations

from time import sleep

from annotation_schemas import registry
from db import projects, runs
from db.engine import Session, Store
from db.records import StoredRun
from domain.errors import Conflict
from domain.records import Person
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead
from workflow.annotate import grading
from workflow.runs.run_control import _held
from workflow.runs.stored_runs import refuse_withdrawn, run_and_access


def send_to_grading(store: Store, *, by: Person | None, run: str) -> int:
    """Let people grade a run's answers; the number of new slots. Sending twice sends once.

    Many answers are sent a lot at a time, so that no one who submits meanwhile has to wait for all of them. Anyone who
    ends it on the way sends the rest by sending again.

    Raises ``Conflict`` where the project's schema has no grading.
    """
    with store.write() as session:
        row, _ = _gradable(session, by, run)
        found = runs.to_grade(session, run_id=row.id)
    n = 0
    for begin in range(0, len(found), SENT_AT_ONCE):
        with store.write() as session:
            _, access = _gradable(session, by, run)
            lot = found[begin : begin + SENT_AT_ONCE]
            n += grading.pass_on(session, access=access, predictions=lot, now=store.now())
        if len(found) > SENT_AT_ONCE:
            sleep(BETWEEN_LOTS_SECONDS)
    with store.write() as session:
        row, access = _gradable(session, by, run)
        n += grading.draw(session, access=access, now=store.now())
        if n:
            data = {"answers": len(found), "slots": n}
            log(session, "run.sent_to_grading", by=by, run=row, now=store.now(), data=data)
    return n


SENT_AT_ONCE = 1_000
"""So many answers are passed on to people in one transaction: with three graders about half a second."""
BETWEEN_LOTS_SECONDS = 0.05
"""So long anyone who waits to write has the way free between two of them."""


def _gradable(session: Session, by: Person | None, run: str) -> tuple[StoredRun, Access]:
    """A run whose answers people may grade, held until the transaction ends."""
    row = _held(session, by, run)
    refuse_withdrawn(row, "before people grade it")
    access = require_lead(session, by=by, project=runs.project_of(session, public_id=run) or "")
    if access.schema.stages.grading is None:
        raise Conflict(f"The schema {access.schema.name} has no grading by people, so answers cannot be sent there.")
    registry.require_available(access.schema, "grading")
    return row, access


def slots_of(store: Store, *, by: Person | None, run: str) -> dict[str, int]:
    """How many slots ``send_to_grading`` would open now, by dimension; empty where no one grades."""
    with store.read() as session:
        row, access = run_and_access(session, by, run)
        return grading.slots_by_dimension(session, access=access, predictions=runs.to_grade(session, run_id=row.id))


def sample_of(store: Store, *, by: Person | None, project: str) -> grading.Sample | None:
    """How far people's grading of a project's answers is, for its leads; None where no one grades."""
    with store.read() as session:
        return grading.sample_of(session, access=require_lead(session, by=by, project=project))


def draw_sample(store: Store, *, by: Person | None, project: str, outputs: int | None = None) -> int:
    """Open what the planned sample of answers lacks, or of a larger one; the number of new slots. For leads.

    Raises
    ------
    Conflict
        The schema has no grading, lets people grade all answers anyway, or ``outputs`` is less than is planned.
    """
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        stage = access.schema.stages.grading
        if stage is None:
            raise Conflict(f"The schema {access.schema.name} has no grading by people, so there is no sample.")
        registry.require_available(access.schema, "grading")
        projects.lock(session, id=access.project_id)
        now = store.now()
        if outputs is not None:
            before = grading.planned(session, access=access)
            if before is None:
                raise Conflict(f"In the schema {access.schema.name} people grade all answers: there is no sample.")
            if outputs < before:
                raise Conflict(f"{before:,} answers are planned already, and a sample never becomes smaller.")
            if outputs > before:
                data = {"outputs": outputs, "before": before}
                log(session, grading.EXTENDED, by=by, project=access, now=now, data=data)
        return grading.draw(session, access=access, now=now)

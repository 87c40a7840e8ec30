"""Runs' answers on their way to the people who grade them: all of them, or a planned sample."""

from __future__ import annotations

from time import sleep

from annotation_schemas import registry
from db import projects, runs
from db.engine import Session, Store
from db.records import StoredRun
from domain.english import with_noun
from domain.errors import ConflictError, NotFoundError
from domain.records import Person
from domain.run_kinds import RunKind
from workflow.access.event_log import log
from workflow.access.projects import Access, require_lead
from workflow.annotate import grading, grading_sample, sample_standing
from workflow.annotate.sample_standing import SampleProgress
from workflow.runs import run_views
from workflow.runs.stored_runs import refuse_withdrawn, run_and_access


def send_to_grading(store: Store, *, by: Person | None, run: str) -> int:
    """Open slots for people to grade a run's answers, and return their number. Repeated calls open each slot once.

    Answers are sent in lots, so that people who submit do not wait for all of them. If sending is interrupted, another
    call sends the rest. Raises ``ConflictError`` if the project's schema has no grading.
    """
    with store.write() as session:
        row, _ = _gradable(session, by, run)
        answers = runs.to_grade(session, run_id=row.id)
    n = 0
    for begin in range(0, len(answers), SENT_AT_ONCE):
        with store.write() as session:
            _, access = _gradable(session, by, run)
            lot = answers[begin : begin + SENT_AT_ONCE]
            n += grading.pass_on(session, access=access, predictions=lot, now=store.now())
        if len(answers) > SENT_AT_ONCE:
            sleep(BETWEEN_LOTS_SECONDS)
    with store.write() as session:
        row, access = _gradable(session, by, run)
        n += grading.draw(session, access=access, now=store.now())
        if n:
            data = {"answers": len(answers), "slots": n}
            log(session, "run.sent_to_grading", by=by, run=row, now=store.now(), data=data)
    return n


def send_imports(store: Store, *, by: Person | None, project: str) -> int:
    """Open slots for people to grade all imported answers, and return their number. For leads who want every model
    graded.
    """
    ids = [run.id for run in run_views.runs_of(store, by=by, project=project, kind=RunKind.IMPORT)]
    return sum(send_to_grading(store, by=by, run=id) for id in reversed(ids))


SENT_AT_ONCE = 1_000
"""The number of answers in one transaction: about half a second with three graders."""
BETWEEN_LOTS_SECONDS = 0.05
"""So long anyone who waits to write has the way free between two of them."""


def _gradable(session: Session, by: Person | None, run: str) -> tuple[StoredRun, Access]:
    """Return a run whose answers people may grade, locked until the transaction ends."""
    run_and_access(session, by, run)
    row = runs.by_public_id(session, public_id=run, hold=True)
    if row is None:
        raise NotFoundError(f"There is no run {run!r}. To see all runs, run `touchstone run list PROJECT`.")
    refuse_withdrawn(row, "before people grade its answers")
    if not row.kind.answers:
        raise ConflictError(
            f"The run of {row.name} has no answers that count, so people cannot grade the run. Choose another run."
        )
    access = require_lead(session, by=by, project=runs.project_of(session, public_id=run) or "")
    if access.schema.stages.grading is None:
        raise ConflictError(
            f"The schema {access.schema.name} has no grading stage, so you cannot send answers to "
            "grading. Add a grading stage to the schema first."
        )
    registry.require_available(access.schema, "grading")
    return row, access


def slots_of(store: Store, *, by: Person | None, run: str) -> dict[str, int]:
    """Return the number of slots that ``send_to_grading`` would open now, by dimension; empty without grading."""
    with store.read() as session:
        row, access = run_and_access(session, by, run)
        return grading.slots_by_dimension(session, access=access, predictions=runs.to_grade(session, run_id=row.id))


def sample_of(store: Store, *, by: Person | None, project: str) -> grading.Sample | SampleProgress | None:
    """Return the progress of people's grading, for leads; None without grading."""
    with store.read() as session:
        return grading.sample_of(session, access=require_lead(session, by=by, project=project))


def planned_sample(
    store: Store, *, by: Person | None, project: str, outputs: int | None = None
) -> SampleProgress | None:
    """Return the sample that a project's schema plans, with its cost and progress, for leads; None without a plan.

    ``outputs`` previews another number of answers, without any change. Raises ``ConflictError`` if that number cannot
    be drawn, as ``draw_sample`` does.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        if grading_sample.plan_of(access) is None:
            return None
        if outputs is not None:
            _refuse_outputs(session, access, outputs)
        return sample_standing.standing(session, access=access, outputs=outputs)


def draw_sample(store: Store, *, by: Person | None, project: str, outputs: int | None = None) -> int:
    """Open the missing slots of the planned sample, or of a larger one, and return their number. For leads.

    Repeated calls open each slot once. Answers are opened in lots, so that people who submit do not wait for all of
    them. If opening is interrupted, another call opens the rest.

    Raises
    ------
    ConflictError
        The schema has no grading, or lets people grade all answers. Or ``outputs`` is below the planned number, or
        above the number of answers. Or a plan that is opened for the first time selects no answer.
    """
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        if access.schema.stages.grading is None:
            raise ConflictError(
                f"The schema {access.schema.name} has no grading stage, so there is no sample. Add a "
                "grading stage to the schema first."
            )
        registry.require_available(access.schema, "grading")
        projects.lock(session, id=access.project_id)
        now = store.now()
        planned = grading_sample.plan_of(access) is not None
        first = planned and not grading_sample.is_open(session, access=access)
        if first:
            sample_standing.refuse_unknown(sample_standing.standing(session, access=access))
        if outputs is not None:
            before = _refuse_outputs(session, access, outputs)
            if outputs > before:
                data = {"outputs": outputs, "before": before}
                log(session, grading_sample.EXTENDED, by=by, project=access, now=now, data=data)
        if first:
            standing = sample_standing.standing(session, access=access)
            data = {"answers": standing.drawn, "slots": standing.slots, "seed": standing.seed}
            log(session, grading_sample.OPENED, by=by, project=access, now=now, data=data)
        opened = n = grading.draw(session, access=access, now=now, most=SENT_AT_ONCE)
    while n >= SENT_AT_ONCE:  # there may be more answers; each has a slot at least
        sleep(BETWEEN_LOTS_SECONDS)
        with store.write() as session:
            access = require_lead(session, by=by, project=project)
            n = grading.draw(session, access=access, now=store.now(), most=SENT_AT_ONCE)
        opened += n
    return opened


def _refuse_outputs(session: Session, access: Access, outputs: int) -> int:
    """Return the number of answers planned before. Raises ``ConflictError`` if ``outputs`` answers cannot be graded."""
    before = grading_sample.planned(session, access=access)
    if before is None:
        if grading_sample.plan_of(access) is not None:
            raise ConflictError(
                f"The schema {access.schema.name} already plans all answers, so the sample cannot grow."
            )
        raise ConflictError(f"In the schema {access.schema.name}, people grade all answers, so there is no sample.")
    if outputs < before:
        raise ConflictError(
            f"{with_noun(before, 'answer is', 'answers are')} already planned. A sample cannot become "
            "smaller. Enter a larger number."
        )
    if outputs > before and grading_sample.plan_of(access) is not None:
        there = sample_standing.standing(session, access=access).passed_on
        if outputs > there:
            raise ConflictError(
                f"The plan can draw at most {with_noun(there, 'answer')}, not {outputs:,}. Enter a smaller number."
            )
    return before

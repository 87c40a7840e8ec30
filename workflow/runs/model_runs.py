"""Runs of models over a project's items: starting, watching, pausing, resuming, ending them, and passing answers on.

Nothing here loads a model. A run is rows: chunks of items in the project's own shuffled order, which workers
(``workflow.runs.worker``) take one after the other, and every attempt at asking.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from time import sleep
from typing import Any

from annotation_schemas import registry
from annotation_schemas.model import Schema
from db import batches, events, projects, run_attempts, run_chunks, runs, task_slots, withdrawn_runs
from db.engine import Session, Store
from db.records import StoredRun, StoredRunWorker
from domain.batches import OUT
from domain.errors import Conflict, InvalidInput, ModelRefused, NotFound, Problem
from domain.judging import JudgePlan
from domain.records import Person
from domain.runs import ANSWERS, OPEN, RESUMABLE, Attempt, Outcome, RunKind, RunPlan, RunState, chunked
from domain.settings import Settings
from domain.states import ItemState
from inference.endpoint import answerer as endpoints
from inference.spec import ModelSpec
from workflow.access.counted_items import Counting, counting
from workflow.access.projects import Access, access_to, require_lead
from workflow.annotate import grading
from workflow.annotate.refinement_intake import follow_run
from workflow.runs import identities
from workflow.runs.worker_registry import is_there

SHOWN = 10
"""So many of the newest answers and failures a run's view has."""

_PACE = timedelta(minutes=10)
"""The rate of a run is that of its last minutes."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class AttemptView:
    """Asking once about an item, as leads see it."""

    id: int
    """Grows; ``attempts_of`` takes it as ``before``."""
    item: str
    """External id."""
    item_id: int
    dimension: str
    at: datetime
    attempt: Attempt


@dataclass(frozen=True)
class FailureView:
    """Items that were asked to the end without an answer, all for the same reason."""

    outcome: Outcome
    reason: str
    """What went wrong, as a sentence."""
    items: int
    item: str
    """One of them, by its external id."""


@dataclass(frozen=True)
class AnswerView:
    """An answer that a run has brought."""

    item: str
    """External id."""
    dimension: str
    text: str
    at: datetime


@dataclass(frozen=True)
class WorkerView:
    """A worker that takes part in a run, or has."""

    name: str
    about: Mapping[str, Any]
    """Versions of libraries, device, dtype, batch size; what a probe of the endpoint found."""
    started_at: datetime
    seen_at: datetime
    there: bool
    """It was heard of within the last minute, has not left, and its process was not seen to be gone."""


@dataclass(frozen=True)
class RunView:
    """Where a run stands."""

    id: str
    """Public."""
    project: str
    name: str
    """Of the model, as tables show it."""
    kind: RunKind
    state: RunState
    said: str
    """Why it stopped, as a sentence."""
    wanted: int
    """How many items it is about."""
    done: int
    """How many of them were asked to the end, whatever came of it."""
    answered: int
    """How many units have an answer, of a judge a reply."""
    by_outcome: Mapping[Outcome, int]
    """Items by what became of their last attempt; they add up to ``done``. One that waits to be asked again is not
    among them, as it is still to be done."""
    rate: float | None
    """Items a second, lately; None while nobody works on it."""
    remaining: float | None
    """Seconds until it is done at that rate."""
    attempts: int
    tokens_in: int | None
    tokens_out: int | None
    cost: float | None
    """Of the attempts whose cost is known; ``without_cost`` are not among them."""
    without_cost: int
    currency: str | None
    in_grading: int
    """How many of its answers people have been given to grade."""
    spec: Mapping[str, Any]
    """The model's description as it was when the run was started."""
    plan: RunPlan | JudgePlan
    hash: str
    """SHA-256 of the model's description and the plan."""
    identity: str
    """The same for all runs of the same model or judge; empty for answers out of files."""
    withdrawn: str
    """Why it counts nowhere; empty: it counts."""
    differs: str
    """Where another one of its label is there: what makes this one differ from the first of them."""
    by: str | None
    """The login of whoever started it; None: the command on the machine itself."""
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    workers: tuple[WorkerView, ...] = ()
    last: tuple[AnswerView, ...] = ()
    """The newest answers, the newest first."""
    failures: tuple[AttemptView, ...] = ()
    """Items whose last attempt brought no answer, the newest first."""

    @property
    def failed(self) -> int:
        """How many items were asked to the end without an answer."""
        return sum(n for outcome, n in self.by_outcome.items() if outcome not in ANSWERS)

    @property
    def left(self) -> int:
        """How many items are still to be asked."""
        return max(self.wanted - self.done, 0)

    @property
    def worked_on(self) -> bool:
        """Whether a worker is there."""
        return any(worker.there for worker in self.workers)


# ---- starting -------------------------------------------------------------------------------------------------------


def start(
    store: Store,
    *,
    by: Person | None,
    project: str,
    spec: ModelSpec,
    plan: RunPlan,
    settings: Settings | None = None,
) -> str:
    """Write down a run, so that workers can take it; its public id.

    Parameters
    ----------
    by
        None is the command on the machine itself.
    settings
        With them a waiting worker is woken at once; without, it finds the run by itself a few seconds later.

    Raises
    ------
    NotAvailable
        The strategy, the prompt set or the score is not built.
    ModelRefused
        The model's answers come as a file.
    InvalidInput
        Nothing is to be asked.
    """
    check_plan(spec, plan)
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        counted = counted_in(session, access, plan)
        if counted is not None and counted.verdicts:
            plan = replace(plan, items=counted.which.value)
        wanted = wanted_items(session, access, plan)
        spec = as_schema_says(access.schema, spec)
        row = write_down(
            session,
            store,
            access,
            by=by,
            kind=RunKind.MODEL,
            label=label_of(spec, plan),
            spec=at_home(spec, settings, by=by),
            plan=plan,
            n_units=len(wanted),
        )
        add_chunks(session, row, wanted)
    if not plan.batch:
        wake(settings, row.public_id)
    return row.public_id


def as_schema_says(schema: Schema, spec: ModelSpec) -> ModelSpec:
    """The description with the temperature and longest answer of the schema's models, where it says none itself."""
    models = schema.models
    if models is None:
        return spec
    return spec.with_defaults(temperature=models.temperature, max_tokens=models.max_tokens)


def write_down(
    session: Session,
    store: Store,
    access: Access,
    *,
    by: Person | None,
    kind: RunKind,
    label: str,
    spec: ModelSpec,
    plan: RunPlan | JudgePlan,
    n_units: int,
) -> StoredRun:
    """A new run without its chunks. It goes by the name of whoever it asks, which runs of the same model or judge share
    (``workflow.runs.identities``), and nobody else has.

    Raises ``ModelRefused`` for an endpoint that no worker would ask, so that no password out of a URL is kept.
    """
    endpoints.check(spec)
    folder = folder_hash(spec)
    parts = identities.parts_of(kind, spec.dump(), plan, folder=folder)
    there = runs.of_project(session, project_id=access.project_id, kind=kind)
    known = identities.name_of(there, kind=kind, label=label, parts=parts)
    row = runs.add(
        session,
        project_id=access.project_id,
        kind=kind,
        name=known or free_name(session, access, label),
        params={
            "spec": spec.dump(),
            "plan": plan.dump(),
            "folder": folder,
            "schema": {"name": access.schema.name, "version": access.schema.version, "hash": access.loaded.hash},
        },
        state=RunState.BATCH if plan.batch else RunState.WAITING,
        spec_hash=_hash(spec, plan),
        wanted=n_units,
        by_id=by.id if by else None,
        now=store.now(),
    )
    _record(session, store, row, by, "run.started", wanted=n_units, hash=row.spec_hash)
    return row


def add_chunks(session: Session, row: StoredRun, unit_ids: Sequence[int]) -> None:
    """Cut a run's units into the pieces that workers take."""
    spec, plan = spec_of_run(row), plan_of_run(row)
    clips = isinstance(plan, RunPlan) and bool(plan.clips) and not plan.text_only
    size = _chunk_size(spec, len(unit_ids), clips=clips)
    run_chunks.add_chunks(session, run_id=row.id, chunks=chunked(unit_ids, size))


def check_plan(spec: ModelSpec, plan: RunPlan) -> None:
    """Refuse with a sentence what no worker could do."""
    if spec.adapter == "file":
        raise ModelRefused(
            f"Answers of {spec.name} come as a file; bring them in with `touchstone import` or on the page Import."
        )
    endpoints.check(spec)
    if plan.batch and (spec.endpoint is None or plan.strategy != "generate"):
        raise ModelRefused("Batch files are for endpoints that generate answers, each in one reply.")
    registry.require_row("strategy", plan.strategy)
    if plan.strategy == "rank_options":
        registry.require_row("score", plan.score)
    if registry.find("prompt_set", plan.prompt_set) or not plan.prompt_hash:
        registry.require_row("prompt_set", plan.prompt_set)


def wanted_items(session: Session, access: Access, plan: RunPlan) -> list[int]:
    """The items that a run with this plan is about, in the project's own shuffled order.

    Raises ``InvalidInput`` where there are none.
    """
    known = [dimension.id for dimension in access.schema.dimensions]
    problems = [
        Problem("dimensions", f"The schema has no dimension {unknown!r}; it has {', '.join(known)}.")
        for unknown in plan.dimensions or ()
        if unknown not in known
    ]
    problems += [
        Problem("states", f"There is no state of items {unknown!r}; there are {', '.join(ItemState)}.")
        for unknown in plan.states or ()
        if unknown not in set(ItemState)
    ]
    if plan.limit is not None and plan.limit < 1:
        problems.append(Problem("limit", "A run is about one item at least; give a limit of 1 or more."))
    if problems:
        raise InvalidInput(problems)
    counted = counted_in(session, access, plan)
    found = [
        id
        for id in runs.items_of(session, project_id=access.project_id, dimensions=plan.dimensions, states=plan.states)
        if counted is None or counted.counts(id)
    ]
    if not found:
        chosen = "that you chose" if plan.dimensions is not None or plan.states is not None else ""
        message = f"There is nothing to ask: the project {access.name} has no items {chosen}".rstrip() + "."
        if counted is not None and counted.ids is not None:
            message = f"There is nothing to ask. Items that count: {counted.sentence}"
        raise InvalidInput([Problem("items", message)])
    found.sort(key=lambda id: (task_slots.shuffle_key(seed=access.seed, unit=f"run/item/{id}", slot=0), id))
    return found[: plan.limit]


def counted_in(session: Session, access: Access, plan: RunPlan) -> Counting | None:
    """Which items count in a run; None where its plan names their states itself."""
    if plan.states is not None and plan.items is None:
        return None
    return counting(session, access=access, items_=plan.items)


def label_of(spec: ModelSpec, plan: RunPlan) -> str:
    """What tables call a model that is asked in this way."""
    parts = [spec.name, *(f"+{name}" for name in plan.injections)]
    return " ".join(parts) + (", text only" if plan.text_only else "")


def at_home(spec: ModelSpec, settings: Settings | None, *, by: Person | None = None) -> ModelSpec:
    """The description with the model's folder named in full, so that every worker finds it.

    A lead names folders of models below the operator's; an admin, and the command on the machine itself, any folder.

    Raises
    ------
    ModelRefused
        The folder lies elsewhere.
    """
    if spec.adapter in ("endpoint", "file") or not spec.model:
        return spec
    home = settings.model_folder.resolve() if settings else None
    trusted = by is None or by.is_admin
    given = Path(spec.model).expanduser()
    below = home / spec.model if home else None
    for folder in (given, below) if trusted else (below,):
        if folder is not None and folder.is_dir() and (trusted or _inside(folder, home)):
            return spec.model_copy(update={"model": str(folder.resolve())})
    elsewhere = given.is_absolute() or ".." in given.parts or given.exists() or (below is not None and below.exists())
    if elsewhere and not trusted:
        raise ModelRefused(
            f"A model in a folder of this machine has to lie below {home or 'the folder of models'}, and {spec.model} "
            "does not. Ask whoever runs this server to put it there."
        )
    return spec


def _inside(folder: Path, home: Path | None) -> bool:
    return home is not None and folder.resolve().is_relative_to(home)


def folder_hash(spec: ModelSpec) -> str | None:
    """SHA-256 of a model folder's configurations and of the names and sizes of its other files; None without one."""
    if spec.adapter in ("endpoint", "file") or not spec.model or not Path(spec.model).is_dir():
        return None
    told = []
    for path in sorted(Path(spec.model).iterdir()):
        if not path.is_file() or path.name.startswith("."):
            continue
        if path.suffix in (".json", ".jinja", ".txt", ".py"):
            told.append((path.name, hashlib.sha256(path.read_bytes()).hexdigest()))
        else:
            told.append((path.name, str(path.stat().st_size)))
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def refuse_changed(row: StoredRun) -> None:
    """Refuse to go on with a model whose folder is no longer what it was when the run was started."""
    known = row.params.get("folder")
    if known is None:
        return
    spec = spec_of_run(row)
    now = folder_hash(spec)
    if now is not None and now != known:
        raise ModelRefused(
            f"The model in {spec.model} has changed since this run was started: its answers would not belong to those"
            " that are there. Put the old files back, or start a new run."
        )


def refuse_withdrawn(row: StoredRun, before: str) -> None:
    """Refuse what would count nowhere; ``before`` says what it is to be taken back for."""
    if row.withdrawn_at is not None:
        raise Conflict(f"The run of {row.name} was withdrawn ({row.withdrawn_why}); take it back {before}.")


def spec_of_run(row: StoredRun) -> ModelSpec:
    """The model of a run, as it was when it was started."""
    return ModelSpec.model_validate(row.params["spec"])


def plan_of_run(row: StoredRun) -> RunPlan | JudgePlan:
    """The plan of a run: what kind it has depends on what it is a run of."""
    plan = row.params.get("plan", {})
    return JudgePlan.of(plan) if row.kind is RunKind.JUDGE else RunPlan.of(plan)


def in_batches(row: StoredRun) -> bool:
    """Whether a run's questions are handed in as batch files."""
    return row.kind is not RunKind.IMPORT and plan_of_run(row).batch


def _waits_for_batch(session: Session, row: StoredRun) -> bool:
    return any(each.state in OUT for each in batches.of_run(session, run_id=row.id))


def free_name(session: Session, access: Access, label: str) -> str:
    """The label, with a number behind it where a run or a model of the project is called that already."""
    taken = runs.names(session, project_id=access.project_id)
    number, name = 2, label
    while name in taken:
        number, name = number + 1, f"{label} ({number})"
    return name


def _chunk_size(spec: ModelSpec, wanted: int, *, clips: bool = False) -> int:
    """So that a worker is busy for a while with each, several workers share small runs too, and batches are full.

    A chunk's pictures are made before its first question is asked; ``clips`` has dozens of them for each.
    """
    at_once = spec.endpoint.concurrency if spec.endpoint else spec.batch_size
    most = at_once * (max(2, -(-8 // at_once)) if clips else max(16, -(-64 // at_once)))
    shares = 2 if spec.endpoint else 8  # mostly one worker asks an endpoint, and between two pieces it falls silent
    return max(at_once, min(most, -(-wanted // (shares * at_once)) * at_once))


def _hash(spec: ModelSpec, plan: RunPlan | JudgePlan) -> str:
    text = json.dumps({"spec": spec.dump(), "plan": plan.dump()}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


# ---- pausing, resuming, ending --------------------------------------------------------------------------------------


def pause(store: Store, *, by: Person | None, run: str) -> None:
    """Let workers put a run down: within seconds, and nothing that was answered is lost."""
    with store.write() as session:
        row = _held(session, by, run)
        if row.state is RunState.PAUSED:
            return
        if row.state is RunState.BATCH:
            raise Conflict("This run's questions go in batch files, which no worker is at: there is nothing to pause.")
        if row.state not in OPEN:
            raise Conflict(f"This run is {row.state.value}, so it cannot be paused.")
        runs.pause(session, row=row)
        _record(session, store, row, by, "run.paused")


def resume(store: Store, *, by: Person | None, run: str, settings: Settings | None = None) -> None:
    """Let workers go on with what is left of a run that was paused or has stopped."""
    with store.write() as session:
        row = _held(session, by, run)
        if row.state in OPEN:
            return
        if row.state is RunState.BATCH:
            raise Conflict(f"This run's questions go in batch files: go on with `touchstone run batch submit {run}`.")
        if row.state not in RESUMABLE:
            raise Conflict(f"This run is {row.state.value}, so there is nothing to resume.")
        refuse_withdrawn(row, "before it goes on")
        refuse_changed(row)
        runs.resume(session, row=row, state=RunState.WAITING)
        _record(session, store, row, by, "run.resumed")
    wake(settings, run)


def cancel(store: Store, *, by: Person | None, run: str) -> None:
    """End a run for good. What was answered stays."""
    with store.write() as session:
        row = _held(session, by, run)
        if row.state is RunState.CANCELLED:
            return
        if row.state is RunState.DONE:
            raise Conflict("This run is done, so there is nothing to cancel.")
        runs.cancel(session, row=row, now=store.now())
        _record(session, store, row, by, "run.cancelled")


def retry_failed(store: Store, *, by: Person | None, run: str, settings: Settings | None = None) -> int:
    """Have the items asked again whose last attempt brought no answer; how many there are.

    What they got so far is kept. Nothing is asked again unless somebody says so here.
    """
    with store.write() as session:
        row = _held(session, by, run)
        if row.state in OPEN:
            raise Conflict("This run is being worked on; pause it before you have what failed asked again.")
        if row.state is RunState.BATCH and run_chunks.undone(session, run_id=row.id) and _waits_for_batch(session, row):
            raise Conflict("Batches of this run are still out; fetch them before you have what failed asked again.")
        if row.state is RunState.CANCELLED:
            raise Conflict("This run was cancelled; start a new one.")
        refuse_withdrawn(row, "before what failed is asked again")
        refuse_changed(row)
        run_id = row.id
        failed = run_attempts.failed(session, run_id=run_id)
        waiting = run_attempts.asked_again_ids(session, run_id=run_id)
        again = [id for id in failed if id not in waiting]
        if again:
            add_chunks(session, row, again)
        if again or row.state in RESUMABLE:
            runs.resume(session, row=row, state=RunState.BATCH if in_batches(row) else RunState.WAITING)
            _record(session, store, row, by, "run.resumed", again=len(again))
        awaited = row.state in OPEN
    if awaited:
        wake(settings, run)
    return len(again)


def withdraw(store: Store, *, by: Person | None, run: str, reason: str) -> None:
    """Let a run count nowhere: its answers and ratings stay, and it is listed with the reason. It can be taken back.

    Slots for grading its answers, and for looking at them beside their items, that nobody has done are called off, and
    nobody is asked about gold of its answers.

    Raises
    ------
    InvalidInput
        There is no reason.
    Conflict
        A worker may be at it (pause or cancel it first), or it was withdrawn before.
    """
    if not reason.strip():
        raise InvalidInput([Problem("reason", "Say why the run is withdrawn; the reason stays with it.")])
    with store.write() as session:
        row, access = _any_held(session, by, run)
        if row.withdrawn_at is not None:
            raise Conflict(f"This run was withdrawn before: {row.withdrawn_why}")
        if row.state in OPEN:
            raise Conflict("This run is being worked on; pause or cancel it before you withdraw it.")
        row = runs.withdraw(session, row=row, why=reason.strip(), now=store.now())
        for prediction_id, _, _ in runs.to_grade(session, run_id=row.id):
            task_slots.withdraw(session, unit=task_slots.unit_of_prediction(prediction_id=prediction_id))
        follow_run(session, access=access, run_id=row.id, withdrawn=True, now=store.now())
        grading.draw(session, access=access, now=store.now())
        _record(session, store, row, by, withdrawn_runs.WITHDRAWN, reason=row.withdrawn_why)


def take_back(store: Store, *, by: Person | None, run: str) -> None:
    """Let a run count again that was withdrawn. Raises ``Conflict`` if it was not."""
    with store.write() as session:
        row, access = _any_held(session, by, run)
        if row.withdrawn_at is None:
            raise Conflict("This run was not withdrawn.")
        runs.take_back(session, row=row)
        follow_run(session, access=access, run_id=row.id, withdrawn=False, now=store.now())
        grading.draw(session, access=access, now=store.now())
        _record(session, store, row, by, withdrawn_runs.TAKEN_BACK)


def send_to_grading(store: Store, *, by: Person | None, run: str) -> int:
    """Let people grade a run's answers; the number of new slots. Sending twice sends once.

    Many answers are sent a lot at a time, so that nobody who submits meanwhile has to wait for all of them. Whoever
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
            _record(session, store, row, by, "run.sent_to_grading", answers=len(found), slots=n)
    return n


SENT_AT_ONCE = 1_000
"""So many answers are passed on to people in one transaction: with three graders about half a second."""
BETWEEN_LOTS_SECONDS = 0.05
"""So long whoever waits to write has the way free between two of them."""


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
    """How many slots ``send_to_grading`` would open now, by dimension; empty where nobody grades."""
    with store.read() as session:
        row, access = run_and_access(session, by, run)
        return grading.foreseen(session, access=access, predictions=runs.to_grade(session, run_id=row.id))


def sample_of(store: Store, *, by: Person | None, project: str) -> grading.Sample | None:
    """How far people's grading of a project's answers is, for its leads; None where nobody grades."""
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
                events.record(
                    session,
                    at=now,
                    kind=grading.EXTENDED,
                    project_id=access.project_id,
                    person_id=by.id if by else None,
                    data={"outputs": outputs, "before": before},
                )
        return grading.draw(session, access=access, now=now)


# ---- looking --------------------------------------------------------------------------------------------------------


def runs_of(store: Store, *, by: Person | None, project: str, kind: RunKind = RunKind.MODEL) -> list[RunView]:
    """A project's runs of models, of judges, or answers out of files, the newest first.

    They come without their newest answers and failures.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        found = runs.of_project(session, project_id=access.project_id, kind=kind)
        return [_view(session, store, row, project=access.name) for row in found]


def view(store: Store, *, by: Person | None, run: str) -> RunView:
    """Where a run stands, with its newest answers and failures."""
    with store.read() as session:
        row, access = run_and_access(session, by, run)
        run_id = row.id
        return replace(
            _view(session, store, row, project=access.name),
            last=tuple(
                AnswerView(item.external_id, item.dimension, answer.text, answer.created_at)
                for answer, item in runs.last_answers(session, run_id=run_id, limit=SHOWN)
            ),
            failures=_attempts(session, run_id, outcomes=_FAILURES, only_last=True, limit=SHOWN),
        )


def attempts_of(
    store: Store,
    *,
    by: Person | None,
    run: str,
    outcomes: Sequence[Outcome] | None = None,
    item_id: int | None = None,
    dimension: str | None = None,
    id: int | None = None,
    only_last: bool = False,
    before: int | None = None,
    limit: int = 50,
) -> tuple[AttemptView, ...]:
    """Attempts of a run, the newest first: those older than the attempt ``before``, and at most ``limit``.

    ``only_last`` leaves out what was followed by another attempt at the same item.
    """
    with store.read() as session:
        row, _ = run_and_access(session, by, run)
        return _attempts(
            session,
            row.id,
            outcomes=outcomes,
            item_id=item_id,
            dimension=dimension,
            id=id,
            only_last=only_last,
            before=before,
            limit=limit,
        )


def failures_of(store: Store, *, by: Person | None, run: str) -> tuple[FailureView, ...]:
    """Why items have no answer, the most frequent reason first."""
    with store.read() as session:
        row, _ = run_and_access(session, by, run)
        return tuple(FailureView(*each) for each in run_attempts.reasons(session, run_id=row.id))


_FAILURES = tuple(outcome for outcome in Outcome if outcome not in ANSWERS)


def _attempts(session: Session, run_id: int, **wanted: Any) -> tuple[AttemptView, ...]:
    return tuple(
        AttemptView(
            id=row.id,
            item=item.external_id,
            item_id=item.id,
            dimension=item.dimension,
            at=row.created_at,
            attempt=Attempt(
                unit_id=row.unit_id,
                outcome=row.outcome,
                text=row.text,
                final=row.final,
                finish_reason=row.finish_reason,
                tokens_in=row.tokens_in,
                tokens_out=row.tokens_out,
                seconds=row.seconds,
                waited=row.waited,
                status=row.status,
                error=row.error,
                request_id=row.request_id,
                prompt_hash=row.prompt_hash,
                image_hashes=tuple(row.image_hashes),
                cost=row.cost,
                detail=row.detail,
            ),
        )
        for row, item in run_attempts.attempts(session, run_id=run_id, **wanted)
    )


def _view(session: Session, store: Store, row: StoredRun, *, project: str) -> RunView:
    run_id, now = row.id, store.now()
    figures = run_attempts.figures(session, run_id=run_id)
    waiting = run_attempts.last_outcomes(
        session, run_id=run_id, unit_ids=run_attempts.asked_again_ids(session, run_id=run_id)
    )
    by_outcome = {outcome: left for outcome, n in figures.by_outcome.items() if (left := n - waiting[outcome]) > 0}
    done = sum(by_outcome.values())
    workers = tuple(_worker(worker, store) for worker in run_chunks.workers(session, run_id=run_id))
    rate = _rate(session, row, workers, now)
    spec: Mapping[str, Any] = row.params.get("spec", {})
    price = (spec.get("endpoint") or {}).get("price") or {}
    identity, differs = _told_apart(session, row)
    return RunView(
        id=row.public_id,
        project=project,
        name=row.name,
        kind=row.kind,
        state=row.state,
        said=row.said,
        wanted=row.wanted,
        done=done,
        answered=(
            runs.answers(session, run_id=run_id)
            if row.kind in (RunKind.MODEL, RunKind.IMPORT)
            else sum(n for outcome, n in by_outcome.items() if outcome in ANSWERS)
        ),
        by_outcome=by_outcome,
        rate=rate,
        remaining=max(row.wanted - done, 0) / rate if rate else None,
        attempts=figures.attempts,
        tokens_in=figures.tokens_in,
        tokens_out=figures.tokens_out,
        cost=figures.cost,
        without_cost=figures.without_cost,
        currency=price.get("currency"),
        in_grading=runs.in_grading(session, run_id=run_id),
        spec=spec,
        plan=plan_of_run(row),
        hash=row.spec_hash,
        identity=identity,
        withdrawn=row.withdrawn_why if row.withdrawn_at else "",
        differs=differs,
        by=runs.person(session, id=row.by_id),
        created_at=row.created_at,
        started_at=row.started_at,
        ended_at=row.ended_at,
        workers=workers,
    )


def _told_apart(session: Session, row: StoredRun) -> tuple[str, str]:
    """Who is asked in a run, and what makes them another one than the first of their label."""
    if row.kind not in identities.NOT_IN_PLAN or "spec" not in row.params:
        return "", ""
    parts = identities.parts_of_run(row)
    first = runs.first_labelled(session, project_id=row.project_id, kind=row.kind, label=identities.label_of(row.name))
    other = first is not None and first.name != row.name and "spec" in first.params
    differs = identities.differences(parts, identities.parts_of_run(first)) if first is not None and other else ""
    return identities.identity(parts), differs


def _worker(row: StoredRunWorker, store: Store) -> WorkerView:
    return WorkerView(row.name, row.about, row.started_at, row.seen_at, is_there(row, store))


def _rate(session: Session, row: StoredRun, workers: Sequence[WorkerView], now: datetime) -> float | None:
    there = [worker.started_at for worker in workers if worker.there]
    if row.state is not RunState.RUNNING or not there:
        return None
    found = run_attempts.pace(session, run_id=row.id, since=max(now - _PACE, min(there)))
    if found is None:
        return None
    n, first, last = found
    seconds = (last - first).total_seconds()
    return (n - 1) / seconds if n > 1 and seconds > 0 else None


# ---- inside ---------------------------------------------------------------------------------------------------------


def run_and_access(session: Session, by: Person | None, run: str) -> tuple[StoredRun, Access]:
    """A run and its project, for leads; to others it does not exist."""
    row = runs.by_public_id(session, public_id=run)
    name = runs.project_of(session, public_id=run)
    if row is None or name is None:
        raise NotFound(f"There is no run {run!r}; `touchstone run list PROJECT` shows those that there are.")
    access_to(session, person=by, project=name)
    return row, require_lead(session, by=by, project=name)


def _any_held(session: Session, by: Person | None, run: str) -> tuple[StoredRun, Access]:
    """A run of any kind with its project, held until the transaction ends."""
    _, access = run_and_access(session, by, run)
    row = runs.by_public_id(session, public_id=run, hold=True)
    if row is None:
        raise NotFound(f"There is no run {run!r}.")
    return row, access


def _held(session: Session, by: Person | None, run: str) -> StoredRun:
    """As ``_found``, held until the transaction ends."""
    run_and_access(session, by, run)
    row = runs.by_public_id(session, public_id=run, hold=True)
    if row is None:
        raise NotFound(f"There is no run {run!r}.")
    if row.kind is RunKind.IMPORT or "file" in row.params:
        raise Conflict(f"The run {run} is answers out of a file ({row.params.get('file')}): there is nobody to ask.")
    if row.kind is RunKind.METRIC:
        raise Conflict(f"The run {run} is {row.name}, a metric: there is nobody to ask.")
    return row


def _record(session: Session, store: Store, row: StoredRun, by: Person | None, kind: str, **data: Any) -> None:
    events.record(
        session,
        at=store.now(),
        kind=kind,
        project_id=row.project_id,
        person_id=by.id if by else None,
        data={"run": row.public_id, "model": row.name, **data},
    )


def wake(settings: Settings | None, run: str) -> None:
    """Tell a waiting worker. It would find the run by itself, so a queue that cannot be reached is no failure."""
    if settings is None:
        return
    from workflow.runs import run_queue

    try:
        run_queue.wake(settings, run)
    except Exception:
        _log.warning(
            "the queue of background work cannot be reached; workers find the run by themselves", exc_info=True
        )

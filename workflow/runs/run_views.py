"""Where runs stand, as leads see it: figures, the newest answers, every attempt, and why some have no answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from db import run_attempts, run_chunks, runs
from db.engine import Session, Store
from db.records import StoredRun, StoredRunWorker
from domain.judging import JudgePlan
from domain.records import Person
from domain.run_kinds import RunKind
from domain.runs import ANSWERS, Attempt, Outcome, RunPlan, RunState
from inference.endpoint.served_model import describe_models
from workflow.access.projects import Access, require_lead
from workflow.runs import identities
from workflow.runs.stored_runs import judge_plan_now, plan_of_run, run_and_access
from workflow.runs.worker_registry import is_alive

SHOWN = 10
"""So many of the newest answers and failures a run's view has."""
_PACE = timedelta(minutes=10)
"""The rate of a run is that of its last minutes."""


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
    """Items a second, lately; None while no one works on it."""
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
    """The login of the person who started it; None: the command on the machine itself."""
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    workers: tuple[WorkerView, ...] = ()
    other_model: str = ""
    """A warning where replies came from another model than was asked for; empty: none is known to have."""
    snapshots: str = ""
    """A sentence that names dated snapshots or aliases of the model in replies."""
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


def runs_of(store: Store, *, by: Person | None, project: str, kind: RunKind = RunKind.MODEL) -> list[RunView]:
    """A project's runs of models, of judges, or answers out of files, the newest first.

    They come without their newest answers and failures.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        found = runs.of_project(session, project_id=access.project_id, kind=kind)
        return [_view(session, store, row, access) for row in found]


def view(store: Store, *, by: Person | None, run: str) -> RunView:
    """Where a run stands, with its newest answers and failures."""
    with store.read() as session:
        row, access = run_and_access(session, by, run)
        run_id = row.id
        view = _view(session, store, row, access)
        other_model, snapshots = "", ""
        if view.spec.get("endpoint"):
            served = run_attempts.served_models(session, run_id=run_id)
            other_model, snapshots = describe_models(str(view.spec.get("model")), served)
        return replace(
            view,
            other_model=other_model,
            snapshots=snapshots,
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


def _view(session: Session, store: Store, row: StoredRun, access: Access) -> RunView:
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
        project=access.name,
        name=row.name,
        kind=row.kind,
        state=row.state,
        said=row.said,
        wanted=row.wanted,
        done=done,
        answered=(
            runs.answers(session, run_id=run_id)
            if row.kind.answers
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
        plan=judge_plan_now(row, access.reading) if row.kind.plan is JudgePlan else plan_of_run(row),
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
    if row.kind.plan is None or "spec" not in row.params:
        return "", ""
    parts = identities.parts_of_run(row)
    first = runs.first_labelled(session, project_id=row.project_id, kind=row.kind, label=identities.label_of(row.name))
    other = first is not None and first.name != row.name and "spec" in first.params
    differs = identities.differences(parts, identities.parts_of_run(first)) if first is not None and other else ""
    return identities.identity(parts), differs


def _worker(row: StoredRunWorker, store: Store) -> WorkerView:
    return WorkerView(row.name, row.about, row.started_at, row.seen_at, is_alive(row, store))


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

"""The state of runs for leads: figures, newest answers, attempts, and reasons for missing answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from db import items, run_attempts, run_chunks, runs
from db.engine import Session, Store
from db.records import StoredRun, StoredRunWorker
from domain.judging import JudgePlan
from domain.records import Person
from domain.run_kinds import RunKind
from domain.runs import ANSWERS, OPEN, Attempt, Outcome, RunPlan, RunState
from inference.endpoint.served_model import describe_models
from workflow.access.projects import Access, require_lead
from workflow.annotate.item_titles import titles_of
from workflow.runs import identities
from workflow.runs.stored_runs import judge_plan_now, plan_of_run, run_and_access
from workflow.runs.worker_registry import is_alive

_PACE = timedelta(minutes=10)
"""The rate of a run is that of its last minutes."""


@dataclass(frozen=True)
class AttemptView:
    """Asking once about an item, as leads see it."""

    id: int
    """Grows; ``attempts_of`` takes it as ``before``."""
    item: str
    """External id."""
    title: str
    """The question, or the first text of the item."""
    item_id: int
    dimension: str
    at: datetime
    attempt: Attempt


@dataclass(frozen=True)
class FailureView:
    """Items that were asked to the end without an answer, all for the same reason."""

    outcome: Outcome
    reason: str
    """The failure as a sentence."""
    items: int
    item: str
    """The external id of one failed item."""
    title: str
    """The question of that item."""


@dataclass(frozen=True)
class WorkerView:
    """A worker that takes part in a run, or has."""

    name: str
    about: Mapping[str, Any]
    """Versions of libraries, device, dtype, batch size, and the result of a probe of the endpoint."""
    started_at: datetime
    seen_at: datetime
    there: bool
    """The worker was seen within the last minute, has not left, and its process is not known to be dead."""


@dataclass(frozen=True)
class RunView:
    """The state of a run."""

    id: str
    """Public."""
    project: str
    name: str
    """The name of the model in tables."""
    kind: RunKind
    state: RunState
    said: str
    """Why the run stopped, as a sentence."""
    wanted: int
    """The number of items in the run."""
    done: int
    """The number of items with a final attempt, whatever its outcome."""
    answered: int
    """The number of units with an answer, or with a reply for a judge."""
    by_outcome: Mapping[Outcome, int]
    """The number of items by the outcome of their last attempt. The numbers add up to ``done``. Items that wait for a
    retry are not included.
    """
    rate: float | None
    """The recent number of items per second; None while no worker is active."""
    remaining: float | None
    """Seconds until it is done at that rate."""
    attempts: int
    tokens_in: int | None
    tokens_out: int | None
    cost: float | None
    """The cost of the attempts with a known cost. The others are counted in ``without_cost``."""
    without_cost: int
    currency: str | None
    in_grading: int
    """The number of answers that people were given to grade."""
    spec: Mapping[str, Any]
    """The model's description at the start of the run."""
    plan: RunPlan | JudgePlan
    hash: str
    """SHA-256 of the model's description and the plan."""
    identity: str
    """The identity of the model or judge, equal for all of its runs; empty for imported answers."""
    withdrawn: str
    """Why the run counts nowhere; empty for a run that counts."""
    differs: str
    """The differences from the first model or judge with the same label, if there is another one."""
    by: str | None
    """The login of the person who started the run; None for a command on the machine itself."""
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    workers: tuple[WorkerView, ...] = ()
    other_model: str = ""
    """A warning where replies came from another model than was asked for; empty: none is known to have."""
    snapshots: str = ""
    """A sentence that names dated snapshots or aliases of the model in replies."""

    @property
    def failed(self) -> int:
        """Return the number of items with a final attempt but no answer."""
        return sum(n for outcome, n in self.by_outcome.items() if outcome not in ANSWERS)

    @property
    def left(self) -> int:
        """Return the number of items that are still to be asked."""
        return max(self.wanted - self.done, 0)

    @property
    def is_active(self) -> bool:
        """Whether a worker is at the run, or may soon be."""
        return self.state in OPEN or (self.state is RunState.BATCH and self.worked_on)

    @property
    def uses_executor(self) -> bool:
        """Whether the run's questions are asked by an executor of shards."""
        return any(worker.about.get("executor") for worker in self.workers)

    @property
    def worked_on(self) -> bool:
        """Whether a worker is there."""
        return any(worker.there for worker in self.workers)


def runs_of(store: Store, *, by: Person | None, project: str, kind: RunKind = RunKind.MODEL) -> list[RunView]:
    """Return a project's runs of models or judges, or imported answers, newest first."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        rows = runs.of_project(session, project_id=access.project_id, kind=kind)
        return [_view(session, store, row, access) for row in rows]


def view(store: Store, *, by: Person | None, run: str) -> RunView:
    """Return the state of a run, with the models that an endpoint has served."""
    with store.read() as session:
        row, access = run_and_access(session, by, run)
        run_id = row.id
        view = _view(session, store, row, access)
        other_model, snapshots = "", ""
        if view.spec.get("endpoint"):
            served = run_attempts.served_models(session, run_id=run_id)
            other_model, snapshots = describe_models(str(view.spec.get("model")), served)
        return replace(view, other_model=other_model, snapshots=snapshots)


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
    """Return attempts of a run, newest first: those before the attempt ``before``, and at most ``limit``.

    ``only_last`` leaves out attempts that were followed by another one at the same item.
    """
    with store.read() as session:
        row, access = run_and_access(session, by, run)
        return _attempts(
            session,
            access,
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
    """Return the reasons for missing answers, the most frequent first."""
    with store.read() as session:
        row, access = run_and_access(session, by, run)
        reasons = run_attempts.reasons(session, run_id=row.id)
        ids = [id for *_, id in reasons]
        rows, titles = items.by_ids(session, ids=ids), titles_of(session, access, ids)
        return tuple(
            FailureView(outcome, reason, n, rows[id].external_id, titles[id]) for outcome, reason, n, id in reasons
        )


def _attempts(session: Session, access: Access, run_id: int, **wanted: Any) -> tuple[AttemptView, ...]:
    rows = run_attempts.attempts(session, run_id=run_id, **wanted)
    titles = titles_of(session, access, [item.id for _, item in rows])
    return tuple(
        AttemptView(
            id=row.id,
            item=item.external_id,
            title=titles[item.id],
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
        for row, item in rows
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
    """Return the identity of a run's model or judge, and its differences from the first one with the same label."""
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
    if row.state not in (RunState.RUNNING, RunState.BATCH) or not there:
        return None
    pace = run_attempts.pace(session, run_id=row.id, since=max(now - _PACE, min(there)))
    if pace is None:
        return None
    n, first, last = pace
    seconds = (last - first).total_seconds()
    return (n - 1) / seconds if n > 1 and seconds > 0 else None

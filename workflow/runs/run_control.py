"""Actions of leads on a run: pause, resume, cancel, retry and withdraw."""

from __future__ import annotations

from datetime import datetime

from db import batches, run_attempts, run_chunks, runs, withdrawn_runs
from db.engine import Session, Store
from db.records import StoredRun
from domain import extensions
from domain.batches import OUT
from domain.errors import ConflictError, InvalidInputError, NotFoundError, Problem
from domain.records import Person
from domain.run_kinds import RunKind
from domain.runs import OPEN, RESUMABLE, RunState
from domain.settings import Settings
from workflow.access.event_log import log
from workflow.access.projects import Access
from workflow.annotate import stage_kinds
from workflow.runs.run_start import add_chunks, wake
from workflow.runs.stored_runs import in_batches, refuse_changed, refuse_withdrawn, run_and_access


def _waits_for_batch(session: Session, row: StoredRun) -> bool:
    return any(batch.state in OUT for batch in batches.of_run(session, run_id=row.id))


def _has_executor(session: Session, row: StoredRun) -> bool:
    """Return whether a run's questions are asked by an executor of shards, which can pause."""
    return any(worker.about.get("executor") for worker in run_chunks.workers(session, run_id=row.id))


def pause(store: Store, *, by: Person | None, run: str) -> None:
    """Pause a run. Workers leave the run within seconds, and no answer is lost."""
    with store.write() as session:
        row = _held(session, by, run)
        if row.state is RunState.PAUSED:
            return
        if row.state is RunState.BATCH and not _has_executor(session, row):
            raise ConflictError(
                "This run uses batch files, so you cannot pause the run. To stop the run, cancel the run."
            )
        if row.state not in OPEN and row.state is not RunState.BATCH:
            raise ConflictError(f"This run is {row.state.value}. You can pause only a run that is in progress.")
        runs.pause(session, row=row)
        log(session, "run.paused", by=by, run=row, now=store.now())


def resume(store: Store, *, by: Person | None, run: str, settings: Settings | None = None) -> None:
    """Let workers continue a run that was paused or has stopped."""
    with store.write() as session:
        row = _held(session, by, run)
        if row.state in OPEN:
            return
        if row.state is RunState.BATCH:
            raise ConflictError(f"This run uses batch files. To continue, run `touchstone batch create {run}`.")
        if row.state not in RESUMABLE:
            raise ConflictError("You can resume only a paused or stopped run. Start a new run.")
        refuse_withdrawn(row, "before it continues")
        refuse_changed(row)
        runs.resume(session, row=row, state=RunState.BATCH if in_batches(row) else RunState.WAITING)
        log(session, "run.resumed", by=by, run=row, now=store.now())
    wake(store, settings, run)


def cancel(store: Store, *, by: Person | None, run: str) -> None:
    """End a run for good. Its answers stay."""
    with store.write() as session:
        row = _held(session, by, run)
        if row.state is RunState.CANCELLED:
            return
        if row.state is RunState.DONE:
            raise ConflictError(
                "This run is done, so you cannot cancel the run. To exclude the run from results, withdraw the run."
            )
        runs.cancel(session, row=row, now=store.now())
        log(session, "run.cancelled", by=by, run=row, now=store.now())


def retry_failed(store: Store, *, by: Person | None, run: str, settings: Settings | None = None) -> int:
    """Queue the items whose last attempt brought no answer, and return their number.

    Earlier attempts are kept. Failed items are asked again only by this function.
    """
    with store.write() as session:
        row = _held(session, by, run)
        if row.state in OPEN:
            raise ConflictError("This run is in progress. Pause the run before you retry failed questions.")
        if row.state is RunState.BATCH and run_chunks.undone(session, run_id=row.id) and _waits_for_batch(session, row):
            raise ConflictError(
                "Batches of this run are not finished. Fetch the batches before you retry failed questions."
            )
        if row.state is RunState.CANCELLED:
            raise ConflictError("This run was canceled. Start a new run.")
        refuse_withdrawn(row, "before you retry failed questions")
        refuse_changed(row)
        run_id = row.id
        failed = run_attempts.failed(session, run_id=run_id)
        waiting = run_attempts.asked_again_ids(session, run_id=run_id)
        again = [id for id in failed if id not in waiting]
        if again:
            add_chunks(session, row, again)
        if again or row.state in RESUMABLE:
            runs.resume(session, row=row, state=RunState.BATCH if in_batches(row) else RunState.WAITING)
            log(session, "run.resumed", by=by, run=row, now=store.now(), data={"again": len(again)})
        awaited = row.state in OPEN or bool(again and _has_executor(session, row))
    if awaited:
        wake(store, settings, run)
    return len(again)


def withdraw(store: Store, *, by: Person | None, run: str, reason: str) -> None:
    """Exclude a run from all counts. Its answers and ratings stay, and it is listed with the reason. This can be
    undone.

    Unfinished slots for grading, refinement and coding of its answers are withdrawn. Gold checks made of its answers
    are no longer shown.

    Raises
    ------
    InvalidInputError
        The reason is empty.
    ConflictError
        A worker may be working on the run (pause or cancel it first), or the run is already withdrawn.
    """
    if not reason.strip():
        raise InvalidInputError(
            [Problem("reason", "Enter a reason for the withdrawal. Touchstone stores the reason with the run.")]
        )
    with store.write() as session:
        row, access = _any_held(session, by, run)
        if row.withdrawn_at is not None:
            raise ConflictError(f"This run is already withdrawn. Reason: {row.withdrawn_why}")
        if row.state in OPEN:
            raise ConflictError("This run is in progress. Pause or cancel the run before you withdraw the run.")
        withdraw_now(session, access=access, row=row, why=reason.strip(), by=by, now=store.now())


def withdraw_now(
    session: Session, *, access: Access, row: StoredRun, why: str, by: Person | None, now: datetime
) -> None:
    """Withdraw a run as ``withdraw`` does, in this transaction. The run must count, and no worker may be working
    on it.
    """
    row = runs.withdraw(session, row=row, why=why, now=now)
    stage_kinds.follow_run(session, access=access, run_id=row.id, withdrawn=True, now=now)
    log(session, withdrawn_runs.WITHDRAWN, by=by, run=row, now=now, data={"reason": row.withdrawn_why})


def take_back(store: Store, *, by: Person | None, run: str) -> None:
    """Let a run count again that was withdrawn. Raises ``ConflictError`` if it was not."""
    with store.write() as session:
        row, access = _any_held(session, by, run)
        if row.withdrawn_at is None:
            raise ConflictError("This run is not withdrawn, so there is no withdrawal to undo.")
        runs.take_back(session, row=row)
        stage_kinds.follow_run(session, access=access, run_id=row.id, withdrawn=False, now=store.now())
        log(session, withdrawn_runs.TAKEN_BACK, by=by, run=row, now=store.now())


def _any_held(session: Session, by: Person | None, run: str) -> tuple[StoredRun, Access]:
    """Return a run of any kind with its project, locked until the transaction ends."""
    _, access = run_and_access(session, by, run)
    row = runs.by_public_id(session, public_id=run, hold=True)
    if row is None:
        raise NotFoundError(f"There is no run {run!r}. To see all runs, run `touchstone run list PROJECT`.")
    return row, access


def _held(session: Session, by: Person | None, run: str) -> StoredRun:
    """Return a run that workers can work on, locked until the transaction ends."""
    run_and_access(session, by, run)
    row = runs.by_public_id(session, public_id=run, hold=True)
    if row is None:
        raise NotFoundError(f"There is no run {run!r}. To see all runs, run `touchstone run list PROJECT`.")
    no_one = (RunKind.IMPORT if "file" in row.params else row.kind).no_one
    no_one = no_one or extensions.missing("run_kinds", row.kind) or ""
    if no_one:
        raise ConflictError(no_one.format(run=run, name=row.name, file=row.params.get("file")))
    return row

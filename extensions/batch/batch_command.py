"""One command that works on a run's batch files: its open batches, the remains of a killed command, the run's state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, TypeVarTuple

from annotation_schemas.model import Schema
from db import batches, run_attempts, run_chunks, runs
from db.engine import Session, Store
from db.records import StoredRun, StoredRunBatch
from domain.batches import BatchState
from domain.english import with_noun
from domain.errors import ConflictError, ModelError, NotFoundError, RunStoppedError
from domain.judging import Plan
from domain.records import Person
from domain.runs import Attempt, RunPlan, RunState
from extensions.batch import queries
from extensions.batch.batch_endpoint import BatchEndpoint, BatchRefusal, BatchStatus
from inference.endpoint.client import NoReply
from inference.spec import ModelSpec
from workflow.access.event_log import log
from workflow.jobs.live_process import process, worker_name
from workflow.runs.askings import asking_of
from workflow.runs.model_questions import TypesOf
from workflow.runs.run_kinds import Asks
from workflow.runs.stored_runs import (
    in_batches,
    plan_of_run,
    refuse_changed,
    refuse_withdrawn,
    run_and_access,
    spec_of_run,
)
from workflow.runs.worker import Means, keep_of
from workflow.runs.worker_registry import is_dead

_T = TypeVar("_T")
_Given = TypeVarTuple("_Given")


class BatchCommand:
    """A command at a run's batch files."""

    def __init__(
        self,
        store: Store,
        by: Person | None,
        run: str,
        means: Means,
        folder: Path,
        open_endpoint: Callable[[ModelSpec], BatchEndpoint] | None = None,
        about: Mapping[str, Any] | None = None,
    ) -> None:
        """Prepare a command. ``about`` is stored with the worker that the command is."""
        self.store, self.by, self.run, self.means, self.folder = store, by, run, means, folder
        self.open_endpoint = open_endpoint
        self.about = about or {"transport": "batch files"}
        self.server: BatchEndpoint | None = None
        self.asker: Asks | None = None
        self.free: list[int] | None = None
        """The units that were not submitted when this command first asked; None: it has not asked yet."""
        self.why = ""
        """Why some questions were not submitted."""

    def __enter__(self) -> BatchCommand:
        with self.store.read() as session:
            self.row = batch_run(session, self.by, self.run)
            _, access = run_and_access(session, self.by, self.run)
        self.run_id = self.row.id
        self.spec, self.plan = spec_of_run(self.row), plan_of_run(self.row)
        self.keep = keep_of(self.row)
        self.types_of = _types_of(access.schema, self.plan, self.spec)
        about = dict(self.about)
        if self.open_endpoint is not None:
            self.server = self.open_endpoint(self.spec)
            about |= self.server.about
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.store.write() as session:
            self.worker_id = run_chunks.add_worker(
                session,
                run_id=self.run_id,
                name=worker_name(),
                about={**about, "process": process()},
                now=self.store.now(),
            )
        return self

    def __exit__(self, *_: object) -> None:
        if self.server is not None:
            self.server.close()
        with self.store.write() as session:
            run_chunks.end_worker(session, worker_id=self.worker_id, now=self.store.now())

    def name(self, number: int) -> str:
        """Return the name of a batch, unique among all runs."""
        return f"{self.run}-{number}"

    def path(self, number: int) -> Path:
        """Return the path of a batch's questions."""
        return self.folder / f"{self.name(number)}-input.jsonl"

    def next_free(self, session: Session, row: StoredRun, size: int) -> list[int]:
        """Return the next units that are not yet submitted, at most ``size``."""
        if self.free is None:
            self.free = free_units(session, row)
        while self.free:
            some, self.free = self.free[:size], self.free[size:]
            out = queries.out(session, run_id=row.id, unit_ids=some)  # another command may have taken some since
            if left := [id for id in some if id not in out]:
                return left
        return []

    def leave_rest(self, why: str) -> None:
        """Hand in no more for now."""
        self.why = why

    def refuse_over(self) -> None:
        """Raise an error for a run that asks no further questions."""
        refuse_changed(self.row)
        refuse_withdrawn(self.row, "before you submit more questions")
        if self.row.state is not RunState.BATCH:
            raise ConflictError(
                f"The run {self.run} is {self.row.state.value}, so you cannot submit more of its questions. "
                "Start a new run with --batch."
            )

    @property
    def endpoint(self) -> BatchEndpoint:
        """Return the endpoint that takes the batches."""
        assert self.server is not None
        return self.server

    def ask(self, about: str, call: Callable[[*_Given], _T], *given: *_Given) -> _T:
        """Send the endpoint a request that costs nothing."""
        try:
            return call(*given)
        except (NoReply, BatchRefusal) as error:
            raise RunStoppedError(
                f"The endpoint did not report the state of {about}: {error} Run the command again."
            ) from None

    def change(self, id: int, only: Sequence[BatchState], **values: Any) -> None:
        """Change a batch. Raises ``ConflictError`` if another command has changed it since."""
        with self.store.write() as session:
            if not queries.change(session, id=id, only=only, **values):
                raise ConflictError(
                    "Another command is changing this batch. Check the batch with `touchstone batch show`."
                )

    def batches_in(self, *states: BatchState) -> list[StoredRunBatch]:
        with self.store.read() as session:
            return [batch for batch in batches.of_run(session, run_id=self.run_id) if batch.state in states]

    # ---- before ----

    def settle(self, *, again: bool = False) -> None:
        """Find out the fate of batches that an earlier command left open."""
        for batch in self.batches_in(BatchState.MAKING, BatchState.SENDING):
            self._refuse_alive(batch)
            if batch.state is BatchState.MAKING:
                sentence = "The command ended before it submitted the batch."
                if batch.by_hand:
                    sentence = "The command ended while it wrote the file. Do not submit this file."
                self.lose(batch, sentence)
                continue
            if self.server is None:
                continue
            try:
                status = self.server.find(batch.file or "", token=self.name(batch.number))
            except (NoReply, BatchRefusal) as error:
                if not again:
                    raise ConflictError(
                        f"The state of batch {batch.number} is unknown because the endpoint did not answer: {error} "
                        "Check the batch at the endpoint. To submit its questions again, use --again. You may pay "
                        "twice for some questions."
                    ) from None
                self.lose(
                    batch,
                    "Touchstone submitted the questions of this batch again, although the first submission may have "
                    "succeeded.",
                )
                continue
            if status is None:
                self.lose(batch, "The endpoint has no record of this batch, so the batch was not submitted.")
            else:
                self.sent(batch.id, status)

    def _refuse_alive(self, batch: StoredRunBatch) -> None:
        """Raise ``ConflictError`` if a running command works on the batch."""
        with self.store.read() as session:
            there = run_chunks.workers(session, run_id=self.run_id, only_there=True)
            for worker in there:
                if worker.id == batch.worker_id and not is_dead(worker) and _same_machine(worker.about):
                    raise ConflictError(
                        f"Another command is submitting batch {batch.number}. Wait until the other command ends."
                    )

    def lose(self, batch: StoredRunBatch, said: str) -> None:
        self.change(batch.id, (batch.state,), state=BatchState.LOST, said=said, ended_at=self.store.now())

    def sent(self, id: int, told: BatchStatus) -> None:
        # in any state that another command has set: the batch was submitted
        self.change(
            id,
            (BatchState.SENDING, BatchState.LOST),
            state=BatchState.SENT,
            server_id=told.id,
            told=told.dump(),
            said="",
            sent_at=self.store.now(),
            ended_at=None,
        )

    def add(self, session: Session, attempts: Sequence[Attempt], items: Mapping[int, int]) -> list[int]:
        now = self.store.now()
        types = self.types_of(session, set(items.values())) if self.types_of else {}
        attempts = [
            replace(attempt, detail={**attempt.detail, "prompt": prompt})
            if (prompt := types.get(items[attempt.unit_id]))
            else attempt
            for attempt in attempts
        ]
        written = run_attempts.add_attempts(
            session, run_id=self.run_id, worker_id=self.worker_id, attempts=attempts, item_ids=items, now=now
        )
        self.keep(session, self.row, written, now)
        return [id for id, _ in written]

    def finish(self) -> None:
        """Store which batches and chunks are finished, and which the run still waits for."""
        with self.store.read() as session:
            counts = queries.counts(session, run_id=self.run_id)
        for batch in self.batches_in(BatchState.SENT, BatchState.BY_HAND):
            total, came = counts.get(batch.id, (0, 0))
            if total == came:
                self.change(batch.id, (batch.state,), state=BatchState.ENDED, ended_at=self.store.now())
        with self.store.write() as session:
            row = self.hold(session)
            for chunk in queries.chunks(session, run_id=self.run_id):
                ended = run_attempts.finished(session, run_id=self.run_id, unit_ids=chunk.unit_ids, since=chunk.since)
                if ended >= set(chunk.unit_ids):
                    run_chunks.finish(session, row=chunk)
            if row.state is RunState.BATCH and not run_chunks.undone(session, run_id=self.run_id):
                now = self.store.now()
                runs.complete(session, row=row, now=now)
                log(session, "run.done", run=row, now=now)
            if row.state is not RunState.STOPPED:  # which says why
                runs.explain(session, row=row, said=self._said(session, row))

    def _said(self, session: Session, row: StoredRun) -> str:
        counts = queries.counts(session, run_id=self.run_id)
        replied = queries.replied(session, run_id=self.run_id)
        clauses: list[str] = []
        shards: list[tuple[int, int, int]] = []
        for batch in batches.of_run(session, run_id=self.run_id):
            total, settled = counts.get(batch.id, (0, 0))
            came = replied[batch.id]
            if batch.state is BatchState.SENT:
                status = status_of(batch.told)
                clauses.append(f"batch {batch.number} ({with_noun(total, 'question')}) is at the endpoint ({status})")
            elif batch.state is BatchState.BY_HAND and is_shard(batch):
                shards.append((total, settled, came))
            elif batch.state is BatchState.BY_HAND:
                errors = f", {with_noun(settled - came, 'error')}" if settled > came else ""
                clauses.append(f"batch {batch.number} in {batch.file}: {came:,} of {total:,} replies{errors}")
            elif batch.state is BatchState.SENDING:
                clauses.append(f"the state of batch {batch.number} is unknown")
        if shards:
            total, settled, came = map(sum, zip(*shards, strict=True))
            errors = f", {with_noun(settled - came, 'error')}" if settled > came else ""
            clauses.append(f"{with_noun(len(shards), 'open shard')}: {came:,} of {total:,} replies{errors}")
        free = len(free_units(session, row)) if row.state is RunState.BATCH else 0
        if free:
            clauses.append(f"questions not yet submitted: {free}")
        n = queries.n_problems(session, run_id=self.run_id)
        if n:
            clauses.append(f"returned lines that match no question: {n}")
        sentence = "; ".join(clauses)
        return sentence[:1].upper() + sentence[1:] + ("." if sentence else "")

    def hold(self, session: Session) -> StoredRun:
        row = runs.by_public_id(session, public_id=self.run, hold=True)
        if row is None:
            raise NotFoundError(f"There is no run {self.run!r}. Check the run ID.")
        return row

    def items_of(self, session: Session, unit_ids: Sequence[int]) -> Mapping[int, int]:
        """Return the item of each unit."""
        return asking_of(self.row.kind).items_of(session, unit_ids)


def _types_of(schema: Schema, plan: Plan, spec: ModelSpec) -> TypesOf | None:
    """Return the prompt wordings of a model's run; None for judges, and if the prompts have changed since.

    Replies that were paid for are stored even then.
    """
    if not isinstance(plan, RunPlan):
        return None
    try:
        return TypesOf(schema, plan, spec)
    except ModelError:
        return None


def batch_run(session: Session, by: Person | None, run: str) -> StoredRun:
    row, _ = run_and_access(session, by, run)
    if not in_batches(row):
        raise ConflictError(f"The run {run} does not use batch files. Start a new run with --batch.")
    return row


def free_units(session: Session, row: StoredRun) -> list[int]:
    """Return the units that are not yet submitted, in order."""
    run_id = row.id
    if row.state is RunState.CANCELLED:
        return []
    out = queries.out(session, run_id=run_id)
    unit_ids: dict[int, None] = {}
    for chunk in queries.chunks(session, run_id=run_id):
        asked = run_attempts.finished(session, run_id=run_id, unit_ids=chunk.unit_ids, since=chunk.since)
        unit_ids |= dict.fromkeys(id for id in chunk.unit_ids if id not in asked and id not in out)
    return list(unit_ids)


def is_shard(batch: StoredRunBatch) -> bool:
    """Return whether the questions of a batch are in a Parquet file."""
    return (batch.file or "").endswith(".parquet")


def status_of(told: Mapping[str, Any]) -> str:
    if not told.get("status"):
        return ""
    done = f", {told.get('completed', 0)} of {told['total']} answered" if told.get("total") else ""
    return f"{told['status']}{done}"


def _same_machine(about: Mapping[str, Any]) -> bool:
    here, there = process(), about.get("process") or {}
    return (there.get("host"), there.get("space")) == (here["host"], here["space"]) and there.get("id") != here["id"]

"""Runs whose questions are asked by an executor: a program that reads files of questions and writes files of replies.

The ledger of attempts is the truth. Before an executor starts, every reply in the folder is stored, and the executor
gets the ids of the questions that are still open. So an executor may die at any moment.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from db import batches, run_chunks, runs
from db.engine import Session, Store
from db.records import StoredRun, StoredRunBatch
from domain.batches import BatchState
from domain.english import with_noun
from domain.errors import ConflictError, NotFoundError
from domain.records import Person
from domain.runs import RESUMABLE, Question, RunState
from extensions.batch import batch_questions, queries
from extensions.batch.batch_command import BatchCommand, batch_run, is_shard
from extensions.batch.batch_endpoint import custom_id, sampling_of
from extensions.batch.batch_results import ReadIn
from extensions.batch.executors import Execution, executor_of
from extensions.batch.shard_files import ShardFolder, ShardQuestion, arrow
from extensions.batch.shard_results import ReplyReader
from inference.endpoint.answerer import turns
from workflow.access.event_log import log
from workflow.jobs.live_process import worker_name
from workflow.runs.stored_runs import in_batches, refuse_changed, refuse_withdrawn, run_and_access, spec_of_run
from workflow.runs.worker import Means
from workflow.runs.worker_registry import LEASE, is_alive

SIZE = 1_000
"""The number of questions in a file."""
LOOK_SECONDS = 1.0
"""The seconds between two searches for new replies."""
HEARTBEAT_SECONDS = 10.0
STOP_SECONDS = 15.0
"""After a stop, an executor may take so long to write the replies that it has."""
MOST_FRUITLESS = 2
"""After so many executions in a row without a reply, a run stops."""
TRANSPORT = "shards"


@dataclass(frozen=True)
class ShardPlan:
    """How a run goes in shards."""

    folder: Path
    executor: str


def plan_of(store: Store, *, by: Person | None, run: str) -> ShardPlan | None:
    """Return the folder and the executor of a run; None for a run that does not use shards."""
    with store.read() as session:
        row, _ = run_and_access(session, by, run)
        for worker in reversed(run_chunks.workers(session, run_id=row.id)) if in_batches(row) else ():
            if worker.about.get("transport") == TRANSPORT:
                return ShardPlan(Path(worker.about["folder"]), worker.about["executor"])
    return None


def check(folder: Path, executor: str) -> None:
    """Refuse a folder that is not empty or cannot be made (``ConflictError``), or an unknown executor
    (``NotFoundError``). Make the folder.
    """
    executor_of(executor)
    arrow()
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise ConflictError(f"{folder} is not an empty folder. Choose a new folder for the shards of the run.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "questions").mkdir()
        (folder / "questions").rmdir()
    except OSError as error:
        raise ConflictError(
            f"Touchstone cannot write to {folder} ({error.strerror}). Choose another folder."
        ) from error


def choose(store: Store, *, by: Person | None, run: str, folder: Path, executor: str) -> None:
    """Choose the folder and the executor of a run, and make the folder.

    Raises
    ------
    ConflictError
        The folder belongs to another run, or holds other files, or the run does not use batch files.
    NotFoundError
        There is no such executor.
    """
    name, place = executor_of(executor).name, folder.resolve()
    with store.read() as session:
        row = batch_run(session, by, run)
    ShardFolder.create(place, _described(row))
    about = {"transport": TRANSPORT, "folder": str(place), "executor": name}
    with store.write() as session:
        now = store.now()
        worker_id = run_chunks.add_worker(session, run_id=row.id, name=worker_name(), about=about, now=now)
        run_chunks.end_worker(session, worker_id=worker_id, now=now)


def execute(
    store: Store,
    *,
    by: Person | None,
    run: str,
    means: Means,
    stop: Callable[[], bool] = lambda: False,
    tell: Callable[[str], None] = lambda sentence: None,
) -> RunState:
    """Write the open questions of a run, have them asked, and store the replies. Return the state of the run.

    Parameters
    ----------
    stop
        Return True when the executor should end. The next call continues.
    tell
        Takes what a person has to do, if the executor does not start by itself.

    Raises
    ------
    ConflictError
        The run has no folder yet (``choose``), or another process executes the run.
    """
    plan = plan_of(store, by=by, run=run)
    if plan is None:
        raise ConflictError(f"The run {run} has no folder of shards. Choose a folder with --shards.")
    about = {"transport": TRANSPORT, "folder": str(plan.folder), "executor": plan.executor}
    _refuse_second(store, by, run)
    with BatchCommand(store, by, run, means, plan.folder, about=about) as at:
        _Drive(at, executor_of(plan.executor).begin, stop, tell).drive()
        with store.read() as session:
            return runs.state(session, run_id=at.run_id)


def read(store: Store, *, by: Person | None, run: str, means: Means, home: Path, files: Sequence[Path]) -> ReadIn:
    """Store the replies in these files. Return how many questions they answer, and how many problems are new.

    ``home`` is the folder of the run's batch files.
    """
    with BatchCommand(store, by, run, means, home) as at:
        for path in files:
            if not path.is_file():
                raise NotFoundError(f"{path} does not exist. Check the path.")
        reader = ReplyReader(at)
        stored = reader.read(files)
        told = reader.tell_unreadable()
        at.finish()
        return ReadIn(stored.attempts, stored.problems + told)


def _refuse_second(store: Store, by: Person | None, run: str) -> None:
    with store.read() as session:
        row = batch_run(session, by, run)
        for worker in run_chunks.workers(session, run_id=row.id, only_there=True):
            if worker.about.get("transport") == TRANSPORT and is_alive(worker, store):
                raise ConflictError(
                    f"{worker.name} executes the run {run} now. Wait until it ends, or pause the run with "
                    f"`touchstone run pause {run}`."
                )


class _Drive:
    """One execution of a run."""

    def __init__(
        self,
        at: BatchCommand,
        begin: Callable[..., Execution],
        stop: Callable[[], bool],
        tell: Callable[[str], None],
    ) -> None:
        self.at, self.begin, self.stop, self.tell = at, begin, stop, tell
        self.reader = ReplyReader(at)
        self.beaten = time.monotonic()

    def drive(self) -> None:
        at = self.at
        refuse_changed(at.row)
        refuse_withdrawn(at.row, "before it continues")
        self._resume()
        self.folder = ShardFolder.open(at.folder)
        at.settle()
        self._recover()
        self._read()
        while not self._ended() and self._has_written():
            pass
        try:
            self._execute()
        finally:
            self._read()
            self.reader.tell_unreadable()
            at.finish()

    def _resume(self) -> None:
        """Continue a run that was paused or has stopped."""
        at = self.at
        with at.store.write() as session:
            row = at.hold(session)
            if row.state in RESUMABLE:
                row = runs.resume(session, row=row, state=RunState.BATCH)
                log(session, "run.resumed", by=at.by, run=row, now=at.store.now())
            at.row = row
        at.refuse_over()

    def _recover(self) -> None:
        """Give up files of questions that are not there: their command was killed before they got their name."""
        for batch in self.at.batches_in(BatchState.BY_HAND):
            if Path(batch.file or "").parent == self.folder.part(1).parent and not Path(batch.file or "").is_file():
                self.at.lose(batch, "The command ended before it wrote the file.")

    def _has_written(self) -> bool:
        """Write the next file of questions. Return False if no question is left."""
        at, folder = self.at, self.folder
        made = batch_questions.make(
            at,
            lambda number: folder.part(number).with_name(f".part-{number:05d}.making"),
            size=SIZE,
            by_hand=True,
            writer_of=lambda at, path: _ShardWriter(at, folder, path),
        )
        if made is None:
            return False
        path = folder.part(made.number)
        at.change(made.id, (BatchState.MAKING,), state=BatchState.BY_HAND, file=str(path), sent_at=at.store.now())
        made.path.replace(path)
        return True

    def _read(self) -> int:
        """Store the replies that came. Return their number."""
        return self.reader.read(self.folder.files("replies")).attempts

    def _execute(self) -> None:
        """Start the executor, again if it dies, until each question has a reply or no more replies come."""
        fruitless = 0
        while ids := self._open():
            if self._ended():
                return None
            self.folder.write_open(ids)
            execution = self.begin(self.folder, ids=ids)
            if execution.instruction:
                return self.tell(execution.instruction)
            n = 0
            try:
                while execution.is_running() and not self._ended():
                    time.sleep(LOOK_SECONDS / 4)
                    n += self._read()
            finally:
                execution.end(STOP_SECONDS)
            n += self._read()
            if self._ended():
                return None
            if execution.stopped:
                return self._stop(execution.stopped)
            fruitless = 0 if n else fruitless + 1
            if fruitless == MOST_FRUITLESS:
                words = execution.failure or "The executor ended normally."
                left = with_noun(len(self._open()), "question")
                return self._stop(f"The executor ended, but {left} got no reply. {words}")
        if self.at.why:
            self._stop(self.at.why)
        return None

    def _stop(self, why: str) -> None:
        at = self.at
        with at.store.write() as session:
            row = at.hold(session)
            if row.state is RunState.BATCH:
                runs.stop(session, row=row, said=why)
                log(session, "run.stopped", run=row, now=at.store.now(), data={"said": why})

    def _open(self) -> list[str]:
        """Return the ids of the questions in files that have no result, in order."""
        at = self.at
        with at.store.read() as session:
            return [
                custom_id(at.run, batch.number, unit_id)
                for batch in _shards(session, at.row)
                for unit_id in queries.open_units(session, batch_id=batch.id)
            ]

    def _ended(self) -> bool:
        """Return whether the executor should end. Send a heartbeat."""
        if self.stop():
            return True
        at, now = self.at, time.monotonic()
        if now - self.beaten >= HEARTBEAT_SECONDS:
            self.beaten = now
            with at.store.write() as session:
                moment = at.store.now()
                run_chunks.extend(session, worker_id=at.worker_id, now=moment, until=moment + LEASE)
        with at.store.read() as session:
            return runs.state(session, run_id=at.run_id) is not RunState.BATCH


def _shards(session: Session, row: StoredRun) -> list[StoredRunBatch]:
    return [
        batch
        for batch in batches.of_run(session, run_id=row.id)
        if batch.state is BatchState.BY_HAND and is_shard(batch)
    ]


def _described(row: StoredRun) -> dict[str, Any]:
    """Return the description of a run for programs that execute its shards."""
    spec = spec_of_run(row)
    assert spec.endpoint is not None
    return {
        "run": row.public_id,
        "name": row.name,
        "model": spec.model,
        "revision": spec.revision,
        "base_url": spec.endpoint.base_url,
        "spec": spec.dump(),
    }


class _ShardWriter:
    """Writes the questions of one file."""

    def __init__(self, at: BatchCommand, folder: ShardFolder, path: Path) -> None:
        self.at, self.folder, self.path = at, folder, path
        self.sampling = json.dumps(sampling_of(at.spec))
        self.rows: list[ShardQuestion] = []

    def add(self, question: Question, custom_id: str, *, most: int) -> bool:
        messages = turns(self.at.spec, question, self.folder.add_picture)
        row = ShardQuestion(
            id=custom_id,
            run=self.at.run,
            unit=question.unit_id,
            messages=json.dumps(messages, ensure_ascii=False),
            sampling=self.sampling,
            prompt_hash=question.prompt_hash,
        )
        self.rows.append(row)
        return True

    def close(self) -> None:
        self.folder.write_questions(self.path, self.rows)

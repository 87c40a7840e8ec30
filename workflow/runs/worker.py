"""What a worker does: it takes chunks of a run, asks the model, and writes down every attempt as it ends.

A worker that is killed loses what it has not written yet, a fraction of a second's work; what it had taken is free
again when its lease ends, or at once where another worker on the same machine sees that its process is gone.
"""

from __future__ import annotations

import logging
import platform
import queue
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib import metadata
from typing import TYPE_CHECKING, Any

from db import events, run_attempts, run_chunks, runs
from db.engine import Session, Store
from db.records import StoredRun
from domain.errors import ModelRefused, NotFound, TouchstoneError
from domain.judging import Plan
from domain.runs import OPEN, Answerer, Attempt, Outcome, Question, RunState
from domain.settings import Settings
from inference.spec import ModelSpec
from workflow.access.projects import access_to
from workflow.runs.model_descriptions import allowed_by
from workflow.runs.preview_run import cache_of
from workflow.runs.run_kinds import Asks, Keep, asked_by, asking_of
from workflow.runs.stored_runs import plan_of_run, refuse_changed, spec_of_run
from workflow.runs.worker_registry import LEASE, bury, is_taken, is_there, process, worker_name

if TYPE_CHECKING:
    from media.store import MediaStore

LOOK_SECONDS = 1.0
"""How often a worker looks whether its run was paused."""
HEARTBEAT_SECONDS = 10.0
"""How often a worker says that it is there."""
WRITE_AGAIN_SECONDS = (0.5, 1.0, 2.0, 4.0, 8.0)
"""The pauses before writing is tried again, where the database cannot be reached."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Means:
    """What a worker works with: how a model is opened, and how units become questions."""

    open: Callable[[ModelSpec, Plan], Answerer]
    ask: Callable[[StoredRun, ModelSpec, Plan], Asks]


def means_of(store: Store, media: MediaStore, settings: Settings) -> Means:
    """The real ones. Nothing heavy is loaded before a model is opened."""

    def open_(spec: ModelSpec, plan: Plan) -> Answerer:
        return asked_by(plan)[1].open(spec, plan, allowed_by(settings))

    def ask(row: StoredRun, spec: ModelSpec, plan: Plan) -> Asks:
        with store.read() as session:
            access = access_to(session, person=None, project=runs.project_of(session, public_id=row.public_id) or "")
        return asked_by(plan)[1].ask(store, media, access.schema, spec, plan, cache_of(settings))

    return Means(open_, ask)


def work(
    store: Store,
    run: str,
    *,
    means: Means,
    stop: Callable[[], bool] = lambda: False,
    wait: bool = False,
    share: bool = True,
) -> RunState:
    """Work on a run until nothing is left of it, or somebody pauses it; how it stands then.

    Raises ``ModelRefused`` where the model cannot be had here, but other workers are at it.

    Parameters
    ----------
    stop
        True when this worker is to leave; the run goes on when there is another one.
    wait
        Stay while other workers have the last chunks, and take them over if they die.
    share
        False leaves alone what another worker of this machine works on: its memory holds the model already.
    """
    with store.write() as session:
        row = runs.by_public_id(session, public_id=run, hold=True)
        if row is None or "spec" not in row.params:
            raise NotFound(f"There is no run {run!r} that a worker could work on.")
        if row.state not in OPEN:
            return row.state
        bury(session, store, run_id=row.id)
        if not share and is_taken(session, store, row=row):
            return row.state
        worker_id = run_chunks.add_worker(
            session, run_id=row.id, name=worker_name(), about={"process": process()}, now=store.now()
        )
    keeper = _Keeper(store, row, worker_id, keep_of(row), stop)
    keeper.start()
    try:
        _Worker(store, row, worker_id, means, keeper, wait).work()
    except ModelRefused as error:
        if not _others(store, row, worker_id):
            _stop_run(store, row, str(error))
        else:  # the run goes on where the model can be had
            _log.warning("run %s: %s", run, error)
            raise
    except TouchstoneError as error:
        _stop_run(store, row, str(error))
    except Exception:
        number = secrets.token_hex(3)
        _log.exception("error %s in run %s", number, run)
        _stop_run(
            store,
            row,
            f"The worker met an error that it does not know (number {number}); its log says more. What was answered is"
            " kept, and the run can be resumed.",
        )
    finally:
        keeper.end()
        state = _leave(store, row, worker_id)
    return state


def keep_of(row: StoredRun) -> Keep:
    """What becomes of a run's attempts."""
    return asking_of(row).keep(plan_of_run(row))


class _Worker:
    """One worker at one run."""

    def __init__(self, store: Store, row: StoredRun, worker_id: int, means: Means, keeper: _Keeper, wait: bool) -> None:
        self.store, self.row, self.worker_id, self.means, self.keeper, self.wait = (
            store,
            row,
            worker_id,
            means,
            keeper,
            wait,
        )
        self.run_id = row.id
        self.spec, self.plan = spec_of_run(row), plan_of_run(row)
        self.begun = False
        self.asker: Asks | None = None
        self.answerer: Answerer | None = None

    def work(self) -> None:
        refuse_changed(self.row)
        try:
            with ThreadPoolExecutor(1, thread_name_prefix="prepare") as beside:
                self._chunks(beside)
        finally:
            if self.answerer is not None:
                self.answerer.close()

    def _chunks(self, beside: ThreadPoolExecutor) -> None:
        """One chunk after the other; the questions of the next one are made while the model answers."""
        coming: Future[_Prepared | None] = beside.submit(self._prepare)
        while not self.keeper.stopped:
            prepared = coming.result()
            if prepared is None:
                if not self._left() or not self.wait:
                    return
                self.keeper.pause(LOOK_SECONDS)
                with self.store.write() as session:
                    bury(session, self.store, run_id=self.run_id)
                coming = beside.submit(self._prepare)
                continue
            coming = beside.submit(self._prepare)
            self._answer(prepared)
        coming.result()

    def _prepare(self) -> _Prepared | None:
        """Take a chunk and make its questions."""
        if self.keeper.stopped:
            return None
        now = self.store.now()
        with self.store.write() as session:
            self._begin(session)  # everybody holds a run before its chunks, so that nobody waits for each other
            chunk = run_chunks.claim(session, run_id=self.run_id, worker_id=self.worker_id, now=now, until=now + LEASE)
            if chunk is None:
                return None
            asked = run_attempts.finished(session, run_id=self.run_id, unit_ids=chunk.unit_ids, since=chunk.since)
        self.begun = True
        left = [id for id in dict.fromkeys(chunk.unit_ids) if id not in asked]
        if left and self.asker is None:
            self.asker = self.means.ask(self.row, self.spec, self.plan)
        return _Prepared(chunk.id, self.asker.ask(left) if self.asker and left else [])

    def _begin(self, session: Session) -> None:
        """With its first chunk the run is no longer waiting."""
        if self.begun:
            return
        row = runs.by_public_id(session, public_id=self.row.public_id, hold=True)
        if row is not None and row.state is RunState.WAITING:
            runs.take_up(session, row=row, now=self.store.now())

    def _answer(self, prepared: _Prepared) -> None:
        self.keeper.begin(prepared)
        for question in prepared.questions:
            if question.cannot:
                self.keeper.tell(Attempt(question.unit_id, Outcome.SKIPPED, error=question.cannot))
        to_ask = [question for question in prepared.questions if not question.cannot]
        try:
            if to_ask and not self.keeper.stop():
                answerer = self._opened()
                if not self.keeper.stop():
                    self._budget(answerer)
                    answerer.answer(to_ask, tell=self.keeper.tell, stop=self.keeper.stop)
        finally:
            self.keeper.flush()
        if self.keeper.stop():
            return
        for question in to_ask:
            if question.unit_id not in self.keeper.ended:
                error = "The model was asked, and nothing was heard of it: neither an answer nor an error."
                self.keeper.tell(Attempt(question.unit_id, Outcome.FAILED, error=error))
        self.keeper.flush()
        with self.store.write() as session:
            chunk = run_chunks.owned(session, chunk_id=prepared.chunk_id, worker_id=self.worker_id)
            if chunk is not None and not self.keeper.stop():
                run_chunks.finish(session, row=chunk)

    def _opened(self) -> Answerer:
        if self.answerer is None:
            self.answerer = self.means.open(self.spec, self.plan)
            about = {**self.answerer.about, "touchstone": _version(), "process": process()}
            with self.store.write() as session:
                run_chunks.tell_about(session, worker_id=self.worker_id, about=about)
        return self.answerer

    def _budget(self, answerer: Answerer) -> None:
        """Tell a model that has a budget what the run has cost so far, whoever worked on it."""
        spent = getattr(answerer, "spent", None)
        if spent is not None:
            with self.store.read() as session:
                figures = run_attempts.figures(session, run_id=self.run_id)
            spent(figures.calls, figures.cost or 0.0)

    def _left(self) -> bool:
        """Whether chunks are left; a run without any is done."""
        with self.store.write() as session:
            row = runs.by_public_id(session, public_id=self.row.public_id, hold=True)
            if row is None or row.state not in OPEN:
                return False
            if run_chunks.undone(session, run_id=self.run_id):
                return True
            runs.complete(session, row=row, now=self.store.now())
            _record(session, self.store, row, "run.done")
            return False


@dataclass(frozen=True)
class _Prepared:
    """A chunk in hand, with the questions that are still to be asked."""

    chunk_id: int
    questions: list[Question]


class _Keeper(threading.Thread):
    """Beside the model: writes attempts as they come, says that the worker is there, and looks whether to stop.

    Attempts that end together are written together, and the model never waits for the disk.
    """

    def __init__(self, store: Store, row: StoredRun, worker_id: int, keep: Keep, stop: Callable[[], bool]) -> None:
        super().__init__(name=f"keeper-{worker_id}", daemon=True)
        self.store, self.row, self.worker_id, self.keep = store, row, worker_id, keep
        self.ended: set[int] = set()
        """The units of the chunk that were asked to the end."""
        self._asked: dict[int, Question] = {}
        self._items: dict[int, int] = {}
        """The item that each unit is about."""
        self._chunk_id = 0
        self._lost = False
        self._told: queue.Queue[tuple[int, Attempt]] = queue.Queue()
        self._leave = stop
        self._stopped = threading.Event()
        self._over = threading.Event()
        self._error: BaseException | None = None
        self._looked = self._beaten = time.monotonic()

    # ---- what the worker calls ----

    def begin(self, prepared: _Prepared) -> None:
        """From now on attempts belong to this chunk."""
        self._chunk_id, self._lost, self.ended = prepared.chunk_id, False, set()
        self._asked = {question.unit_id: question for question in prepared.questions}
        self._items |= {question.unit_id: question.item_id for question in prepared.questions}

    def tell(self, attempt: Attempt) -> None:
        """Take an attempt, to be written at once."""
        question = self._asked.get(attempt.unit_id)
        if question is None:
            raise ValueError(f"an attempt at the unit {attempt.unit_id}, which was not asked about")
        if attempt.unit_id in self.ended:
            raise ValueError(f"an attempt at the unit {attempt.unit_id}, which had ended")
        if not attempt.prompt_hash:
            hashes = tuple(picture.sha256 for picture in question.pictures)
            attempt = replace(attempt, prompt_hash=question.prompt_hash, image_hashes=attempt.image_hashes or hashes)
        if question.moments:
            attempt = replace(attempt, detail={**attempt.detail, "frames": question.moments})
        if attempt.final:
            self.ended.add(attempt.unit_id)
        self._told.put((self._chunk_id, attempt))

    def stop(self) -> bool:
        """Whether the model is to leave the rest of this chunk."""
        return self.stopped or self._lost

    @property
    def stopped(self) -> bool:
        """Whether the worker is to leave the run."""
        if not self._stopped.is_set() and self._leave():
            self._stopped.set()
        return self._stopped.is_set()

    def pause(self, seconds: float) -> None:
        """Wait, but not longer than the run goes on."""
        end = time.monotonic() + seconds
        while not self.stopped and (left := end - time.monotonic()) > 0:
            self._stopped.wait(min(left, 0.1))

    def flush(self) -> None:
        """Wait until everything that was told is written; raises what went wrong."""
        self._told.join()
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def end(self) -> None:
        """Write what is left and leave."""
        self._over.set()
        self.join()

    # ---- the thread ----

    def run(self) -> None:
        while not (self._over.is_set() and self._told.empty()):
            found = self._taken()
            if found:
                try:
                    self._write(found)
                except BaseException as error:
                    self._error = error
                    self._stopped.set()
                finally:
                    for _ in found:
                        self._told.task_done()
            try:
                self._look()
            except Exception:
                _log.warning("the database cannot be reached; trying again", exc_info=True)

    def _taken(self) -> list[tuple[int, Attempt]]:
        """What was told since last time; waits a moment for the first."""
        found: list[tuple[int, Attempt]] = []
        try:
            found.append(self._told.get(timeout=0.05 if self._over.is_set() else LOOK_SECONDS / 4))
            while True:
                found.append(self._told.get_nowait())
        except queue.Empty:
            return found

    def _write(self, found: Sequence[tuple[int, Attempt]]) -> None:
        by_chunk: dict[int, list[Attempt]] = {}
        for chunk_id, attempt in found:
            by_chunk.setdefault(chunk_id, []).append(attempt)
        for chunk_id, attempts in by_chunk.items():
            if not self._written(chunk_id, attempts) and chunk_id == self._chunk_id:
                self._lost = True
                _log.warning("run %s: another worker has taken over; %d late", self.row.public_id, len(attempts))

    def _written(self, chunk_id: int, attempts: Sequence[Attempt]) -> bool:
        for again, seconds in enumerate((0.0, *WRITE_AGAIN_SECONDS)):
            time.sleep(seconds)
            try:
                self.keep.prepare(self.store, self.row, attempts)
                with self.store.write() as session:
                    now = self.store.now()
                    written = run_attempts.append(
                        session,
                        run_id=self.row.id,
                        chunk_id=chunk_id,
                        worker_id=self.worker_id,
                        attempts=attempts,
                        item_ids={each.unit_id: self._items[each.unit_id] for each in attempts},
                        now=now,
                        unless_there=again > 0,
                    )
                    if written is not None:
                        self.keep(session, self.row, written, now)
                    return written is not None
            except TouchstoneError:
                raise
            except Exception:
                if again == len(WRITE_AGAIN_SECONDS):
                    raise
                _log.warning("attempts could not be written; trying again", exc_info=True)
        return False

    def _look(self) -> None:
        moment = time.monotonic()
        if moment - self._looked < LOOK_SECONDS:
            return
        self._looked = moment
        with self.store.read() as session:
            if runs.state(session, run_id=self.row.id) not in OPEN:
                self._stopped.set()
        if moment - self._beaten >= HEARTBEAT_SECONDS:
            self._beaten = moment
            now = self.store.now()
            with self.store.write() as session:
                run_chunks.extend(session, worker_id=self.worker_id, now=now, until=now + LEASE)


# ---- ends -----------------------------------------------------------------------------------------------------------


def _stop_run(store: Store, row: StoredRun, said: str) -> None:
    """The run cannot go on by itself: it stops, and says why."""
    with store.write() as session:
        found = runs.by_public_id(session, public_id=row.public_id, hold=True)
        if found is None or found.state not in OPEN:
            return
        runs.stop(session, row=found, said=said)
        _record(session, store, found, "run.stopped", said=said)


def _others(store: Store, row: StoredRun, worker_id: int) -> bool:
    """Whether other workers are at a run."""
    with store.read() as session:
        there = run_chunks.workers(session, run_id=row.id, only_there=True)
        return any(is_there(each, store) for each in there if each.id != worker_id)


def _leave(store: Store, row: StoredRun, worker_id: int) -> RunState:
    """The worker goes; a run that nobody works on waits."""
    with store.write() as session:
        found = runs.by_public_id(session, public_id=row.public_id, hold=True)
        now = store.now()
        run_chunks.end_worker(session, worker_id=worker_id, now=now)
        if found is None:
            return row.state
        others = [
            each for each in run_chunks.workers(session, run_id=found.id, only_there=True) if is_there(each, store)
        ]
        if found.state is RunState.RUNNING and not others:
            found = runs.put_down(session, row=found)
        return found.state


def _record(session: Session, store: Store, row: StoredRun, kind: str, **data: Any) -> None:
    events.record(
        session,
        at=store.now(),
        kind=kind,
        project_id=row.project_id,
        data={"run": row.public_id, "model": row.name, **data},
    )


def _version() -> dict[str, str]:
    try:
        own = metadata.version("touchstone")
    except metadata.PackageNotFoundError:
        own = ""
    return {"version": own, "python": platform.python_version()}

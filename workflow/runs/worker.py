"""The worker: it takes chunks of a run, asks the model, and stores every attempt as it ends.

A killed worker loses the attempts of a fraction of a second. Its chunks become free when its lease ends, or at once if
another worker on the same machine sees that its process is gone.
"""

from __future__ import annotations

import logging
import platform
import secrets
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from db import run_attempts, run_chunks, runs
from db.engine import Session, Store
from db.records import StoredRun
from domain.errors import ModelError, NotFoundError, TouchstoneError
from domain.installation import own_version
from domain.judging import Plan
from domain.run_kinds import kind_of
from domain.runs import OPEN, Answerer, AsksTools, Attempt, Outcome, RunPlan, RunState, Tools
from domain.settings import Settings
from domain.strategies import added_strategy
from inference.spec import ModelSpec
from workflow.access.event_log import log
from workflow.access.projects import access_to
from workflow.jobs.live_process import process, worker_name
from workflow.runs.askings import asking_of
from workflow.runs.attempt_keeper import AttemptKeeper, PreparedChunk
from workflow.runs.model_descriptions import allowed_by
from workflow.runs.preview_run import cache_of
from workflow.runs.run_kinds import Asks, Keep
from workflow.runs.stored_runs import plan_of_run, refuse_changed, spec_of_run
from workflow.runs.worker_registry import LEASE, end_dead_workers, is_alive, is_taken

if TYPE_CHECKING:
    from media.store import MediaStore

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Means:
    """The means of a worker: functions that open a model, and that turn units into questions."""

    open: Callable[[ModelSpec, Plan], Answerer]
    ask: Callable[[StoredRun, ModelSpec, Plan], Asks]
    tools: Callable[[StoredRun, ModelSpec, Plan, Callable[[], bool]], Tools | None] = lambda *_: None
    """Return an object that runs the tools a run's model asks for, until it has to stop; None without tools."""


def means_of(store: Store, media: MediaStore, settings: Settings, *, tools: Path | None = None) -> Means:
    """Return the real means. Heavy packages load only when a model is opened.

    ``tools`` is the file of a tool set that was given to the command.
    """

    def open_(spec: ModelSpec, plan: Plan) -> Answerer:
        return asking_of(kind_of(plan)).open(spec, plan, allowed_by(settings, tools=tools))

    def ask(row: StoredRun, spec: ModelSpec, plan: Plan) -> Asks:
        with store.read() as session:
            access = access_to(session, person=None, project=runs.project_of(session, public_id=row.public_id) or "")
        return asking_of(kind_of(plan)).ask(store, media, access.schema, spec, plan, cache_of(settings))

    def run_tools(row: StoredRun, spec: ModelSpec, plan: Plan, stop: Callable[[], bool]) -> Tools | None:
        allowed = allowed_by(settings, tools=tools)
        added = added_strategy(plan.strategy) if isinstance(plan, RunPlan) else None
        if added is None:
            return None
        pictures = partial(ask, row, spec, plan)  # an asker of its own: tools run while questions are made
        return added.serve(store=store, plan=plan, allowed=allowed, pictures=pictures, stop=stop)

    return Means(open_, ask, run_tools)


def work(
    store: Store,
    run: str,
    *,
    means: Means,
    stop: Callable[[], bool] = lambda: False,
    wait: bool = False,
    share: bool = True,
) -> RunState:
    """Work on a run until it is finished or paused. Return its final state.

    Raises ``ModelError`` if the model cannot be opened here, but other workers are active.

    Parameters
    ----------
    stop
        Return True when this worker should leave. Another worker can continue the run.
    wait
        Stay while other workers have the last chunks, and take over the chunks of dead workers.
    share
        False skips a run that another worker of this machine works on, because memory holds its model already.
    """
    with store.write() as session:
        row = runs.by_public_id(session, public_id=run, hold=True)
        if row is None or "spec" not in row.params:
            raise NotFoundError(
                f"There is no run {run!r} that a worker can process. To see all runs, run `touchstone run list "
                "PROJECT`."
            )
        if row.state not in OPEN:
            return row.state
        end_dead_workers(session, store, run_id=row.id)
        if not share and is_taken(session, store, row=row):
            return row.state
        worker_id = run_chunks.add_worker(
            session, run_id=row.id, name=worker_name(), about={"process": process()}, now=store.now()
        )
    keeper = AttemptKeeper(store, row, worker_id, keep_of(row), stop)
    keeper.start()
    try:
        _Worker(store, row, worker_id, means, keeper, wait).work()
    except ModelError as error:
        if not _others(store, row, worker_id):
            _stop_run(store, row, str(error))
        else:  # other workers can open the model
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
            f"The worker stopped with an unknown error (number {number}). The worker's log has details. All answers "
            "are saved, and you can resume the run.",
        )
    finally:
        keeper.end()
        state = _leave(store, row, worker_id)
    return state


def keep_of(row: StoredRun) -> Keep:
    """Return the keeper that stores a run's attempts."""
    return asking_of(row.kind).keep(plan_of_run(row))


class _Worker:
    """One worker on one run."""

    def __init__(
        self, store: Store, row: StoredRun, worker_id: int, means: Means, keeper: AttemptKeeper, wait: bool
    ) -> None:
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
        """Work on one chunk after the other. The next chunk's questions are made while the model answers."""
        coming: Future[PreparedChunk | None] = beside.submit(self._prepare)
        while not self.keeper.stopped:
            prepared = coming.result()
            if prepared is None:
                if not self._left() or not self.wait:
                    return
                self.keeper.pause()
                with self.store.write() as session:
                    end_dead_workers(session, self.store, run_id=self.run_id)
                coming = beside.submit(self._prepare)
                continue
            coming = beside.submit(self._prepare)
            self._answer(prepared)
        coming.result()

    def _prepare(self) -> PreparedChunk | None:
        """Take a chunk and make its questions."""
        if self.keeper.stopped:
            return None
        now = self.store.now()
        with self.store.write() as session:
            self._begin(session)  # all lock a run before its chunks, which prevents deadlocks
            chunk = run_chunks.claim(session, run_id=self.run_id, worker_id=self.worker_id, now=now, until=now + LEASE)
            if chunk is None:
                return None
            asked = run_attempts.finished(session, run_id=self.run_id, unit_ids=chunk.unit_ids, since=chunk.since)
        self.begun = True
        left = [id for id in dict.fromkeys(chunk.unit_ids) if id not in asked]
        if left and self.asker is None:
            self.asker = self.means.ask(self.row, self.spec, self.plan)
        return PreparedChunk(chunk.id, self.asker.ask(left) if self.asker and left else [])

    def _begin(self, session: Session) -> None:
        """Set the run's state from waiting to running with the first chunk."""
        if self.begun:
            return
        row = runs.by_public_id(session, public_id=self.row.public_id, hold=True)
        if row is not None and row.state is RunState.WAITING:
            runs.take_up(session, row=row, now=self.store.now())

    def _answer(self, prepared: PreparedChunk) -> None:
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
                error = "The model received the question but returned neither an answer nor an error."
                self.keeper.tell(Attempt(question.unit_id, Outcome.FAILED, error=error))
        self.keeper.flush()
        with self.store.write() as session:
            chunk = run_chunks.owned(session, chunk_id=prepared.chunk_id, worker_id=self.worker_id)
            if chunk is not None and not self.keeper.stop():
                run_chunks.finish(session, row=chunk)

    def _opened(self) -> Answerer:
        if self.answerer is None:
            self.answerer = self.means.open(self.spec, self.plan)
            tools = self.means.tools(self.row, self.spec, self.plan, self.keeper.stop)
            if tools is not None and isinstance(self.answerer, AsksTools):
                self.answerer.give_tools(tools)
            about = {**self.answerer.about, "touchstone": _version(), "process": process()}
            with self.store.write() as session:
                run_chunks.note_about(session, worker_id=self.worker_id, about=about)
        return self.answerer

    def _budget(self, answerer: Answerer) -> None:
        """Set the run's cost so far, by all workers, for a model with a budget."""
        spent = getattr(answerer, "spent", None)
        if spent is not None:
            with self.store.read() as session:
                figures = run_attempts.figures(session, run_id=self.run_id)
            spent(figures.calls, figures.cost or 0.0)

    def _left(self) -> bool:
        """Return whether chunks are left. A run without any is marked as done."""
        with self.store.write() as session:
            row = runs.by_public_id(session, public_id=self.row.public_id, hold=True)
            if row is None or row.state not in OPEN:
                return False
            if run_chunks.undone(session, run_id=self.run_id):
                return True
            runs.complete(session, row=row, now=self.store.now())
            log(session, "run.done", run=row, now=self.store.now())
            return False


# ---- ends -----------------------------------------------------------------------------------------------------------


def _stop_run(store: Store, row: StoredRun, said: str) -> None:
    """Stop a run that cannot continue by itself, with the reason."""
    with store.write() as session:
        run = runs.by_public_id(session, public_id=row.public_id, hold=True)
        if run is None or run.state not in OPEN:
            return
        runs.stop(session, row=run, said=said)
        log(session, "run.stopped", run=run, now=store.now(), data={"said": said})


def _others(store: Store, row: StoredRun, worker_id: int) -> bool:
    """Return whether other workers are active on a run."""
    with store.read() as session:
        there = run_chunks.workers(session, run_id=row.id, only_there=True)
        return any(is_alive(worker, store) for worker in there if worker.id != worker_id)


def _leave(store: Store, row: StoredRun, worker_id: int) -> RunState:
    """Remove the worker. A run without workers is set to waiting."""
    with store.write() as session:
        run = runs.by_public_id(session, public_id=row.public_id, hold=True)
        now = store.now()
        run_chunks.end_worker(session, worker_id=worker_id, now=now)
        if run is None:
            return row.state
        others = [
            worker for worker in run_chunks.workers(session, run_id=run.id, only_there=True) if is_alive(worker, store)
        ]
        if run.state is RunState.RUNNING and not others:
            run = runs.put_down(session, row=run)
        return run.state


def _version() -> dict[str, str]:
    return {"version": own_version(), "python": platform.python_version()}

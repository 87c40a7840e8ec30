"""The loop of ``touchstone worker``: threads that take jobs, and a search for open runs without a job."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from db.engine import Store
from domain.errors import ConflictError, ModelError
from domain.log_facts import add_log_facts
from domain.runs import OPEN, RunState
from domain.settings import Settings
from workflow.jobs import desk
from workflow.jobs.kinds import JobContext, JobKind, JobOutcome, Lane
from workflow.jobs.live_process import worker_name
from workflow.jobs.working import Worker
from workflow.runs import run_control, worker_registry
from workflow.runs.run_jobs import RUN, WORKER, wake
from workflow.runs.shard_runs import shard_runs
from workflow.runs.worker import Means, means_of, work

LOOK_SECONDS = 3.0
"""The seconds between two searches for runs without a job."""
TAKE_SECONDS = 0.5
"""The seconds between two searches of an idle thread for a job."""

_log = logging.getLogger(__name__)


def work_on_run(context: JobContext, *, means: Means | None = None, share: bool = False) -> JobOutcome:
    """Work on a run until it is finished or paused, or until the worker leaves."""
    run = context.input["run"]
    add_log_facts(run=run)
    means = means or means_of(context.store, context.media, context.settings)
    try:
        state = _executed(context, run, means)
        if state is None:
            state = work(context.store, run, means=means, stop=context.stop, share=share)
    except ModelError as error:
        return JobOutcome(f"Another worker continues this run. {error}", {"refused": run})
    if context.canceled():
        if state in OPEN or state is RunState.BATCH:
            run_control.pause(context.store, by=None, run=run)
        return JobOutcome("The run is paused.")
    if context.stop() and state in OPEN:
        return JobOutcome("The worker stopped before the run was finished.", again_in=timedelta())
    return JobOutcome(f"The run is {state.value}.")


def _executed(context: JobContext, run: str, means: Means) -> RunState | None:
    """Execute a run in shards. Return its state; None for a run that workers ask themselves."""
    functions = shard_runs()
    if functions is None or functions.plan_of(context.store, by=None, run=run) is None:
        return None
    return functions.execute(context.store, by=None, run=run, means=means, stop=context.stop, tell=_log.info)


def _no_work(context: JobContext) -> JobOutcome:
    raise ConflictError("Only a worker can do this job. Start `touchstone worker`.")


RUN_KIND = JobKind(RUN, "Run", "Asking in {}", work_on_run, lane=Lane.RUNS)
WORKER_KIND = JobKind(WORKER, "Worker", "Waiting for runs", _no_work, lane=Lane.WORKER, resumes=False)


def serve(
    store: Store,
    home: Path,
    settings: Settings,
    *,
    more: Sequence[JobKind] = (),
    threads: int = 1,
    share: bool = False,
    leave: Callable[[], bool] = lambda: False,
    on_run: Callable[[JobContext], JobOutcome] | None = None,
) -> None:
    """Take jobs until a signal (SIGINT, SIGTERM) or ``leave`` ends the loop, or a person cancels the worker's job.

    Parameters
    ----------
    more
        Kinds of jobs that repeat themselves. Each gets a thread.
    on_run
        The function that works on a run. None for the default.
    """
    loop = _Loop(store, home, settings, more, threads, share, leave, on_run)
    with _leaving_on_signals(loop.stop):
        loop.run()


@contextmanager
def _leaving_on_signals(stop: threading.Event) -> Iterator[None]:
    signals = (signal.SIGINT, signal.SIGTERM)
    before = {signal_number: signal.signal(signal_number, lambda *_: stop.set()) for signal_number in signals}
    try:
        yield
    finally:
        for signal_number, handler in before.items():
            signal.signal(signal_number, handler)


class _Loop:
    """One worker."""

    def __init__(
        self,
        store: Store,
        home: Path,
        settings: Settings,
        more: Sequence[JobKind],
        threads: int,
        share: bool,
        leave: Callable[[], bool],
        on_run: Callable[[JobContext], JobOutcome] | None,
    ) -> None:
        self.store, self.home, self.settings = store, home, settings
        self.more, self.threads, self.share, self.leave = more, threads, share, leave
        self.on_run = on_run or (lambda context: work_on_run(context, share=share))
        self.stop = threading.Event()
        self.busy: set[str] = set()
        self.refused: set[str] = set()
        """Runs whose models cannot be opened here, and that other workers continue."""
        kinds = [replace(RUN_KIND, work=self._work), replace(WORKER_KIND, work=self._wait), *more]
        self.kinds: Mapping[str, JobKind] = {row.name: row for row in kinds}

    def run(self) -> None:
        worker = self._worker(Lane.WORKER)
        slot, about = f"{WORKER}/{worker_name()}", {"threads": self.threads, "share": self.share}
        job = desk.begin(self.store, kind=WORKER, slot=slot, by=None, input=about)
        row = worker.take(public_id=job.id)
        assert row is not None
        takers = [threading.Thread(target=self._take, args=(Lane.RUNS,), name="runs") for _ in range(self.threads)]
        for kind in self.more:
            takers.append(threading.Thread(target=self._repeat, args=(kind,), name=kind.name))
        for thread in takers:
            thread.start()
        worker.do(row)
        self.stop.set()
        for thread in takers:
            thread.join()

    def _worker(self, lane: Lane) -> Worker:
        return Worker(self.store, self.home, self.settings, self.kinds, lane, stop=self.stop.is_set)

    def _wait(self, context: JobContext) -> JobOutcome:
        """Search for runs until this worker leaves."""
        while not self.stop.wait(LOOK_SECONDS):
            if self.leave() or context.canceled():
                break
            try:
                if len(self.busy) < self.threads:
                    for run in worker_registry.waiting(self.store, share=self.share):
                        if run not in self.refused | self.busy:
                            wake(self.store, run)
            except Exception:
                _log.warning("cannot reach the database; trying again", exc_info=True)
        self.stop.set()
        return JobOutcome("The worker left.")

    def _work(self, context: JobContext) -> JobOutcome:
        run = context.input["run"]
        if run in self.refused:
            return JobOutcome("This worker cannot load the model of this run.")
        self.busy.add(run)
        try:
            outcome = self.on_run(context)
        finally:
            self.busy.discard(run)
        if isinstance(outcome.value, dict) and "refused" in outcome.value:
            self.refused.add(run)
        return outcome

    def _take(self, lane: Lane) -> None:
        worker = self._worker(lane)
        while not self.stop.is_set():
            self._try(worker.work_off)
            self.stop.wait(TAKE_SECONDS)

    def _repeat(self, kind: JobKind) -> None:
        """Execute the one job of a repeating kind whenever the job is due."""
        self._try(lambda: desk.begin(self.store, kind=kind.name, slot=kind.name, by=None))
        self._take(kind.lane)

    def _try(self, act: Callable[[], Any]) -> None:
        try:
            act()
        except Exception:
            _log.warning("cannot reach the database; trying again", exc_info=True)

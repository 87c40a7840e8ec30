"""A worker: it hears of runs, finds runs that no job is about, leaves on a signal, and is replaced when it dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from db.engine import Store
from domain.jobs import Job, JobState
from testkit.serving import environment
from tests.paths import ROOT
from workflow.jobs import desk
from workflow.jobs.working import BROKEN_OFF
from workflow.runs import run_jobs

pytestmark = [pytest.mark.both_databases, pytest.mark.slow]

WORKER = """
import sys, time
from datetime import timedelta
from pathlib import Path

from db.engine import open_store
from domain.settings import Settings
from workflow.jobs.kinds import JobKind, JobOutcome, Lane
from workflow.runs import work_loop, worker_registry

home, url = Path(sys.argv[1]), sys.argv[2]
found = [["by looking"], []]
worker_registry.waiting = lambda store, share: found.pop(0) if found else []

def on_run(context):
    run = context.input["run"]
    print(run, "after", context.job.deaths, flush=True)
    while run == "long" and not context.stop():
        time.sleep(0.01)
    return JobOutcome("left", again_in=timedelta()) if context.stop() else JobOutcome("done")

def ring(context):
    print("ring", context.job.attempts, flush=True)
    while context.job.attempts == 2:
        time.sleep(0.01)
    return JobOutcome("rang", again_in=timedelta(seconds=0.1 if context.job.attempts == 1 else 600))

bell = [JobKind("bell", "Bell", "Ringing", ring, lane=Lane.REPEATED)] if sys.argv[3:] else []
work_loop.serve(open_store(url, home), home, Settings(home=home, database_url=url), on_run=on_run, more=bell)
print("left", flush=True)
"""


@contextmanager
def worker(store: Store, home: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    url = store.engine.url.render_as_string(hide_password=False)
    process = subprocess.Popen(
        [sys.executable, "-c", WORKER, str(home), url, *more],
        cwd=ROOT,
        env=environment(home),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def newest(store: Store, slot: str, holds: Callable[[Job], bool]) -> Job:
    for _ in range(6_000):
        job = desk.newest(store, slot=slot)
        if job is not None and holds(job):
            return job
        time.sleep(0.05)
    raise AssertionError(f"it never came: {job}")


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_hears_finds_and_leaves(store: Store, home: Path, sign: signal.Signals) -> None:
    assert run_jobs.worker_seen(store) is None
    run_jobs.wake(store, "told")
    run_jobs.wake(store, "told")
    with worker(store, home) as process:
        assert said(process) == "told after 0"
        assert said(process) == "by looking after 0"
        seen = run_jobs.worker_seen(store)
        assert seen is not None
        assert seen < 30
        run_jobs.wake(store, "long")
        assert said(process) == "long after 0"
        os.kill(process.pid, sign)
        assert said(process) == "left"
        assert process.wait(60) == 0
    assert newest(store, "run/told", lambda job: not job.is_open).said == "done"
    assert newest(store, "run/long", lambda job: True).state is JobState.WAITING, "the next worker goes on"
    (own,) = desk.list_jobs(store, kinds=["worker"])
    assert (own.state, own.said) == (JobState.DONE, "The worker left.")


def test_a_worker_that_is_killed_is_replaced(store: Store, home: Path) -> None:
    run_jobs.wake(store, "long")
    with worker(store, home) as process:
        assert said(process) == "long after 0"
    with worker(store, home) as process:
        assert said(process) == "long after 1"
        first = desk.list_jobs(store, kinds=["worker"])[-1]
        assert (first.state, first.said) == (JobState.FAILED, BROKEN_OFF)
        job = newest(store, "run/long", lambda job: job.state is JobState.RUNNING)
        desk.cancel(store, id=job.id)
        assert newest(store, "run/long", lambda job: not job.is_open).state is JobState.CANCELED
        own = desk.list_jobs(store, kinds=["worker"])[0]
        desk.cancel(store, id=own.id)  # that ends the worker
        lines = [said(process) for _ in range(2)]
        assert "left" in lines
        assert process.wait(60) == 0


def test_a_job_that_repeats_itself_goes_on_with_another_worker(store: Store, home: Path) -> None:
    with worker(store, home, "bell") as process:
        while said(process) != "ring 2":
            pass
    with worker(store, home, "bell") as process:
        while said(process) != "ring 3":
            pass
        bell = newest(store, "bell", lambda job: job.state is JobState.WAITING)
    assert (bell.said, bell.deaths) == ("rang", 1)
    assert len(desk.list_jobs(store, kinds=["bell"])) == 1

"""Long tasks of commands are rows of ``jobs``, with their outcome, and can be canceled from elsewhere."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from app.commands.recorded import recorded
from app.jobs.kinds import KINDS
from app.services import Resources
from db.engine import Store, open_store
from domain.errors import ConflictError
from domain.jobs import Job, JobState, Progress
from domain.settings import Settings
from media.store import MediaStore
from testkit.factories import make_project
from tests.app.killed_jobs import own_process
from workflow.jobs import desk, working
from workflow.jobs.working import BROKEN_OFF


@pytest.fixture
def shared(store: Store, home: Path) -> Resources:
    make_project(store)
    url = store.engine.url.render_as_string(hide_password=False)
    return Resources(store, MediaStore(home / "media"), Settings(home, url))


def only_job(store: Store) -> Job:
    [job] = desk.list_jobs(store, project="p") or desk.list_jobs(store)
    return job


def test_a_task_is_listed_while_it_runs_and_after(shared: Resources) -> None:
    def task(progress: Progress) -> JobState:
        return only_job(shared.store).state

    assert recorded(shared, "item import", "p", task) is JobState.RUNNING
    job = only_job(shared.store)
    assert (job.kind, job.project, job.state) == ("command", "p", JobState.DONE)
    assert job.input == {"command": "touchstone item import"}


@pytest.mark.parametrize("error", [ConflictError("Two of them."), ValueError("a fault of the program")])
def test_an_error_of_the_task_is_raised_and_is_the_jobs_reason(shared: Resources, error: Exception) -> None:
    def task(progress: Progress) -> None:
        raise error

    with pytest.raises(type(error), match=str(error)):
        recorded(shared, "item import", "p", task)
    job = only_job(shared.store)
    assert job.state is JobState.FAILED
    assert str(error) in job.said


def test_ctrl_c_cancels_the_job(shared: Resources) -> None:
    def task(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        recorded(shared, "item import", "p", task)
    assert only_job(shared.store).state is JobState.CANCELED


def test_a_job_that_is_canceled_elsewhere_ends_the_command(shared: Resources) -> None:
    def task(progress: Progress) -> None:
        desk.cancel(shared.store, id=only_job(shared.store).id)
        while True:
            progress("items", 1, 2)

    with pytest.raises(ConflictError, match="job cancel"):
        recorded(shared, "item import", "p", task)
    assert only_job(shared.store).state is JobState.CANCELED


def run_task(url: str, home: Path, task: Callable[[Progress], None]) -> None:
    """Record a task from a process of its own."""
    settings = Settings(home, url)
    recorded(Resources(open_store(url, home), MediaStore(home / "media"), settings), "item import", "p", task)


def die(progress: Progress) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_the_job_of_a_killed_command_ends_with_this_reason_and_no_worker_repeats_it(shared: Resources) -> None:
    process = own_process(run_task, shared.settings.database_url, shared.settings.home, die)
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    working.free_dead(shared.store, KINDS)
    job = only_job(shared.store)
    assert (job.state, job.said) == (JobState.FAILED, BROKEN_OFF)


def silent(progress: Progress) -> None:
    signal.pause()


def test_a_command_that_tells_no_progress_ends_when_its_job_is_canceled(shared: Resources) -> None:
    process = own_process(run_task, shared.settings.database_url, shared.settings.home, silent)
    while not (jobs := desk.list_jobs(shared.store)) or jobs[0].state is not JobState.RUNNING:
        assert process.is_alive()
    desk.cancel(shared.store, id=jobs[0].id)
    process.join(60)
    assert process.exitcode == 1
    assert only_job(shared.store).state is JobState.CANCELED

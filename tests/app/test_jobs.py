"""Jobs of every kind: done once, killed anywhere and resumed or ended with a reason, canceled, and seen by two servers.

A job is killed by a process that ends itself at a moment of its work: before the n-th transaction that it writes, or
when it tells progress for the n-th time.
"""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app import jobs
from app.cli import cli
from app.jobs import processes
from app.jobs.imports import ImportOrder
from app.jobs.kinds import KINDS, of_core
from app.services import Services, resources
from db.engine import Store, open_store
from domain import extensions
from domain.errors import ConflictError
from domain.jobs import Job, JobState
from domain.records import Person
from domain.roles import Role
from domain.settings import Settings
from media.store import MediaStore
from testkit.factories import make_fields, make_items, make_person, make_project, make_schema, vote
from tests.app.killed_jobs import MOMENTS, killed_at, own_process, work_off
from tests.app.screens import drawn, words
from workflow.access.projects import access_to
from workflow.files import uploads
from workflow.files.project_check import check
from workflow.jobs import desk, working
from workflow.jobs.kinds import JobContext, JobKind, JobOutcome, Lane
from workflow.jobs.working import Worker
from workflow.releases import create, listing
from workflow.releases.settings import ReleaseOptions

pytestmark = pytest.mark.thorough

NEVER = 10_000
N = 12


@pytest.fixture
def lea(store: Store, home: Path) -> Services:
    make_project(store, loaded=make_schema(adjudication=False, raters=1))
    make_items(store, 3)
    ann = make_person(store, "ann")
    for _ in range(3):
        vote(store, ann)
    return of(store, home, make_person(store, "lea", role=Role.LEAD))


def of(store: Store, home: Path, person: Person) -> Services:
    url = store.engine.url.render_as_string(hide_password=False)
    return Services(store, MediaStore(home / "media"), Settings(home, url), person, "csrf")


# ---- the work of each kind ------------------------------------------------------------------------------------------


def source(services: Services) -> uploads.Source:
    rows = [{"id": f"new-{at}", "dimension": "colour", **make_fields(at, origin="new")} for at in range(N)]
    file = io.BytesIO("\n".join(json.dumps(row) for row in rows).encode())
    file.name = "new.jsonl"
    return uploads.staged(services.settings.home, [file], None)


def items(services: Services) -> int:
    with services.store.read() as session:
        project_id = access_to(session, person=None, project="p").project_id
        return len(_names(session, project_id))


def _names(session: Any, project_id: int) -> list[str]:
    from db import files

    return [name for _, name, _ in files.item_ids(session, project_id=project_id)]


@dataclass(frozen=True)
class Case:
    """A kind of job, as a test begins it and looks at what came of it."""

    kind: str
    slot: str
    input: Callable[[Services], Any]
    holds: Callable[[Services, Job], bool]
    """Whether everything is there once, after the job was done."""
    resumes: bool = True


def imported(services: Services, job: Job) -> bool:
    return items(services) == 3 + N and not [*check(services.store)]


ASKED = ReleaseOptions(despite=("items", "said", "media", "raters"))


def releases(services: Services) -> list[str]:
    made = listing.all_releases(services.store, services.settings.home, by=services.person, project="p")
    for each in made:
        assert each.is_there
    assert not [*(services.settings.home / "releases").rglob(".making-*")]
    return [each.version for each in made]


def released(services: Services) -> dict[str, str]:
    """A release to be mended: what a job withdraws from it."""
    create.create(services.store, services.media, services.settings.home, by=services.person, project="p", asked=ASKED)
    return {"version": "1", "item": "colour/0", "reason": "Its answer is wrong."}


CASES = [
    Case(
        "look",
        "look/1",
        lambda services: ImportOrder("p", source(services), {"format": "jsonl", "dimension": None}),
        lambda services, job: job.result.counts["new"] == N and items(services) == 3,
    ),
    Case(
        "import",
        "import/p",
        lambda services: ImportOrder("p", source(services), {"format": "jsonl", "dimension": None}),
        imported,
    ),
    Case("release", "project/p/1", lambda services: ASKED.dump(), lambda services, job: releases(services) == ["1"]),
]
if extensions.missing("jobs", "withdraw") is None:
    CASES.append(Case("withdraw", "project/p/1", released, lambda services, job: releases(services) == ["1", "1.1"]))


def test_every_kind_of_job_is_killed_here() -> None:
    elsewhere = {"command", "figures", "run", "worker"}  # test_recorded_commands.py, test_figures.py, test_work_loop.py
    of_extensions = {"withdraw"}
    assert {case.kind for case in CASES} - of_extensions == {row.name for row in of_core()} - elsewhere


def begun(services: Services, case: Case) -> Job:
    return desk.begin(
        services.store,
        kind=case.kind,
        slot=case.slot,
        by=services.person,
        project="p",
        input=case.input(services),
    )


# ---- killed ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kind)
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_job_whose_process_is_killed_is_resumed_or_ends_with_a_reason(lea: Services, case: Case, moment: int) -> None:
    job = begun(lea, case)
    killed_at(lea, moment)
    work_off(lea)
    done = desk.job(lea.store, id=job.id)
    if case.resumes or done.state is JobState.DONE:
        assert done.state is JobState.DONE, done.said
        assert case.holds(lea, done)
    else:
        assert (done.state, done.said) == (JobState.FAILED, working.BROKEN_OFF)
        again = desk.retry(lea.store, id=job.id)
        work_off(lea)
        assert case.holds(lea, desk.job(lea.store, id=again.id))


def test_a_job_that_kills_every_process_ends_with_a_reason(lea: Services) -> None:
    job = begun(lea, CASES[0])
    for _ in range(working.ATTEMPTS):
        assert killed_at(lea, 0)
    work_off(lea)
    done = desk.job(lea.store, id=job.id)
    assert (done.state, done.said) == (JobState.FAILED, working.TOO_OFTEN)


# ---- real processes -------------------------------------------------------------------------------------------------


@pytest.fixture
def real(lea: Services) -> Any:
    yield lea
    for pid in processes.at_work():
        os.kill(pid, signal.SIGKILL)
    processes.close()


def until(services: Services, id: str, holds: Callable[[Job], bool]) -> Job:
    for _ in range(6_000):
        job = desk.job(services.store, id=id)
        if holds(job):
            return job
        time.sleep(0.05)
    raise AssertionError(f"it never came: {job}")


@pytest.mark.both_databases
def test_a_process_that_is_killed_is_replaced_and_two_presses_begin_one_job(real: Services) -> None:
    case = CASES[1]
    about: Any = {"slot": case.slot, "project": "p", "input": case.input(real)}
    job = jobs.begin(real, case.kind, **about)
    (pid,) = processes.at_work()
    os.kill(pid, signal.SIGSTOP)
    assert jobs.begin(real, case.kind, **about).id == job.id, "the second press"
    with pytest.raises(ConflictError, match="Another job blocks this job"):
        jobs.begin(real, case.kind, **{**about, "input": case.input(real)})
    os.kill(pid, signal.SIGKILL)
    done = until(real, job.id, lambda job: not job.is_open)
    assert (done.state, done.attempts <= 2) == (JobState.DONE, True)
    assert imported(real, done)
    other = open_store(real.settings.database_url, real.settings.home)  # another server sees the same
    assert desk.newest(other, slot=case.slot, whole=True) == done
    other.close()


@pytest.mark.slow
def test_a_killed_process_is_replaced_for_the_database_that_it_served_last(real: Services, tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    first = open_store(None, tmp_path / "first")
    first.upgrade()
    processes.wake(first, tmp_path / "first", "import")
    while not processes.is_warm(Lane.TASKS):
        time.sleep(0.05)
    (pid,) = processes.job_processes()
    os.kill(pid, signal.SIGSTOP)  # or the job might be done before its process is killed
    case = CASES[1]
    job = jobs.begin(real, case.kind, slot=case.slot, project="p", input=case.input(real))
    assert processes.at_work() == [pid]
    os.kill(pid, signal.SIGKILL)
    assert until(real, job.id, lambda job: not job.is_open).state is JobState.DONE
    first.close()


@pytest.mark.slow
def test_another_server_goes_on_where_one_died(real: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "LEFT_ALONE", timedelta())
    job = begun(real, CASES[1])
    assert killed_at(real, 3)
    assert desk.job(real.store, id=job.id).state is JobState.RUNNING
    with processes.watching(real.store, real.settings.home):
        done = until(real, job.id, lambda job: not job.is_open)
    assert done.state is JobState.DONE


# ---- canceled -------------------------------------------------------------------------------------------------------


def endless(context: JobContext) -> JobOutcome:
    """Work that tells progress, or none, until it is ended."""
    while True:
        time.sleep(0.01)
        if context.input == "tells":
            context.progress("counting", 1, 2)


ENDLESS = {"endless": JobKind("endless", "Endless", "Counting", endless)}


def endless_in_process(url: str, home: Path) -> None:
    working.CANCEL_SECONDS = 0.2
    Worker(open_store(url, home), home, Settings(home, url), ENDLESS, Lane.TASKS, leave=lambda: os._exit(0)).work_off()


@pytest.mark.parametrize("how", ["tells", "tells nothing"])
def test_a_job_that_is_canceled_ends_soon(lea: Services, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    job = desk.begin(lea.store, kind="endless", slot="endless", by=lea.person, project="p", input=how)
    about = (lea.settings.database_url, lea.settings.home)
    child = own_process(endless_in_process, *about)
    until(lea, job.id, lambda job: job.state is JobState.RUNNING)
    assert desk.cancel(lea.store, id=job.id).canceling
    done = until(lea, job.id, lambda job: not job.is_open)
    child.join(60)
    assert (done.state, done.said, child.exitcode) == (JobState.CANCELED, desk.CANCELED, 0)
    with pytest.raises(ConflictError, match="has already ended"):
        desk.cancel(lea.store, id=job.id)
    again = desk.retry(lea.store, id=job.id)
    assert (again.state, again.input) == (JobState.WAITING, how)
    assert desk.cancel(lea.store, id=again.id).state is JobState.CANCELED, "one that waits ends at once"


def test_what_a_process_writes_that_lost_its_job_counts_no_more(lea: Services) -> None:
    job = begun(lea, CASES[0])
    first = Worker(lea.store, lea.settings.home, lea.settings, KINDS, Lane.TASKS)
    row = first.take()
    assert row is not None
    with lea.store.write() as session:
        from db import jobs as rows

        rows.put_back(session, id=row.id, attempt=row.attempts, due_at=row.due_at)
    work_off(lea)
    done = desk.job(lea.store, id=job.id)
    first.do(row)
    assert desk.job(lea.store, id=job.id) == done


# ---- the command and the page ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_command_lists_shows_cancels_and_repeats(
    lea: Services, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(lea.settings.home))
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", lea.settings.database_url)
    resources.cache_clear()

    def said(*words: str) -> str:
        return CliRunner().invoke(cli, ["job", *words], catch_exceptions=False).stdout

    assert said("list") == "No jobs.\n"
    job = begun(lea, CASES[0])
    assert said("list", "p", "--open").split()[:5] == [job.id, "look", "p", "lea", "waiting"]
    assert said("cancel", job.id) == f"{job.id} is canceled.\n"
    assert said("list", "--open") == "No jobs.\n"
    (again, *_) = said("retry", job.id).split()
    work_off(lea)
    shown = said("show", again)
    assert "state     done" in shown
    assert "outcome   Touchstone checked the files but stored no data." in shown
    about: Any = {"slot": "s", "project": "p", "by": lea.person}
    left = desk.begin(lea.store, kind="of_an_extension_that_is_gone", **about)
    assert "progress  waits for an extension that is not installed" in said("show", left.id)
    assert said("cancel", left.id) == f"{left.id} is canceled.\n"
    resources.cache_clear()


def test_a_page_shows_how_far_a_job_is_and_cancels_it(lea: Services) -> None:
    begun(lea, CASES[-2])
    page = drawn(lea.store, lea.settings.home, "projects", "lea")
    assert page.get("progress")[0].proto.text == "Creating a release of p: waits to start"
    (cancel,) = [each for each in page.button if each.label == "Cancel"]
    cancel.click().run()
    assert desk.CANCELED in words(page.run())
    page.button(key="projects.read.p").click().run()
    assert desk.CANCELED not in words(page.run()), "it was read"


def test_a_job_on_a_full_disk_says_so(lea: Services) -> None:
    def full(context: JobContext) -> JobOutcome:
        raise OSError(errno.ENOSPC, "No space left on device", "/data/journal.jsonl")

    job = begun(lea, CASES[0])
    kinds = {"look": JobKind("look", "Look", "Looking", full)}
    Worker(lea.store, lea.settings.home, lea.settings, kinds, Lane.TASKS).work_off()
    assert desk.job(lea.store, id=job.id).said == "The disk is full. Free some space, then try again."

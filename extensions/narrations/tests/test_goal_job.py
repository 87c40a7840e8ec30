"""The job ``goals``: killed anywhere it goes on, asks nothing twice that was answered, and leaves nothing out."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.services import Services, resources
from db.engine import Store
from domain.errors import ConflictError, RunStoppedError
from domain.jobs import Job, JobState
from domain.settings import Settings
from extensions.narrations.files.narration_files import Reading
from extensions.narrations.goal_generation import GOALS, GoalRequest, described
from extensions.narrations.rules.goal_prompt import OURS
from extensions.narrations.rules.goals import Limits
from extensions.narrations.tests import test_narration_goals_command as command
from extensions.narrations.tests.goal_replies import right
from extensions.narrations.tests.test_narration_goals_command import asks, kept, many, records, refused
from media.store import MediaStore
from testkit.factories import make_person
from testkit.scripted import Asked, Reply, ScriptedServer, chat
from tests.app.killed_jobs import killed_at, own_process, work_off, work_until
from workflow.jobs import desk
from workflow.runs import model_descriptions

pytestmark = pytest.mark.thorough

NEVER = 10_000


@pytest.fixture
def services(store: Store, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    url = store.engine.url.render_as_string(hide_password=False)
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", url)
    monkeypatch.chdir(tmp_path)
    resources.cache_clear()
    yield Services(store, MediaStore(home / "media"), Settings(home, url), make_person(store, "lea", project=None), "c")
    resources.cache_clear()


def begun(services: Services) -> Job:
    """The job that the command begins with its options left alone."""
    spec = described(model_descriptions.named("m.yaml"), constrain=False)
    file, out = Path("n.csv").absolute(), Path("g.json").absolute()
    request = GoalRequest(file, Reading(), spec, OURS.read_text(encoding="utf-8"), Limits(4, 20), 3, (), out)
    return desk.begin(services.store, kind=GOALS.name, slot=f"goals/{out}", by=None, input=request)


def videos(asked: list[Asked]) -> list[str]:
    """The video that each request is about, as its actions say."""
    return [each.text.partition("| do ")[2].split()[0] for each in asked]


def answered() -> list[str]:
    return [line["video"] for line in kept()] if Path("g.asked.jsonl").exists() else []


@pytest.mark.parametrize("moment", range(6))
def test_a_job_that_is_killed_goes_on_and_asks_nothing_again_that_was_answered(services: Services, moment: int) -> None:
    names = many(4)
    with ScriptedServer([chat("It is no JSON."), chat(right())]) as server:
        command.described(server)
        job = begun(services)
        was_killed = killed_at(services, moment)
        before = answered()
        asked = len(server.asked)
        work_off(services)
    done = desk.job(services.store, id=job.id)
    assert done.state is JobState.DONE, done.said
    assert done.deaths == was_killed == (moment <= 5)
    # the first video is asked about twice, as its first reply is no JSON; the others once
    assert sorted([*before, *videos(server.asked[asked:])]) == sorted([names[0], *names])
    assert sorted(answered()) == sorted([names[0], *names])
    assert [each["video"] for each in records()] == [name for name in names for _ in range(4)]
    assert (done.result.n, done.result.figures["requests"]) == (16, 5)


def test_a_request_that_is_under_way_when_its_process_is_killed_is_the_only_one_made_again(services: Services) -> None:
    names = many(3)
    pids: list[int] = []

    def script(asked: Asked, number: int) -> Reply:
        if number == 1:
            os.kill(pids[0], signal.SIGKILL)
        return chat(right())

    with ScriptedServer(script) as server:
        command.described(server)
        job = begun(services)
        child = own_process(work_until, services.settings.database_url, services.settings.home, NEVER)
        assert child.pid is not None
        pids.append(child.pid)
        child.join()
        assert answered() == names[:1]
        work_off(services)
    assert desk.job(services.store, id=job.id).state is JobState.DONE
    assert videos(server.asked) == [names[0], names[1], names[1], names[2]]
    assert {each["video"] for each in records()} == set(names)


def test_the_same_command_goes_on_with_the_job_of_one_that_was_killed(services: Services) -> None:
    many(3)
    with ScriptedServer([chat(right())]) as server:
        command.described(server)
        job = begun(services)
        assert killed_at(services, 1)
        assert "Already done and not repeated: 2 videos." in asks()
        assert len(server.asked) == 3
        done = desk.job(services.store, id=job.id)
        assert (done.state, done.deaths, done.attempts) == (JobState.DONE, 1, 2)
        again = begun(services)
        assert killed_at(services, 0)
        asks("--tries", "4")  # other options are another job
    other = desk.newest(services.store, slot=job.slot)
    assert other is not None
    assert (desk.job(services.store, id=again.id).state, other.state) == (JobState.CANCELED, JobState.DONE)
    assert len(server.asked) == 3


def until(holds: Callable[[], bool]) -> None:
    for _ in range(6_000):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("it never came")


def test_a_second_command_follows_the_job_that_is_under_way(services: Services) -> None:
    names = many(4)
    with ScriptedServer(lambda asked, number: chat(right(), after=0.5)) as server:
        command.described(server)
        job = begun(services)
        child = own_process(work_until, services.settings.database_url, services.settings.home, NEVER)
        until(lambda: bool(server.asked))
        assert f"The job {job.id} already writes to the same destination with other options" in refused(
            ConflictError, "--tries", "4"
        )
        assert "Wrote 16 goals to g.json" in asks()
        child.join()
    assert videos(server.asked) == names
    assert [each.id for each in desk.list_jobs(services.store, kinds=["goals"])] == [job.id]


def test_jobs_cancel_ends_it_with_what_there_is_and_retry_does_the_rest(services: Services) -> None:
    names = many(6)

    def script(asked: Asked, number: int) -> Reply:
        if number == 1:
            (job,) = desk.list_jobs(services.store, kinds=["goals"])
            assert CliRunner().invoke(cli, ["job", "cancel", job.id]).exit_code == 0
        return chat(right(), after=0.7)

    with ScriptedServer(script) as server:
        command.described(server)
        assert "Run the same command again." in refused(RunStoppedError)
        (job,) = desk.list_jobs(services.store, kinds=["goals"])
        assert (job.state, job.person, job.project) == (JobState.CANCELED, None, None)
        so_far = {each["video"] for each in records()}
        assert so_far == set(answered())
        assert 2 <= len(so_far) < 6
        again = desk.retry(services.store, id=job.id)
        work_off(services)
    assert desk.job(services.store, id=again.id).state is JobState.DONE
    assert videos(server.asked) == names
    assert {each["video"] for each in records()} == set(names)

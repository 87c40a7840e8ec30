"""``touchstone run`` and ``touchstone worker`` as processes that are killed, over an endpoint that takes its time."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from db import item_revisions, items, projects
from db.engine import open_store
from testkit.forked import Forked
from testkit.scripted import ScriptedServer, chat
from testkit.serving import Server, environment, touchstone
from tests.paths import ROOT
from workflow.access.projects import access_to
from workflow.annotate import authoring

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

ITEMS = 240


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory, demo_template: Path) -> Path:
    """A home with the demo project, whose items are there again and again until there are ``ITEMS``."""
    home = tmp_path_factory.mktemp("full") / "home"
    shutil.copytree(demo_template, home)
    store = open_store(None, home)
    with store.write() as session:
        access = access_to(session, person=None, project="demo")
        there = items.of_project(session, project_id=access.project_id)
        new = []
        for number in range(len(there), ITEMS):
            row = there[number % len(there)]
            fields = item_revisions.content(session, item_id=row.id, revision=row.current_revision)
            linked = [(link.role, asset.id) for link, asset, _ in items.assets(session, item_id=row.id)]
            name = f"{row.external_id}/{number}"
            new.append(authoring.NewItem(external_id=name, dimension=row.dimension, fields=fields, assets=linked))
        authoring.add_items(session, access=access, new=new, now=store.now())
        assert projects.by_name(session, name="demo") is not None
    store.close()
    return home


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """A description of a model in a folder, which nothing here comes to open."""
    path = tmp_path / "llava.yaml"
    path.write_text(f"name: tiny-llava\nadapter: chat\nmodel: {tmp_path}\nbatch_size: 5\n")
    return path


@pytest.fixture
def endpoint(request: pytest.FixtureRequest) -> Iterator[ScriptedServer]:
    """A server that answers as many requests as a test lets it, after so many seconds each."""
    with ScriptedServer([chat("a cup", after=getattr(request, "param", 0.02))]) as server:
        yield server


@pytest.fixture
def described(tmp_path: Path, endpoint: ScriptedServer) -> Path:
    """A description of the endpoint, which takes no time to start."""
    path = tmp_path / "endpoint.yaml"
    path.write_text(
        "name: scripted\nadapter: endpoint\nmodel: scripted\n"
        f"endpoint: {{base_url: '{endpoint.url}', concurrency: 5, probe: false, timeout_seconds: 600}}\n"
    )
    return path


@pytest.fixture
def running(full: Path, tmp_path: Path) -> Iterator[Callable[..., Forked]]:
    """Starts commands that are killed at the end of the test, whatever happens."""
    started: list[Forked] = []

    def start(*arguments: str) -> Forked:
        log = tmp_path / f"command-{len(started)}.log"
        process = Forked(arguments, env=environment(full), cwd=ROOT, out=log, err=log)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def asked(home: Path, sql: str, *values: Any) -> Any:
    """What plain SQL finds."""
    with closing(sqlite3.connect(home / "touchstone.db", timeout=60)) as database:
        return database.execute(sql, values).fetchone()[0]


def newest(home: Path) -> str:
    """The public id of the newest run of a model."""
    return str(asked(home, "SELECT public_id FROM run WHERE kind = 'model' ORDER BY id DESC LIMIT 1"))


def answered(home: Path, run: str) -> int:
    return int(asked(home, "SELECT count(*) FROM prediction p JOIN run r ON r.id = run_id WHERE r.public_id = ?", run))


def wait_for(condition: Callable[[], bool], process: Forked | None = None) -> None:
    end = time.monotonic() + 240
    while not condition():
        assert time.monotonic() < end, "it did not come"
        if process is not None and process.poll() is not None and not condition():
            raise AssertionError(f"it ended by itself: {process.output()}")
        time.sleep(0.05)


def state_of(home: Path, run: str) -> str:
    return str(asked(home, "SELECT state FROM run WHERE public_id = ?", run))


def test_killed_again_and_again_it_ends_with_every_answer_once(
    full: Path, described: Path, endpoint: ScriptedServer, running: Callable[..., Forked]
) -> None:
    endpoint.most = 30
    before = asked(full, "SELECT count(*) FROM run WHERE kind = 'model'")
    wanted = 60
    process = running("model", "run", "demo", "--spec", str(described), "--items", "all", "--limit", str(wanted))
    wait_for(lambda: asked(full, "SELECT count(*) FROM run WHERE kind = 'model'") > before, process)
    run = newest(full)
    workers = "SELECT count(*) FROM run_worker w JOIN run r ON r.id = run_id WHERE r.public_id = ?"
    wait_for(lambda: asked(full, workers, run) == 1, process)  # it has begun
    seen = []
    for enough in (0, wanted // 6):  # at its beginning, and with answers on disk and under way
        wait_for(lambda enough=enough: answered(full, run) >= enough, process)
        process.kill()
        process.wait()
        seen.append(answered(full, run))
        assert state_of(full, run) == "running" or seen == [0]
        process = running("model", "run", "demo", "--resume", run)
    endpoint.most = None
    status, told = process.wait(900), process.output()
    assert status == 0, told
    assert f"done: {wanted} of {wanted} items processed, {wanted} answered" in told
    assert sorted(seen) == seen
    assert seen[-1] < wanted
    assert_answered_once(full, run, wanted)
    assert asked(full, workers, run) == 3
    assert state_of(full, run) == "done"
    again = touchstone("model", "run", "demo", "--resume", run, home=full)
    assert (again.returncode, "The run has nothing left to process" in again.stderr) == (1, True)


def assert_answered_once(home: Path, run: str, wanted: int) -> None:
    """So many items have one attempt and one answer each."""
    of_run = "JOIN run r ON r.id = run_id WHERE r.public_id = ?"
    assert answered(home, run) == wanted
    assert asked(home, f"SELECT count(DISTINCT item_id) FROM prediction {of_run}", run) == wanted
    assert asked(home, f"SELECT count(*) FROM attempt {of_run}", run) == wanted
    assert asked(home, f"SELECT count(DISTINCT unit_id) FROM attempt {of_run} AND final", run) == wanted


def test_ctrl_c_pauses_and_a_second_worker_goes_on(
    full: Path, described: Path, endpoint: ScriptedServer, running: Callable[..., Forked]
) -> None:
    endpoint.most = 20
    process = running("model", "run", "demo", "--spec", str(described), "--limit", "120", "--items", "all")
    wait_for(lambda: re.search(r"^Run \S+ ", process.output(), re.MULTILINE) is not None, process)
    run = process.output().partition("Run ")[2].split()[0]
    wait_for(lambda: answered(full, run) > 0, process)
    os.kill(process.pid, signal.SIGINT)
    wait_for(lambda: "Pausing after the current request" in process.output(), process)
    endpoint.most = 60  # it waits for the answers to what it has asked
    assert process.wait(300) == 130, process.output()
    assert state_of(full, run) == "paused"
    some = answered(full, run)
    done = touchstone("model", "run", "demo", "--resume", run, "--later", home=full)
    assert "is waiting for a worker" in done.stdout, done.stderr
    endpoint.most = 80
    worker = running("worker")
    wait_for(lambda: answered(full, run) > some, worker)
    worker.kill()
    worker.wait()
    endpoint.most = None
    other = running("worker")  # no one tells it: it finds the run, and sees that the first one is gone
    wait_for(lambda: state_of(full, run) == "done", other)
    os.kill(other.pid, signal.SIGTERM)
    other.wait(60)
    assert_answered_once(full, run, 120)
    listed = touchstone("run", "list", "demo", home=full)
    assert f"{run}  done" in listed.stdout


@pytest.mark.parametrize("endpoint", [0.25], indirect=True)
def test_two_at_once_share_a_run(full: Path, described: Path, running: Callable[..., Forked]) -> None:
    first = running("model", "run", "demo", "--spec", str(described), "--limit", "200", "--text-only", "--items", "all")
    wait_for(lambda: asked(full, "SELECT count(*) FROM run WHERE name LIKE 'scripted, text only%'") == 1, first)
    run = newest(full)
    second = running("model", "run", "demo", "--resume", run)
    for process in (first, second):
        assert process.wait(600) == 0, process.output()
    assert_answered_once(full, run, 200)
    of_run = "JOIN run r ON r.id = run_id WHERE r.public_id = ?"
    assert asked(full, f"SELECT count(DISTINCT worker_id) FROM attempt {of_run}", run) == 2


def test_the_server_brings_a_worker_that_ends_with_it(full: Path, described: Path) -> None:
    done = touchstone("model", "run", "demo", "--spec", str(described), "--limit", "10", "--later", home=full)
    assert done.returncode == 0, done.stderr
    run = newest(full)
    server = Server(full, worker=True)
    try:
        server.start()
        wait_for(lambda: state_of(full, run) == "done")
        (pid,) = [pid for pid in _children(server) if "worker" in _command(pid)]
        assert "torch" not in server.loaded
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: any("worker" in _command(each) and each != pid for each in _children(server)))
        (pid,) = [each for each in _children(server) if "worker" in _command(each)]
        assert server.process is not None
        os.kill(server.process.pid, signal.SIGKILL)  # the server alone: no one is left to tell the worker
        server.process.wait(60)
        wait_for(lambda: not Path(f"/proc/{pid}/cmdline").exists() or _command(pid) == "")
    finally:
        server.kill()
    assert answered(full, run) == 10
    assert "The worker ended with status -9. Touchstone restarts the process" in server.output()


def test_what_does_not_fit_is_a_sentence(full: Path, spec: Path, tmp_path: Path) -> None:
    def refused(*arguments: str) -> str:
        done = touchstone("model", "run", "demo", *arguments, home=full)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        return done.stderr

    assert "Start a new run with --spec FILE" in refused()
    assert "cannot change the settings of an existing run" in refused("--resume", "x", "--limit", "3")
    assert "There is no run 'x'" in refused("--resume", "x")
    assert "--retry-failed needs --resume" in refused("--spec", str(spec), "--retry-failed")
    assert "no dimension 'taste'" in refused("--spec", str(spec), "-d", "taste")
    assert "have no addition `smells`" in refused("--spec", str(spec), "--with", "smells")
    missing = tmp_path / "missing.yaml"
    missing.write_text("name: gone\nadapter: chat\nmodel: /no/such/folder\n")
    told = refused("--spec", str(missing), "--limit", "1")
    assert "/no/such/folder" in told
    plan = touchstone("model", "run", "demo", "--spec", str(spec), "--dry-run", "--limit", "3", home=full)
    assert plan.returncode == 0, plan.stderr
    assert "tiny-llava: 3 items, generate" in plan.stdout
    endpoint = tmp_path / "endpoint.yaml"
    endpoint.write_text(
        "name: far\nadapter: endpoint\nmodel: m\ngeneration: {max_new_tokens: 10}\n"
        "endpoint: {base_url: http://127.0.0.1:9/v1, price: {input: 1000000.0, output: 0.0, date: '2026-01-01'}}\n"
    )
    plan = touchstone(
        "model", "run", "demo", "--spec", str(endpoint), "--items", "all", "--dry-run", "--text-only", home=full
    )
    assert plan.returncode == 0, plan.stderr
    assert f"{ITEMS} requests" in plan.stdout
    about = next(line.split() for line in plan.stdout.splitlines() if "input tokens" in line)
    assert about[about.index("most") + 1] == str(10 * ITEMS)
    assert float(about[-2]) == pytest.approx(float(about[1]), rel=0.01)  # a token costs one


def _children(server: Server) -> list[int]:
    parent = server.process.pid if server.process else 0
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            told = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(told[1]) == parent and told[0] != "Z":
            found.append(int(path.parent.name))
    return found


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""

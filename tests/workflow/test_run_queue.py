"""The queue of background work: ids of runs in JSON, whatever else lies in it, and the loop of a worker."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from domain.errors import SettingsError
from domain.settings import Settings
from testkit.serving import environment
from tests.paths import ROOT
from workflow.runs import run_queue


class Evil:
    """What unpickling would run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


@pytest.fixture
def settings(store_url: str, home: Path) -> Settings:
    return Settings(home=home, database_url=store_url.replace("postgresql://", "postgresql+psycopg://"))


def test_a_run_is_told_of_by_its_id_alone(settings: Settings) -> None:
    run_queue.wake(settings, "some-run")
    opened = run_queue.queue_of(settings)
    (raw,) = opened.huey.storage.enqueued_items()
    assert b"some-run" in bytes(raw)
    heard: list[str] = []
    opened.work = heard.append
    opened.huey.execute(opened.huey.dequeue())
    assert heard == ["some-run"]
    assert opened.huey.dequeue() is None


def test_nothing_from_outside_is_unpickled(settings: Settings, tmp_path: Path) -> None:
    opened = run_queue.queue_of(settings)
    heard: list[str] = []
    opened.work = heard.append
    strange = [
        pickle.dumps(Evil(tmp_path / "ran")),
        b"\x1f\x8b not gzip",
        b'{"id": "1", "name": "os.system", "args": ["true"]}',
        b'{"id": "1", "name": "workflow.runs.run_queue.work_on_run", "args": [{"a": 1}]}',
        b'{"id": "1", "name": "workflow.runs.run_queue.work_on_run", "args": ["a", "b"]}',
        b"[" * 5_000,
        b'"' + b"x" * 20_000 + b'"',
        b"null",
    ]
    for data in strange:
        opened.huey.storage.enqueue(data)
    for _ in strange:
        with pytest.raises(Exception, match=r"did not write|not found"):
            opened.huey.dequeue()
    assert not (tmp_path / "ran").exists()
    assert heard == []
    run_queue.wake(settings, "after")
    opened.huey.execute(opened.huey.dequeue())
    assert heard == ["after"]


WORKER = """
import sys
from pathlib import Path
from domain.settings import Settings
from workflow.runs import run_queue

home, url = Path(sys.argv[1]), sys.argv[2]
found = [["by looking"], []]

def work(run, stop):
    print(run, flush=True)

run_queue.serve(Settings(home=home, database_url=url), waiting=lambda: found.pop(0) if found else [], work=work)
print("left", flush=True)
"""


@pytest.mark.both_databases
@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_hears_finds_and_leaves(settings: Settings, tmp_path: Path, sign: signal.Signals) -> None:
    assert run_queue.worker_seen(settings) is None
    evil = tmp_path / "ran"
    run_queue.queue_of(settings).huey.storage.enqueue(pickle.dumps(Evil(evil)))
    run_queue.wake(settings, "told")
    process = subprocess.Popen(
        [sys.executable, "-c", WORKER, str(settings.home), settings.database_url],
        cwd=ROOT,
        env=environment(settings.home),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "told\n"
        assert process.stdout.readline() == "by looking\n"
        seen = run_queue.worker_seen(settings)
        assert seen is not None
        assert seen < 30
        run_queue.wake(settings, "once more")
        assert process.stdout.readline() == "once more\n"
        os.kill(process.pid, sign)
        assert process.stdout.readline() == "left\n"
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
    assert not evil.exists()


def test_redis_without_its_package_is_a_sentence(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_queue, "find_spec", lambda name: None)
    with pytest.raises(SettingsError, match=r"pip install 'redis>="):
        run_queue.queue_of(Settings(home=home, database_url="sqlite:////x", queue_url="redis://localhost:1"))


def test_a_queue_that_cannot_be_reached_says_nothing_about_workers(home: Path) -> None:
    nowhere = Settings(home=home / "nothing" / "there", database_url=f"sqlite:///{home / 'x.db'}")
    assert run_queue.worker_seen(nowhere) is None

"""``touchstone batch`` as people use it, and killed while the endpoint has not said what the batch is called."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from db.engine import open_store
from extensions.batch.tests.batch_server import BatchServer
from testkit.factories import make_items, make_predictions, make_project
from testkit.forked import Forked
from testkit.scripted import chat
from testkit.serving import environment, touchstone
from tests.paths import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A project with ten answers."""
    folder = tmp_path / "home"
    store = open_store(None, folder)
    store.upgrade()
    make_project(store)
    make_predictions(store, make_items(store, 10), models=["one"])
    store.close()
    return folder


def done(home: Path, *arguments: str, code: int = 0) -> str:
    found = touchstone(*arguments, home=home)
    assert found.returncode == code, found.stdout + found.stderr
    return found.stdout if code == 0 else found.stderr


def test_handed_in_killed_and_fetched(home: Path, tmp_path: Path) -> None:
    with BatchServer([chat("Rating: [[1]]"), chat("no idea"), chat("Rating: [[0.5]]")]) as server:
        spec = home / "judge.yaml"
        spec.write_text(
            f"name: judge\nadapter: endpoint\nmodel: scripted\nmodality: text\nendpoint: {{base_url: '{server.url}'}}\n"
        )
        command = ["judge", "run", "p", "--template", "egothink_single", "--spec", str(spec), "--batch"]
        said = done(home, *command, "--fill", "ref_answer_1=answer", "--fill", "answer=prediction")
        run = said.split()[0]
        assert f"touchstone batch create {run}" in said
        assert "batch      0 of 10" in done(home, "run", "list", "p")
        # the endpoint takes the batch, and the process is killed before it hears of that
        server.refuse["POST /v1/batches"] = chat(after=60, kind="after")
        nowhere = Path(os.devnull)
        submit = ["batch", "create", run]
        process = Forked(submit, env=environment(home), cwd=ROOT, out=nowhere, err=nowhere)
        end = time.monotonic() + 120
        while not server.batches and time.monotonic() < end and process.poll() is None:
            time.sleep(0.05)
        process.kill()
        process.wait(60)
        server.refuse = {}
        assert "batch 1  sending" in done(home, "batch", "show", run)
        assert "All questions are already submitted." in done(home, "batch", "create", run)
        assert len(server.batches) == 1
        assert f"touchstone batch show {run} --refresh" in done(home, "judge", "run", "p", "--resume", run, code=1)
        assert "is at the endpoint (validating)" in done(home, "run", "list", "p")
        assert "validating" in done(home, "batch", "show", "--refresh", run)
        server.work()
        said = done(home, "batch", "import", run)
        assert "10 new replies." in said
        assert "score: 9 of 10 replies scored; 1 unparseable" in said
        assert "0 new replies." in done(home, "batch", "import", run)
        assert "done       10 of 10" in done(home, "run", "list", "p")
    file = tmp_path / "questions.jsonl"
    assert "you cannot submit more of its questions" in done(home, "batch", "export", run, str(file), code=1)
    assert not file.exists()

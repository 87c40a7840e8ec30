"""``touchstone judge run`` as people use it: a process that is killed, templates from files."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from db.engine import open_store
from testkit.factories import make_items, make_predictions, make_project
from testkit.forked import Forked
from testkit.missing_extensions import needs
from testkit.scripted import ScriptedServer, chat
from testkit.serving import environment, touchstone
from tests.paths import ROOT

TEMPLATE = """---
id: likeness
version: 1
meaning: how like
variables: [question, answer]
parser: double_brackets
values: [0, 0.5, 1]
---
{question} [Begin] {answer} [End]
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A project with 120 answers."""
    folder = tmp_path / "home"
    folder.mkdir()
    store = open_store(None, folder)
    store.upgrade()
    make_project(store)
    make_predictions(store, make_items(store, 60), models=["one", "two"])
    store.close()
    (folder / "likeness.txt").write_text(TEMPLATE)
    return folder


def described(home: Path, url: str) -> str:
    path = home / "judge.yaml"
    told = f"{{base_url: '{url}', concurrency: 4, probe: false}}"
    path.write_text(f"name: judge\nadapter: endpoint\nmodel: scripted\nendpoint: {told}\n")
    return str(path)


def asked(home: Path, sql: str) -> int:
    with closing(sqlite3.connect(home / "touchstone.db", timeout=60)) as database:
        return int(database.execute(sql).fetchone()[0])


@pytest.mark.slow
def test_killed_three_times_every_answer_is_judged_once(home: Path) -> None:
    with ScriptedServer([chat("Rating: [[1]]")]) as server:
        spec = described(home, server.url)
        command = ["judge", "run", "p", "--template", str(home / "likeness.txt"), "--spec", spec]
        command += ["--fill", "answer=prediction"]
        for _ in range(3):
            server.most = len(server.asked) + 30
            enough = asked(home, "SELECT count(*) FROM judgement") + 10
            nowhere = Path(os.devnull)
            process = Forked(command, env=environment(home), cwd=ROOT, out=nowhere, err=nowhere)
            while asked(home, "SELECT count(*) FROM judgement") < enough:
                assert process.poll() is None
                time.sleep(0.01)
            process.kill()
            process.wait()
            listed = touchstone("run", "list", "p", home=home).stdout.splitlines()
            (run,) = [line.split()[0] for line in listed if "judge by likeness 1" in line]
            command = ["judge", "run", "p", "--resume", run]
        server.most = None
        done = touchstone(*command, home=home)
    assert done.returncode == 0, done.stderr
    assert "score: 120 of 120 replies scored" in done.stdout
    assert "done: 120 of 120 requests processed, 120 answered" in done.stdout
    assert asked(home, "SELECT count(*) FROM judgement") == 120
    assert asked(home, "SELECT count(DISTINCT unit_id) FROM judgement") == 120
    assert asked(home, "SELECT count(*) FROM attempt") == 120
    assert 120 <= len(server.asked) <= 120 + 3 * 2 * 4  # what was under way at a kill is asked again


@needs("formats", "judgements")
def test_replies_come_in_from_a_file(home: Path) -> None:
    told = [
        {"item": f"colour/{at}", "model": "one", "judge": "far", "text": f"Rating: [[{at % 2}]]"} for at in range(6)
    ]
    path = home / "replies.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in told))
    command = ("item", "import", "p", "judgements", str(path), "--set", f"template={home / 'likeness.txt'}")
    done = touchstone(*command, home=home)
    assert "New replies from far: 6." in done.stdout, done.stderr
    again = touchstone(*command, home=home)
    assert "New replies from far: 0, 6 already imported." in again.stdout, again.stderr
    nameless = touchstone(*command[:5], home=home)
    assert (nameless.returncode, "--set template=ID" in nameless.stderr) == (1, True)


def test_what_a_command_adds_to_requests_is_sent_and_kept_and_another_model_is_reported(home: Path) -> None:
    body, header = '{"reasoning_effort": "low"}', "X-Routing=fast"
    with ScriptedServer([chat("Rating: [[1]]", model="scripted-mini")]) as server:
        spec = described(home, server.url)
        more = ("--spec", spec, "--limit", "2", "--extra-body", body, "--header", header)
        template = ("--template", str(home / "likeness.txt"), "--fill", "answer=prediction")
        judge = touchstone("judge", "run", "p", *template, *more, home=home)
        model = touchstone("model", "run", "p", "--text-only", *more, home=home)
        assert (judge.returncode, model.returncode) == (0, 0), judge.stderr + model.stderr
        assert len(server.asked) == 4
        for request in server.asked:
            assert request.body["reasoning_effort"] == "low"
            assert request.headers["x-routing"] == "fast"
    for done in (judge, model):
        assert done.returncode == 0, done.stderr
        assert "2 replies came from a model other than scripted: scripted-mini (2)." in done.stdout
    with closing(sqlite3.connect(home / "touchstone.db")) as database:
        kept = [json.loads(row[0])["spec"] for row in database.execute("SELECT params FROM run WHERE kind != 'import'")]
    asking = [each for each in kept if each.get("endpoint")]
    assert len(asking) == 2
    for each in asking:
        assert each["generation"]["extra_body"] == {"reasoning_effort": "low"}
        assert each["endpoint"]["headers"] == {"X-Routing": "fast"}
    secret = touchstone("model", "run", "p", "--spec", spec, "--header", "X-Api-Key=sk-12345678", home=home)
    assert secret.returncode == 1
    assert "X-Api-Key looks like a secret" in secret.stderr
    assert "sk-12345678" not in secret.stderr + secret.stdout

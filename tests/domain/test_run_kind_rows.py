"""A kind of runs is a row: what docs/contributing.md shows is on its page and in every list without another edit."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.homes import make_home
from tests.paths import ROOT
from tests.planting import example

ASKED = """
import json, os, sys
from pathlib import Path

from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from app.cli import cli
from app.services import Services
from db import answers
from domain.run_kinds import RunKind
from domain.settings import Settings
from testkit.factories import make_predictions
from tests.app.homes import Home
from workflow.access import accounts
from workflow.access.projects import access_to
from workflow.annotate import authoring
from workflow.runs import run_views

found = RunKind("search")
home = Home(Path(os.environ["TOUCHSTONE_HOME"]))
store = home.store()
with store.write() as session:
    access = access_to(session, person=None, project="tiny")
    fields = {"question": "How many cups?", "answer": "Two."}
    new = [authoring.NewItem(external_id="c/1", dimension="counting", fields=fields, author_id=None)]
    items = authoring.add_items(session, access=access, new=new, now=store.now())
make_predictions(store, items, models=["nearest"], project="tiny", dimension="counting", kind=found)
(run,) = run_views.runs_of(store, by=None, project="tiny", kind=found)


def screen(services, name):
    from app import shell

    with shell.guard(services):
        shell.draw_view(name, services)


def page(name, **query):
    services = Services(store, home.media(), Settings(home.path, ""), accounts.find_person(store, login="lea"), "csrf")
    test = AppTest.from_function(screen, args=(services, name), default_timeout=120)
    for key, value in {"project": "tiny", **query}.items():
        test.query_params[key] = value
    test.run()
    assert not test.exception
    return test


def words(test):
    return "\\n".join(element.proto.body for element in test.get("html"))


def command(*arguments):
    done = CliRunner().invoke(cli, ["run", *arguments])
    return done.stdout + str(done.exception or "")


with store.read() as session:
    counted = [each.public_id for each in answers.runs(session, project_id=access.project_id)]
told = {
    "run": run.id,
    "page": words(page("models")),
    "shown": words(page("models", run=run.id)),
    "on judges": words(page("judges", run=run.id)),
    "export": [box.options for box in page("export").selectbox if box.label == "Run, for answers"],
    "list": command("list", "tiny"),
    "pause": command("pause", run.id),
    "counted": counted,
}
store.close()
print(json.dumps(told))
"""


@pytest.mark.thorough
def test_a_new_row_is_on_its_page_and_in_lists_and_results(tmp_path: Path, sqlite_template: Path) -> None:
    home = make_home(tmp_path / "made", sqlite_template, pictures=1)
    shutil.copytree(ROOT / "domain", tmp_path / "domain", ignore=shutil.ignore_patterns("__pycache__"))
    file = tmp_path / "domain" / "run_kinds.py"
    before = "\n    METRIC = "
    there = file.read_text(encoding="utf-8")
    assert there.count(before) == 1
    file.write_text(there.replace(before, f"\n{example('domain/run_kinds.py')}{before}"), encoding="utf-8")
    asked = tmp_path / "asked.py"  # its folder is looked into first
    asked.write_text(ASKED, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(asked)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TOUCHSTONE_HOME": str(home.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    run = told["run"]
    assert told["counted"] == [run]
    assert "Answers out of a search" in told["page"]
    assert f'data-run="{run}"' in told["page"]
    assert "Looked up " in told["shown"]
    assert "Show on Cases" in told["shown"]
    assert "No run of a judge in project Project tiny has the ID" in told["on judges"]
    assert any("answers" in options for options in told["export"])
    assert f"{run}  found " in told["list"]
    assert f"The answers of the run {run} come from answers." in told["pause"]

"""The tutorial as its reader does it: every command of it in order, its files, the votes that it tells."""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from app import server, services, supervisor
from app.cli import cli
from app.services import Resources
from app.workbench import page
from domain.records import NoTask, Person, TaskView
from domain.states import Stage
from tests.app.asgi import call
from tests.app.homes import Home
from tests.app.without_streamlit import application, session
from tests.paths import ROOT
from workflow.access import accounts, projects
from workflow.annotate import claims

TUTORIAL = ROOT / "docs" / "tutorial.md"


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder, three photos next to it, and servers that end when the reader has voted."""
    here = tmp_path / "reader"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "elsewhere"))
    monkeypatch.setattr(supervisor, "worker", nullcontext)
    yield here
    services.resources().store.close()
    services.resources.cache_clear()


def blocks() -> Iterator[tuple[str, str]]:
    """The blocks of the tutorial in order, each with its language."""
    yield from re.findall(r"^```(\w+)\n(.*?)^```$", TUTORIAL.read_text(encoding="utf-8"), flags=re.M | re.S)


def vote(shared: Resources) -> None:
    """Ann says yes to everything, Bo to all but one, through the address to which their pages send it."""
    app = application(shared.store, Home(shared.settings.home))
    (view,) = projects.all_projects(shared.store)
    asked = page.static_part(view.schema, Stage.VERIFICATION, project=view.name, title=view.title)["criteria"][0]
    yes, no = asked["options"][:2]
    assert (yes["label"], no["label"]) == ("Yes", "No"), "the keys 1 and 2 of the tutorial"
    for login in ("ann", "bo"):
        person = accounts.find_person(shared.store, login=login)
        voted = 0
        while isinstance(task := claim(shared, person), TaskView):
            doubts = login == "bo" and task.fields["question"].startswith("What stands")
            body = {
                "task": task.id,
                "key": f"{login}-{voted}",
                "values": {asked["name"]: (no if doubts else yes)["value"]},
                "reasons": {asked["name"]: no["reasons"][0]["value"]} if doubts else {},
            }
            sent = call(
                app, "POST", "/api/submit", body=json.dumps(body).encode(), headers=session(shared.store, login)
            )
            assert sent.status == 200, sent.text
            voted += 1
        assert voted == 3
        assert task.sentence


def claim(shared: Resources, person: Person) -> TaskView | NoTask:
    return claims.next_task(shared.store, person=person, project="street", stage=Stage.VERIFICATION)


@pytest.mark.thorough
def test_every_command_of_the_tutorial_works_and_its_votes_come_out(
    reader: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[int] = []

    def serve(shared: Resources, *, host: str, port: int, **_: object) -> None:
        served.append(port)
        if port == 8501:
            vote(shared)

    monkeypatch.setattr(server, "serve", serve)
    monkeypatch.setattr("app.commands.serve.check_free", lambda host, port: None)
    told: dict[str, str] = {}
    for language, text in blocks():
        if language == "text":
            (reader / "items.csv").write_text(text)
            (reader / "photos").mkdir()
            for number, row in enumerate(csv.DictReader(text.splitlines())):
                Image.new("RGB", (40, 30), (60 * number, 90, 120)).save(reader / "photos" / row["image"])
            continue
        for line in text.splitlines():
            if line.startswith("export "):
                name, _, value = shlex.split(line)[1].partition("=")
                monkeypatch.setenv(name, value.replace("$PWD", str(reader)))
                services.resources.cache_clear()
                continue
            piped: str | None = None
            for command in line.split(" | "):
                program, *words = shlex.split(command)
                assert program == "touchstone", line
                done = CliRunner().invoke(cli, words, input=piped)
                assert done.exit_code == 0, (line, done.output, done.exception)
                piped = done.stdout
            told[line] = done.output
    outputs = {" ".join(line.split()[1:3]): output for line, output in told.items()}
    assert "Street scenes (street, version 1) is valid." in outputs["schema check"]
    waiting = re.search(r"^Waiting, made up: (.*)$", outputs["schema preview"], flags=re.M)
    assert waiting
    assert re.findall(r"(\w+) [1-9]\d*", waiting[1]) == ["authoring", "verification", "adjudication"]
    assert "3 items" in outputs["item import"]
    assert "/link/" in outputs["person create"]
    agreed = re.findall(r"^  Percent agreement: ann and bo +(\d\.\d+)", outputs["agreement show"], flags=re.M)
    assert list(map(float, agreed)) == [1, 0], "the two items of one dimension, the one of the other"
    assert served == [8502, 8501], "first tried, then served"
    kept = (reader / "kept" / "items.chosen-2-of-3.csv").read_text().splitlines()
    written = (reader / "items.csv").read_text().splitlines()
    assert kept == written[:3], "the head and two rows, as they came"
    assert (reader / "home" / "touchstone.db").exists()
    assert json.loads((reader / "kept" / "manifest.json").read_text())["items"]

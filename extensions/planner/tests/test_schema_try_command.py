"""``touchstone schema preview``: what it makes up, prints and serves, and that nothing of it stays."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from app import server, services
from app.cli import cli
from app.services import Resources
from domain.records import NoTask, Person, TaskView
from domain.states import VERIFICATIONS, Stage
from testkit.qualification import needs_qualification
from testkit.serving import free_port
from workflow.access import memberships, projects
from workflow.annotate import claims, image_pool

EVERY = """\
name: every
version: 1
title: "Every stage"
guideline: every.md
dimensions:
  - {id: one, title: One, definition: "One."}
  - {id: two, title: Two, definition: "Two."}
  - {id: three, title: Three, definition: "Three."}
source: {format: csv}   # how files are laid out says nothing of forms
item:
  assets: [{role: before, kind: image}, {role: refs, kind: image, min: 0, max: 4}]
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list, length: 3}
    - {name: answer, kind: option_of, field: options, secret_in: [verification, answering, grading, comparison, coding]}
stages:
  triage: {reasons: [{value: blurred, label: "Blurred"}]}
  authoring: {}
  verification:
    raters: 2
    qualification: {items: 3, pass_mark: 0.5, reviewers: 1, against: key}
    criteria: [{name: found, kind: option_of, field: options, prompt: "Which?"}]
    keep: {rule: unanimous_and_key, criterion: found, key: answer}
  verification_2:
    raters: 1
    criteria: [{name: worth, kind: choice, prompt: "Worth asking?", options: ["yes", "no"]}]
    keep: {rule: unanimous, criterion: worth, value: "yes"}
  verification_3:
    raters: 1
    criteria: [{name: last, kind: choice, prompt: "Still worth it?", options: ["yes", "no"]}]
    keep: {rule: unanimous, criterion: last, value: "yes"}
  adjudication: {reasons: [{value: key, label: "The key"}]}
  refinement:
    criteria: [{name: also, kind: choice, prompt: "Right, too?", options: ["yes", "no"]}]
    done: {also: "no"}
  answering: {people: 2, criteria: [{name: mine, kind: option_of, field: options, prompt: "Your answer?"}]}
  grading:
    raters: 1
    combine: mean
    criteria: [{name: score, kind: scale, prompt: "How good?", values: [0, 1, 2]}]
  comparison:
    raters: 2
    models: [big, small]
    criteria: [{name: better, kind: preference, prompt: "Which is better?"}]
  coding:
    raters: 2
    of: {score: human, criterion: score, below: 2}
    criteria: [{name: wrong, kind: choice, prompt: "What is wrong?", options: [seen, known]}]
"""
"""A schema with every stage that there is."""
SETTLING = {Stage.ADJUDICATION, Stage.ARBITRATION}
"""For the senior alone."""


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, ["schema", "preview", *words, "--port", str(free_port())])


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """A home with a secret of its own, a folder for temporary ones, and a server that looks around and ends at once."""
    seen: list[Any] = []
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "mine"))
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", "sqlite:////nowhere/else.db")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))

    def serve(shared: Resources, *, host: str, port: int) -> None:
        assert services.resources() is shared, "pages open what is tried"
        seen.append((shared.settings.home, host, sorted(path.name for path in shared.settings.home.iterdir())))
        seen.append(look(shared))

    monkeypatch.setattr(server, "serve", serve)
    yield seen
    services.resources.cache_clear()


def look(shared: Resources) -> dict[str, Any]:
    """What each of the people gets who are printed."""
    (project,) = projects.all_projects(shared.store)
    members = memberships.list_members(shared.store, person=None, project=project.name)
    people = {each.person.login: each.person for each in members}
    # First what is settled: who has had to do with an item is not asked about its answers afterwards.
    stages = sorted(
        set(Stage) - {Stage.TRIAGE, *VERIFICATIONS[3:]},
        key=lambda stage: (stage not in SETTLING, list(Stage).index(stage)),
    )
    return {
        "name": project.name,
        "made_up": project.made_up,
        "tasks": {login: dict(gets(shared, people[login], project.name, stages)) for login in ("annotator", "senior")},
    }


def gets(shared: Resources, person: Person, project: str, stages: list[Stage]) -> Iterator[tuple[Stage, TaskView]]:
    for stage in stages:
        found = claims.next_task(shared.store, person=person, project=project, stage=stage)
        if isinstance(found, NoTask) and found.code == "pick_first":
            free = image_pool.pool(shared.store, person=person, project=project, limit=1).assets
            assert len(free) == 1
            found = image_pool.pick(shared.store, person=person, project=project, dimension="one", assets=[free[0].id])
        if isinstance(found, TaskView):
            yield stage, found


@needs_qualification
@pytest.mark.thorough
def test_every_stage_has_something_to_do_and_nothing_of_it_stays(served: list[Any], tmp_path: Path) -> None:
    file = tmp_path / "every.yaml"
    file.write_text(EVERY)
    (tmp_path / "every.md").write_text("Look well.")
    done = run(str(file))
    assert done.exit_code == 0, (done.output, done.exception)
    (home, host, _), found = served
    assert (host, found["name"], found["made_up"]) == ("127.0.0.1", "every", True)
    assert set(found["tasks"]["senior"]) == set(Stage) - {Stage.TRIAGE, *VERIFICATIONS[3:]}
    assert set(found["tasks"]["annotator"]) == set(Stage) - {Stage.TRIAGE, *VERIFICATIONS[3:]} - SETTLING
    for stage, task in found["tasks"]["senior"].items():
        if stage is not Stage.AUTHORING:
            assert [asset.role for asset in task.assets] == ["before", "refs", "refs"], stage
        assert not any(asset.missing for asset in task.assets)
        shown = load_schema(file).schema_.item.fields[:2] if stage is not Stage.AUTHORING else ()
        assert {field.name for field in shown} <= set(task.fields), stage
    said = re.search(r"^Waiting, made up: triage [1-9]", done.output, flags=re.MULTILINE)
    assert said, done.output
    links = re.findall(r"^  (lead|senior|annotator) +http://127\.0\.0\.1:\d+/link/\S+$", done.output, re.MULTILINE)
    assert links == ["lead", "senior", "annotator"]
    assert "The preview ended, and its data was removed." in done.output
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not home.exists()
    assert not (tmp_path / "mine").exists(), "the home of this machine is not touched"
    assert os.environ["TOUCHSTONE_HOME"] == str(tmp_path / "mine")


def test_what_is_wrong_is_said_and_nothing_is_served(served: list[Any], tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(shipped()["panel"].read_text().replace("kind: choice", "kind: chioce", 1))
    (tmp_path / "guidelines").mkdir()
    (tmp_path / "guidelines/panel.md").write_text("x")
    refused = run(str(wrong))
    assert re.search(
        r"wrong\.yaml:\d+: stages.*`chioce` is not a known value; did you mean `choice`\?", str(refused.exception)
    )
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        busy = CliRunner().invoke(cli, ["schema", "preview", "panel", "--port", str(port)])
    assert str(busy.exception).startswith(f"Port {port} is in use")
    assert served == []
    assert list((tmp_path / "tmp").iterdir()) == []

"""``touchstone schema try``: what it makes up, prints and serves, and that nothing of it stays."""

from __future__ import annotations

import os
import re
import socket
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from annotation_schemas import registry, shipped
from annotation_schemas.loader import load_schema
from app import server, services
from app.cli import cli
from app.services import Resources
from domain.records import NothingLeft, Person, TaskView
from domain.states import Stage
from testkit.serving import free_port
from workflow.access import projects
from workflow.annotate import claims, image_pool

NAME = "pca_bench"
"""A schema with most of the stages; the tutorial's has the others."""
WORKING = {Stage.AUTHORING, Stage.VERIFICATION, Stage.REFINEMENT, Stage.GRADING, Stage.CODING}
"""Where the made-up annotator has something to do."""


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, ["schema", "try", *words, "--port", str(free_port())])


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
    members = projects.members(shared.store, person=None, project=project.name)
    people = {each.person.login: each.person for each in members}
    stages = [stage for stage in Stage if stage is not Stage.TRIAGE]
    return {
        "name": project.name,
        "made_up": project.made_up,
        "tasks": {login: dict(gets(shared, people[login], project.name, stages)) for login in ("annotator", "senior")},
    }


def gets(shared: Resources, person: Person, project: str, stages: list[Stage]) -> Iterator[tuple[Stage, TaskView]]:
    for stage in stages:
        found = claims.next_task(shared.store, person=person, project=project, stage=stage)
        if isinstance(found, NothingLeft) and found.code == "pick_first":
            free = image_pool.pool(shared.store, person=person, project=project, limit=1).assets
            dimension = load_schema(shipped()[project]).schema_.dimensions[0].id
            found = image_pool.pick(
                shared.store, person=person, project=project, dimension=dimension, assets=[free[0].id]
            )
        if isinstance(found, TaskView):
            yield stage, found


@pytest.mark.thorough
def test_every_stage_has_something_to_do_and_nothing_of_it_stays(served: list[Any], tmp_path: Path) -> None:
    done = run(NAME)
    assert done.exit_code == 0, (done.output, done.exception)
    (home, host, _), found = served
    assert (host, found["name"], found["made_up"]) == ("127.0.0.1", NAME, True)
    assert set(found["tasks"]["annotator"]) == WORKING
    assert set(found["tasks"]["senior"]) == WORKING | {Stage.ARBITRATION}
    schema = load_schema(shipped()[NAME]).schema_
    for stage, task in found["tasks"]["senior"].items():
        roles = Counter(asset.role for asset in task.assets)
        assert set(roles) == {slot.role for slot in schema.item.assets}, stage
        assert not any(asset.missing for asset in task.assets)
        asked = registry.criteria_of(schema, stage.value, task.dimension)
        assert {each.field for each in asked} - {None} <= set(task.fields), stage
    links = re.findall(r"^  (lead|senior|annotator) +http://127\.0\.0\.1:\d+/link/\S+$", done.output, re.MULTILINE)
    assert links == ["lead", "senior", "annotator"]
    assert "Ended; what was tried is removed." in done.output
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
    assert re.search(r"wrong\.yaml:\d+: stages.*`chioce` is not known; did you mean `choice`\?", str(refused.exception))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        busy = CliRunner().invoke(cli, ["schema", "try", "panel", "--port", str(port)])
    assert str(busy.exception).startswith(f"Port {port} is taken.")
    assert served == []
    assert list((tmp_path / "tmp").iterdir()) == []

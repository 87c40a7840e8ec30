"""``touchstone schema diff``: a line for each change, with its class and the decisions that it needs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from annotation_schemas.loader import load_schema
from app import services
from app.cli import cli
from db.engine import open_store
from tests.app.test_schema_command import MAYBE
from workflow.access import projects

pytestmark = pytest.mark.thorough


def differs(*arguments: str) -> tuple[int, list[str]]:
    result = CliRunner().invoke(cli, ["schema", "diff", *arguments])
    return result.exit_code, result.stdout.splitlines()


@pytest.fixture
def changed(tmp_path: Path) -> tuple[str, str]:
    """A schema, and the same with an option less, a rule and a target."""
    old, new = tmp_path / "mine.yaml", tmp_path / "mine_2.yaml"
    before = MAYBE.replace("[good, bad]", "[good, bad, unsure]").replace("raters: 2", "raters: 3")
    old.write_text(before)
    after = before.replace(", unsure", "").replace("majority", "unanimous").replace("version: 1", "version: 2")
    new.write_text(after.replace("title: One", "title: One, wanted: 9"))
    return str(old), str(new)


def test_a_line_for_each_change_with_its_class_and_what_it_asks(changed: tuple[str, str]) -> None:
    assert differs(*changed) == (
        0,
        [
            "mine, version 1 to 2: 4 changes (2 compatible, 2 compatible with a decision).",
            'compatible with a decision: stages.verification.criteria.fits.options.unsure: "Unsure" -> nothing.'
            " Votes may give an answer that is no longer offered. Decide: --map fits:unsure=OTHER"
            " | --rename-option fits:unsure=NEW | --ask-again fits:unsure",
            'compatible with a decision: stages.verification.keep.rule: "majority" -> "unanimous".'
            " Verdicts may change. Decide: --recompute verification",
            "compatible: version: 1 -> 2. The schema has another version number.",
            "compatible: dimensions.one.wanted: nothing -> 9. The number of wanted items changes. Stored items do "
            "not change.",
        ],
    )
    assert differs(changed[0], changed[0]) == (0, ["mine: nothing differs."])


def test_decisions_are_taken_as_options_and_checked(changed: tuple[str, str]) -> None:
    status, lines = differs(*changed, "--map", "fits:unsure=bad", "--recompute", "verification", "--json")
    told = json.loads("\n".join(lines))
    assert status == 0
    assert told["can_be_taken"] is True
    decided = {each["change"]: each["decided"] for each in told["changes"] if each["decided"]}
    assert decided == {
        "removed_option": {"way": "map", "value": "bad"},
        "keep_rule": {"way": "recompute", "value": None},
    }
    refused = CliRunner().invoke(cli, ["schema", "diff", *changed, "--map", "fits:maybe=bad"])
    assert "--map fits:maybe=bad matches no change" in str(refused.exception)


def test_an_incompatible_change_ends_with_status_1(changed: tuple[str, str]) -> None:
    path = Path(changed[1])
    path.write_text(path.read_text().replace("version: 2", "version: 1"))
    status, lines = differs(*changed)
    assert status == 1
    assert lines[1].startswith("incompatible: version: 1 -> 1. Votes store their schema version")
    assert lines[1].endswith("Increase `version`.")
    assert differs("egoplan", "egoplan_test")[0] == 1


def test_a_project_stands_for_the_schema_that_it_has_and_what_no_one_used_may_change(
    changed: tuple[str, str], tmp_path: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no item and no vote: nothing is to be decided."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    store = open_store(None, home)
    projects.create_project(store, name="running", loaded=load_schema(changed[0]))
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    (tmp_path / "running").mkdir()  # a folder of that name is no schema
    monkeypatch.chdir(tmp_path)
    services.resources.cache_clear()
    try:
        told = differs("running", changed[1])
        same = differs(*changed, "--project", "running")
        refused = CliRunner().invoke(cli, ["schema", "diff", "walking", changed[1]])
    finally:
        services.resources.cache_clear()
    assert told == same
    assert told[0] == 0
    assert told[1][0] == "mine, version 1 to 2: 4 changes (4 compatible)."
    assert {line.split(":")[0] for line in told[1][1:]} == {"compatible"}
    assert "There is no project 'walking'" in str(refused.exception)

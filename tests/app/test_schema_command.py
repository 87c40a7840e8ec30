"""``touchstone schema``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from annotation_schemas import shipped
from annotation_schemas.json_schema import json_schema_text
from annotation_schemas.loader import load_schema
from app import services
from app.cli import cli
from db.engine import open_store
from tests.paths import ROOT
from workflow.access import projects

pytestmark = pytest.mark.thorough


def run(*arguments: str) -> str:
    result = CliRunner().invoke(cli, ["schema", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("name", shipped())
def test_check_by_name_and_by_path(name: str) -> None:
    assert run("check", name) == run("check", str(shipped()[name]))


def test_check_lists_what_is_not_built() -> None:
    output = run("check", "egoplan")
    assert "qualification" not in output.partition("Declared, not built yet")[2]
    assert "`rank_options`" not in output
    assert "2 raters; choice; kept if unanimous and key" in output


MAYBE = """\
name: mine
version: 1
title: Mine
dimensions: [{id: one, title: One}]
item: {assets: [{role: image, kind: image}], fields: [{name: question, kind: text}]}
stages:
  verification:
    raters: 2
    criteria: [{name: fits, kind: choice, prompt: Fits it, options: [good, bad]}]
    keep: {rule: majority, criterion: fits, value: good}
"""


def test_warnings_are_said_and_fail_only_where_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    unanimous = MAYBE.replace("majority", "unanimous")
    path.write_text(
        f"{unanimous}  grading: {{raters: 2, criteria: [{{name: good, kind: choice, prompt: P, options: [a, b]}}]}}\n"
    )
    said = f"{path}:11: warning: stages.grading.raters: a majority of two is both of them"
    output = run("check", str(path))
    assert "Mine (mine, version 1) fits." in output
    assert "1 to look at:" in output
    assert said in output
    strict = CliRunner().invoke(cli, ["schema", "check", "--strict", str(path)])
    assert strict.exit_code == 1
    assert said in strict.output
    path.write_text(unanimous)
    assert "to look at" not in run("check", "--strict", str(path))


def test_list_names_all() -> None:
    output = run("list")
    assert [line.split()[0] for line in output.splitlines()] == list(shipped())


def test_json_schema_is_printed() -> None:
    assert run("json-schema") == json_schema_text()
    assert json.loads(run("json-schema"))["title"] == "Touchstone schema"


def test_a_file_that_does_not_fit_ends_with_status_1_and_sentences(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("name: mine\nname: yours\nversion: one\n")
    code = f"import sys; sys.argv = ['touchstone', 'schema', 'check', {str(path)!r}]; from app.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 1
    assert f"{path}:2: name: duplicate key; it is already on line 1; leave one of them out." in done.stderr
    assert f"{path}:3: version: a whole number is wanted, not text; write it in digits." in done.stderr
    assert "Traceback" not in done.stderr


# ---- schema diff ----------------------------------------------------------------------------------------------------


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
            " The votes may come to other verdicts. Decide: --recompute verification",
            "compatible: version: 1 -> 2. Another version of the schema.",
            "compatible: dimensions.one.wanted: nothing -> 9. How many items are wanted; nothing that is stored"
            " changes.",
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
    assert "--map fits:maybe=bad fits no change" in str(refused.exception)


def test_an_incompatible_change_ends_with_status_1(changed: tuple[str, str]) -> None:
    path = Path(changed[1])
    path.write_text(path.read_text().replace("version: 2", "version: 1"))
    status, lines = differs(*changed)
    assert status == 1
    assert lines[1].startswith("incompatible: version: 1 -> 1. Votes keep the version they were given under")
    assert lines[1].endswith("Raise `version`.")
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

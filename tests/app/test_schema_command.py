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
from app.cli import cli
from tests.paths import ROOT

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
    assert (
        "qualification"
        not in output.partition("The schema uses these features, which Touchstone does not support yet")[2]
    )
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
    said = f"{path}:11: warning: stages.grading.raters: with two people, two different grades have no majority"
    output = run("check", str(path))
    assert "Mine (mine, version 1) is valid." in output
    assert "1 warning:" in output
    assert said in output
    strict = CliRunner().invoke(cli, ["schema", "check", "--strict", str(path)])
    assert strict.exit_code == 1
    assert said in strict.output
    path.write_text(unanimous)
    assert "warning:" not in run("check", "--strict", str(path))


def test_list_names_all() -> None:
    output = run("list")
    assert [line.split()[0] for line in output.splitlines()] == list(shipped())


def test_json_schema_is_printed() -> None:
    assert run("show", "--json-schema") == json_schema_text()
    assert json.loads(run("show", "--json-schema"))["title"] == "Touchstone schema"


def test_a_file_that_does_not_fit_ends_with_status_1_and_sentences(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("name: mine\nname: yours\nversion: one\n")
    code = f"import sys; sys.argv = ['touchstone', 'schema', 'check', {str(path)!r}]; from app.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 1
    assert f"{path}:2: name: duplicate key; this key is already on line 1; remove one of the two keys." in done.stderr
    assert f"{path}:3: version: the value must be a whole number, not text; write the number in digits." in done.stderr
    assert "Traceback" not in done.stderr

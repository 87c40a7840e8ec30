"""``touchstone schema show``: what is asked, as people read it, and what templates and prompts may use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from annotation_schemas import shipped
from app.cli import cli

pytestmark = pytest.mark.thorough


def show(*words: str) -> Result:
    return CliRunner().invoke(cli, ["schema", "show", *words])


def as_json(name: str) -> Any:
    done = show(name, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_each_stage_says_what_people_see_and_are_asked() -> None:
    """By hand from ``demo.yaml``; its ``answer`` is called a reference next to the answer of a model."""
    lines = show("demo").stdout.splitlines()
    at = lines.index("Verification: 2 raters; fits; kept if unanimous")
    assert lines[at + 1 : at + 4] == [
        "  People see: image, Question, Answer",
        "  Do the image and the question with its answer fit the dimension?   [fits: choice]",
        "    Fits | Does not fit (why: The answer is wrong, It tests another dimension,"
        " Not asked from the first person, More than one answer is right, The image does not show it)",
    ]
    at = lines.index("Grading: 3 raters; score")
    assert lines[at + 1 : at + 4] == [
        "  People see: image, Question, Reference, Answer (from a model)",
        "  How good is this answer?   [score: scale]",
        "    Wrong | Partly right | Right",
    ]
    assert "  People fill in: Question, Answer" in lines
    assert not any(line.startswith("Refinement") for line in lines)


def test_conditions_are_said_in_words() -> None:
    lines = show("etp_bench").stdout.splitlines()
    at = lines.index("  In which order did it happen?   [order: ordering]")
    assert [line.strip() for line in lines[at + 1 : at + 5]] == [
        "From the item's options.",
        "Asked only if asks is order.",
        "Asked only in these dimensions: temporal.",
        "Optional.",
    ]


def test_how_close_answers_are_and_what_holds_between_them_is_said(tmp_path: Path) -> None:
    path = tmp_path / "sizes.yaml"
    path.write_text(
        """
name: sizes
version: 1
title: Sizes
guideline: sizes.md
dimensions: [{id: all, title: All}]
item: {fields: [{name: question, kind: text}]}
stages:
  verification:
    raters: 2
    criteria:
      - {name: width, kind: number, prompt: How wide?, unit: cm, tolerance: {absolute: 0.5}}
      - {name: height, kind: number, prompt: How high?, unit: cm, tolerance: {relative: 0.1}}
      - {name: good, kind: choice, prompt: Is it good?, options: ["yes", "no"]}
    rules: [{rule: less_than, of: [width, height], say: It is higher than wide.}]
    keep: {rule: unanimous, criterion: good, value: "yes"}
""",
        encoding="utf-8",
    )
    (tmp_path / "sizes.md").write_text("Measure.", encoding="utf-8")
    done = show(str(path))
    assert done.exit_code == 0, done.output
    for line in (
        "    Two answers count as equal if they differ by at most 0.5 cm.",
        "    Two answers count as equal if they differ by at most 0.1 times the right answer.",
        "  Between width and height: It is higher than wide.",
    ):
        assert line in done.stdout.splitlines()


def test_placeholders_of_judges_and_prompts_with_what_fills_them() -> None:
    """Of ``pca_bench.yaml``: its judge has four fills, and three placeholders are called as the fields are."""
    told = as_json("pca_bench")
    assert [(judge["name"], judge["fills"]) for judge in told["judges"]] == [
        (
            "gpt4",
            {
                "domain": "dimension",
                "question": "question",
                "actions": "actions",
                "model_output": "prediction",
                "true_action": "answer",
                "key_concept": "key_concepts",
                "reason": "reason",
            },
        )
    ]
    assert list(told["prompts"]["fills"]) == ["question", "actions"]
    assert not {"answer", "reason", "key_concepts"} & set(told["variables"]["prompts"])
    assert {"answer", "reason", "key_concepts", "prediction"} <= set(told["variables"]["templates"])
    assert "secret" in told["variables"]["prompts"]["ability"]
    assert not {"pointed", "numbered"} & set(as_json("tour")["variables"]["prompts"])


@pytest.mark.parametrize("name", shipped())
def test_every_schema_that_comes_along_is_shown_and_its_prompts_are_filled(name: str) -> None:
    told = as_json(name)
    unfilled = [each for each, by in (told["prompts"] or {"fills": {}})["fills"].items() if by.startswith("nothing")]
    assert unfilled == []


def test_what_is_no_schema_is_a_sentence(tmp_path: Path) -> None:
    assert str(show("egothnik").exception).startswith("No file or schema has the name 'egothnik'")
    (tmp_path / "mine.yaml").write_text("name: 3\n")
    assert "mine.yaml:1" in str(show(str(tmp_path / "mine.yaml")).exception)

"""``touchstone sample show``: the plan with its cost, opened once, extended; and what does not fit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from testkit.serving import touchstone

pytestmark = pytest.mark.slow

SCHEMA = """
name: planned
version: 1
title: Planned
source: {format: egothink}
dimensions:
  - {id: d1, title: D1, folder: d1}
  - {id: d2, title: D2, folder: d2}
item:
  assets: [{role: image, kind: image, min: 0}]
  fields: [{name: question, kind: text}, {name: answer, kind: text}]
stages:
  grading:
    raters: 2
    sample: SAMPLE
    criteria: [{name: score, kind: scale, prompt: "?", values: [0, 1]}]
"""


def home_with(tmp_path: Path, sample: str) -> Path:
    """A project with six items in each of two dimensions and two models that have answered all of them."""
    home, schema = tmp_path / "home", tmp_path / "planned.yaml"
    schema.write_text(SCHEMA.replace("SAMPLE", sample))
    told = touchstone("schema", "check", str(schema), home=home)
    assert told.returncode == 0, told.stderr
    assert "2 raters; score; planned sample: " in told.stdout
    assert touchstone("project", "create", "p", "--schema", str(schema), home=home).returncode == 0
    rows = [{"image_path": [f"{at}.jpg"], "question": f"{at}?", "answer": "Yes."} for at in range(6)]
    for folder in ("d1", "d2"):
        (tmp_path / "items" / folder).mkdir(parents=True)
        (tmp_path / "items" / folder / "annotations.json").write_text(json.dumps(rows))
    assert touchstone("item", "import", "p", "egothink", str(tmp_path / "items"), home=home).returncode == 0
    answers = tmp_path / "answers.jsonl"
    answers.write_text(
        "".join(
            json.dumps({"item": f"{folder}/{at}", "model": model, "text": "Yes."}) + "\n"
            for folder in ("d1", "d2")
            for at in range(6)
            for model in ("m1", "m2")
        )
    )
    assert touchstone("item", "import", "p", "predictions", str(answers), home=home).returncode == 0
    return home


def sample(home: Path, *options: str) -> list[str]:
    done = touchstone("sample", "show", "p", *options, home=home)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_plan_is_shown_opened_and_extended(tmp_path: Path) -> None:
    home = home_with(tmp_path, "{outputs: 8, seed: 2}")
    first = sample(home)
    assert first[:3] == [
        "A planned sample of 8 of 24 answers. No answers are open to people yet. A lead can open the sample.",
        "8 answers x 2 people = 16 slots; 16 slots can be opened now.",
        "Drawn evenly over dimension, then model, with seed 2.",
    ]
    assert [line.split() for line in first[4:]] == [[d, m, "6", "2", "2"] for d in ("d1", "d2") for m in ("m1", "m2")]
    assert sample(home) == first
    assert sample(home, "--open")[:2] == [
        "New grading tasks: 16.",
        "A planned sample of 8 of 24 answers: 0 graded by 2 people, 0 begun, 8 untouched.",
    ]
    assert sample(home, "--open")[0] == "New grading tasks: 0."
    assert sample(home, "--outputs", "9")[1] == "9 answers x 2 people = 18 slots; 2 slots can be opened now."
    told = json.loads(sample(home, "--outputs", "10", "--open", "--json")[0])
    assert (told["planned"], told["slots"], told["missing_slots"], told["done"]) == (10, 20, 0, False)
    assert sum(line["untouched"] for line in told["lines"]) == 10
    assert sample(home, "--summary") == [told["sentence"]]
    for n, why in (("9", "10 answers are already planned"), ("25", "can draw at most 24 answers, not 25")):
        done = touchstone("sample", "show", "p", "--open", "--outputs", n, home=home)
        assert done.returncode == 1
        assert why in done.stderr


def test_what_does_not_fit_is_said_and_opens_nothing(tmp_path: Path) -> None:
    home = home_with(tmp_path, "{models: [m1, gpt], items: [d1/0, d1/9]}")
    told = sample(home)
    assert "The plan names models without answers: gpt. Models with answers: m1, m2." in told
    assert "The plan names unknown items: d1/9." in told
    done = touchstone("sample", "show", "p", "--open", home=home)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(
        "Nothing was opened. Import the missing answers or items, or correct the schema."
    )
    assert touchstone("project", "create", "q", "--schema", "egothink", home=home).returncode == 0
    q = touchstone("sample", "show", "q", home=home)
    assert q.stdout == "Answers open to people: 0 of 0; 0 graded by 3 people, 0 begun, 0 untouched.\n"
    assert "--json needs a planned sample" in touchstone("sample", "show", "q", "--json", home=home).stderr

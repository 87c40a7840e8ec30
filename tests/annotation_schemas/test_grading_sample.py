"""What is wrong with a plan of whom people grade is said in a sentence, with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from annotation_schemas.loader import examine, load_text
from domain.errors import SchemaError

BASE = """
name: planned
version: 1
title: Planned
dimensions:
  - {id: d1, title: D1}
  - {id: d2, title: D2}
  - {id: d3, title: D3}
item:
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list}
    - {name: topology, kind: choice, options: [chain, graph]}
stages:
  grading:
    raters: 3
    dimensions: [d1, d2]
    criteria: [{name: score, kind: scale, prompt: "?", values: [0, 1]}]
"""


def refused(sample: dict[str, Any], **grading: Any) -> list[str]:
    whole = yaml.safe_load(BASE)
    whole["stages"]["grading"] |= {"sample": sample, **grading}
    try:
        load_text(yaml.safe_dump(whole, sort_keys=False), "", "planned")
    except SchemaError as error:
        return [line.split(": ", 1)[1] for line in str(error).splitlines()]
    return []


@pytest.mark.parametrize(
    ("sample", "where", "why"),
    [
        ({"dimensions": ["d9"]}, "dimensions[0]", "`d9` is not a dimension"),
        ({"dimensions": ["d3"]}, "dimensions[0]", "`d3` is not graded; add the dimension to the `dimensions` of "
        "the stage"),
        ({"dimensions": ["d1", "d2", "d1"]}, "dimensions[2]", "`d1` is listed twice"),
        ({"models": ["m", "m"]}, "models[1]", "`m` is listed twice"),
        ({"models": []}, "models", "the list is empty"),
        ({"items": ["a", "b", "a"]}, "items[2]", "`a` is listed twice"),
        ({"items": []}, "items", "the list is empty"),
        ({"items": ["a"], "outputs": 5}, "items", "a sample either names items or draws answers"),
        ({"items": ["a"], "dimensions": ["d1"]}, "dimensions", "the listed `items` already fix the dimensions"),
        ({"items": ["a"], "seed": 3}, "seed", "`seed` has no effect without `outputs`"),
        ({"strata": ["model"]}, "strata", "`strata` has no effect without `outputs`"),
        ({"outputs": 0}, "outputs", "the number must be at least 1"),
        ({"outputs": "many"}, "outputs", "the value must be a whole number"),
        ({"outputs": 5, "strata": ["topologie"]}, "strata[0]", "is not a field of the item; did you mean `topology`?"),
        ({"outputs": 5, "strata": ["dimension", "options"]}, "strata[1]", "`options` can have several values"),
        ({"outputs": 5, "strata": ["group"]}, "strata[0]", "no dimension of this schema has a `group`; add groups"),
        ({"outputs": 5, "strata": ["model", "model"]}, "strata[1]", "`model` is listed twice"),
        ({"output": 5}, "output", "did you mean `outputs`?"),
    ],
)  # fmt: skip
def test_a_plan_that_contradicts_itself_is_refused(sample: dict[str, Any], where: str, why: str) -> None:
    found = refused(sample)
    assert any(f"stages.grading.sample.{where}:" in line and why in line for line in found), found


def test_a_number_outside_and_an_order_that_does_the_opposite_are_refused() -> None:
    assert "move `outputs` into the sample" in refused({"outputs": 5}, outputs=5)[0]
    assert "`fewest_votes` spreads grades over many answers" in refused({"outputs": 5}, order="fewest_votes")[0]


def test_more_than_the_dimensions_want_is_a_warning(tmp_path: Path) -> None:
    whole = yaml.safe_load(BASE)
    for each in whole["dimensions"]:
        each["wanted"] = 50
    for outputs, warned in ((200, False), (201, True)):  # two dimensions of 50 items are graded, of two models each
        whole["stages"]["grading"]["sample"] = {"models": ["m", "n"], "outputs": outputs}
        (tmp_path / "planned.yaml").write_text(yaml.safe_dump(whole, sort_keys=False))
        found = [line for line in examine(tmp_path / "planned.yaml").warnings if "grading.sample.outputs" in line]
        assert bool(found) is warned
        assert not warned or "the models have only 200 answers" in found[0]


@pytest.mark.parametrize(
    "sample",
    [{}, {"models": ["m"]}, {"items": ["a"]}, {"outputs": 5, "strata": []}, {"outputs": 5, "strata": ["topology"]}],
)
def test_plans_that_fit(sample: dict[str, Any]) -> None:
    assert refused(sample) == []


def test_a_schema_without_a_plan_has_the_hash_that_it_had() -> None:
    # computed by the version before plans
    loaded = load_text(BASE, "g", "planned")
    assert loaded.hash == "bd10792356a0fe82933b7133118790fd12b06e5e111ce196968b788998adee00"

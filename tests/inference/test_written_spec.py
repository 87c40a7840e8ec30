"""A description goes out as YAML and comes back as it was."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from annotation_schemas.prompts import load_prompt_set
from domain.errors import ModelError
from inference.spec import Endpoint, Generation, ModelSpec, Price, shipped, spec_as_yaml, spec_of

words = some.text(some.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Co", "Cn"]), min_size=1, max_size=30)
numbers = some.floats(0.001, 1000.0).map(lambda number: round(number, 3))

generations = some.fixed_dictionaries(
    {
        "temperature": numbers,
        "max_new_tokens": some.integers(1, 10_000),
        "do_sample": some.booleans(),
        "stop": some.lists(words, max_size=3).map(tuple),
    }
)
prices = some.fixed_dictionaries({"input": numbers, "output": numbers, "date": some.dates().map(str)})


@pytest.mark.thorough
@given(name=words, note=words, model=words, generation=generations)
def test_a_local_model(name: str, note: str, model: str, generation: dict[str, Any]) -> None:
    spec = ModelSpec(name=name, note=note, adapter="chat", model=model, generation=Generation(**generation))
    assert spec_of(spec_as_yaml(spec), name="x") == spec


@pytest.mark.thorough
@given(url=words, price=prices)
def test_an_endpoint(url: str, price: dict[str, Any]) -> None:
    asked = Endpoint(base_url=url, price=Price(**price))
    spec = ModelSpec(name="e", adapter="endpoint", model="m", endpoint=asked)
    text = spec_as_yaml(spec)
    assert spec_of(text, name="x") == spec
    assert "null" not in text.replace(url, "")


@pytest.mark.parametrize("spec", list(shipped()), ids=lambda spec: spec.name)
def test_the_ones_that_come_along(spec: ModelSpec) -> None:
    assert spec_of(spec_as_yaml(spec), name=spec.name).hash == spec.hash


def test_what_is_wrong_has_its_line() -> None:
    with pytest.raises(ModelError, match="mine:3: batch_size: the value must be a whole number"):
        spec_of("name: a\nadapter: chat\nbatch_size: many\nmodel: b\n", name="mine")


def test_every_description_that_comes_with_touchstone() -> None:
    specs = list(shipped())
    names = [spec.name for spec in specs]
    assert len(set(names)) == len(names) >= 25
    families = set(load_prompt_set("egothink").families)
    assert {spec.prompts for spec in specs} - {None} <= families
    assert families - {spec.prompts for spec in specs} == set(), "each of EgoThink's families has a description"
    for spec in specs:
        assert spec.note, spec.name
        assert spec.adapter == "file" or "/" in (spec.model or "") or spec.endpoint, spec.name
    assert {spec.adapter for spec in specs} == {
        "chat",
        "completion",
        "encoder_decoder",
        "video_llava",
        "endpoint",
        "file",
    }

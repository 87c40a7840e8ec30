"""What a form must satisfy, as tables."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_schemas import shipped
from annotation_schemas.kinds import check_answers, check_fields, of_criterion, options_of
from annotation_schemas.loader import load_schema
from annotation_schemas.model import Criterion, Schema

BASE = {"name": "s", "version": 1, "title": "S", "dimensions": [{"id": "d", "title": "D"}]}


def schema_with(*fields: dict[str, Any]) -> Schema:
    return Schema.model_validate({**BASE, "item": {"fields": fields}})


OPTIONS = {"name": "options", "kind": "text_list", "required": False}


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ({"kind": "text"}, "fine", None),
        ({"kind": "text"}, "  \n", "fill this in"),
        ({"kind": "text"}, None, "fill this in"),
        ({"kind": "text", "required": False}, "", None),
        ({"kind": "text"}, 7, "must be text"),
        ({"kind": "text", "max_length": 3}, "four", "at most 3 characters (4 now)"),
        ({"kind": "text", "min_length": 3}, " a ", "at least 3"),
        ({"kind": "integer"}, 0, None),
        ({"kind": "integer"}, True, "whole number"),
        ({"kind": "integer"}, 1.5, "whole number"),
        ({"kind": "decimal"}, "0.10", None),
        ({"kind": "decimal"}, 0.1, None),
        ({"kind": "decimal"}, "1,5", "use a decimal point and no thousands separators"),
        ({"kind": "decimal"}, "tall", "must be a number in digits"),
        ({"kind": "decimal", "min": 0.3}, "0.30", None),
        ({"kind": "decimal", "min": 0.3}, "0.29", "enter a number of at least 0.3"),
        ({"kind": "decimal", "max": 2}, "2.01", "enter a number of at most 2"),
        ({"kind": "decimal", "min": 0.1, "step": 0.1}, 0.3, None),  # a machine's 0.3 - 0.1 is no multiple of its 0.1
        ({"kind": "decimal", "step": 0.1}, "0.35", "enter a number in steps of 0.1"),
        ({"kind": "choice", "options": ["a", "b"]}, "b", None),
        ({"kind": "choice", "options": ["a", "b"]}, "c", "choose one of a, b"),
        ({"kind": "choice", "options": [1, 2]}, True, "choose one of 1, 2"),
        ({"kind": "text_list"}, ["a", "a"], None),
        ({"kind": "text_list", "distinct": True}, ["a", " A"], "list each entry only once"),
        ({"kind": "text_list"}, [], "fill this in"),
        ({"kind": "text_list"}, ["a", " "], "fill in every entry"),
        ({"kind": "text_list"}, ["a", 1], "list of texts"),
        ({"kind": "text_list"}, "ab", "list of texts"),
        ({"kind": "text_list", "length": 4}, ["a"], "the number of entries must be 4 (1 now)"),
        ({"kind": "text_list", "min_length": 2}, ["a"], "at least 2"),
        ({"kind": "text_list", "max_length": 1}, ["a", "b"], "at most 1"),
        ({"kind": "option_of", "field": "options"}, "x", None),
        ({"kind": "option_of", "field": "options"}, "z", "one of the entries of options"),
        ({"kind": "option_of", "field": "options"}, ["x"], "one of the entries of options"),
        ({"kind": "options_of", "field": "options"}, ["y", "x"], None),
        ({"kind": "options_of", "field": "options"}, ["x", "x"], "list each entry only once"),
        ({"kind": "options_of", "field": "options"}, ["z"], "choose only entries of options"),
        ({"kind": "order_of", "field": "options"}, ["y", "x"], None),
        ({"kind": "order_of", "field": "options"}, ["y"], "each once, in order"),
        ({"kind": "segments"}, [{"start_frame": 1}], None),
        ({"kind": "segments"}, ["a"], "list of segments"),
        ({"kind": "json"}, {"a": [1]}, None),
    ],
)
def test_fields(field: dict[str, Any], value: Any, says: str | None) -> None:
    schema = schema_with(OPTIONS, {"name": "it", **field})
    problems = check_fields(schema, {"options": ["x", "y"], "it": value})
    assert [problem.name for problem in problems] == (["it"] if says else [])
    if says:
        assert problems[0].message.startswith("It: ")
        assert says in problems[0].message


def test_a_field_that_the_schema_does_not_have_is_a_problem() -> None:
    assert [problem.name for problem in check_fields(schema_with(OPTIONS), {"optoins": []})] == ["optoins"]


def test_options_that_are_not_there_are_no_crash() -> None:
    schema = schema_with(OPTIONS, {"name": "it", "kind": "option_of", "field": "options"})
    for options in (None, "x", 3, [["x"]]):
        assert "it" in {problem.name for problem in check_fields(schema, {"options": options, "it": "x"})}


FITS = Criterion.model_validate(
    {
        "name": "fits",
        "kind": "choice",
        "prompt": "Fits?",
        "options": [{"value": "yes", "label": "Yes"}, {"value": "no", "label": "No", "reasons": ["wrong", "unclear"]}],
    }
)
CHOICE = Criterion.model_validate(
    {
        "name": "choice",
        "kind": "option_of",
        "field": "options",
        "prompt": "Which?",
        "skip": {"label": "Skip", "reasons": ["none_fits", "several_fit"]},
    }
)
SCALE = Criterion.model_validate(
    {"name": "score", "kind": "scale", "prompt": "How good?", "values": [0, 0.5, 1], "show_if": {"fits": ["yes"]}}
)
NOTE = Criterion.model_validate({"name": "why", "kind": "text", "prompt": "Why?", "required": False})
FREE_SKIP = Criterion.model_validate({"name": "free", "kind": "scale", "prompt": "?", "values": [1, 2], "skip": {}})
ITEM = {"options": ["open door", "open door", "leave"]}


@pytest.mark.parametrize(
    ("criteria", "values", "reasons", "wrong"),
    [
        ([FITS], {"fits": "yes"}, {}, []),
        ([FITS], {"fits": "no"}, {"fits": "wrong"}, []),
        ([FITS], {"fits": "no"}, {"fits": "typed by hand"}, []),
        ([FITS], {"fits": "no"}, {}, ["fits"]),
        ([FITS], {"fits": "no"}, {"fits": " "}, ["fits"]),
        ([FITS], {"fits": "maybe"}, {}, ["fits"]),
        ([FITS], {"fits": True}, {}, ["fits"]),
        ([FITS], {"fits": ["yes"]}, {}, ["fits"]),
        ([FITS], {}, {}, ["fits"]),
        ([FITS], {"fits": None}, {"fits": "wrong"}, ["fits"]),
        ([FITS], {"fits": "yes", "other": 1}, {}, ["other"]),
        ([FITS], {"fits": "yes"}, {"other": "x"}, ["other"]),
        ([CHOICE], {"choice": "open door"}, {}, []),
        ([CHOICE], {"choice": "fly"}, {}, ["choice"]),
        ([CHOICE], {"choice": None}, {"choice": "none_fits"}, []),
        ([CHOICE], {"choice": None}, {"choice": "no idea"}, ["choice"]),
        ([CHOICE], {"choice": None}, {}, ["choice"]),
        ([CHOICE], {}, {}, ["choice"]),
        ([FREE_SKIP], {"free": None}, {"free": "it is dark"}, []),
        ([FREE_SKIP], {"free": None}, {}, ["free"]),
        ([FITS, SCALE], {"fits": "yes", "score": 0.5}, {}, []),
        ([FITS, SCALE], {"fits": "yes", "score": 1.0}, {}, []),
        ([FITS, SCALE], {"fits": "yes", "score": 0.75}, {}, ["score"]),
        ([FITS, SCALE], {"fits": "yes", "score": "1"}, {}, ["score"]),
        ([FITS, SCALE], {"fits": "yes", "score": True}, {}, ["score"]),
        ([FITS, SCALE], {"fits": "yes", "score": float("nan")}, {}, ["score"]),
        ([FITS, SCALE], {"fits": "yes"}, {}, ["score"]),
        ([FITS, SCALE], {"fits": "no"}, {"fits": "wrong"}, []),
        ([FITS, SCALE], {"fits": "no", "score": None}, {"fits": "wrong"}, []),
        ([FITS, SCALE], {"fits": "no", "score": 1}, {"fits": "wrong"}, ["score"]),
        ([NOTE], {}, {}, []),
        ([NOTE], {"why": "because"}, {}, []),
        ([NOTE], {"why": 3}, {}, ["why"]),
    ],
)
def test_answers(criteria: list[Criterion], values: dict[str, Any], reasons: dict[str, str], wrong: list[str]) -> None:
    assert [problem.name for problem in check_answers(criteria, values, reasons, ITEM)] == wrong


def test_options_are_offered_as_the_item_has_them() -> None:
    assert [option.value for option in options_of(CHOICE, ITEM)] == ["open door", "open door", "leave"]
    assert options_of(CHOICE, {}) == []
    assert [option.label for option in options_of(SCALE, ITEM)] == ["0", "0.5", "1"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
LOADED = {name: load_schema(path).schema_ for name, path in shipped().items()}


@pytest.mark.thorough
@given(st.sampled_from(sorted(LOADED)), st.data())
def test_whatever_a_browser_sends_is_answered_with_sentences(name: str, data: st.DataObject) -> None:
    schema = LOADED[name]
    fields = {field.name: data.draw(JSON) for field in schema.item.fields}
    assert all(problem.message.endswith(".") for problem in check_fields(schema, fields))
    for part in (schema.stages.verification, schema.stages.grading):
        if part is not None:
            names = [criterion.name for criterion in part.criteria]
            values = data.draw(st.dictionaries(st.sampled_from(names), JSON))
            reasons = data.draw(st.dictionaries(st.sampled_from(names), st.text(max_size=5)))
            for problem in check_answers(part.criteria, values, reasons, fields):
                assert problem.name in names


@pytest.mark.parametrize(
    ("tolerance", "one", "other", "alike"),
    [(None, 1, 1.0, True), (None, 1, 1.01, False), ({"absolute": 0.05}, 10, 10.05, True), (None, True, 1, False)],
)
def test_two_numbers_agree_within_their_tolerance(tolerance: Any, one: Any, other: Any, alike: bool) -> None:
    asked = Criterion.model_validate({"name": "n", "kind": "number", "prompt": "?", "tolerance": tolerance})
    assert of_criterion(asked).agree(asked, one, other) is alike

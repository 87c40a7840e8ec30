"""Answers of each kind: what fits, and a sentence for what does not."""

from __future__ import annotations

from typing import Any

import pytest

from annotation_schemas.kinds import check_answers
from annotation_schemas.model import Criterion

MULTI = {"kind": "multi_choice", "options": ["red", "blue", "green"], "min": 1, "max": 2}
OF_ITEM = {"kind": "multi_choice", "field": "colours"}
NUMBER = {"kind": "number", "min": -1, "max": 2, "step": 0.1}
ORDER = {"kind": "ordering", "field": "colours"}
PROPERTIES = {"kind": "property_list", "options": ["openable", "sliceable"]}
LEVELS = {"kind": "property_list", "options": ["openable"], "values": [0, 1, 2]}
SPANS = {"kind": "spans", "options": ["wrong", "made_up"]}
TEXTS = {"colours": ["red", "blue", "red"], "prediction": "1. grasp(cup)\n2. grasp(pan) 🥄"}


def problem(criterion: dict[str, Any], value: Any) -> str | None:
    """What is said about a value, without the question that stands before it."""
    asked = Criterion(name="c", prompt="?", **criterion)
    found = check_answers([asked], {"c": value}, {}, TEXTS)
    assert len(found) <= 1
    return found[0].message.removeprefix("? ") if found else None


@pytest.mark.parametrize(
    ("criterion", "value"),
    [
        (MULTI, ["red"]),
        (MULTI, ["red", "green"]),
        (OF_ITEM, []),
        (OF_ITEM, ["red", "blue"]),
        (NUMBER, 0),
        (NUMBER, 1.3),
        (NUMBER, -1),
        (ORDER, ["red", "red", "blue"]),
        (PROPERTIES, [{"name": "openable", "value": "no"}, {"name": "sliceable", "value": "yes"}]),
        (LEVELS, [{"name": "openable", "value": 2}]),
        (SPANS, []),
        (SPANS, [{"start": 28, "end": 29, "tag": "made_up"}, {"start": 0, "end": 29, "tag": "wrong"}]),
    ],
)
def test_what_fits(criterion: dict[str, Any], value: Any) -> None:
    assert problem(criterion, value) is None


@pytest.mark.parametrize(
    ("criterion", "value", "said"),
    [
        (MULTI, [], "Give at least 1 answer (0 now)."),
        (MULTI, ["red", "blue", "green"], "Give at most 2 answers (3 now)."),
        (MULTI, ["blue", "red"], "in the order"),
        (MULTI, ["red", "red"], "once"),
        (MULTI, ["pink"], "listed answers"),
        (MULTI, "red", "a list"),
        (NUMBER, "1", "a number"),
        (NUMBER, True, "a number"),
        (NUMBER, float("nan"), "a number"),
        (NUMBER, 2.1, "At most 2."),
        (NUMBER, -2, "At least -1."),
        (NUMBER, 0.15, "Enter a number in steps of 0.1."),
        (ORDER, ["red", "blue"], "Give every entry a position"),
        (ORDER, ["red", "blue", "blue"], "exactly one position"),
        (ORDER, {"red": 1}, "in order"),
        (PROPERTIES, [{"name": "openable", "value": "no"}], "every property"),
        (PROPERTIES, [{"name": "sliceable", "value": "no"}, {"name": "openable", "value": "no"}], "in the order"),
        (PROPERTIES, [{"name": "openable", "value": "maybe"}, {"name": "sliceable", "value": "no"}], "yes, no"),
        (LEVELS, [{"name": "openable", "value": True}], "one of these values: 0, 1, 2"),
        (SPANS, [{"start": 0, "end": 30, "tag": "wrong"}], "outside the text"),
        (SPANS, [{"start": 3, "end": 3, "tag": "wrong"}], "empty"),
        (SPANS, [{"start": 0, "end": 1.0, "tag": "wrong"}], "whole number"),
        (SPANS, [{"start": 0, "end": 1, "tag": "odd"}], "unknown tag"),
        (SPANS, [{"start": 0, "end": 1}], "needs a start"),
    ],
)
def test_what_does_not_fit_is_told(criterion: dict[str, Any], value: Any, said: str) -> None:
    found = problem(criterion, value)
    assert found is not None
    assert said in found


@pytest.mark.parametrize("reason", [None, "", " \n", [], ["blurred"]])
def test_an_option_that_asks_why_wants_a_reason(reason: Any) -> None:
    why = [{"value": "blurred", "label": "It is blurred"}]
    asked = Criterion(
        name="c", prompt="?", kind="choice", options=["good", {"value": "bad", "label": "Bad", "reasons": why}]
    )
    (found,) = check_answers([asked], {"c": "bad"}, {"c": reason}, {})
    assert "Choose a reason: It is blurred." in found.message
    assert not check_answers([asked], {"c": "bad"}, {"c": "blurred"}, {})
    assert not check_answers([asked], {"c": "bad"}, {"c": "a fly sat on it"}, {})
    assert not check_answers([asked], {"c": "good"}, {}, {})

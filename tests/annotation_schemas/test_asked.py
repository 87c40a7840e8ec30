"""What an item asks of a model, and when what was read is the key."""

from __future__ import annotations

import math
from typing import Any

import pytest

from annotation_schemas.expected_answers import GONE, NO_KEY, STRANGE_KEY, asked_of, held_against
from annotation_schemas.loader import load_text
from domain.errors import SchemaError
from domain.reading.answers import AnswerKind, ExpectedAnswer, ReadOutcome, read_answer

HEAD = """
name: closed
version: 1
title: Closed
dimensions: [{id: near, title: Near}]
item:
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list, required: false}
"""

OPTIONS = ["cup", "plate", "Cup"]


def asked(field: str, fields: dict[str, Any]) -> ExpectedAnswer:
    return asked_of(load_text(HEAD + f"    - {field}\n", "g", "closed").schema_, fields)


@pytest.mark.parametrize(
    ("field", "fields", "expected"),
    [
        (
            "{name: answer, kind: option_of, field: options}",
            {"options": OPTIONS},
            ExpectedAnswer(AnswerKind.OPTION, ("cup", "plate", "Cup")),
        ),
        (
            "{name: answer, kind: options_of, field: options}",
            {"options": OPTIONS},
            ExpectedAnswer(AnswerKind.MULTI, ("cup", "plate", "Cup")),
        ),
        (
            "{name: answer, kind: order_of, field: options}",
            {"options": OPTIONS},
            ExpectedAnswer(AnswerKind.ORDER, ("cup", "plate", "Cup")),
        ),
        ("{name: answer, kind: option_of, field: options}", {}, ExpectedAnswer(AnswerKind.TEXT)),
        ("{name: answer, kind: integer, read_as: number, unit: m}", {}, ExpectedAnswer(AnswerKind.NUMBER, unit="m")),
        (
            "{name: answer, kind: decimal, read_as: number, unit: cm}",
            {},
            ExpectedAnswer(AnswerKind.NUMBER, unit="cm", decimal=True),
        ),
        ("{name: answer, kind: text, read_as: yes_no}", {}, ExpectedAnswer(AnswerKind.YES_NO)),
        ("{name: answer, kind: text}", {"options": OPTIONS, "answer": "cup"}, ExpectedAnswer(AnswerKind.TEXT)),
    ],
)
def test_what_is_asked_follows_from_the_key(field: str, fields: dict[str, Any], expected: ExpectedAnswer) -> None:
    assert asked(field, fields) == expected


@pytest.mark.parametrize(
    ("field", "where"),
    [
        ("{name: answer, kind: text, unit: m}", "unit"),
        ("{name: answer, kind: text_list, read_as: text}", "read_as"),
        ("{name: answer, kind: integer, read_as: yes_no}", "read_as"),
        (
            "{name: answer, kind: text, read_as: yes_no}\n    - {name: other, kind: text, read_as: number}",
            "not with this field",
        ),
    ],
)
def test_read_as_is_said_of_the_key_alone(field: str, where: str) -> None:
    with pytest.raises(SchemaError, match=where):
        asked(field, {})


OPTION = ExpectedAnswer(AnswerKind.OPTION, tuple(OPTIONS))
MULTI = ExpectedAnswer(AnswerKind.MULTI, ("a", "b", "c"))
ORDER = ExpectedAnswer(AnswerKind.ORDER, ("a", "b", "c"))
NUMBER = ExpectedAnswer(AnswerKind.NUMBER)
YES_NO = ExpectedAnswer(AnswerKind.YES_NO)


@pytest.mark.parametrize(
    ("value", "to", "key", "right", "why"),
    [
        ("cup", OPTION, "cup", 1, ""),
        ("Cup", OPTION, "cup", 0, ""),  # two options that differ in case alone stay two
        ("plate", OPTION, "cup", 0, ""),
        ("plate", OPTION, " Plate. ", 1, ""),
        ("bowl", OPTION, "cup", math.nan, GONE),  # read when the item had other options
        ("cup", OPTION, "bowl", math.nan, STRANGE_KEY),
        ("cup", OPTION, None, math.nan, NO_KEY),
        ("plate", OPTION, "B", 1, ""),  # a letter names the option at its place
        ("cup", OPTION, "(b).", 0, ""),
        ("Cup", OPTION, "D", math.nan, STRANGE_KEY),  # there are three
        (
            "C",
            ExpectedAnswer(AnswerKind.OPTION, ("B", "C")),
            "B",
            0,
            "",
        ),  # options that are letters are themselves meant
        ("C", ExpectedAnswer(AnswerKind.OPTION, ("B", "C")), "A", math.nan, STRANGE_KEY),
        (["c", "a"], MULTI, ["a", "c"], 1, ""),
        (["a"], MULTI, ["a", "c"], 0, ""),
        (["a", "b", "c"], MULTI, ["a", "c"], 0, ""),
        ([], MULTI, ["a", "c"], 0, ""),  # "none of them" is an answer
        ([], MULTI, [], 1, ""),  # none of the options is right, and the model says so
        (["d"], MULTI, ["a", "c"], math.nan, GONE),
        (None, MULTI, ["a", "c"], math.nan, GONE),
        ([], ORDER, ["c", "a", "b"], math.nan, GONE),
        (["c", "a", "b"], ORDER, ["c", "a", "b"], 1, ""),
        (["a", "c", "b"], ORDER, ["c", "a", "b"], 0, ""),
        (5.0, NUMBER, 5, 1, ""),
        (0.1 + 0.2, NUMBER, "0.3", 1, ""),
        (4.0, NUMBER, 5, 0, ""),
        ("yes", YES_NO, "Yes.", 1, ""),
        ("no", YES_NO, True, 0, ""),
        ("A red  cup.", ExpectedAnswer(AnswerKind.TEXT), "a red cup", 1, ""),
    ],
)
def test_what_is_read_is_held_against_the_key(value: Any, to: ExpectedAnswer, key: Any, right: float, why: str) -> None:
    found = held_against(value, to, key)
    assert found == (pytest.approx(right, nan_ok=True), why)


@pytest.mark.parametrize(
    ("field", "key", "text", "right"),
    [
        ("kind: decimal, unit: cm", "180.0", "180", 1.0),
        ("kind: decimal, unit: cm", "180.0", "1.8 m", 1.0),  # a unit that can be converted
        ("kind: decimal, unit: s", "120", "2 minutes", 1.0),
        ("kind: decimal, unit: cm", "180.0", "180.4 cm", 0.0),
        ("kind: decimal, unit: cm, tolerance: {absolute: 0.5}", "180.0", "180.5 cm", 1.0),
        ("kind: decimal, unit: cm, tolerance: {absolute: 0.5}", "180.0", "180.51 cm", 0.0),
        ("kind: decimal, unit: m, tolerance: {absolute: 0.05}", "0.10", "0.15", 1.0),  # exactly at the boundary
        ("kind: decimal, unit: cm, tolerance: {relative: 0.05}", "40", "The height is 42 cm.", 1.0),
        ("kind: decimal, unit: cm, tolerance: {relative: 0.05}", "40", "42.1", 0.0),
        ("kind: decimal, tolerance: {relative: 0.05}", "0", "0.01", 0.0),  # 5 % of nothing is nothing
        ("kind: decimal, unit: m, tolerance: {within: cm}", "1.254", "124.5 cm", 1.0),  # both are 125 cm
        ("kind: decimal, unit: m, tolerance: {within: cm}", "1.254", "124.4 cm", 0.0),
        ("kind: decimal", "1.000", "1", 1.0),  # a key is no thousand, whatever half of Europe writes
        ("kind: integer, unit: s, tolerance: {absolute: 5}", 117, "2 minutes", 1.0),
        ("kind: text, unit: s, tolerance: {absolute: 5}", "117 s", "2 minutes", 1.0),
        ("kind: decimal", None, "1", None),
    ],
)
def test_a_number_is_held_against_the_key_within_its_tolerance(
    field: str, key: Any, text: str, right: float | None
) -> None:
    of = asked(f"{{name: answer, {field}, read_as: number}}", {})
    read = read_answer(text, of)
    found = held_against(read.value, of, key)[0] if read.outcome is ReadOutcome.READ else math.nan
    assert found == right or (right is None and math.isnan(found))

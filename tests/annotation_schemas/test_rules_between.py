"""Rules between the fields of an item, and between the answers of a rater: when they hold, and which make no sense."""

from __future__ import annotations

from typing import Any

import pytest

from annotation_schemas.kinds import check_answers, check_fields, check_read
from annotation_schemas.loader import load_text
from annotation_schemas.model import CrossRule, Schema
from domain.cross_rules import CROSS_RULES
from domain.errors import SchemaError

HEAD = """\
name: between
version: 1
title: Between
dimensions: [{id: one, title: One}]
item:
  fields:
    - {name: start, kind: decimal, unit: s, required: false}
    - {name: end, kind: decimal, unit: s, required: false}
    - {name: metres, kind: decimal, unit: m, required: false}
    - {name: first, kind: text, required: false}
    - {name: second, kind: text, required: false}
    - {name: options, kind: text_list, required: false}
    - {name: form, kind: choice, options: [open, closed]}
    - {name: from_file, kind: text, authored: false, required: false}
    - {name: hidden, kind: integer, required: false, secret_in: [verification]}
  rules: [ITEM]
stages:
  authoring: {}
  verification:
    raters: 1
    criteria:
      - {name: verdict, kind: choice, prompt: Right?, options: ["yes", "no"], skip: {reasons: [dark]}}
      - {name: why, kind: text, prompt: Why?, required: false}
      - {name: low, kind: number, prompt: From?, required: false, min: 0, max: 9, unit: s}
      - {name: high, kind: number, prompt: To?, required: false, min: 0, max: 9, unit: s}
      - {name: tall, kind: number, prompt: How tall?, required: false, min: 10, unit: s}
      - {name: size, kind: scale, prompt: Size?, values: [1, 2, 3], required: false, show_if: {verdict: ["yes"]}}
      - {name: late, kind: scale, prompt: Late?, values: [1, 2, 3], required: false}
    rules: [VOTE]
    keep: {rule: unanimous, criterion: verdict, value: "yes"}
"""
ROWS = {
    "less_than": "{rule: less_than, of: [start, end], say: The end comes after the start.}",
    "not_more_than": "{rule: not_more_than, of: [start, end], say: The end is no earlier.}",
    "different": "{rule: different, of: [first, second], say: The two differ.}",
    "one_of": "{rule: one_of, of: [first, options], say: Take one of the options.}",
    "required_when": "{rule: required_when, of: [first], when: {form: [open]}, say: Write the answer.}",
    "at_least_one": "{rule: at_least_one, of: [first, start], say: Say one of the two.}",
    "at_most_one": "{rule: at_most_one, of: [first, start, end], say: Only one of them.}",
}
VOTE_RULES = (
    '{rule: required_when, of: [why], when: {verdict: ["no"]}, say: Say why not.},'
    "{rule: less_than, of: [low, high], say: To is above from.},"
    "{rule: different, of: [size, late], say: Not the same size twice.},"
    "{rule: not_more_than, of: [low, start], say: Not before it starts.}"
)


def text(item: str = "", vote: str = "") -> str:
    return HEAD.replace("ITEM", item).replace("VOTE", vote)


def schema(item: str = "", vote: str = "") -> Schema:
    return load_text(text(item, vote), "", "between").schema_


@pytest.mark.parametrize(
    ("rule", "fields", "at"),
    [
        ("less_than", {"start": "1.5", "end": "1.50"}, "end"),
        ("less_than", {"start": "9", "end": "10"}, None),  # as numbers, not as texts
        ("less_than", {"start": "9"}, None),
        ("not_more_than", {"start": "1.5", "end": "1.50"}, None),
        ("not_more_than", {"start": "1.5", "end": "1.49"}, "end"),
        ("different", {"first": "Cup", "second": " cup"}, "second"),
        ("different", {"first": "cup", "second": "cups"}, None),
        ("different", {"first": "", "second": ""}, None),
        ("one_of", {"first": "cup", "options": ["cup", "jug"]}, None),
        ("one_of", {"first": "pot", "options": ["cup", "jug"]}, "first"),
        ("one_of", {"first": "pot"}, None),
        ("required_when", {"first": " "}, "first"),
        ("required_when", {"form": "closed"}, None),
        ("at_least_one", {"second": "x"}, "first"),
        ("at_least_one", {"start": "0"}, None),  # zero is something
        ("at_most_one", {"first": "a", "end": "3"}, "end"),
        ("at_most_one", {"end": "3"}, None),
    ],
)
def test_rules_between_fields(rule: str, fields: dict[str, Any], at: str | None) -> None:
    asked = schema(ROWS[rule])
    say = asked.item.rules[0].say
    for found in (check_fields(asked, {"form": "open", **fields}), check_read(asked, {"form": "open", **fields})):
        assert [problem.name for problem in found] == ([at] if at else [])
        assert all(problem.message.endswith(f": {say}") for problem in found)


def test_a_field_that_is_wrong_by_itself_is_said_once() -> None:
    found = check_fields(schema(ROWS["less_than"]), {"form": "open", "start": "1,5", "end": "0"})
    assert [problem.name for problem in found] == ["start"]


@pytest.mark.parametrize(
    ("values", "reasons", "at"),
    [
        ({"verdict": "no"}, {}, {"why": "Why? Say why not."}),
        ({"verdict": "no", "why": "It is blurred."}, {}, {}),
        ({"verdict": "yes"}, {}, {}),
        ({"verdict": None}, {"verdict": "dark"}, {}),
        ({"verdict": "yes", "low": 3, "high": 3}, {}, {"high": "To? To is above from."}),
        ({"verdict": "yes", "low": 3, "high": 3.01}, {}, {}),
        ({"verdict": "yes", "size": 2, "late": 2}, {}, {"late": "Late? Not the same size twice."}),
        # a field of the item that raters see; it is said where they can do something about it
        ({"verdict": "yes", "low": 8}, {}, {"low": "From? Not before it starts."}),
        ({"verdict": "yes", "low": 7.5}, {}, {}),
        ({"verdict": "no", "low": 99}, {}, {"low": "From? At most 9.", "why": "Why? Say why not."}),
    ],
)
def test_rules_between_answers(values: dict[str, Any], reasons: dict[str, str], at: dict[str, str]) -> None:
    stage = schema(vote=VOTE_RULES).stages.verification
    assert stage is not None
    found = check_answers(stage.criteria, values, reasons, {"start": "7.50"}, rules=stage.rules)
    assert {problem.name: problem.message for problem in found} == at


def test_what_is_not_asked_cannot_be_missing() -> None:
    rule = CrossRule(rule="at_least_one", of=("size", "late"), say="One of them.")
    stage = schema().stages.verification
    assert stage is not None
    asked = stage.criteria[:6]  # nothing is asked late, as in another dimension
    assert check_answers(asked, {"verdict": "no"}, {}, {}, rules=[rule]) == []
    (problem,) = check_answers(asked, {"verdict": "yes"}, {}, {}, rules=[rule])
    assert problem.name == "size"


@pytest.mark.parametrize(
    ("item", "vote", "key", "says"),
    [
        ("{rule: less, of: [start, end], say: S}", "", "item.rules[0].rule", "did you mean `less_than`?"),
        ("{rule: less_than, of: [start], say: S}", "", "of", "`less_than` needs at least 2 names, not 1"),
        ("{rule: less_than, of: [start, start], say: S}", "", "of[1]", "appears twice"),
        ("{rule: less_than, of: [start, ende], say: S}", "", "of[1]", "did you mean `end`?"),
        ("{rule: less_than, of: [start, first], say: S}", "", "of[1]", "(of kind `text`) is not numeric"),
        ("{rule: less_than, of: [start, metres], say: S}", "", "of[1]", "have different units (`s` and `m`)"),
        ("{rule: different, of: [first, start], say: S}", "", "of[1]", "cannot be compared with `first`"),
        ("{rule: one_of, of: [options, first], say: S}", "", "of", "then the list that contains it"),
        ("{rule: one_of, of: [first, second, options], say: S}", "", "of", "`one_of` needs 2 names, not 3"),
        ("{rule: required_when, of: [first], say: S}", "", "item.rules[0]", "`when` is missing"),
        ("{rule: required_when, of: [first], when: {form: [opened]}, say: S}", "", "when.form", "not a value of"),
        ("{rule: required_when, of: [first], when: {form: []}, say: S}", "", "when.form",
         "so the condition is never true"),
        ("{rule: required_when, of: [form], when: {first: [a]}, say: S}", "", "item.rules[0]", "is always required"),
        ("{rule: at_least_one, of: [form, first], say: S}", "", "item.rules[0]", "is always required"),
        ("{rule: different, of: [first, from_file], say: S}", "", "item.rules[0]", "comes only from files"),
        ('{rule: different, of: [first, second], say: " "}', "", "say", "`say` is empty"),
        (
            "{rule: less_than, of: [start, end], say: S}, {rule: not_more_than, of: [end, start], say: S}",
            "", "item.rules[0]", (
                "the rule can never be met, because other rules do not allow `end` to exceed `start`; change one of "
                "the rules"
            ),
        ),
        ("", "{rule: less_than, of: [tall, high], say: S}", "rules[0]", "`tall` is at least 10 and `high` at most 9"),
        ("", "{rule: less_than, of: [low, hidden], say: S}", "of[1]", "`hidden` is neither asked nor shown where "
        "this rule applies"),
        ("", "{rule: less_than, of: [start, end], say: S}", "rules[0].of", "move the rule to `item: rules`"),
        ("", "{rule: at_least_one, of: [low, start], say: S}", "of[1]", "`start` is neither asked nor shown where "
        "this rule applies"),
        ("", '{rule: required_when, of: [size], when: {verdict: ["no"]}, say: S}', "when.verdict",
         "`show_if` hides `size`"),
        ("", "{rule: less_than, of: [low, high]}", "rules[0]", "`say` is missing"),
    ],
)  # fmt: skip
def test_rules_without_sense_are_refused(item: str, vote: str, key: str, says: str) -> None:
    with pytest.raises(SchemaError) as caught:
        schema(item, vote)
    lines = str(caught.value).splitlines()
    assert any(key in line and says in line for line in lines), lines


def test_every_rule_is_tried_here() -> None:
    assert set(ROWS) == set(CROSS_RULES)

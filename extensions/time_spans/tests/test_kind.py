"""When something happens in a clip: answers, their normal form, mistakes in schemas, and what agreement is made of."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from agreement import Ratings, krippendorff_alpha
from annotation_schemas import kinds
from annotation_schemas.expected_answers import asked_of
from annotation_schemas.loader import load_text
from annotation_schemas.model import Criterion, Schema
from domain.errors import SchemaError
from domain.overlap import Shape
from domain.reading.answers import AnswerKind, ExpectedAnswer
from domain.records import Rating
from domain.states import Stage
from tests.annotation_schemas.test_planted_mistakes import check_mistake, folder
from workflow.results.rater_agreement import scales_of

__all__ = ["folder"]  # a fixture

MISTAKES = tomllib.loads((Path(__file__).parent / "mistakes.toml").read_text(encoding="utf-8"))["mistake"]

TEXT = """
name: timed
version: 1
title: Timed
dimensions: [{id: acts, title: Acts}]
item:
  assets: [{role: view, kind: image}, {role: clip, kind: clip%s}]
  fields: [{name: question, kind: text}]
stages:
  verification:
    raters: 2
    criteria:
      - {name: good, kind: choice, options: ["yes", "no"], prompt: Good}
      - {name: when, kind: time_span, prompt: When%s}
    keep: {rule: unanimous, criterion: %s, value: "yes"}
"""


def asked(**more: Any) -> Criterion:
    return Criterion(name="when", kind="time_span", prompt="?", **more)


def said(criterion: Criterion, value: Any) -> str:
    found = kinds.check_answers([criterion], {"when": value}, {}, {})
    return found[0].message.removeprefix("? ") if found else ""


def seconds(*ends: float) -> list[dict[str, float]]:
    return [{"start": a, "end": b} for a, b in zip(ends[::2], ends[1::2], strict=True)]


def frames(*ends: int) -> list[dict[str, int]]:
    return [{"first": a, "last": b} for a, b in zip(ends[::2], ends[1::2], strict=True)]


@pytest.mark.parametrize(
    ("more", "value"),
    [
        ({}, []),
        ({}, seconds(0, 0.04)),
        ({"max": 3}, seconds(0.5, 2, 1.5, 4)),
        ({"unit": "frames"}, frames(7, 7)),
        ({"unit": "frames", "min": 2, "max": 2}, frames(1, 30, 31, 60)),
    ],
)
def test_what_fits(more: dict[str, Any], value: Any) -> None:
    assert said(asked(**more), value) == ""


@pytest.mark.parametrize(
    ("more", "value", "words"),
    [
        ({}, {"start": 0, "end": 1}, "list of time spans"),
        ({}, [{"start": 1}], "needs `start` and `end`"),
        ({}, frames(1, 2), "needs `start` and `end`"),
        ({}, seconds(2, 1), "ends (1) before the span begins (2)"),
        ({}, seconds(2, 2), "before the span begins"),
        ({}, seconds(-1, 2), "must be 0 or greater"),
        ({}, seconds(0, float("inf")), "must be 0 or greater"),
        ({}, seconds(0, 1, 2, 3), "Give at most 1 span (2 now)."),
        ({"max": 2}, seconds(2, 3, 0, 1), "chronological order"),
        ({"max": 2}, seconds(0, 1, 0, 1), "twice"),
        ({"min": 1}, [], "Give at least 1 span (0 now)."),
        ({"unit": "frames"}, frames(0, 1), "whole numbers, 1 or greater"),
        ({"unit": "frames"}, [{"first": 1.0, "last": 2}], "whole numbers"),
        ({"unit": "frames"}, seconds(0, 1), "needs `first` and `last`"),
    ],
)
def test_what_does_not_fit(more: dict[str, Any], value: Any, words: str) -> None:
    assert words in said(asked(**more), value)


def test_a_span_is_read_in_its_unit() -> None:
    assert kinds.in_words({"start": 0.07, "end": 1.5}) == "0.07 to 1.5 s"
    assert kinds.in_words({"first": 31, "last": 60}) == "frames 31 to 60"


def test_spans_are_kept_in_the_order_of_time() -> None:
    criterion = asked(max=3)
    given = {"when": seconds(4, 5, 1, 3, 1, 2)}
    assert kinds.in_order([criterion], given, {}) == {"when": seconds(1, 2, 1, 3, 4, 5)}
    strange = {"when": [{"start": "x"}, 5]}
    assert kinds.in_order([criterion], strange, {}) == strange


def test_answers_that_share_half_of_their_time_are_alike() -> None:
    row, asked = kinds.CRITERIA["time_span"], Criterion(name="when", kind="time_span", prompt="When")
    assert row.agree(asked, seconds(0, 2), seconds(0, 1))
    assert not row.agree(asked, seconds(0, 2), seconds(0, 0.99))


def test_a_span_ends_with_its_clip_or_hardly_later() -> None:
    row = kinds.CRITERIA["time_span"]
    clips = {"clip": 5.0, "longer": 9.0}
    assert row.outside(asked(), seconds(0, 5.05), clips) is None
    assert row.outside(asked(max=2), seconds(1, 5.2, 2, 3), clips) == "ends at 5.2 s, but the clip lasts 5 s"
    assert row.outside(asked(role="longer"), seconds(0, 9), clips) is None
    assert row.outside(asked(unit="frames"), frames(1, 999), clips) is None
    assert row.outside(asked(), seconds(0, 9), {"clip": None}) is None, "how long the clip lasts is not known"


def test_agreement_is_on_an_interval_scale_of_each_end() -> None:
    schema = load_text(TEXT % ("", ", max: 2", "good"), "", "timed.yaml").schema_
    scales = scales_of(schema, Stage.VERIFICATION)
    assert {name: scale.level for name, scale in scales.items() if name != "good"} == {
        "when: start 1": "interval",
        "when: end 1": "interval",
        "when: start 2": "interval",
        "when: end 2": "interval",
        "when": "nominal",
    }
    assert scales["when"].shape is Shape.SPANS
    (criterion,) = [each for each in schema.stages.verification.criteria if each.name == "when"]  # type: ignore[union-attr]
    row = kinds.of_criterion(criterion)
    apart = row.taken_apart(criterion, seconds(1, 2.5, 4, 6))
    assert apart[:-1] == [("when: start 1", 1), ("when: end 1", 2.5), ("when: start 2", 4), ("when: end 2", 6)]
    assert apart[-1] == ("when", '[{"end": 2.5, "start": 1}, {"end": 6, "start": 4}]')
    assert row.taken_apart(asked(unit="frames"), frames(3, 9))[:-1] == [("when: start", 3), ("when: end", 9)]
    # Four clips, two people: observed disagreement of starts is the mean squared difference, (0.04 + 0 + 0 + 0) / 4;
    # the expected one is the mean over all 28 pairs of the eight values 1, 1.2, 2, 2, 3, 3, 4, 4.
    starts = [(1.0, 1.2), (2.0, 2.0), (3.0, 3.0), (4.0, 4.0)]
    values = [value for pair in starts for value in pair]
    pairs = [(a - b) ** 2 for at, a in enumerate(values) for b in values[at + 1 :]]
    rows = [
        Rating(f"u{at}", rater, name, value)
        for at, pair in enumerate(starts)
        for rater, begins in zip("ab", pair, strict=True)
        for name, value in row.taken_apart(criterion, seconds(begins, 9))
        if name == "when: start 1"
    ]
    found = krippendorff_alpha(Ratings.from_rows(rows, scale=scales["when: start 1"]), level="interval")
    assert found.value == pytest.approx(1 - (0.04 / 4) / (sum(pairs) / len(pairs)))


FIELD_TEXT = """
name: timed
version: 1
title: Timed
dimensions: [{id: acts, title: Acts}]
item:
  assets: [{role: view, kind: image}, {role: clip, kind: clip%s}]
  fields: [{name: question, kind: text}, {name: when, kind: time_span%s}]
stages:
  authoring: {}
"""


def item_schema(more: str) -> Schema:
    return load_text(FIELD_TEXT % ("", more), "", "timed.yaml").schema_


@pytest.mark.parametrize(
    ("more", "value", "words"),
    [
        ("", seconds(0, 0.04), ""),
        (", max_length: 2", seconds(4, 5, 1, 2), ""),  # it is kept in the order of time
        (", unit: frames", frames(7, 7), ""),
        (", required: false", None, ""),
        ("", [], "fill this in"),
        ("", seconds(2, 1), "ends (1) before the span begins (2)"),
        ("", seconds(0, 1, 2, 3), "give at most 1 span (2 now)"),
        (", min_length: 2, max_length: 3", seconds(0, 1), "give at least 2 spans (1 now)"),
        (", max_length: 2", seconds(0, 1, 0, 1), "the same span occurs twice"),
        (", unit: frames", seconds(0, 1), "needs `first` and `last`"),
        ("", "0 to 1 s", "list of time spans"),
    ],
)
def test_a_field_of_an_item_holds_spans(more: str, value: Any, words: str) -> None:
    content = {"question": "When?", "when": value} if value is not None else {"question": "When?"}
    found = [problem.message for problem in kinds.check_fields(item_schema(more), content)]
    assert len(found) == bool(words)
    assert words in "".join(found)


def test_spans_of_an_item_are_kept_in_the_order_of_time_and_told_in_words() -> None:
    schema = item_schema(", max_length: 3")
    given = {"question": "When?", "when": seconds(4, 5.25, 1, 2)}
    kept = kinds.fields_in_order(schema, given)
    assert kept == {"question": "When?", "when": seconds(1, 2, 4, 5.25)}
    field = schema.item.field("when")
    assert kinds.of_field(field).in_words(field, kept["when"]) == ["1 to 2 s", "4 to 5.25 s"]
    strange = {"when": [{"start": "x"}, 5], "other": 1}
    assert kinds.fields_in_order(schema, strange) == strange


@pytest.mark.parametrize(
    ("clip", "more", "words"),
    [
        (", max: 2", "", "may contain several clips"),
        ("", ", role: view", "the item has no clip `view`"),
        ("", ", unit: hours", "must be `seconds` or `frames`"),
        ("", ", min_length: 2", "only one span is allowed"),
        ("", ", max_length: 0", "`max_length` must be 1 or more"),
        ("", ", length: 2", "works only for fields of kind"),
    ],
)
def test_what_a_field_cannot_say(clip: str, more: str, words: str) -> None:
    with pytest.raises(SchemaError, match=words):
        load_text(FIELD_TEXT % (clip, more), "", "timed.yaml")


@pytest.mark.parametrize(
    ("clip", "more", "deciding", "words"),
    [
        ("", "", "when", "no two people time `when` exactly alike"),
        (", max: 2", "", "good", "may contain several clips"),
        ("", ", role: view", "good", "the item has no clip `view`"),
        ("", ", unit: hours", "good", "must be `seconds` or `frames`"),
        ("", ", min: 2", "good", "only one span is allowed"),
        ("", ", options: [a]", "good", "cannot have its own options; use only these keys: `role`"),
    ],
)
def test_what_a_schema_cannot_ask(clip: str, more: str, deciding: str, words: str) -> None:
    with pytest.raises(SchemaError, match=words):
        load_text(TEXT % (clip, more, deciding), "", "timed.yaml")


def test_two_spans_agree_from_the_iou_of_the_schema_on() -> None:
    row = kinds.CRITERIA["time_span"]
    for tolerance, alike in (({}, True), ({"tolerance": {"iou": 0.7}}, False), ({"tolerance": {"iou": 0.5}}, True)):
        asked = Criterion.model_validate({"name": "when", "kind": "time_span", "prompt": "?", **tolerance})
        assert row.agree(asked, seconds(0, 2), seconds(0, 1)) is alike  # 1 of 2 seconds


def test_a_field_with_spans_is_the_key_where_it_says_so() -> None:
    asked = asked_of(item_schema(", read_as: time_span, unit: frames, max_length: 2"), {"question": "When?"})
    assert asked == ExpectedAnswer(AnswerKind.SPANS, unit="frames", several=True)
    assert asked_of(item_schema(""), {"question": "When?"}).kind is AnswerKind.TEXT
    for more, words in (
        (", read_as: number", "time spans can only be read as `time_span`"),
        (", read_as: time_span, tolerance: {iou: 0.5}", "works only for fields of kind"),
    ):
        with pytest.raises(SchemaError, match=words):
            item_schema(more)
    text = FIELD_TEXT.replace("kind: text}", "kind: text, read_as: time_span}") % ("", "")
    with pytest.raises(SchemaError, match="use a field of kind `time_span`"):
        load_text(text, "", "timed.yaml")


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: str(mistake["what"]).replace(" ", "_"))
def test_a_planted_mistake_is_told(mistake: dict[str, Any], folder: Path) -> None:
    check_mistake(mistake, folder)

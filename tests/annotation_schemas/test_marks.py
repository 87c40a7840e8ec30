"""Boxes and numbered marks that do not fit are refused with a sentence."""

from __future__ import annotations

from typing import Any

import pytest

from annotation_schemas.kinds import boxes, check_answers, check_fields, marks
from annotation_schemas.loader import load_text
from domain.errors import SchemaError
from testkit.missing_extensions import needs

BOX: dict[str, Any] = {"label": "cup", "x": 0.1, "y": 0.2, "w": 0.3, "h": 0.4}
MARK: dict[str, Any] = {"number": 1, "x": 0.0, "y": 1.0}


@pytest.mark.parametrize(
    "box",
    [
        BOX,
        {**BOX, "x": 0, "w": 1},
        {**BOX, "x": 0.333334, "w": 0.666667},  # two roundings to six decimals
        {**BOX, "image": 3},
    ],
)
def test_a_box_inside_the_image_fits(box: dict[str, Any]) -> None:
    assert boxes.BOXES.problem([box, BOX], labels=["cup"], least=1, most=2) is None


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("cup", "must be a list of boxes"),
        ([], "At least 1 box is needed (0 now)"),
        ([BOX] * 4, "At most 3 boxes are allowed (4 now)"),
        ([[0, 0, 1, 1]], "Box 1 is not a valid box"),
        ([BOX, {**BOX, "x": 0.8}], "Box 2: the box extends beyond the image"),
        ([{**BOX, "y": -0.001}], "extends beyond the image"),
        ([{**BOX, "w": 0}], "the box has no area"),
        ([{**BOX, "h": -0.1}], "the box has no area"),
        ([{**BOX, "x": "0.1"}], "`x` must be a number"),
        ([{**BOX, "x": True}], "`x` must be a number"),
        ([{**BOX, "x": float("nan")}], "`x` must be a number"),
        ([{**BOX, "w": float("inf")}], "`w` must be a number"),
        ([{**BOX, "label": "mug"}], "the label 'mug' is not allowed; use one of cup, plate"),
        ([{key: BOX[key] for key in "xywh"}], "the label is missing"),
        ([{**BOX, "colour": "red"}], "`colour` is not a known key"),
        ([{**BOX, "image": 0}], "`image` must be 1 or more"),
    ],
)
def test_what_is_wrong_with_boxes_is_said(value: Any, words: str) -> None:
    assert words in (boxes.BOXES.problem(value, labels=["cup", "plate"], least=1, most=3) or "")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([MARK, {**MARK, "x": 0.5}], "The number 1 appears twice"),
        ([{**MARK, "number": 0}], "`number` must be a whole number of 1 or more"),
        ([{**MARK, "number": 1.5}], "`number` must be a whole number of 1 or more"),
        ([{"x": 0.1, "y": 0.1}], "`number` must be a whole number of 1 or more"),
        ([{**MARK, "y": 1.01}], "outside the image"),
        ([{**MARK, "w": 0.1}], "`w` is not a known key"),
    ],
)
def test_what_is_wrong_with_marks_is_said(value: Any, words: str) -> None:
    assert marks.MARKS.problem([MARK], labels=()) is None
    assert words in (marks.MARKS.problem(value, labels=()) or "")


SCHEMA = """
name: drawn
version: 1
title: Drawn
dimensions: [{id: one, title: One, definition: "One."}]
item:
  assets: [{role: clip, kind: clip, min: 0}, {role: image, kind: image}]
  fields:
    - {name: pointed, kind: boxes, required: false, max_length: 1}
stages:
  verification:
    raters: 2
    criteria:
      - {name: objects, kind: boxes, prompt: "Where?", options: [cup, plate], max: 2}
      - {name: fits, kind: choice, prompt: "Fits?", options: [{value: "yes", label: Y}, {value: "no", label: N}]}
    keep: {rule: unanimous, criterion: fits, value: "yes"}
"""


def test_a_form_and_an_item_are_checked_by_the_same_rules() -> None:
    schema = load_text(SCHEMA, "Guide.", "drawn.yaml").schema_
    assert schema.stages.verification
    criteria = schema.stages.verification.criteria
    assert check_answers(criteria, {"objects": [], "fits": "yes"}, {}, {}) == []
    (said,) = check_answers(criteria, {"objects": [{**BOX, "w": 2}], "fits": "yes"}, {}, {})
    assert said.name == "objects"
    assert (
        said.message == "Where? Box 1: the box extends beyond the image; positions and sizes must be between 0 and 1."
    )
    (said,) = check_answers(criteria, {"fits": "yes"}, {}, {})
    assert said.message == "Where? Draw the marks, or choose “nothing to mark”."
    unlabelled = {key: BOX[key] for key in "xywh"}
    assert check_fields(schema, {"pointed": [unlabelled]}) == []
    (said,) = check_fields(schema, {"pointed": [unlabelled, unlabelled]})
    assert said.message == "Pointed: at most 1 box is allowed (2 now)."


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("max: 2}", "max: 2, role: clip}", "the item has no image `clip`"),
        ("max: 2}", "min: 3, max: 2}", "`max` must be at least 1 and not less than `min`"),
        ("max: 2}", "min: -1}", "cannot be negative"),
        ("max_length: 1}", "role: picture}", "the item has no image `picture`"),
        pytest.param(
            "max_length: 1}", "cover: inside}", "works only for fields of kind `masks`", marks=needs("kinds", "masks")
        ),
        ('prompt: "Fits?"', 'prompt: "Fits?", role: image', "a criterion of kind `choice` has no `role`"),
        ("criterion: fits, value", "criterion: objects, value", "no two people draw `objects` exactly alike"),
        ("{role: image, kind: image}", "{role: film, kind: clip}", "the item has no image to draw boxes on"),
        ("options: [cup, plate]", "options: [cup, cup]", "`cup` appears twice"),
    ],
)
def test_a_schema_whose_marks_cannot_be_drawn_is_refused(old: str, new: str, words: str) -> None:
    assert old in SCHEMA
    with pytest.raises(SchemaError, match=words):
        load_text(SCHEMA.replace(old, new), "Guide.", "drawn.yaml")

"""Arrows, masks and covered rectangles that do not fit are refused with a sentence."""

from __future__ import annotations

from typing import Any

import pytest

from annotation_schemas.model import ItemField
from extensions.drawings.kinds import arrows, blur, masks

BOX: dict[str, Any] = {"label": "cup", "x": 0.1, "y": 0.2, "w": 0.3, "h": 0.4}
ARROW: dict[str, Any] = {"x": 0.0, "y": 1.0, "to_x": 0.5, "to_y": 0.5}


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("arrows", [ARROW, {**ARROW, "image": 2}], ""),
        ("arrows", [{**ARROW, "to_x": 1.01}], "Arrow 1: the arrow reaches outside the image"),
        ("arrows", [{**ARROW, "to_x": 0.0, "to_y": 1.0}], "the arrow starts and ends at the same point"),
        ("arrows", [{"x": 0.1, "y": 0.1}], "`to_x` must be a number"),
        ("arrows", [{**ARROW, "label": "cup"}], "`label` is not a known key"),
        ("blur", [{key: BOX[key] for key in "xywh"}], ""),
        ("blur", [{**BOX, "w": 0}], "the box has no area"),
        ("blur", [BOX], "cannot have a `label`"),
    ],
)
def test_what_is_wrong_with_arrows_and_what_is_painted_over(kind: str, value: Any, words: str) -> None:
    row = {"arrows": arrows.FIELD, "blur": blur.FIELD}[kind]
    said = row.check(ItemField(name="drawn", kind=kind), value, {})
    assert words.casefold() in (said or "").casefold()
    assert bool(said) == bool(words)


RING = [[0.0, 0.0], [1, 0.0], [1, 1]]
NAN = float("nan")
RUNS: dict[str, Any] = {"size": [2, 3], "counts": [1, 2, 3]}


@pytest.mark.parametrize(
    ("mask", "words"),
    [
        ({"rings": [RING, RING[::-1]], "image": 2}, ""),
        ({"rings": [[[0, 0], [1, 1], [1, 0], [0, 1]]]}, ""),  # its lines cross
        ({"rle": RUNS}, ""),
        ({"rle": {"size": [2, 3], "counts": "123"}}, ""),
        ({"rle": {"size": [2, 3], "counts": [0, 6]}}, ""),
        ({}, "the mask needs either `rings` or `rle`"),
        ({"rings": [RING], "rle": RUNS}, "either `rings` or `rle`"),
        ({"rings": [RING], "label": "cup"}, "the mask has the unknown key `label`"),
        ({"rings": [RING], "image": 0}, "`image` must be 1 or more"),
        ({"rings": []}, "must be a list of rings"),
        ({"rings": RING[0]}, "must be a list of rings"),
        ({"rings": [RING, RING[:2]]}, "ring 2 has 2 points, but an area needs at least three"),
        ({"rings": [[[0, 0], [1, 1], [0, 0]]]}, "fewer than three different points"),
        ({"rings": [[*RING, [0.5, 1.001]]]}, "point 4 of ring 1 lies outside the image"),
        ({"rings": [[[320, 200], [330, 200], [330, 210]]]}, "divide pixels by the image's width and height"),
        ({"rings": [[*RING, [0.5, -0.001]]]}, "lies outside the image"),
        ({"rings": [[*RING, [NAN, 0.5]]]}, "must be two numbers"),
        ({"rings": [[*RING, [0.5, float("inf")]]]}, "must be two numbers"),
        ({"rings": [[*RING, [True, 0.5]]]}, "must be two numbers"),
        ({"rings": [[*RING, [0.5]]]}, "must be two numbers"),
        ({"rings": [[*RING, "ab"]]}, "must be two numbers"),
        ({"rings": [RING * 3334]}, "the mask has 10,002 points, but at most 10,000 are allowed"),
        ({"rle": [2, 3]}, "as in COCO"),
        ({"rle": {**RUNS, "order": "C"}}, "as in COCO"),
        ({"rle": {**RUNS, "size": [2]}}, "must be `[height, width]`"),
        ({"rle": {**RUNS, "size": [2, 3.0]}}, "two whole numbers"),
        ({"rle": {**RUNS, "size": [-2, -3]}}, "two whole numbers"),
        ({"rle": {**RUNS, "size": [10**9, 10**9]}}, "at most 80,000,000 pixels are allowed"),
        ({"rle": {**RUNS, "counts": [1, 2, 4]}}, "add up to 7, but 2 x 3 pixels need 6"),
        ({"rle": {**RUNS, "counts": [7, -1]}}, "whole numbers, each 0 or more"),
        ({"rle": {**RUNS, "counts": []}}, "a list of 1 to 100,000 whole numbers"),
        ({"rle": {**RUNS, "counts": [0] * 100_001}}, "a list of 1 to 100,000 whole numbers"),
        ({"rle": {**RUNS, "counts": [1, 2, NAN]}}, "whole numbers"),
        ({"rle": {**RUNS, "counts": [1, 2, True]}}, "whole numbers"),
        ({"rle": {**RUNS, "counts": "12S"}}, "You can also write the list in COCO's text form"),  # it breaks off
        ({"rle": {**RUNS, "counts": "1 2"}}, "You can also write the list in COCO's text form"),
        ({"rle": {**RUNS, "counts": "P" * 900_000}}, "You can also write the list in COCO's text form"),
    ],
)
def test_what_is_wrong_with_masks_is_said(mask: dict[str, Any], words: str) -> None:
    said = masks.FIELD.check(ItemField(name="drawn", kind="masks"), [{"rings": [RING]}, mask], {})
    assert words in (said or "")
    assert bool(said) == bool(words)
    assert not words or said.startswith("mask 2: ")  # type: ignore[union-attr]


def test_a_field_has_so_many_masks_at_most() -> None:
    many = [{"rings": [RING]}] * 201
    assert masks.FIELD.drawing_problem(many[:200]) is None
    assert masks.FIELD.drawing_problem(many) == "At most 200 masks are allowed (201 now)."
    long = {"rle": {"size": [100, 1000], "counts": [1] * 100_000}}
    assert masks.FIELD.drawing_problem([long]) is None
    said = "All masks together have 100,003 points and counts, but at most 100,000 are allowed. Simplify the masks."
    assert masks.FIELD.drawing_problem([long, many[0]]) == said
    none = ItemField(name="drawn", kind="masks", max_length=0)
    assert masks.FIELD.check(none, many[:1], {}) == "at most 0 masks are allowed (1 now)."


def test_what_a_schema_covers_goes_along_with_its_masks() -> None:
    given = [{"rings": [RING]}]
    assert masks.FIELD.shapes(ItemField(name="drawn", kind="masks"), given) == given
    covering = ItemField(name="drawn", kind="masks", cover="outside")
    assert masks.FIELD.shapes(covering, given) == [{"rings": [RING], "cover": "outside"}]

"""Rectangles on an image: ``{"label": "cup", "x": 0.1, "y": 0.2, "w": 0.3, "h": 0.25}``, without ``label`` where the
schema lists none."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

from annotation_schemas import grammar
from annotation_schemas.column_types import NUMBER, TEXT, WHOLE, ColumnType, of_values
from annotation_schemas.drawing import DECIMALS
from annotation_schemas.kinds._drawn import (
    ROLE,
    Drawing,
    DrawnCriterion,
    DrawnField,
    image_problem,
    keys_problem,
)
from annotation_schemas.kinds._rows import OVERLAP, Found, Level, RatedVariable
from annotation_schemas.model import Criterion, ItemField, Schema
from annotation_schemas.yaml_text import Path
from domain.comparison import same
from domain.overlap import Shape

_SLACK = 2 * 10.0**-DECIMALS
"""Two roundings may add up to a little more than 1."""


def box_problem(box: Mapping[str, Any], labels: Collection[Any]) -> str | None:
    """Return the problem with a rectangle, given the labels, as the end of a sentence, or None."""
    wrong = keys_problem(box, ("x", "y", "w", "h"), ("label", "image")) or image_problem(box)
    if wrong:
        return wrong
    if box["w"] <= 0 or box["h"] <= 0:
        return "the box has no area; draw a larger box."
    if box["x"] < 0 or box["y"] < 0 or box["x"] + box["w"] > 1 + _SLACK or box["y"] + box["h"] > 1 + _SLACK:
        return "the box extends beyond the image; positions and sizes must be between 0 and 1."
    if labels and not any(same(box.get("label"), label) for label in labels):
        label_names = ", ".join(str(label) for label in labels)
        return (
            f"the label {box['label']!r} is not allowed; use one of {label_names}."
            if "label" in box
            else f"the label is missing; use one of {label_names}."
        )
    if not labels and "label" in box and not isinstance(box["label"], str):
        return "the label must be text."
    return None


BOXES = Drawing("box", "boxes", box_problem)


class BoxesCriterion(DrawnCriterion):
    """A rater draws rectangles."""

    name = "boxes"
    place = 110
    meaning = "rectangles drawn on an image, with the listed labels"
    keys: ClassVar[Mapping[str, str]] = {
        "options": "their labels",
        "role": ROLE,
        "min": "minimum number of entries; by default, an empty answer is allowed",
        "max": "maximum number of entries; default: no maximum",
        "tolerance": OVERLAP,
    }
    drawing = BOXES
    by_overlap = True
    not_measured = "boxes of two people can match in several ways, so no coefficient corrects for chance matches"

    def check_schema(self, schema: Schema, stage: str, criterion: Criterion, path: Path) -> Found:
        yield from super().check_schema(schema, stage, criterion, path)
        if criterion.tolerance is not None:
            yield from grammar.overlap(criterion.tolerance, (*path, "tolerance"))

    def unlike_key(self, schema: Schema, criterion: Criterion, field: ItemField) -> str | None:
        labels, others = ({option.value for option in part.options} for part in (criterion, field))
        if labels != others:
            return f"the labels of `{criterion.name}` and `{field.name}` differ; give both the same `options`"
        return grammar.other_media(schema, criterion, field, kind="image")

    def measured(self, criterion: Criterion, level: Level) -> list[RatedVariable]:
        return [RatedVariable(criterion.name, "nominal", shape=Shape.BOXES)]

    def taken_apart(self, criterion: Criterion, value: Any) -> list[tuple[str, Any]]:
        return [(criterion.name, json.dumps(value, sort_keys=True))]

    def entry_in_words(self, entry: Mapping[str, Any]) -> str | None:
        if box_problem(entry, ()):
            return None
        size = f"{entry['w']:.3f} by {entry['h']:.3f}"
        return f"{entry.get('label', 'box')} at {entry['x']:.3f}, {entry['y']:.3f}, {size}"

    def tries(self, criterion: Criterion, offered: Sequence[Any]) -> list[Any]:
        label, n = {"label": offered[0]} if offered else {}, max(int(criterion.min or 0), 1)
        places = (0.1, 0.4, 0.7)  # three that do not overlap
        return [[], *([{**label, "x": x, "y": 0.1, "w": 0.2, "h": 0.2}] * n for x in places)]


class BoxesField(DrawnField):
    """A field with rectangles."""

    name = "boxes"
    place = 110
    meaning = "rectangles that are drawn on the item's image"
    keys: ClassVar[Mapping[str, str]] = {
        "options": "their labels",
        "role": ROLE,
        "min_length": "minimum number",
        "max_length": "maximum number",
    }
    least_options = 0
    drawing = BOXES
    by_overlap = True
    votes_equal = True

    def column(self, field: ItemField) -> ColumnType:
        label = of_values([option.value for option in field.options]) if field.options else TEXT
        return ({"label": label, "x": NUMBER, "y": NUMBER, "w": NUMBER, "h": NUMBER, "image": WHOLE},)

    def key_values(self, field: ItemField, entries: Sequence[Any], some: Any, tried: Sequence[Any]) -> Sequence[Any]:
        return [value for value in tried if value and self.check(field, value, {}) is None]


CRITERION = BoxesCriterion()
FIELD = BoxesField()

"""Numbered points on an image: ``{"number": 1, "x": 0.5, "y": 0.5}``."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

from annotation_schemas.column_types import NUMBER, WHOLE, ColumnType
from annotation_schemas.drawing import LARGEST_NUMBER
from annotation_schemas.kinds._drawn import (
    ROLE,
    Drawing,
    DrawnCriterion,
    DrawnField,
    image_problem,
    keys_problem,
)
from annotation_schemas.model import Criterion, ItemField


def _mark(mark: Mapping[str, Any], labels: Collection[Any]) -> str | None:
    wrong = keys_problem(mark, ("x", "y"), ("number", "image")) or image_problem(mark)
    if wrong:
        return wrong
    number = mark.get("number")
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= LARGEST_NUMBER:
        return "`number` must be a whole number of 1 or more."
    if not (0 <= mark["x"] <= 1 and 0 <= mark["y"] <= 1):
        return "the mark lies outside the image; positions must be between 0 and 1."
    return None


MARKS = Drawing("mark", "marks", _mark, unique="number")


class MarksCriterion(DrawnCriterion):
    """A rater sets numbered points."""

    name = "marks"
    place = 120
    meaning = "numbered points on an image"
    keys: ClassVar[Mapping[str, str]] = {
        "role": ROLE,
        "min": "minimum number of entries; by default, an empty answer is allowed",
        "max": "maximum number of entries; default: no maximum",
    }
    drawing = MARKS
    not_measured = "marks of two people can match in several ways, so no coefficient corrects for chance matches"

    def entry_in_words(self, entry: Mapping[str, Any]) -> str | None:
        if _mark(entry, ()):
            return None
        return f"{entry['number']} at {entry['x']:.3f}, {entry['y']:.3f}"

    def tries(self, criterion: Criterion, offered: Sequence[Any]) -> list[Any]:
        n = max(int(criterion.min or 0), 1)
        return [[{"number": number, "x": 0.5, "y": 0.5} for number in range(1, n + 1)]]


class MarksField(DrawnField):
    """A field with numbered points."""

    name = "marks"
    place = 120
    meaning = "numbered points that are drawn on the item's image"
    keys: ClassVar[Mapping[str, str]] = {
        "role": ROLE,
        "min_length": "minimum number",
        "max_length": "maximum number",
    }
    drawing = MARKS

    def column(self, field: ItemField) -> ColumnType:
        return ({"number": WHOLE, "x": NUMBER, "y": NUMBER, "image": WHOLE},)


CRITERION = MarksCriterion()
FIELD = MarksField()

"""Masks on an image, each in one of two forms:

- ``{"rings": [[[0.1, 0.1], [0.5, 0.1], [0.5, 0.4]]]}``: closed lines through points. The even-odd rule decides about
  crossing and nested lines: a point is filled if a path out of it crosses an odd number of lines;
- ``{"rle": {"size": [480, 640], "counts": [...]}}``: pixels, in the format of COCO.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

from annotation_schemas.column_types import JSON, WHOLE, ColumnType
from annotation_schemas.kinds._drawn import ROLE, Drawing, DrawnField, image_problem
from annotation_schemas.kinds._rows import Json, is_list
from annotation_schemas.model import ItemField
from extensions.drawings import run_lengths
from extensions.drawings.kinds import ONLY_SHOWN

MOST_MASKS = 200
"""The maximum number of masks in one field of an item."""
MOST_NUMBERS = 100_000
"""The maximum number of points and counts in all masks of a field. Pages trace them in a few seconds."""
MOST_POINTS = 10_000
"""The maximum number of points in all rings of a mask."""


def _mask(mask: Mapping[str, Any], labels: Collection[Any]) -> str | None:
    unknown = next((name for name in mask if name not in ("rings", "rle", "image")), None)
    if unknown is not None:
        return f"the mask has the unknown key `{unknown}`. Remove the key."
    if ("rings" in mask) == ("rle" in mask):
        return "the mask needs either `rings` or `rle`. Use one of these keys."
    wrong = image_problem(mask)
    if wrong:
        return wrong
    return run_lengths.problem(mask["rle"]) if "rle" in mask else _rings(mask["rings"])


def _rings(rings: Any) -> str | None:
    if not is_list(rings) or not rings or not all(is_list(ring) for ring in rings):
        return "`rings` must be a list of rings. Each ring is a list of points."
    for number, ring in enumerate(rings, 1):
        if len(ring) < 3:
            return (
                f"ring {number} has {len(ring)} point{'' if len(ring) == 1 else 's'}, but an area needs at least "
                "three points. Add points."
            )
    if sum(map(len, rings)) > MOST_POINTS:
        return (
            f"the mask has {sum(map(len, rings)):,} points, but at most {MOST_POINTS:,} are allowed. Simplify the mask."
        )
    for number, ring in enumerate(rings, 1):
        for place, point in enumerate(ring, 1):
            if not _is_point(point):
                return f"point {place} of ring {number} must be two numbers, `[x, y]`."
            if not all(0 <= coordinate <= 1 for coordinate in point):
                return (
                    f"point {place} of ring {number} lies outside the image. Coordinates are shares between 0 and 1, "
                    "so divide pixels by the image's width and height."
                )
        if len({tuple(point) for point in ring}) < 3:
            return f"ring {number} has fewer than three different points, so the ring has no area. Add points."
    return None


def _is_point(point: Any) -> bool:
    return (
        is_list(point)
        and len(point) == 2
        and all(
            isinstance(coordinate, int | float) and not isinstance(coordinate, bool) and math.isfinite(coordinate)
            for coordinate in point
        )
    )


class _Masks(Drawing):
    def problem(
        self, value: Any, *, labels: Collection[Any], least: float | None = None, most: float | None = None
    ) -> str | None:
        fewest = MOST_MASKS if most is None else min(most, MOST_MASKS)
        wrong = super().problem(value, labels=labels, least=least, most=fewest)
        n = 0 if wrong else sum(map(_length, value))
        if n > MOST_NUMBERS:
            return (
                f"All masks together have {n:,} points and counts, but at most {MOST_NUMBERS:,} are allowed. "
                "Simplify the masks."
            )
        return wrong


def _length(mask: Mapping[str, Any]) -> int:
    return len(mask["rle"]["counts"]) if "rle" in mask else sum(map(len, mask["rings"]))


class MasksField(DrawnField):
    """A field with masks."""

    name = "masks"
    place = 126
    meaning = "areas of any shape on the item's image: polygons (even-odd rule) or COCO's run lengths"
    only_here = ONLY_SHOWN
    keys: ClassVar[Mapping[str, str]] = {
        "role": ROLE,
        "min_length": "minimum number",
        "max_length": f"maximum number; absent: {MOST_MASKS}",
        "cover": "absent: the area is tinted and outlined; `inside`: the area is gray; `outside`: the image around the "
        "area is gray",
    }
    drawing = _Masks("mask", "masks", _mask)

    def column(self, field: ItemField) -> ColumnType:
        return ({"rings": JSON, "rle": JSON, "image": WHOLE},)

    def page(self, field: ItemField) -> Json:
        return {**super().page(field), "cover": field.cover}

    def shapes(self, field: ItemField, entries: Sequence[Any]) -> list[Any]:
        return [{**entry, "cover": field.cover} if field.cover else entry for entry in entries]


FIELD = MasksField()

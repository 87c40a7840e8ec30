"""Arrows on an image: ``{"x": 0.1, "y": 0.2, "to_x": 0.4, "to_y": 0.5}``, from where they begin to where they point."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from annotation_schemas.column_types import NUMBER, WHOLE, ColumnType
from annotation_schemas.kinds._drawn import ROLE, Drawing, DrawnField, image_problem, keys_problem
from annotation_schemas.model import ItemField
from extensions.drawings.kinds import ONLY_SHOWN

_PLACES = ("x", "y", "to_x", "to_y")


def _arrow(arrow: Mapping[str, Any], labels: Collection[Any]) -> str | None:
    wrong = keys_problem(arrow, _PLACES, ("image",)) or image_problem(arrow)
    if wrong:
        return wrong
    if not all(0 <= arrow[name] <= 1 for name in _PLACES):
        return "the arrow reaches outside the image. Use coordinates between 0 and 1."
    if (arrow["x"], arrow["y"]) == (arrow["to_x"], arrow["to_y"]):
        return "the arrow starts and ends at the same point, so the arrow has no direction. Move one end."
    return None


class ArrowsField(DrawnField):
    """A field with arrows."""

    name = "arrows"
    place = 122
    meaning = "arrows that are drawn on the item's image"
    only_here = ONLY_SHOWN
    keys: ClassVar[Mapping[str, str]] = {
        "role": ROLE,
        "min_length": "minimum number",
        "max_length": "maximum number",
    }
    drawing = Drawing("arrow", "arrows", _arrow)

    def column(self, field: ItemField) -> ColumnType:
        return ({**dict.fromkeys(_PLACES, NUMBER), "image": WHOLE},)


FIELD = ArrowsField()

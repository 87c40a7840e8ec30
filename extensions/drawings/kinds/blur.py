"""Rectangles of an image that are painted over: ``{"x": 0.1, "y": 0.2, "w": 0.3, "h": 0.25}``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from annotation_schemas.column_types import NUMBER, WHOLE, ColumnType
from annotation_schemas.kinds._drawn import ROLE, Drawing, DrawnField
from annotation_schemas.kinds.boxes import box_problem
from annotation_schemas.model import ItemField
from extensions.drawings.kinds import ONLY_SHOWN


class BlurField(DrawnField):
    """A field with rectangles behind which nothing is seen."""

    name = "blur"
    place = 124
    meaning = "rectangles of the item's image that are covered in gray"
    only_here = ONLY_SHOWN
    keys: ClassVar[Mapping[str, str]] = {
        "role": ROLE,
        "min_length": "minimum number",
        "max_length": "maximum number",
    }
    drawing = Drawing("box", "boxes", box_problem)

    def column(self, field: ItemField) -> ColumnType:
        return ({"x": NUMBER, "y": NUMBER, "w": NUMBER, "h": NUMBER, "image": WHOLE},)

    def check(self, field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
        problem = super().check(field, value, fields)
        named = problem is None and any("label" in area for area in value)
        return "a covered rectangle cannot have a `label`. Remove the label." if named else problem


FIELD = BlurField()

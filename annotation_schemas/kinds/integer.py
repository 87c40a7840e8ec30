"""A whole number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from annotation_schemas.kinds._rows import FieldKind, Json
from annotation_schemas.kinds._written import TOLERANCE, UNIT
from annotation_schemas.model import Choice, ItemField
from domain.reading.answers import AnswerKind


class IntegerField(FieldKind):
    """A field with a whole number."""

    name = "integer"
    place = 30
    meaning = "a whole number"
    keys: ClassVar[Mapping[str, str]] = {
        "read_as": "makes this field the key; only `number` is possible",
        "unit": UNIT,
        "tolerance": TOLERANCE,
    }
    reads_as = ("number",)
    refuses_read_as = "fields of kind `integer` accept only `read_as: number`"
    answer = AnswerKind.NUMBER
    holds = "whole number"

    def check(self, field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
        return None if isinstance(value, int) and not isinstance(value, bool) else "the value must be a whole number."

    def key_values(self, field: ItemField, entries: Sequence[Any], some: Any, tried: Sequence[Any]) -> Sequence[Any]:
        return [int(value) for value in tried if isinstance(value, int | float) and not isinstance(value, bool)]

    def some(self, field: ItemField, entries: Sequence[Any], wanted: Sequence[Any]) -> Any:
        return 1

    def as_criterion(self, field: ItemField, places: Sequence[Choice]) -> Json:
        return {"kind": "number", "step": 1}


FIELD = IntegerField()

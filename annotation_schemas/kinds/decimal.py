"""A number with decimals, stored exactly as it was written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from annotation_schemas.kinds._rows import FieldKind, Found, Json
from annotation_schemas.kinds._written import TOLERANCE
from annotation_schemas.model import Choice, ItemField, Schema
from annotation_schemas.yaml_text import Path
from domain import decimals
from domain.reading.answers import AnswerKind


class DecimalField(FieldKind):
    """A field with a number, stored as text. 0.10 keeps its digits, and still equals 0.1."""

    name = "decimal"
    place = 35
    meaning = "a decimal number such as `0.10`, stored exactly as typed"
    keys: ClassVar[Mapping[str, str]] = {
        "min": "minimum",
        "max": "maximum",
        "step": "step size, counted from `min`, or from 0 if there is no `min`",
        "unit": "the unit of the number; Touchstone converts answers in other units if possible",
        "read_as": "makes this field the key; only `number` is possible",
        "tolerance": TOLERANCE,
    }
    reads_as = ("number",)
    refuses_read_as = "fields of kind `decimal` accept only `read_as: number`"
    has_unit = True
    answer = AnswerKind.NUMBER
    in_files = True
    holds = "decimal"

    def check_schema(self, schema: Schema, field: ItemField, path: Path) -> Found:
        yield from super().check_schema(schema, field, path)
        low, high, step = (decimals.exact(limit) for limit in (field.min, field.max, field.step))
        if low is not None and high is not None and low > high:
            yield (*path, "max"), "`max` is less than `min`; raise `max`, or lower `min`"
        if step is not None and step <= 0:
            yield (*path, "step"), "`step` must be more than 0"
        elif step is not None and low is not None and high is not None and high - low < step:
            yield (*path, "step"), "`step` is larger than the range from `min` to `max`; lower `step`"

    def check(self, field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
        number, problem = decimals.exact(value), decimals.problem(value)
        if problem or number is None:
            return problem
        low, high, step = (decimals.exact(limit) for limit in (field.min, field.max, field.step))
        if low is not None and number < low:
            return f"enter a number of at least {field.min}."
        if high is not None and number > high:
            return f"enter a number of at most {field.max}."
        if step is not None and (number - (low or 0)) % step != 0:
            return f"enter a number in steps of {field.step}."
        return None

    def in_order(self, field: ItemField, value: Any) -> Any:
        return decimals.normal(value)

    def in_column(self, field: ItemField, value: Any) -> Any:
        return decimals.normal(value)

    def key_values(self, field: ItemField, entries: Sequence[Any], some: Any, tried: Sequence[Any]) -> Sequence[Any]:
        return [decimals.normal(value) for value in tried if self.check(field, value, {}) is None]

    def some(self, field: ItemField, entries: Sequence[Any], wanted: Sequence[Any]) -> Any:
        low, high = decimals.exact(field.min), decimals.exact(field.max)
        if low is None and high is not None and high < 0:
            return decimals.normal(field.max)
        return decimals.normal(field.min) if low is not None and low > 0 else "0"

    def page(self, field: ItemField) -> Json:
        return {"min": field.min, "max": field.max, "step": field.step, "unit": field.unit}

    def as_criterion(self, field: ItemField, places: Sequence[Choice]) -> Json:
        return {"kind": "number", "min": field.min, "max": field.max, "step": field.step, "unit": field.unit}


FIELD = DecimalField()

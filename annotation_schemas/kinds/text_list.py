"""A list of texts, from which other fields and raters choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from annotation_schemas import grammar
from annotation_schemas.kinds._rows import FieldKind, Found, is_list
from annotation_schemas.kinds._written import LANGUAGE, WORDING
from annotation_schemas.model import ItemField, Schema
from annotation_schemas.yaml_text import Path


class TextListField(FieldKind):
    """A field with a list of texts, in order."""

    name = "text_list"
    place = 50
    meaning = "a list of texts, in order"
    keys: ClassVar[Mapping[str, str]] = {
        "length": "the exact number of entries",
        "min_length": "minimum number of entries",
        "max_length": "maximum number of entries",
        "distinct": "no entry twice",
        "language": LANGUAGE,
        "wording": WORDING,
    }
    is_list = True
    holds = "texts"
    sliced = "entries"

    def check_schema(self, schema: Schema, field: ItemField, path: Path) -> Found:
        if any(bound is not None and bound > grammar.MOST for bound in (field.min_length, field.length)):
            yield path, f"a list can have at most {grammar.MOST:,} entries; lower `length` or `min_length`"

    def check(self, field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
        if not is_list(value) or not all(isinstance(entry, str) for entry in value):
            return "the value must be a list of texts."
        if any(not entry.strip() for entry in value):
            return "fill in every entry, or remove empty entries."
        if field.length is not None and len(value) != field.length:
            return f"the number of entries must be {field.length} ({len(value)} now)."
        if field.min_length is not None and len(value) < field.min_length:
            return f"the number of entries must be at least {field.min_length} ({len(value)} now)."
        if field.max_length is not None and len(value) > field.max_length:
            return f"the number of entries must be at most {field.max_length} ({len(value)} now)."
        if field.distinct and len({entry.strip().casefold() for entry in value}) < len(value):
            return "list each entry only once."
        return None

    def some(self, field: ItemField, entries: Sequence[Any], wanted: Sequence[Any]) -> Any:
        n = field.length or min(max(4, field.min_length or 0), field.max_length or 1_000)
        asked = [value for value in wanted if isinstance(value, str)]
        return (asked + [f"entry {number}" for number in range(1, n + 1)])[: max(n, len(asked))]


FIELD = TextListField()

"""Any value, kept as the file gives it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation_schemas.kinds._rows import FieldKind
from annotation_schemas.model import ItemField


class JsonField(FieldKind):
    """A field with any value."""

    name = "json"
    place = 100
    meaning = "any value, stored unchanged from the file"
    limited = False
    comparable = False
    sliced = "entries"

    def check(self, field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
        return None


FIELD = JsonField()

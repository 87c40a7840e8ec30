"""The base of field kinds whose values are entries of one of the item's lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from annotation_schemas.kinds._rows import FieldKind, Found, is_list, refers_to_list
from annotation_schemas.model import ItemField, Schema
from annotation_schemas.yaml_text import Path
from domain.comparison import spelled


class ListEntryField(FieldKind):
    """Entries of a list, which `field` names."""

    keys: ClassVar[Mapping[str, str]] = {"field": "the text_list field that contains the options"}
    chosen = True
    in_files = True

    def check_schema(self, schema: Schema, field: ItemField, path: Path) -> Found:
        yield from refers_to_list(schema, field.field, path)

    def as_offered(self, field: ItemField, value: Any, fields: Mapping[str, Any]) -> Any:
        offered = self.offered(field, fields)
        return [spelled(choice, offered) for choice in value] if is_list(value) else spelled(value, offered)

    def key_values(self, field: ItemField, entries: Sequence[Any], some: Any, tried: Sequence[Any]) -> Sequence[Any]:
        return [some]

"""All entries of one of the item's lists, put in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation_schemas.kinds._chosen import ListEntryField
from annotation_schemas.kinds._rows import is_list
from annotation_schemas.model import ItemField
from domain.reading.answers import AnswerKind


class OrderOfField(ListEntryField):
    """A field with all entries of a list, in the right order."""

    name = "order_of"
    place = 80
    meaning = "all entries of a text_list field, put in order"
    answer = AnswerKind.ORDER
    sliced = "entries"
    holds = "texts"

    def check(self, field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
        entries = self.as_offered(field, value, fields)
        if not is_list(value) or sorted(map(str, entries)) != sorted(map(str, self.offered(field, fields))):
            return f"list all entries of {field.field}, each once, in order."
        return None

    def some(self, field: ItemField, entries: Sequence[Any], wanted: Sequence[Any]) -> Any:
        return list(entries[::-1])


FIELD = OrderOfField()

"""Several entries of one of the item's lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from annotation_schemas.kinds._chosen import ListEntryField
from annotation_schemas.kinds._rows import Json, is_list
from annotation_schemas.model import Choice, ItemField
from domain.comparison import same
from domain.reading.answers import AnswerKind


class OptionsOfField(ListEntryField):
    """A field with several entries of a list."""

    name = "options_of"
    place = 70
    meaning = "several entries of a text_list field"
    answer = AnswerKind.MULTI
    picks_several = True
    sliced = "entries"
    holds = "texts"
    picked_by_place = True

    def check(self, field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
        options = self.offered(field, fields)
        if not is_list(value) or not all(any(same(entry, option) for option in options) for entry in value):
            return f"choose only entries of {field.field}."
        twice = any(same(one, other) for one, other in combinations(value, 2))
        return "list each entry only once." if twice else None

    def some(self, field: ItemField, entries: Sequence[Any], wanted: Sequence[Any]) -> Any:
        return list(entries[:2])

    def as_criterion(self, field: ItemField, places: Sequence[Choice]) -> Json:
        return {"kind": "multi_choice", "options": tuple(places)}


FIELD = OptionsOfField()

"""One of the item's own options: an entry of one of its lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from annotation_schemas.kinds._chosen import ListEntryField
from annotation_schemas.kinds._extra_answers import BESIDES, NONE_OF_THESE, besides
from annotation_schemas.kinds._one_of import OneOf
from annotation_schemas.kinds._rows import Json, Level, RatedVariable
from annotation_schemas.kinds._written import WORDING
from annotation_schemas.model import Choice, Criterion, ItemField
from domain.comparison import same
from domain.reading.answers import AnswerKind


class OptionOfCriterion(OneOf):
    """A rater chooses one of the item's own options."""

    name = "option_of"
    place = 20
    meaning = "one of the item's own options"
    keys: ClassVar[Mapping[str, str]] = {"field": "the item's text_list field with the options", **BESIDES}
    by_place = True
    answers_items = True

    def options(self, criterion: Criterion, fields: Mapping[str, Any]) -> list[Choice]:
        return [*super().options(criterion, fields), *besides(criterion)]

    def measured(self, criterion: Criterion, level: Level) -> list[RatedVariable]:
        return [RatedVariable(criterion.name, "nominal")]


class OptionOfField(ListEntryField):
    """A field with one entry of a list."""

    name = "option_of"
    place = 60
    meaning = "one entry of a text_list field"
    keys: ClassVar[Mapping[str, str]] = {
        **ListEntryField.keys,
        "none": "the label of an extra value, `none_of_these`, for items without a right entry; models see this "
        "value as the last option",
        "wording": WORDING,
    }
    answer = AnswerKind.OPTION
    sliced = "text"
    holds = "text"
    picked_by_place = True

    def check(self, field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
        offered = self.offered(field, fields)
        if field.none is not None and NONE_OF_THESE in offered:
            return f"an entry of {field.field} is `{NONE_OF_THESE}`, which is reserved; change the entry."
        if any(same(value, option) for option in offered) or (field.none is not None and value == NONE_OF_THESE):
            return None
        return f"choose one of the entries of {field.field}."

    def key_values(self, field: ItemField, entries: Sequence[Any], some: Any, tried: Sequence[Any]) -> Sequence[Any]:
        return [*entries, *([NONE_OF_THESE] if field.none is not None else [])]

    def in_words(self, field: ItemField, value: Any) -> Any:
        return field.none if field.none is not None and value == NONE_OF_THESE else value

    def page(self, field: ItemField) -> Json:
        return {"none": field.none}

    def some(self, field: ItemField, entries: Sequence[Any], wanted: Sequence[Any]) -> Any:
        return entries[0] if entries else None

    def as_criterion(self, field: ItemField, places: Sequence[Choice]) -> Json:
        return {"kind": "choice", "options": tuple(places)}


CRITERION = OptionOfCriterion()
FIELD = OptionOfField()

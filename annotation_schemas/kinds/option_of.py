"""One of the item's own options: an entry of one of its lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from annotation_schemas.kinds._chosen import Chosen
from annotation_schemas.kinds._one_of import OneOf
from annotation_schemas.kinds._rows import Json, Level, Measured
from annotation_schemas.model import Choice, Criterion, ItemField
from domain.reading.answers import AnswerKind


class OptionOfCriterion(OneOf):
    """A rater chooses one of the item's own options."""

    name = "option_of"
    place = 20
    meaning = "one of the item's own options"
    keys: ClassVar[Mapping[str, str]] = {"field": "the item's text_list field that is offered"}
    by_place = True
    answers_items = True

    def measured(self, criterion: Criterion, level: Level) -> list[Measured]:
        return [Measured(criterion.name, "nominal")]


class OptionOfField(Chosen):
    """A field with one entry of a list."""

    name = "option_of"
    place = 60
    meaning = "one entry of a text_list field"
    answer = AnswerKind.OPTION
    sliced = "text"
    holds = "text"
    picked_by_place = True

    def check(self, field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
        return None if value in self.offered(field, fields) else f"this must be one of the entries of {field.field}."

    def key_values(self, field: ItemField, entries: Sequence[Any], some: Any, tried: Sequence[Any]) -> Sequence[Any]:
        return entries

    def some(self, field: ItemField, entries: Sequence[Any], wanted: Sequence[Any]) -> Any:
        return entries[0] if entries else None

    def as_criterion(self, field: ItemField, places: Sequence[Choice]) -> Json:
        return {"kind": "choice", "options": tuple(places)}


CRITERION = OptionOfCriterion()
FIELD = OptionOfField()

"""One of the options that the schema lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from annotation_schemas.column_types import ColumnType, of_values
from annotation_schemas.grammar import among
from annotation_schemas.kinds._extra_answers import BESIDES, NONE_OF_THESE, besides
from annotation_schemas.kinds._one_of import OneOf, ends_of
from annotation_schemas.kinds._rows import Ends, FieldKind, Found, Json, Level, RatedVariable
from annotation_schemas.model import Choice, Criterion, ItemField, Schema
from annotation_schemas.yaml_text import Path
from domain.comparison import same, spelled


class ChoiceCriterion(OneOf):
    """A rater chooses one of the listed options."""

    name = "choice"
    place = 10
    meaning = "one of the listed options"
    keys: ClassVar[Mapping[str, str]] = {"options": "what is offered", **BESIDES}
    least_options = 2
    names = True
    answers_items = True
    asks_reasons = True

    def check_schema(self, schema: Schema, stage: str, criterion: Criterion, path: Path) -> Found:
        yield from super().check_schema(schema, stage, criterion, path)
        for option in besides(criterion):
            if any(same(listed.value, option.value) for listed in criterion.options):
                key = "none" if option.value == NONE_OF_THESE else str(option.value)
                yield (*path, key), f"the option `{option.value}` already exists; remove the duplicate"

    def options(self, criterion: Criterion, fields: Mapping[str, Any]) -> list[Choice]:
        return [*super().options(criterion, fields), *besides(criterion)]

    def listed(self, criterion: Criterion) -> tuple[Any, ...]:
        return tuple(option.value for option in self.options(criterion, {}))

    def page_options(self, criterion: Criterion) -> list[Json] | None:
        return [option.model_dump() for option in self.options(criterion, {})] if besides(criterion) else None

    def ends(self, criterion: Criterion) -> Ends | None:
        return ends_of(self.listed(criterion))

    def measured(self, criterion: Criterion, level: Level) -> list[RatedVariable]:
        return [RatedVariable(criterion.name, level, self.listed(criterion))]


class ChoiceField(FieldKind):
    """A field with one of the values that the schema lists."""

    name = "choice"
    place = 40
    meaning = "one of the values that the schema lists"
    keys: ClassVar[Mapping[str, str]] = {
        "options": "the possible values",
        "by_dimension": "the values that items of a dimension can have; default: any value",
    }
    least_options = 2
    of_options = True
    in_files = True

    def check_schema(self, schema: Schema, field: ItemField, path: Path) -> Found:
        yield from super().check_schema(schema, field, path)
        known = [dimension.id for dimension in schema.dimensions]
        values = [str(option.value) for option in field.options]
        for dimension, allowed in field.by_dimension.items():
            place: Path = (*path, "by_dimension", dimension)
            if dimension not in known:
                yield place, f"`{dimension}` is not a dimension{among(dimension, known)}"
            if not allowed:
                yield place, "the list is empty; name a value, or remove the dimension"
            for value in allowed:
                if str(value) not in values:
                    yield place, f"`{value}` is not a value of `{field.name}`{among(str(value), values)}"

    def check(self, field: ItemField, value: Any, fields: Mapping[str, Any]) -> str | None:
        if any(same(value, option.value) for option in field.options):
            return None
        return f"choose one of {', '.join(str(option.value) for option in field.options)}."

    def key_values(self, field: ItemField, entries: Sequence[Any], some: Any, tried: Sequence[Any]) -> Sequence[Any]:
        return [option.value for option in field.options]

    def some(self, field: ItemField, entries: Sequence[Any], wanted: Sequence[Any]) -> Any:
        return field.options[0].value if field.options else None

    def column(self, field: ItemField) -> ColumnType:
        return of_values([option.value for option in field.options])

    def as_offered(self, field: ItemField, value: Any, fields: Mapping[str, Any]) -> Any:
        return spelled(value, [option.value for option in field.options])

    def in_column(self, field: ItemField, value: Any) -> Any:
        return self.as_offered(field, value, {})

    def in_words(self, field: ItemField, value: Any) -> Any:
        return next((choice.label for choice in field.options if choice.value == value), str(value))

    def as_criterion(self, field: ItemField, places: Sequence[Choice]) -> Json:
        return {"kind": "choice", "options": field.options}


CRITERION = ChoiceCriterion()
FIELD = ChoiceField()

"""A value for each of a list of properties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from annotation_schemas import grammar
from annotation_schemas.kinds._rows import (
    CriterionKind,
    Found,
    Json,
    Level,
    RatedVariable,
    Texts,
    is_list,
    place_of,
    sorted_by,
)
from annotation_schemas.model import Choice, Criterion, Schema, as_words
from annotation_schemas.yaml_text import Path
from domain.comparison import same


class PropertyList(CriterionKind):
    """A rater says something about each property: a list of ``{"name", "value"}`` in the order of the properties."""

    name = "property_list"
    place = 80
    meaning = "one value for each property in a list"
    keys: ClassVar[Mapping[str, str]] = {
        "options": "the properties",
        "field": "the item's text_list field with the properties",
        "values": "possible values of a property; default: yes, no",
        "labels": "a label for each value (optional)",
    }
    reorders = True

    def check_schema(self, schema: Schema, stage: str, criterion: Criterion, path: Path) -> Found:
        yield from super().check_schema(schema, stage, criterion, path)
        if criterion.values:
            yield from grammar.scale(criterion, path)

    def check(
        self, criterion: Criterion, value: Any, reason: Any, options: Sequence[Choice], texts: Texts
    ) -> str | None:
        if not is_list(value) or not all(
            isinstance(entry, Mapping) and set(entry) == {"name", "value"} for entry in value
        ):
            return "The answer must be a list of properties, each with its value."
        if len(value) != len(options) or not all(
            same(entry["name"], option.value) for entry, option in zip(value, options, strict=False)
        ):
            return "Give a value for every property, in the order of the properties."
        if not all(any(same(entry["value"], known) for known in sayable_values(criterion)) for entry in value):
            return (
                "Give each property one of these values: "
                f"{', '.join(str(known) for known in sayable_values(criterion))}."
            )
        return None

    def in_order(self, value: Any, options: Sequence[Choice]) -> Any:
        if not is_list(value):
            return value
        places = [place_of(options, entry.get("name")) if isinstance(entry, Mapping) else None for entry in value]
        return sorted_by(value, places)

    def measured(self, criterion: Criterion, level: Level) -> list[RatedVariable]:
        return [
            RatedVariable(_part(criterion.name, option.value), level, sayable_values(criterion))
            for option in criterion.options
        ]

    def taken_apart(self, criterion: Criterion, value: Any) -> list[tuple[str, Any]]:
        if not is_list(value):
            return [(criterion.name, value)]
        return [(_part(criterion.name, pair["name"]), pair["value"]) for pair in value]

    def entry_in_words(self, entry: Mapping[str, Any]) -> str | None:
        return f"{entry['name']}: {entry['value']}" if set(entry) == {"name", "value"} else None

    def tries(self, criterion: Criterion, offered: Sequence[Any]) -> list[Any]:
        return [[{"name": name, "value": value} for name in offered] for value in sayable_values(criterion)]

    def page(self, criterion: Criterion) -> Json:
        labels = criterion.labels or tuple(as_words(value) for value in sayable_values(criterion))
        labelled = zip(sayable_values(criterion), labels, strict=True)
        return {"said": [{"value": value, "label": label} for value, label in labelled]}


def sayable_values(criterion: Criterion) -> tuple[Any, ...]:
    """Return the possible values of each property in a property list."""
    return criterion.values or ("yes", "no")


def _part(criterion: str, name: Any) -> str:
    return f"{criterion}: {name}"


CRITERION = PropertyList()

"""One of the values that the schema lists in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from annotation_schemas import grammar
from annotation_schemas.kinds._one_of import OneOf, ends_of
from annotation_schemas.kinds._rows import Ends, Found, Json, Level, RatedVariable
from annotation_schemas.model import Choice, Criterion, Schema
from annotation_schemas.yaml_text import Path


class Scale(OneOf):
    """A rater chooses one of the listed values, which have an order."""

    name = "scale"
    place = 30
    meaning = "one of the listed values, in order"
    keys: ClassVar[Mapping[str, str]] = {
        "values": "all values, in order",
        "labels": "a label for each value (optional)",
    }
    level = "ordinal"

    def check_schema(self, schema: Schema, stage: str, criterion: Criterion, path: Path) -> Found:
        yield from grammar.scale(criterion, path)

    def options(self, criterion: Criterion, fields: Mapping[str, Any]) -> list[Choice]:
        labels = criterion.labels or tuple(str(value) for value in criterion.values)
        return [Choice(value=value, label=label) for value, label in zip(criterion.values, labels, strict=True)]

    def listed(self, criterion: Criterion) -> tuple[Any, ...]:
        return criterion.values

    def ends(self, criterion: Criterion) -> Ends | None:
        return ends_of(criterion.values)

    def measured(self, criterion: Criterion, level: Level) -> list[RatedVariable]:
        return [RatedVariable(criterion.name, level, criterion.values)]

    def page_options(self, criterion: Criterion) -> list[Json] | None:
        return [
            {"value": value, "label": criterion.labels[index] if index < len(criterion.labels) else None, "reasons": []}
            for index, value in enumerate(criterion.values)
        ]


CRITERION = Scale()

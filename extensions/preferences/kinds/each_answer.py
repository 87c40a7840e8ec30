"""A value for each of two models' answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from annotation_schemas import grammar
from annotation_schemas.kinds._rows import Found, Json, Level, RatedVariable, is_list
from annotation_schemas.kinds.property_list import PropertyList, sayable_values
from annotation_schemas.model import Choice, Criterion, Schema
from annotation_schemas.yaml_text import Path
from domain.language import _, marked
from extensions.preferences.sides import FIRST, LEFT, NO_SIDES, RIGHT, SECOND, in_comparison, of_pair

_SIDES = (Choice(value=LEFT, label=marked("Left")), Choice(value=RIGHT, label=marked("Right")))


class EachAnswer(PropertyList):
    """A rater says something about the left answer and about the right one: a list of ``{"name", "value"}``."""

    name = "each_answer"
    place = 17
    meaning = "a value for each of two models' answers"
    only_here = NO_SIDES
    keys: ClassVar[Mapping[str, str]] = {
        "values": "possible values; default: yes, no",
        "labels": PropertyList.keys["labels"],
    }

    def check_schema(self, schema: Schema, stage: str, criterion: Criterion, path: Path) -> Found:
        yield from in_comparison(stage, path)
        if criterion.values:
            yield from grammar.scale(criterion, path)

    def options(self, criterion: Criterion, fields: Mapping[str, Any]) -> list[Choice]:
        return list(_SIDES)

    def page_options(self, criterion: Criterion) -> list[Json] | None:
        return [{**side.model_dump(), "label": _(side.label)} for side in _SIDES]

    def measured(self, criterion: Criterion, level: Level) -> list[RatedVariable]:
        return [
            RatedVariable(f"{criterion.name}: {side}", level, sayable_values(criterion)) for side in (FIRST, SECOND)
        ]

    def of_pair(self, value: Any, left: str) -> Any:
        if not is_list(value):
            return value
        named_values = [{"name": of_pair(side["name"], left), "value": side["value"]} for side in value]
        return sorted(named_values, key=lambda each: str(each["name"]))

    def said_of_sides(self, value: Any) -> list[tuple[str, Any]]:
        return [(side["name"], side["value"]) for side in value] if is_list(value) else []


CRITERION = EachAnswer()

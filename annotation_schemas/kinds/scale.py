"""One of the values that the schema lists in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar
from xml.etree.ElementTree import Element, SubElement

from annotation_schemas import grammar
from annotation_schemas.kinds._one_of import LabelStudioOne, OneOf, ends_of
from annotation_schemas.kinds._rows import Ends, Found, Json, Level, Measured
from annotation_schemas.label_studio_codes import ABOUT
from annotation_schemas.label_studio_form import require
from annotation_schemas.label_studio_parts import Answer, Context, Given, Part, Result, result_of, spelled
from annotation_schemas.model import Choice, Criterion, Schema
from annotation_schemas.yaml_text import Path
from domain.comparison import same

MOST_STARS = 10


class LabelStudioScale(LabelStudioOne):
    """Stars for the values 1 to n without words where nothing hangs on them, which stars cannot show; else choices."""

    def type_of(self, criterion: Criterion, *, depended_on: bool) -> str:
        values = [value for value in criterion.values if isinstance(value, int) and not isinstance(value, bool)]
        counts = len(values) == len(criterion.values) <= MOST_STARS and values == list(range(1, len(values) + 1))
        return "rating" if counts and not criterion.labels and not depended_on else "choices"

    def read(self, part: Part, given: Given, context: Context) -> Answer:
        if part.type != "rating":
            return super().read(part, given, context)
        found = given.one(part.name)
        if found is None:
            return None
        value = next((value for value in part.criterion.values if same(value, found)), None)
        if value is None:
            given.say(part, f"{spelled(found)} is none of {', '.join(str(each) for each in part.criterion.values)}.")
            return None
        return value, None

    def write(self, part: Part, value: Any, reason: Any, context: Context) -> list[Result]:
        if part.type != "rating":
            return super().write(part, value, reason, context)
        return [result_of(part.name, part.to, "rating", {"rating": value})]

    def ask(self, parent: Element, part: Part) -> None:
        if part.type != "rating":
            super().ask(parent, part)
            return
        n = str(len(part.criterion.values))
        require(SubElement(parent, "Rating", name=part.name, toName=ABOUT, maxRating=n, icon="star"), part)


class Scale(OneOf):
    """A rater chooses one of the listed values, which have an order."""

    name = "scale"
    place = 30
    meaning = "one of the listed values, which have an order"
    keys: ClassVar[Mapping[str, str]] = {
        "values": "all of its values, in order",
        "labels": "a label per value, or none",
    }
    level = "ordinal"
    label_studio = LabelStudioScale()

    def check_schema(self, schema: Schema, stage: str, criterion: Criterion, path: Path) -> Found:
        yield from grammar.scale(criterion, path)

    def options(self, criterion: Criterion, fields: Mapping[str, Any]) -> list[Choice]:
        labels = criterion.labels or tuple(str(value) for value in criterion.values)
        return [Choice(value=value, label=label) for value, label in zip(criterion.values, labels, strict=True)]

    def listed(self, criterion: Criterion) -> tuple[Any, ...]:
        return criterion.values

    def ends(self, criterion: Criterion) -> Ends | None:
        return ends_of(criterion.values)

    def measured(self, criterion: Criterion, level: Level) -> list[Measured]:
        return [Measured(criterion.name, level, criterion.values)]

    def page_options(self, criterion: Criterion) -> list[Json] | None:
        return [
            {"value": value, "label": criterion.labels[index] if index < len(criterion.labels) else None, "reasons": []}
            for index, value in enumerate(criterion.values)
        ]


CRITERION = Scale()

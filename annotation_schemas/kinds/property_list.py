"""A value for each of a list of properties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from xml.etree.ElementTree import Element, SubElement

from annotation_schemas import grammar
from annotation_schemas.kinds._rows import (
    CriterionKind,
    Found,
    Json,
    Level,
    Measured,
    Texts,
    is_list,
    place_of,
    sorted_by,
)
from annotation_schemas.label_studio_codes import ABOUT, codes
from annotation_schemas.label_studio_form import coded, listed, plain
from annotation_schemas.label_studio_parts import Answer, Context, Given, Part, Result, Way, result_of
from annotation_schemas.model import Choice, Criterion, Schema, as_words
from annotation_schemas.yaml_text import Path
from domain.comparison import same


class LabelStudioProperties(Way):
    """A choice for each property."""

    result_type = "property_list"

    def read(self, part: Part, given: Given, context: Context) -> Answer:
        said = [Choice(value=value, label=str(value)) for value in sayable_values(part.criterion)]
        found = []
        for at, option in enumerate(part.criterion.options, 1):
            chosen = given.chosen(part.side("is", at), part)
            if len(chosen) > 1:
                given.say(part, f"Say one thing about “{option.label}”.")
            elif chosen:
                meant = given.option(part, chosen[0], said, codes(said, own=True))
                if meant is not None:
                    found.append({"name": option.value, "value": meant.value})
        return (found, None) if found else None

    def write(self, part: Part, value: Any, reason: Any, context: Context) -> list[Result]:
        said = [Choice(value=each, label=str(each)) for each in sayable_values(part.criterion)]
        told = codes(said, own=True)
        found = []
        for at, option in enumerate(part.criterion.options, 1):
            entry = next((each for each in value if same(each["name"], option.value)), None)
            place = next(
                (n for n, each in enumerate(said) if entry is not None and same(each.value, entry["value"])), None
            )
            if place is not None:
                found.append(result_of(part.side("is", at), ABOUT, "choices", {"choices": [told[place]]}))
        return found

    def ask(self, parent: Element, part: Part) -> None:
        said = [Choice(value=value, label=str(value)) for value in sayable_values(part.criterion)]
        for at, option in enumerate(part.criterion.options, 1):
            text = option.label if not option.help else f"{option.label}: {option.help}"
            SubElement(parent, "Header", value=plain(text), size="5")
            needed = part.criterion.required and not part.criterion.skip
            listed(parent, part.side("is", at), coded(said), required=needed, layout="inline")


class PropertyList(CriterionKind):
    """A rater says something about each property: a list of ``{"name", "value"}`` in the order of the properties."""

    name = "property_list"
    place = 80
    meaning = "a value for each of a list of properties"
    keys: ClassVar[Mapping[str, str]] = {
        "options": "the properties",
        "field": "the item's text_list field that is offered",
        "values": "what can be said of a property; absent: yes, no",
        "labels": "a label per value, or none",
    }
    reorders = True
    label_studio: ClassVar[Way | None] = LabelStudioProperties()

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
            return "This must be a list of properties, each with its value."
        if len(value) != len(options) or not all(
            same(entry["name"], option.value) for entry, option in zip(value, options, strict=False)
        ):
            return "Say something about every property, in the order in which they are asked."
        if not all(any(same(entry["value"], known) for known in sayable_values(criterion)) for entry in value):
            return f"Each property is one of {', '.join(str(known) for known in sayable_values(criterion))}."
        return None

    def in_order(self, value: Any, options: Sequence[Choice]) -> Any:
        if not is_list(value):
            return value
        places = [place_of(options, entry.get("name")) if isinstance(entry, Mapping) else None for entry in value]
        return sorted_by(value, places)

    def measured(self, criterion: Criterion, level: Level) -> list[Measured]:
        return [
            Measured(_part(criterion.name, each.value), level, sayable_values(criterion)) for each in criterion.options
        ]

    def taken_apart(self, criterion: Criterion, value: Any) -> list[tuple[str, Any]]:
        if not is_list(value):
            return [(criterion.name, value)]
        return [(_part(criterion.name, each["name"]), each["value"]) for each in value]

    def entry_in_words(self, entry: Mapping[str, Any]) -> str | None:
        return f"{entry['name']}: {entry['value']}" if set(entry) == {"name", "value"} else None

    def tries(self, criterion: Criterion, offered: Sequence[Any]) -> list[Any]:
        return [[{"name": name, "value": value} for name in offered] for value in sayable_values(criterion)]

    def page(self, criterion: Criterion) -> Json:
        labels = criterion.labels or tuple(as_words(value) for value in sayable_values(criterion))
        said = zip(sayable_values(criterion), labels, strict=True)
        return {"said": [{"value": value, "label": label} for value, label in said]}

    def label_studio_refusal(self, criterion: Criterion, schema: Schema) -> str | None:
        if criterion.field is not None:
            return "its properties are the item's own, and a form there has the same questions for every item."
        return None


def sayable_values(criterion: Criterion) -> tuple[Any, ...]:
    """What can be said of each property of a property list."""
    return criterion.values or ("yes", "no")


def _part(criterion: str, name: Any) -> str:
    return f"{criterion}: {name}"


CRITERION = PropertyList()

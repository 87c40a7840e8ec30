"""Property lists in Label Studio: a choice for each property."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element, SubElement

from annotation_schemas.kinds.property_list import sayable_values
from annotation_schemas.model import Choice
from domain.comparison import same
from extensions.labelstudio.codes import ABOUT, codes
from extensions.labelstudio.form import add_choices, coded, plain
from extensions.labelstudio.parts import Answer, Context, FormPart, LabelStudioKind, Result, SortedResult, result_of


class LabelStudioProperties(LabelStudioKind):
    """A choice for each property."""

    result_type = "property_list"

    def read(self, part: FormPart, given: SortedResult, context: Context) -> Answer:
        value_options = [Choice(value=value, label=str(value)) for value in sayable_values(part.criterion)]
        properties = []
        for at, option in enumerate(part.criterion.options, 1):
            chosen = given.chosen(part.side("is", at), part)
            if len(chosen) > 1:
                given.say(part, f"Choose one answer for “{option.label}”.")
            elif chosen:
                meant = given.option(part, chosen[0], value_options, codes(value_options, own=True))
                if meant is not None:
                    properties.append({"name": option.value, "value": meant.value})
        return (properties, None) if properties else None

    def write(self, part: FormPart, value: Any, reason: Any, context: Context) -> list[Result]:
        value_options = [Choice(value=sayable, label=str(sayable)) for sayable in sayable_values(part.criterion)]
        value_codes = codes(value_options, own=True)
        results = []
        for at, option in enumerate(part.criterion.options, 1):
            entry = next((pair for pair in value if same(pair["name"], option.value)), None)
            place = next(
                (
                    n
                    for n, choice in enumerate(value_options)
                    if entry is not None and same(choice.value, entry["value"])
                ),
                None,
            )
            if place is not None:
                results.append(result_of(part.side("is", at), ABOUT, "choices", {"choices": [value_codes[place]]}))
        return results

    def ask(self, parent: Element, part: FormPart) -> None:
        value_options = [Choice(value=value, label=str(value)) for value in sayable_values(part.criterion)]
        for at, option in enumerate(part.criterion.options, 1):
            text = option.label if not option.help else f"{option.label}: {option.help}"
            SubElement(parent, "Header", value=plain(text), size="5")
            needed = part.criterion.required and not part.criterion.skip
            add_choices(parent, part.side("is", at), coded(value_options), required=needed, layout="inline")

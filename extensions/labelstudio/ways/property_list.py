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

    def write(self, part: FormPart, value: Any, reason: Any, context: Context) -> list[Result]:
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

    def ask(self, parent: Element, part: FormPart) -> None:
        said = [Choice(value=value, label=str(value)) for value in sayable_values(part.criterion)]
        for at, option in enumerate(part.criterion.options, 1):
            text = option.label if not option.help else f"{option.label}: {option.help}"
            SubElement(parent, "Header", value=plain(text), size="5")
            needed = part.criterion.required and not part.criterion.skip
            add_choices(parent, part.side("is", at), coded(said), required=needed, layout="inline")

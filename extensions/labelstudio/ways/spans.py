"""Passages of a text in Label Studio."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element, SubElement

from annotation_schemas.model import PREDICTION
from domain.comparison import same
from extensions.labelstudio.codes import codes
from extensions.labelstudio.form import add_labels
from extensions.labelstudio.parts import (
    Answer,
    Context,
    FormPart,
    LabelStudioKind,
    Result,
    SortedResult,
    result_of,
    shortened,
)


class LabelStudioPassages(LabelStudioKind):
    """Regions of a text."""

    result_type = "labels"

    def read(self, part: FormPart, given: SortedResult, context: Context) -> Answer:
        text = context.texts.get(part.criterion.of or PREDICTION)
        options = list(part.criterion.options)
        found = []
        for number, (labels, value, _) in enumerate(given.by_control.get(part.name, ()), 1):
            start, end = value.get("start"), value.get("end")
            if not all(isinstance(at, int) and not isinstance(at, bool) for at in (start, end)):
                given.say(part, f"Passage {number} begins or ends at no whole number.")
                return None
            quoted = value.get("text")
            if isinstance(text, str) and isinstance(quoted, str) and _bare(text[start:end]) != _bare(quoted):
                given.say(part, f"Passage {number} is not where the text says “{shortened(quoted)}”.")
                return None
            if not isinstance(labels, list | tuple) or len(labels) != 1 or not isinstance(labels[0], str):
                given.say(part, f"Passage {number} needs one tag.")
                return None
            option = given.option(part, labels[0], options, codes(options, own=True))
            if option is None:
                return None
            found.append({"start": start, "end": end, "tag": option.value})
        return (found, None) if found else None

    def write(self, part: FormPart, value: Any, reason: Any, context: Context) -> list[Result]:
        text = context.texts.get(part.criterion.of or PREDICTION)
        options = list(part.criterion.options)
        told = codes(options, own=True)
        found = []
        for number, each in enumerate(value, 1):
            at = next((at for at, option in enumerate(options) if same(option.value, each["tag"])), None)
            if at is None:
                continue
            quoted = text[each["start"] : each["end"]] if isinstance(text, str) else ""
            where = {"start": each["start"], "end": each["end"], "text": quoted, "labels": [told[at]]}
            found.append(result_of(part.name, part.to, "labels", where, number))
        return found

    def ask(self, parent: Element, part: FormPart) -> None:
        made = SubElement(parent, "Labels", name=part.name, toName=part.to)
        add_labels(made, part.criterion.options)


def _bare(text: str) -> str:
    """Return a text without white space, because browsers count line breaks differently."""
    return "".join(text.replace("\\n", "").split())

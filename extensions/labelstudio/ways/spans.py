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
        spans = []
        for number, (labels, value, _) in enumerate(given.by_control.get(part.name, ()), 1):
            start, end = value.get("start"), value.get("end")
            if not all(isinstance(at, int) and not isinstance(at, bool) for at in (start, end)):
                given.say(part, f"The start and end of passage {number} must be whole numbers.")
                return None
            quoted = value.get("text")
            if isinstance(text, str) and isinstance(quoted, str) and _bare(text[start:end]) != _bare(quoted):
                given.say(
                    part,
                    f"The position of passage {number} does not match “{shortened(quoted)}” in the text. Mark the "
                    "passage again.",
                )
                return None
            if not isinstance(labels, list | tuple) or len(labels) != 1 or not isinstance(labels[0], str):
                given.say(part, f"Passage {number} needs one tag.")
                return None
            option = given.option(part, labels[0], options, codes(options, own=True))
            if option is None:
                return None
            spans.append({"start": start, "end": end, "tag": option.value})
        return (spans, None) if spans else None

    def write(self, part: FormPart, value: Any, reason: Any, context: Context) -> list[Result]:
        text = context.texts.get(part.criterion.of or PREDICTION)
        options = list(part.criterion.options)
        option_codes = codes(options, own=True)
        results = []
        for number, span in enumerate(value, 1):
            at = next((at for at, option in enumerate(options) if same(option.value, span["tag"])), None)
            if at is None:
                continue
            quoted = text[span["start"] : span["end"]] if isinstance(text, str) else ""
            where = {"start": span["start"], "end": span["end"], "text": quoted, "labels": [option_codes[at]]}
            results.append(result_of(part.name, part.to, "labels", where, number))
        return results

    def ask(self, parent: Element, part: FormPart) -> None:
        made = SubElement(parent, "Labels", name=part.name, toName=part.to)
        add_labels(made, part.criterion.options)


def _bare(text: str) -> str:
    """Return a text without white space, because browsers count line breaks differently."""
    return "".join(text.replace("\\n", "").split())

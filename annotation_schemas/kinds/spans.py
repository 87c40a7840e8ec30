"""Passages of a text, each with a tag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from xml.etree.ElementTree import Element, SubElement

from annotation_schemas.kinds._rows import CriterionKind, Found, Json, Texts, count_problem, is_list, place_of, text_of
from annotation_schemas.label_studio_codes import codes
from annotation_schemas.label_studio_form import add_labels
from annotation_schemas.label_studio_parts import Answer, Context, Given, Part, Result, Way, result_of, shortened
from annotation_schemas.model import PREDICTION, Choice, Criterion, Schema
from annotation_schemas.yaml_text import Path
from domain.comparison import same


class LabelStudioPassages(Way):
    """Regions of a text."""

    result_type = "labels"

    def read(self, part: Part, given: Given, context: Context) -> Answer:
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

    def write(self, part: Part, value: Any, reason: Any, context: Context) -> list[Result]:
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

    def ask(self, parent: Element, part: Part) -> None:
        made = SubElement(parent, "Labels", name=part.name, toName=part.to)
        add_labels(made, part.criterion.options)


def _bare(text: str) -> str:
    """A text without its white space: how a browser counts line ends is its own affair."""
    return "".join(text.replace("\\n", "").split())


class Spans(CriterionKind):
    """A rater marks passages: a list of ``{"start", "end", "tag"}``, counted in characters (code points)."""

    name = "spans"
    place = 90
    meaning = "passages of a text, each with a tag"
    keys: ClassVar[Mapping[str, str]] = {
        "options": "the tags",
        "of": "the item's field that holds the text; absent: the model's answer",
        "min": "how many at least; absent: none of them is an answer too",
        "max": "how many at most; absent: any number",
    }
    counts_entries = True
    none_is_answer = True
    not_measured = (
        "which passage of one person belongs to which of another is a choice, and no coefficient corrects it for chance"
    )
    of_the_item = True
    label_studio = LabelStudioPassages()
    is_about = "text"

    def check_schema(self, schema: Schema, stage: str, criterion: Criterion, path: Path) -> Found:
        yield from super().check_schema(schema, stage, criterion, path)
        yield from text_of(schema, stage, criterion, path)

    def check(
        self, criterion: Criterion, value: Any, reason: Any, options: Sequence[Choice], texts: Texts
    ) -> str | None:
        text = texts.get(criterion.of or PREDICTION)
        length = len(text) if isinstance(text, str) else 0
        if not is_list(value):
            return "This must be a list of marked passages."
        for number, span in enumerate(value, 1):
            if not isinstance(span, Mapping) or set(span) != {"start", "end", "tag"}:
                return f"Passage {number} needs a start, an end and a tag."
            start, end = span["start"], span["end"]
            if not all(isinstance(at, int) and not isinstance(at, bool) for at in (start, end)):
                return f"Passage {number} begins or ends at no whole number."
            if not 0 <= start < end <= length:
                return f"Passage {number} lies outside of the text, or is empty."
            if place_of(options, span["tag"]) is None:
                return f"Passage {number} has a tag that is not offered."
        return count_problem(criterion.min, criterion.max, len(value), "passage")

    def entry_in_words(self, entry: Mapping[str, Any]) -> str | None:
        if set(entry) != {"start", "end", "tag"}:
            return None
        return f"characters {entry['start']} to {entry['end']}: {entry['tag']}"

    def tries(self, criterion: Criterion, offered: Sequence[Any]) -> list[Any]:
        one = {"start": 0, "end": 1, "tag": offered[0] if offered else None}
        return [[], [one] * max(int(criterion.min or 0), 1)]

    def page(self, criterion: Criterion) -> Json:
        return {**super().page(criterion), "of": criterion.of or PREDICTION}


CRITERION = Spans()

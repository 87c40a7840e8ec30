"""Passages of a text, each with a tag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from annotation_schemas.kinds._rows import CriterionKind, Found, Json, Texts, count_problem, is_list, place_of, text_of
from annotation_schemas.model import PREDICTION, Choice, Criterion, Schema
from annotation_schemas.yaml_text import Path


class Spans(CriterionKind):
    """A rater marks passages: a list of ``{"start", "end", "tag"}``, counted in characters (code points)."""

    name = "spans"
    place = 90
    meaning = "passages of a text, each with a tag"
    keys: ClassVar[Mapping[str, str]] = {
        "options": "the tags",
        "of": "the item's field with the text; default: the model's answer",
        "min": "minimum number of entries; by default, an empty answer is allowed",
        "max": "maximum number of entries; default: no maximum",
    }
    counts_entries = True
    none_is_answer = True
    not_measured = "passages of two people can match in several ways, so no coefficient corrects for chance matches"
    of_the_item = True
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
            return "The answer must be a list of marked passages."
        for number, span in enumerate(value, 1):
            if not isinstance(span, Mapping) or set(span) != {"start", "end", "tag"}:
                return f"Passage {number} needs a start, an end and a tag."
            start, end = span["start"], span["end"]
            if not all(isinstance(at, int) and not isinstance(at, bool) for at in (start, end)):
                return f"The start and end of passage {number} must be whole numbers."
            if not 0 <= start < end <= length:
                return f"Passage {number} is empty, or lies outside the text. Mark the passage again."
            if place_of(options, span["tag"]) is None:
                return f"Passage {number} has an unknown tag. Choose one of the listed tags."
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

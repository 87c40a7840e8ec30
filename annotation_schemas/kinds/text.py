"""Text: what a rater writes, and a field with one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element

from annotation_schemas.kinds._rows import CriterionKind, Texts
from annotation_schemas.kinds._written import Written
from annotation_schemas.label_studio_form import typed
from annotation_schemas.label_studio_parts import Answer, Context, Given, Part, Result, Way, result_of
from annotation_schemas.model import Choice, Criterion


class LabelStudioWords(Way):
    """Text, or a list of texts."""

    result_type = "textarea"

    def read(self, part: Part, given: Given, context: Context) -> Answer:
        found = given.words(part.name, part)
        if part.field_row is not None and part.field_row.is_list:
            entries = [entry.strip() for entry in found if entry.strip()]
            return (entries, None) if entries else None
        text = "\n".join(found)
        if not text.strip():
            return None
        return text.strip() if part.field is not None else text, None

    def write(self, part: Part, value: Any, reason: Any, context: Context) -> list[Result]:
        texts = list(value) if isinstance(value, list | tuple) else [value]
        return [result_of(part.name, part.to, "textarea", {"text": texts})] if texts else []

    def ask(self, parent: Element, part: Part) -> None:
        field, row = part.field, part.field_row
        needed = part.criterion.required and not part.criterion.skip
        if field is not None and row is not None and row.is_list:
            most = field.length or field.max_length
            typed(parent, part.name, most=most, required=needed, hint="One entry; Enter adds it to the list")
            return
        long = row is not None and row.several_rows
        typed(parent, part.name, rows=4 if long else 2, required=needed)


class TextCriterion(CriterionKind):
    """A rater writes something."""

    name = "text"
    place = 40
    meaning = "typed text"
    missing = "Write an answer."
    as_json = False
    not_measured = "what people write in words is compared by reading it"
    typed = True
    in_words = True
    answers_items = True
    label_studio = LabelStudioWords()

    def can_be(self, criterion: Criterion, value: Any) -> bool:
        return True

    def is_blank(self, value: Any) -> bool:
        return value is None or (isinstance(value, str) and not value.strip()) or value in ([], ())

    def check(
        self, criterion: Criterion, value: Any, reason: Any, options: Sequence[Choice], texts: Texts
    ) -> str | None:
        return None if isinstance(value, str) else "This must be text."

    def tries(self, criterion: Criterion, offered: Sequence[Any]) -> list[Any]:
        return ["words", "other words"]


class TextField(Written):
    """A field with one line of text."""

    name = "text"
    place = 10
    meaning = "one line of text"
    simulated = "words"


CRITERION = TextCriterion()
FIELD = TextField()

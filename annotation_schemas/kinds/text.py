"""Text: what a rater writes, and a field with one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation_schemas.kinds._rows import CriterionKind, Texts
from annotation_schemas.kinds._written import FreeTextField
from annotation_schemas.model import Choice, Criterion


class TextCriterion(CriterionKind):
    """A rater writes something."""

    name = "text"
    place = 40
    meaning = "typed text"
    missing = "Write an answer."
    as_json = False
    not_measured = "no agreement coefficient applies to free text"
    typed = True
    in_words = True
    answers_items = True

    def can_be(self, criterion: Criterion, value: Any) -> bool:
        return True

    def is_blank(self, value: Any) -> bool:
        return value is None or (isinstance(value, str) and not value.strip()) or value in ([], ())

    def check(
        self, criterion: Criterion, value: Any, reason: Any, options: Sequence[Choice], texts: Texts
    ) -> str | None:
        return None if isinstance(value, str) else "The answer must be text."

    def tries(self, criterion: Criterion, offered: Sequence[Any]) -> list[Any]:
        return ["words", "other words"]


class TextField(FreeTextField):
    """A field with one line of text."""

    name = "text"
    place = 10
    meaning = "one line of text"
    simulated = "words"


CRITERION = TextCriterion()
FIELD = TextField()

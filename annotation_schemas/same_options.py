"""Options of an item that say the same, so that a letter or a key among them means two."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from string import ascii_uppercase
from typing import Any, NamedTuple

from annotation_schemas.expected_answers import asked_of, key_of
from annotation_schemas.keys import key_field
from annotation_schemas.model import Schema
from domain.decimals import exact
from domain.reading.answers import AnswerKind
from domain.spelling import typed, visible


class SameOptions(NamedTuple):
    """Options of one item that say the same."""

    letters: str
    text: str
    is_key: bool
    """One of them is the key, so that the key is two options."""
    how: str
    """The common property of the options, as the end of a sentence."""

    @property
    def sentence(self) -> str:
        """Return the fault as half a sentence."""
        return f"its options {self.letters} {self.how} ({json.dumps(self.text[:60], ensure_ascii=False)})"


def same_options(schema: Schema, fields: Mapping[str, Any]) -> list[SameOptions]:
    """Return the options of an item that are equal after normalization.

    It ignores white space, invisible characters, Unicode's forms, case, wide letters, the shapes of quotation marks
    and hyphens, and the spelling of numbers (1 and 1.0).
    """
    asked = asked_of(schema, fields)
    if len(asked.options) < 2 or len({_number(text) for text in asked.options}) == len(asked.options):
        return []
    name = key_field(schema)
    keys, _ = key_of(fields.get(name), asked) if name else (None, "")
    keyed = set(keys or ()) if asked.kind is not AnswerKind.ORDER else set()
    alike: list[SameOptions] = []
    seen: set[frozenset[int]] = set()
    for form, how in _FORMS:
        for places in _groups([form(text) for text in asked.options]):
            if frozenset(places) in seen:
                continue
            seen.add(frozenset(places))
            texts = [asked.options[at] for at in places]
            is_key = form is visible and any(text in keyed for text in texts)
            alike.append(SameOptions(_letters(places), texts[0], is_key, how))
    return alike


def _groups(texts: Sequence[str | Fraction]) -> list[list[int]]:
    places: dict[str | Fraction, list[int]] = {}
    for at, text in enumerate(texts):
        places.setdefault(text, []).append(at)
    return [place for place in places.values() if len(place) > 1]


def _letters(places: Sequence[int]) -> str:
    names = [ascii_uppercase[at] if at < len(ascii_uppercase) else str(at + 1) for at in places]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _folded(text: str) -> str:
    return visible(text).casefold()


def _typed(text: str) -> str:
    return typed(text).casefold()


def _number(text: str) -> str | Fraction:
    """Return the number in a text, or else the text as ``_typed`` returns it."""
    number = exact(text)
    return _typed(text) if number is None else number


_FORMS: tuple[tuple[Callable[[str], str | Fraction], str], ...] = (
    (visible, "are the same"),
    (_folded, "differ only in case"),
    (_typed, "differ only in typography"),
    (_number, "are the same number"),
)
"""Ways to compare options, each coarser than the one before, with the fault of options that only it makes equal."""

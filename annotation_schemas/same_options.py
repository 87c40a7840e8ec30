"""Options of an item that say the same, so that a letter or a key among them means two."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from string import ascii_uppercase
from typing import Any, NamedTuple

from annotation_schemas.asked import asked_of, key_of
from annotation_schemas.keys import key_field
from annotation_schemas.model import Schema
from domain.decimals import exact
from domain.reading.answers import AnswerKind


class SameOptions(NamedTuple):
    """Options of one item that say the same."""

    letters: str
    text: str
    is_key: bool
    """One of them is the key, so that the key is two options."""
    how: str
    """What they have in common, as the end of a sentence."""

    @property
    def sentence(self) -> str:
        """Return the fault as half a sentence."""
        return f"its options {self.letters} {self.how} ({json.dumps(self.text[:60], ensure_ascii=False)})"


def same_options(schema: Schema, fields: Mapping[str, Any]) -> list[SameOptions]:
    """Return the options of an item that say the same but for white space, Unicode's forms, case, or how a number is
    written (1 and 1.0)."""
    asked = asked_of(schema, fields)
    if len(asked.options) < 2 or len({_number(text) for text in asked.options}) == len(asked.options):
        return []
    name = key_field(schema)
    keys, _ = key_of(fields.get(name), asked) if name else (None, "")
    keyed = set(keys or ()) if asked.kind is not AnswerKind.ORDER else set()
    found: list[SameOptions] = []
    finer: Callable[[str], str | Fraction] | None = None
    for form, how in _FORMS:
        for places in _groups([form(text) for text in asked.options]):
            texts = [asked.options[at] for at in places]
            if finer is not None and len(set(map(finer, texts))) < 2:
                continue
            is_key = finer is None and any(text in keyed for text in texts)
            found.append(SameOptions(_letters(places), texts[0], is_key, how))
        finer = form
    return found


def _groups(texts: Sequence[str | Fraction]) -> list[list[int]]:
    places: dict[str | Fraction, list[int]] = {}
    for at, text in enumerate(texts):
        places.setdefault(text, []).append(at)
    return [each for each in places.values() if len(each) > 1]


def _letters(places: Sequence[int]) -> str:
    names = [ascii_uppercase[at] if at < len(ascii_uppercase) else str(at + 1) for at in places]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _exact(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _folded(text: str) -> str:
    return _exact(text).casefold()


def _number(text: str) -> str | Fraction:
    """Return the number that a text is, else the text as ``_folded``."""
    number = exact(text)
    return _folded(text) if number is None else number


_FORMS: tuple[tuple[Callable[[str], str | Fraction], str], ...] = (
    (_exact, "are the same"),
    (_folded, "differ only in case"),
    (_number, "are the same number"),
)
"""Ways to compare options, each coarser than the one before, with the fault of options that only it makes equal."""

"""Options of an item that say the same, so that a letter or a key among them means two."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any, NamedTuple

from annotation_schemas.asked import asked_of, key_of
from annotation_schemas.keys import key_field
from annotation_schemas.model import Schema
from domain.reading.answers import AnswerKind
from domain.spelling import typed, visible


class SameOptions(NamedTuple):
    """Options of one item that say the same."""

    letters: str
    text: str
    is_key: bool
    """One of them is the key, so that the key is two options."""
    differ: str = ""
    """How they differ, if they do: ``in case``."""

    @property
    def sentence(self) -> str:
        """Return the fault as half a sentence."""
        how = f"differ only {self.differ}" if self.differ else "are the same"
        return f"its options {self.letters} {how} ({json.dumps(self.text[:60], ensure_ascii=False)})"


def same_options(schema: Schema, fields: Mapping[str, Any]) -> list[SameOptions]:
    """Return the options of an item that say the same but for white space, invisible characters, Unicode's forms, case,
    wide letters and the shapes of quotation marks and hyphens."""
    asked = asked_of(schema, fields)
    if len(asked.options) < 2 or len({_typed(text) for text in asked.options}) == len(asked.options):
        return []
    name = key_field(schema)
    keys, _ = key_of(fields.get(name), asked) if name else (None, "")
    keyed = set(keys or ()) if asked.kind is not AnswerKind.ORDER else set()
    found: list[SameOptions] = []
    seen: set[frozenset[int]] = set()
    for form, differ in ((visible, ""), (_folded, "in case"), (_typed, "in how they are typed")):
        for places in _groups([form(text) for text in asked.options]):
            if frozenset(places) in seen:
                continue
            seen.add(frozenset(places))
            texts = [asked.options[at] for at in places]
            is_key = not differ and any(text in keyed for text in texts)
            found.append(SameOptions(_letters(places), texts[0], is_key, differ))
    return found


def _groups(texts: Sequence[str]) -> list[list[int]]:
    places: dict[str, list[int]] = {}
    for at, text in enumerate(texts):
        places.setdefault(text, []).append(at)
    return [each for each in places.values() if len(each) > 1]


def _letters(places: Sequence[int]) -> str:
    names = [ascii_uppercase[at] if at < len(ascii_uppercase) else str(at + 1) for at in places]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _folded(text: str) -> str:
    return visible(text).casefold()


def _typed(text: str) -> str:
    return typed(text).casefold()

"""Answers that are stored as text, in a form that another field names: one of the options, several, an order.

An option is named by its text, or by its letter (A, B, ...) if no option has that letter as its text. Several options
are separated by commas. A benchmark's own words for the forms are defined in its schema (``forms``).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Literal

from domain.reading.answers import AnswerKind

Check = Callable[[str, Sequence[str], Sequence[str]], str | None]
"""The answer, the item's options, the schema's words; a sentence if they do not fit together."""
Entries = Callable[[str, Sequence[str], Sequence[str]], Sequence[str]]
"""From the same three to what a model chooses from."""


def _no_entries(answer: str, options: Sequence[str], words: Sequence[str]) -> Sequence[str]:
    return ()


def _options(answer: str, options: Sequence[str], words: Sequence[str]) -> Sequence[str]:
    return options


def _schema_words(answer: str, options: Sequence[str], words: Sequence[str]) -> Sequence[str]:
    return words


def _options_or_numbers(answer: str, options: Sequence[str], words: Sequence[str]) -> Sequence[str]:
    """Without options, or with mere numbers, the images: the key has each of them."""
    n = len(options or answer.split(","))
    mere = not options or list(options) == _numbers(n)
    return [f"image {number}" for number in _numbers(n)] if mere else options


def _numbers(n: int) -> list[str]:
    return [str(number) for number in range(1, n + 1)]


@dataclass(frozen=True)
class Form:
    """A row of the registry of answer forms."""

    name: str
    meaning: str
    check: Check
    needs_list: bool = False
    """It is about the entries of the list that `field` names."""
    needs_words: bool = False
    """It is about the words that `options` lists."""
    is_drawn: bool = False
    """Whether the answer is drawn, in the field that `drawn` names."""
    demands: bool = True
    """Whether an item of this form needs an answer, even if the field is optional."""
    reads: AnswerKind = AnswerKind.TEXT
    """What a model's answer is read as, where the field says `read_as: form`. A text is not compared with the key:
    people or a judge say whether it means the same."""
    entries: Entries = _no_entries
    """A function that returns the entries from which a model chooses."""
    picks: Literal["", "one", "several", "order"] = ""
    """How people pick the answer on a page: one, several in the order that they are offered in, or in an order of their
    own; empty: they type it."""


def _any(answer: str, options: Sequence[str], words: Sequence[str]) -> str | None:
    return None


def _nothing(answer: str, options: Sequence[str], words: Sequence[str]) -> str | None:
    return "leave this field empty, and draw the answer on the image."


def _one(answer: str, options: Sequence[str], words: Sequence[str]) -> str | None:
    if not options:
        return "there are no options to choose from; add options, or choose another form."
    if places_of(answer, options) is None or len(places_of(answer, options) or ()) != 1:
        return f"enter the text or the letter of one option ({_few(options)})."
    return None


def _several(answer: str, options: Sequence[str], words: Sequence[str]) -> str | None:
    if not options:
        return "there are no options to choose from; add options, or choose another form."
    places = places_of(answer, options)
    if places is None:
        return f"list only options ({_few(options)}), separated by commas."
    return "list each option only once." if len(set(places)) < len(places) else None


def _order(answer: str, options: Sequence[str], words: Sequence[str]) -> str | None:
    if options:
        places = places_of(answer, options)
        if places is None or sorted(places) != list(range(len(options))):
            return f"list all options ({_few(options)}) once each, in the right order, separated by commas."
        return None
    numbers = [part.strip() for part in answer.split(",")]
    if len(numbers) < 2 or sorted(numbers) != sorted(_numbers(len(numbers))):
        return "this item has no options, so list every image number once, in the right order, such as 2, 1, 3."
    return None


def _words(answer: str, options: Sequence[str], words: Sequence[str]) -> str | None:
    known = {_plain(word) for word in words}
    parts = [_plain(part) for part in answer.split(",")]
    if not set(parts) <= known:
        return f"list only these words, separated by commas: {', '.join(words)}."
    return "list each entry only once." if len(set(parts)) < len(parts) else None


FORMS: Mapping[str, Form] = {
    row.name: row
    for row in (
        Form("text", "any text", _any),
        Form(
            "one",
            "the text or letter of one entry of the list",
            _one,
            needs_list=True,
            reads=AnswerKind.OPTION,
            entries=_options,
            picks="one",
        ),
        Form(
            "several",
            "entries of the list, separated by commas",
            _several,
            needs_list=True,
            reads=AnswerKind.MULTI,
            entries=_options,
            picks="several",
        ),
        Form(
            "order",
            "all entries of the list in order, separated by commas; the image numbers if the list is empty",
            _order,
            needs_list=True,
            reads=AnswerKind.ORDER,
            entries=_options_or_numbers,
            picks="order",
        ),
        Form(
            "words",
            "words that the schema lists, separated by commas",
            _words,
            needs_words=True,
            reads=AnswerKind.MULTI,
            entries=_schema_words,
            picks="several",
        ),
        Form("free", "any text; an empty answer is allowed", _any, demands=False),
        Form("drawn", "no text; the answer is in the field that `drawn` names", _nothing, is_drawn=True, demands=False),
    )
}


def places_of(answer: str, options: Sequence[str]) -> list[int] | None:
    """Return the positions of the options that a text names, separated by commas, or None if a part is not an option.

    Options may contain commas. The longest match counts.
    """
    named: dict[str, int] = {}
    for place, option in enumerate(options):
        named.setdefault(_plain(option), place)
    for place, letter in zip(range(len(options)), ascii_uppercase, strict=False):
        named.setdefault(letter.casefold(), place)
    parts = answer.split(",")
    places: list[int] = []
    at = 0
    while at < len(parts):
        for end in range(len(parts), at, -1):
            known = named.get(_plain(",".join(parts[at:end])))
            if known is not None:
                places.append(known)
                at = end
                break
        else:
            return None
    return places


def places_in_order(answer: str, options: Sequence[str]) -> list[int] | None:
    """As ``places_of``, of an order, which may name the options by their numbers, too."""
    places = places_of(answer, options)
    return places_of(answer, _numbers(len(options))) if places is None else places


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", text)).strip().casefold()


def _few(options: Sequence[str]) -> str:
    return ", ".join(options[:6]) + (", ..." if len(options) > 6 else "")

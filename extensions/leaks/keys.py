"""The private items of a leak check: their keys as codes, and the code that a cell states."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation_schemas.expected_answers import plain
from annotation_schemas.formats import FORMATS
from domain.decimals import exact
from domain.reading.answers import AnswerKind
from exporters.release_keys import KeyItem, Keys
from extensions.leaks.option_sets import KeyPart, Places, parts_of, place_of, right_places, set_spellings, stated_sets

NAMES = frozenset(
    {
        *("answer", "answers", "answer_key", "ans", "gt", "gt_answer", "ground_truth", "gold", "gold_answer", "golden"),
        *("golden_choice", "golden_index", "correct", "correct_answer", "correct_option", "key"),
        *("correct_choice", "correct_index", "right_answer", "label", "solution", "target"),
        *(row.keys.chosen[1] for row in FORMATS.values() if row.keys and row.keys.chosen),
    }
)
"""Names that other programs use for a key."""

LONG = 24
"""A withheld text of at least this many characters is searched for verbatim."""

_LETTER = re.compile(r"\(?([A-Za-z])[.):]?")
_STATED = re.compile(
    r"(?<![a-z])(?:(?:correct|right|gold(?:en)?|true)(?:[ _-]?(?:answer|option|choice|label))?|answer|ans|key|solution|"
    r"truth|gt|label)(?:[ _-]?idx)?[\s:=_.-]{1,3}(?:is[\s:]{1,2})?[\"'(\[*]{0,3}",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")
_LETTERS = re.compile(r"[A-Za-z0-9](?:(?:\s*[,;&/]\s*|\s+and\s+)[A-Za-z0-9]\b)+|[^\W_]+")
_PATH = re.compile(r"[^\s\"<>|]{1,250}\.[A-Za-z0-9]{2,5}|[^\s\"<>|]{0,250}/[^\s\"<>|]{1,250}")


@dataclass(frozen=True)
class SecretKeys:
    """The keys of one key file, as a check looks for them."""

    file: Keys
    codes: Mapping[str, int]
    """The key of every item by id: the place of the right option, or a number for each distinct set of places or other
    key. Items without a key are missing.
    """
    values: Mapping[str, int]
    """Every way to write a key that is no option, with its number."""
    ranks: Mapping[str, float]
    """The sort value of each key: a place, a number, or the rank of a text in the alphabet."""
    shared: Mapping[tuple[str, ...], int]
    """How many items have the same options in the same order."""
    sets: Mapping[Places, int]
    """The number of each set of places that is the key of an item."""
    places: Mapping[str, Places]
    """The places of the right options by id, of items whose key is a set of options."""

    @property
    def items(self) -> Mapping[str, KeyItem]:
        """The private items by id."""
        return self.file.items

    @property
    def withheld(self) -> frozenset[str]:
        """The fields that are kept back."""
        return frozenset(self.file.head.withheld)

    def code_of(self, places: Places) -> int:
        """Return the number of a set of places; for a set that is no item's key, a number of its own."""
        return self.sets.get(places, len(self.sets))

    def in_cell(self, item: KeyItem, value: Any) -> Iterator[tuple[str, int]]:
        """Yield the key that a cell states about an item, in each encoding that fits."""
        text = _written(value)
        if text is None or len(text) > 400:
            return
        if item.id in self.places:
            for encoding, places in stated_sets(item.asked.options, text):
                yield encoding, self.code_of(places)
            return
        options = _options(item)
        if not options:
            if (code := self.values.get(plain(text))) is not None:
                yield "text", code
            return
        if (place := place_of(text, options)) is not None:
            yield "text", place
        if (place := _place_of_letter(text, options)) is not None:
            yield "letter", place
        if text.strip().isdecimal() and len(text) < 4:
            for encoding, first in (("from 0", 0), ("from 1", 1)):
                if 0 <= int(text) - first < len(options):
                    yield encoding, int(text) - first

    def in_text(self, item: KeyItem, text: str) -> Iterator[tuple[str, int]]:
        """Yield the key that a longer text states about an item, after a word such as *answer* or *key*."""
        for match in _STATED.finditer(text[:20_000]):
            rest = text[match.end() : match.end() + 200]
            for place, option in enumerate(_options(item)):
                if plain(rest).startswith(plain(option)) and len(plain(option)) > 1:
                    yield "text", place
            word = (_LETTERS if item.id in self.places else _WORD).match(rest)
            if word is not None:
                yield from self.in_cell(item, word[0])

    def spellings(self, item: KeyItem) -> Mapping[int, Sequence[str]]:
        """Return how each key that the item might have may be written; of a key that is no option, the key itself."""
        options = _options(item)
        if not options:
            own = {*_spellings(item), str(item.key)}
            if item.id in self.places:
                own |= set_spellings(item.asked.options, self.places[item.id])
            return {self.codes[item.id]: sorted(own)} if item.id in self.codes else {}
        return {
            place: sorted({text, plain(text), chr(65 + place), chr(97 + place), str(place), str(place + 1)})
            for place, text in enumerate(options)
        }

    def layout(self, item: KeyItem) -> str | int:
        """Return the layout of an item's options.

        The layout is the options themselves if many items share them, because a place then names the right option. For
        all other items, the layout is the number of options. It is negative for keys that are sets of options.
        """
        is_set = item.id in self.places
        options = item.asked.options if is_set else _options(item)
        if self.shared.get(options, 0) * 10 > len(self.items):
            return "\n".join(("set", *options) if is_set else options)
        return -len(options) if is_set else len(options)

    def is_place(self, item: KeyItem) -> bool:
        """Return whether the places of an item's right options are independent of the item's content."""
        has_places = item.asked.kind is AnswerKind.OPTION or item.id in self.places
        return has_places and isinstance(self.layout(item), int)

    def parts(self, ids: Sequence[str]) -> list[KeyPart]:
        """Return the parts of the keys of some items that a public value is compared with."""
        keys = np.array([self.codes[id] for id in ids], dtype=np.int64)
        numbers = [len(self.items[id].asked.options) for id in ids]
        sets = [(self.places[id], n) if id in self.places else None for id, n in zip(ids, numbers, strict=True)]
        return parts_of(keys, sets)

    def in_name(self, item: KeyItem, text: str) -> int | None:
        """Return the one option whose words are in a file's name; None if no option or several match."""
        name = _words(text)
        there = [
            place
            for place, option in enumerate(_options(item))
            if _words(option) and f" {_words(option)} " in f" {name} "
        ]
        if len(there) == 1 and len(_words(_options(item)[there[0]])) > 2:
            return there[0]
        return None

    def secrets(self) -> Iterator[tuple[str, str, str]]:
        """Yield withheld texts that are long enough to search for: item, field and normalized text.

        A text that is part of one of the item's own options is public by design.
        """
        for item in self.items.values():
            options = [plain(option) for option in item.asked.options]
            for name, value in item.fields.items():
                for content in value if isinstance(value, list) else [value]:
                    if not isinstance(content, str) or len(text := plain(content)) < LONG:
                        continue
                    if not any(text in option for option in options):
                        yield item.id, name, text


def looks_like_a_path(text: str) -> bool:
    """Return whether a cell names a file."""
    return len(text) < 300 and _PATH.fullmatch(text) is not None


def secret_keys(file: Keys) -> SecretKeys:
    """Return the private items of a key file in the form that the leak check needs."""
    codes: dict[str, int] = {}
    values: dict[str, int] = {}
    sets: dict[Places, int] = {}
    places_of: dict[str, Places] = {}
    for item in file.items.values():
        options = _options(item)
        if options:
            place = right_place(item)
            if place is not None:
                codes[item.id] = place
        elif (places := right_places(item)) is not None:
            codes[item.id] = sets.setdefault(places, len(sets))
            places_of[item.id] = places
        elif item.key not in (None, "", []):
            forms = list(_spellings(item))
            code = values.get(forms[0], len(values))
            for form in forms:
                values.setdefault(form, code)
            codes[item.id] = code
    shared = Counter(_options(item) or item.asked.options for item in file.items.values())
    return SecretKeys(file, codes, values, _ranks(file, codes, places_of), shared, sets, places_of)


def _ranks(file: Keys, codes: Mapping[str, int], places: Mapping[str, Places]) -> dict[str, float]:
    there = [item for item in file.items.values() if item.id in codes]
    if there and len(places) == len(there):
        rank = {key: float(at) for at, key in enumerate(sorted(set(places.values())))}
        return {id: rank[key] for id, key in places.items()}
    if all(_options(item) for item in there):
        return {item.id: float(codes[item.id]) for item in there}
    numbers = {item.id: exact(item.key) for item in there}
    if all(number is not None for number in numbers.values()):
        return {id: float(number) for id, number in numbers.items() if number is not None}
    order = {text: float(at) for at, text in enumerate(sorted({next(_spellings(item)) for item in there}))}
    return {item.id: order[next(_spellings(item))] for item in there}


def right_place(item: KeyItem) -> int | None:
    """Return the place of the right option; None if the item has no single right option."""
    key = item.key
    if isinstance(key, list):
        key = key[0] if len(key) == 1 else None
    if not isinstance(key, str | bool):
        return None
    if isinstance(key, bool):
        key = "yes" if key else "no"
    options = _options(item)
    place = place_of(key, options)
    return _place_of_letter(key, options) if place is None else place


def _place_of_letter(text: str, options: Sequence[str]) -> int | None:
    """Return the place of the option that a letter names, such as 1 for ``(B)``."""
    letter = _LETTER.fullmatch(text.strip())
    place = ord(letter[1].upper()) - 65 if letter is not None else len(options)
    return place if place < len(options) else None


def _options(item: KeyItem) -> tuple[str, ...]:
    """Return the options if exactly one is right; empty for several, an order or a number."""
    if item.asked.kind is AnswerKind.YES_NO:
        return "yes", "no"
    return item.asked.options if item.asked.kind is AnswerKind.OPTION else ()


def _written(value: Any) -> str | None:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, str | int | float) else None


def _spellings(item: KeyItem) -> Iterator[str]:
    """Yield every way to write a key that is not a single option."""
    key = item.key
    if not isinstance(key, list):
        yield plain(_written(key) or str(key))
        return
    if all(isinstance(part, dict) for part in key):
        yield plain(", ".join(_written(end) or "" for span in key for end in span.values()))
        return
    texts = [str(part) for part in key]
    yield plain(", ".join(texts))
    places = [place_of(text, item.asked.options) for text in texts]
    if all(place is not None for place in places):
        letters = [chr(65 + place) for place in places if place is not None]
        yield from (plain(mark.join(letters)) for mark in (", ", ",", ""))


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))

"""Keys that are sets of options: how a cell states a set, and the parts of a set that a public value may reveal.

A set is rarely public as a whole. A bit for each option, a column with the number of right options, or right options
that stand first reveal it just as well. So each test runs for every part of a set: each option, the number of right
options, and the whole set. The least p-value, multiplied by the number of parts, is the p-value of the test.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation_schemas.expected_answers import plain
from domain.reading.answers import AnswerKind
from exporters.release_keys import KeyItem
from extensions.leaks.stats import NONE, NOT_TESTED, ChanceTest, Codes, association_test

Places = tuple[int, ...]

WHOLE = "the key"
NUMBER = "the number of right options"
_EDGE = " \t\n,;|/+&[](){}\"'"
_AND = re.compile(r"(?:and|und|et|y)\b")
_TOKEN = re.compile(r"[^\s,;|/+&\[\](){}\"']+")
_BITS = {"0": False, "1": True, "false": False, "true": True, "no": False, "yes": True}
_MOST_PLACES = 26
"""Options beyond this number have no letter and no test of their own."""


@dataclass(frozen=True)
class KeyPart:
    """A part of each key, such as whether option A is right, as a code for each item; -1: the item has no such part."""

    name: str
    codes: NDArray[Any]

    def of(self, values: Codes) -> Codes:
        """Return the values of items that have this part; -1 for all others."""
        return np.where(self.codes >= 0, values, NONE)

    @property
    def present(self) -> NDArray[Any]:
        """The codes of items that have this part."""
        return self.codes[self.codes >= 0]


def right_places(item: KeyItem) -> Places | None:
    """Return the places of the right options in order; None if the key is no set of options."""
    options = item.asked.options
    if item.asked.kind is not AnswerKind.MULTI or not options or not isinstance(item.key, list):
        return None
    entries = [str(part) for part in item.key]
    places = [place_of(entry, options) for entry in entries]
    if None in places:
        places = [_letter(entry, len(options)) for entry in entries]
    return None if None in places else tuple(sorted({place for place in places if place is not None}))


def place_of(text: str, options: Sequence[str]) -> int | None:
    """Return the place of the one option with this text; None if no option or several have it."""
    there = [at for at, option in enumerate(options) if plain(option) == plain(text)]
    return there[0] if len(there) == 1 else None


def as_letters(options: Sequence[str], text: str) -> str:
    """Return the letters of the options that a text lists, and any other text as it is.

    >>> as_letters(["a cup", "a pot", "a box"], "a box, a cup")
    'AC'
    """
    stated = dict(stated_sets(options, text))
    places = stated.get("text", stated.get("letter"))
    return text if places is None else "".join(chr(65 + place) for place in places)


def set_spellings(options: Sequence[str], places: Places) -> set[str]:
    """Return a set as letters and as bits.

    >>> sorted(set_spellings(["a cup", "a pot", "a box"], (0, 2)))
    ['101', 'AC']
    """
    bits = "".join(str(int(at in places)) for at in range(len(options)))
    return {"".join(chr(65 + place) for place in places), bits}


def stated_sets(options: Sequence[str], text: str) -> Iterator[tuple[str, Places]]:
    """Yield the set of options that a cell states, in each encoding that fits.

    >>> dict(stated_sets(["a cup", "a pot", "a box"], "a box, a cup"))
    {'text': (0, 2)}
    >>> dict(stated_sets(["a cup", "a pot", "a box"], "101"))
    {'bits': (0, 2), 'bits from the last option': (0, 2)}
    """
    n = len(options)
    if (places := _texts(text, options)) is not None:
        yield "text", places
    tokens = [token for token in _TOKEN.findall(text.casefold()) if not _AND.fullmatch(token)]
    if not tokens or n > _MOST_PLACES:
        return
    letters = list(tokens[0]) if len(tokens) == 1 else [token.rstrip(".:") for token in tokens]
    named = [_letter(letter, n) for letter in letters]
    if None not in named and len(set(named)) == len(named):
        yield "letter", tuple(sorted(place for place in named if place is not None))
    bits = [_BITS.get(token) for token in (list(tokens[0]) if len(tokens) == 1 and n > 1 else tokens)]
    if len(bits) == n and None not in bits:
        yield "bits", tuple(at for at in range(n) if bits[at])
        yield "bits from the last option", tuple(at for at in range(n) if bits[n - 1 - at])
    if all(token.isdecimal() and len(token) < 4 for token in tokens) and len(set(tokens)) == len(tokens):
        for encoding, first in (("from 0", 0), ("from 1", 1)):
            numbers = sorted(int(token) - first for token in tokens)
            if numbers[0] >= 0 and numbers[-1] < n:
                yield encoding, tuple(numbers)


def _texts(text: str, options: Sequence[str]) -> Places | None:
    """Return the options that a text lists and nothing else; None for other texts."""
    known = sorted(((plain(option), at) for at, option in enumerate(options)), reverse=True, key=lambda e: len(e[0]))
    places: set[int] = set()
    rest = plain(text)
    while rest:
        there = [(option, at) for option, at in known if option and rest.startswith(option)]
        fits = [option_at for option_at in there if not rest[len(option_at[0]) :][:1].isalnum()]
        if fits:
            places.add(fits[0][1])
            rest = rest[len(fits[0][0]) :]
        cut = rest.lstrip(_EDGE)
        if places and (word := _AND.match(cut)):
            cut = cut[word.end() :].lstrip(_EDGE)
        if not fits and cut == rest:
            return None
        rest = cut
    return tuple(sorted(places)) if places else None


def _letter(text: str, n: int) -> int | None:
    bare = text.strip().casefold()
    return ord(bare) - 97 if len(bare) == 1 and 0 <= ord(bare) - 97 < min(n, _MOST_PLACES) else None


def parts_of(keys: Codes, sets: Sequence[tuple[Places, int] | None]) -> list[KeyPart]:
    """Return the parts of the keys of some items: the key itself, and of sets also their number and each option.

    Parameters
    ----------
    keys
        The code of each item's key.
    sets
        The places of each item's right options, with the number of its options; None for keys of other kinds.
    """
    parts = [KeyPart(WHOLE, keys)]
    most = min(max((key[1] for key in sets if key is not None), default=0), _MOST_PLACES)
    if not most:
        return parts
    parts.append(KeyPart(NUMBER, np.array([NONE if key is None else len(key[0]) for key in sets], dtype=np.int64)))
    for place in range(most):
        codes = [NONE if key is None or place >= key[1] else int(place in key[0]) for key in sets]
        parts.append(KeyPart(f"whether option {chr(65 + place)} is right", np.array(codes, dtype=np.int64)))
    return parts


def strongest_part(parts: Sequence[KeyPart], test: Callable[[KeyPart], ChanceTest]) -> tuple[str, ChanceTest]:
    """Return the part of the key with the least p-value and its test, corrected for the number of parts tested.

    A part that differs enough from chance to be reported comes before a part that does not.
    """
    tested = [(part.name, tried) for part in parts if (tried := test(part)).n]
    if not tested:
        return WHOLE, NOT_TESTED
    name, least = min(tested, key=lambda each: (not each[1].is_large, each[1].p_value))
    return name, replace(least, p_value=min(1.0, least.p_value * len(tested)))


def strongest_association(parts: Sequence[KeyPart], values: Codes) -> tuple[str, ChanceTest]:
    """Return the part of the key that public values are associated with most clearly, and its test."""
    return strongest_part(parts, lambda part: association_test(part.of(values), part.codes))

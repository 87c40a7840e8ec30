"""Count, compare and find words in texts of any language.

Words are separated by spaces; punctuation around them is dropped. Comparisons ignore case, width and punctuation.
Rules about articles, plurals, particles and persons apply to English.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from domain.decimals import exact
from domain.english import ARTICLES, PARTICLES, PERSONS, singular

_OPENING, _CLOSING = frozenset("\"'\u00a1\u00bf"), frozenset("\"'.,;:!?\u3001\u3002")
"""Punctuation around words, in addition to brackets and curved quotes."""
_DASHES = ("", "-", "\u2013", "\u2014")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Thai, Lao, Burmese, Khmer, Chinese and Japanese put no spaces between words."""


def folded(text: str) -> str:
    """Return a text in lower case, with normal width, single spaces and straight apostrophes.

    >>> folded(" What\\u2019s  \\uff37IDE\\uff1f")
    "what's wide?"
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'").split())


def count_words(text: str) -> int:
    """Return the number of words in a text. A dash by itself does not count.

    >>> count_words("A well-known cup - 3.5 cm (or so)?")
    7
    """
    return sum(any(map(str.isalnum, part)) for part in text.split())


def words_of(text: str) -> list[str]:
    """Return the words of a text for comparison. A sign that is not punctuation counts as a word.

    >>> words_of("“Is it 5% of -3.5 < 4?”")
    ['is', 'it', '5%', 'of', '-3.5', '<', '4']
    """
    return [part for part in map(_bare, folded(text).split()) if part not in _DASHES]


def _bare(part: str) -> str:
    """Return a word without punctuation around it. A leading point is kept, because it may begin a number."""
    begin, end = 0, len(part)
    while begin < end and (part[begin] in _OPENING or unicodedata.category(part[begin]) in ("Ps", "Pi", "Pf")):
        begin += 1
    while begin < end and (part[end - 1] in _CLOSING or unicodedata.category(part[end - 1]) in ("Pe", "Pf", "Pi")):
        end -= 1
    return part[begin:end]


def stands_in(part: str, whole: str) -> bool:
    """Whether a text contains the words of another one as whole, consecutive words.

    >>> stands_in("red cup", "Is it the red cup?"), stands_in("cup", "How many cupboards?")
    (True, False)
    """
    mine = words_of(part)
    if not mine:
        return False
    if _UNSPACED.search(part):
        return " ".join(mine) in folded(whole)
    return f" {' '.join(mine)} " in f" {' '.join(words_of(whole))} "


def gist(text: str, *, english: bool = True) -> tuple[str, ...]:
    """Return the normalized words of a text, which are equal for simple rephrasings.

    In English, articles, plurals and the position of a particle make no difference. The order of words does.

    >>> gist("Turn the taps on.") == gist("turn on the tap"), gist("wash, peel, cut") == gist("wash, cut, peel")
    (True, False)
    """
    words = words_of(text)
    if not english:
        return tuple(words) or (folded(text),)
    words = [singular(word) for word in words if word not in ARTICLES] or words
    if len(words) > 2 and words[-1] in PARTICLES:
        words = [words[0], words[-1], *words[1:-1]]
    return tuple(words) or (folded(text),)


def alike(texts: Sequence[str], *, english: bool = True) -> list[list[int]]:
    """Return groups of texts with the same gist, as lists of positions from 0."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for place, text in enumerate(texts):
        groups.setdefault(gist(text, english=english), []).append(place)
    return [places for places in groups.values() if len(places) > 1]


def persons_in(text: str) -> set[str]:
    """Return the grammatical persons of a text, by its English pronouns. "US" as a country is no pronoun.

    >>> sorted(persons_in("Where's my cup?")), sorted(persons_in("Do you see what I'm doing?")), persons_in("The US")
    (['first'], ['first', 'second'], set())
    """
    persons: set[str] = set()
    for part in unicodedata.normalize("NFKC", text).replace("\u2019", "'").split():
        word = _bare(part).partition("'")[0]
        if word != "US" or text.isupper():
            persons |= {person for person, words in PERSONS.items() if word.casefold() in words}
    return persons


def in_person(text: str, person: str) -> bool:
    """Whether a text is in this grammatical person and no other. A text without first or second person is in the
    third.
    """
    return persons_in(text) == ({person} if person in PERSONS else set())


def first_standing(phrases: Iterable[str], text: str) -> str | None:
    """Return the first of these phrases that a text contains."""
    return next((phrase for phrase in phrases if stands_in(phrase, text)), None)


def longest_over_shortest(texts: Sequence[str], most: Any) -> tuple[int, int] | None:
    """Return the positions, from 0, of the longest and shortest text if their lengths differ too much.

    They do if the longest has more than ``most`` times the characters of the shortest. Outer and repeated spaces do
    not count.
    """
    lengths = [len(folded(text)) for text in texts]
    limit = exact(most)
    if len(lengths) < 2 or limit is None or max(lengths) <= limit * min(lengths):
        return None
    return lengths.index(max(lengths)), lengths.index(min(lengths))

"""How a text is written: words counted, compared and looked for, whatever language they are in.

Words are what stands between spaces, without the marks around them. Case, width and marks make no difference to what is
compared. What is said of articles, plurals, particles and persons is said of English.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from domain.decimals import exact
from domain.english import ARTICLES, PARTICLES, PERSONS, singular

_OPENING, _CLOSING = frozenset("\"'\u00a1\u00bf"), frozenset("\"'.,;:!?\u3001\u3002")
"""Marks around words, besides brackets and curved quotes."""
_DASHES = ("", "-", "\u2013", "\u2014")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Thai, Lao, Burmese, Khmer, Chinese and Japanese put no spaces between words."""


def folded(text: str) -> str:
    """A text without case, width and needless spaces; a curled apostrophe is a straight one.

    >>> folded(" What\\u2019s  \\uff37IDE\\uff1f")
    "what's wide?"
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'").split())


def count_words(text: str) -> int:
    """How many words a text has: a dash by itself is none.

    >>> count_words("A well-known cup - 3.5 cm (or so)?")
    7
    """
    return sum(any(map(str.isalnum, part)) for part in text.split())


def words_of(text: str) -> list[str]:
    """The words of a text to be compared; a sign that is no mark of writing is one, too.

    >>> words_of("“Is it 5% of -3.5 < 4?”")
    ['is', 'it', '5%', 'of', '-3.5', '<', '4']
    """
    return [part for part in map(_bare, folded(text).split()) if part not in _DASHES]


def _bare(part: str) -> str:
    """A word without the marks around it. A point in front of it is one of a number."""
    begin, end = 0, len(part)
    while begin < end and (part[begin] in _OPENING or unicodedata.category(part[begin]) in ("Ps", "Pi", "Pf")):
        begin += 1
    while begin < end and (part[end - 1] in _CLOSING or unicodedata.category(part[end - 1]) in ("Pe", "Pf", "Pi")):
        end -= 1
    return part[begin:end]


def stands_in(part: str, whole: str) -> bool:
    """Whether the words of one text stand in another, next to each other and whole.

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
    """What a text comes to: equal for two that say the same in other words, as far as this can tell. In English
    articles, plurals and the place of a particle make no difference; the order of words does.

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
    """The places, from 0, of texts that say the same in other words: a list for each such group."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for place, text in enumerate(texts):
        groups.setdefault(gist(text, english=english), []).append(place)
    return [places for places in groups.values() if len(places) > 1]


def persons_in(text: str) -> set[str]:
    """Which persons a text speaks in, by the words that English has for them; the US are no one.

    >>> sorted(persons_in("Where's my cup?")), sorted(persons_in("Do you see what I'm doing?")), persons_in("The US")
    (['first'], ['first', 'second'], set())
    """
    found: set[str] = set()
    for part in unicodedata.normalize("NFKC", text).replace("\u2019", "'").split():
        word = _bare(part).partition("'")[0]
        if word != "US" or text.isupper():
            found |= {person for person, words in PERSONS.items() if word.casefold() in words}
    return found


def in_person(text: str, person: str) -> bool:
    """Whether a text is in this person: in the first or second if it says so and speaks in no other, in the third if it
    speaks in neither of them."""
    return persons_in(text) == ({person} if person in PERSONS else set())


def first_standing(phrases: Iterable[str], text: str) -> str | None:
    """The first of some phrases that stands in a text."""
    return next((phrase for phrase in phrases if stands_in(phrase, text)), None)


def longest_over_shortest(texts: Sequence[str], most: Any) -> tuple[int, int] | None:
    """The places, from 0, of the longest and the shortest text, if one has more than ``most`` times the characters of
    the other; spaces around them and double ones do not count."""
    lengths = [len(folded(text)) for text in texts]
    limit = exact(most)
    if len(lengths) < 2 or limit is None or max(lengths) <= limit * min(lengths):
        return None
    return lengths.index(max(lengths)), lengths.index(min(lengths))

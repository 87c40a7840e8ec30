"""Facts about English words: several rooms compare texts by them, or write sentences with them."""

from __future__ import annotations

ARTICLES = frozenset({"a", "an", "the"})
PARTICLES = frozenset({"on", "off", "up", "down", "out", "away", "back", "over", "in"})
"""They stand behind a verb or behind its object: turn on the tap, turn the tap on."""
_PLURALS = {
    "knives": "knife",
    "leaves": "leaf",
    "shelves": "shelf",
    "loaves": "loaf",
    "halves": "half",
    "shoes": "shoe",
    "toes": "toe",
}
PERSONS = {
    "first": frozenset({"i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves"}),
    "second": frozenset({"you", "your", "yours", "yourself", "yourselves"}),
}
"""The words that say who speaks, and to whom."""


def singular(noun: str) -> str:
    """A noun without the ending of the plural, well enough to compare.

    >>> [singular(noun) for noun in ("plates", "dishes", "knives", "berries", "tomatoes", "shoes", "glasses", "bus")]
    ['plate', 'dish', 'knife', 'berry', 'tomato', 'shoe', 'glass', 'bus']
    """
    return _PLURALS[noun] if noun in _PLURALS else without_s(noun, shortest=4)


def without_s(word: str, *, shortest: int) -> str:
    """Nouns and verbs take the same ending. Of a word with fewer letters than ``shortest`` an s is no ending."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return word[:-2]
    ends = len(word) >= shortest and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if ends else word


def with_noun(n: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun. ``plural`` is only needed if it is not the noun with an s.

    The words may include a verb, as in the last example.

    >>> with_noun(1, "goal"), with_noun(1200, "goal"), with_noun(2, "reply", "replies")
    ('1 goal', '1,200 goals', '2 replies')
    >>> with_noun(1, "row is", "rows are")
    '1 row is'
    """
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"

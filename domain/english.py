"""Small facts about English words that several rooms compare texts by."""

from __future__ import annotations

ARTICLES = frozenset({"a", "an", "the"})
PARTICLES = frozenset({"on", "off", "up", "down", "out", "away", "back", "over", "in"})
"""They stand behind a verb or behind its object: turn on the tap, turn the tap on."""
_PLURALS = {"knives": "knife", "leaves": "leaf", "shelves": "shelf", "loaves": "loaf", "halves": "half"}
PERSONS = {
    "first": frozenset({"i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves"}),
    "second": frozenset({"you", "your", "yours", "yourself", "yourselves"}),
}
"""The words that say who speaks, and to whom."""


def singular(word: str) -> str:
    """A noun without the ending of the plural, well enough to compare.

    >>> [singular(word) for word in ("plates", "dishes", "knives", "berries", "tomatoes", "glass", "glasses", "bus")]
    ['plate', 'dish', 'knife', 'berry', 'tomato', 'glass', 'glass', 'bus']
    """
    if word in _PLURALS:
        return _PLURALS[word]
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "ches", "xes", "oes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word

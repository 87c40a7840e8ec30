"""Texts by which it is told whether two are the same, which words they have, and how a question begins."""

from __future__ import annotations

import re
from collections.abc import Iterator

INTERROGATIVES = ("what", "which", "where", "when", "why", "who", "whose", "whom", "how")
"""The words by which a question that begins with one is of a type of its own."""
OTHER = "other"
"""The type of a question that begins with none of them: mostly one to be answered with yes or no."""
_EDGES = re.compile(r"^[^\w]+|[^\w]+$")


def same_text(text: str) -> str:
    """A text by which it is told whether two are the same: small letters, single spaces, no full stop at the end.

    >>> same_text(" Make  coffee. ") == same_text("make coffee")
    True
    """
    return " ".join(text.casefold().split()).rstrip(".").rstrip()


def plain_words(text: str) -> Iterator[str]:
    """The words of a text in small letters, without what stands around them.

    >>> list(plain_words("What's left of (the) sink?"))
    ["what's", 'left', 'of', 'the', 'sink']
    """
    for word in text.casefold().split():
        if bare := _EDGES.sub("", word):
            yield bare


def type_of(question: str) -> str:
    """The interrogative that a question begins with, or that it begins with none.

    >>> [type_of(each) for each in ("What's this?", "How many cups?", "Am I cooking?", "In which hand?")]
    ['what', 'how', 'other', 'other']
    """
    first = re.split(r"['\u2019]", next(plain_words(question), ""))[0]
    return first if first in INTERROGATIVES else OTHER

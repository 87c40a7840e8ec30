"""Normal forms of texts: to compare texts, to list their words, and to find how a question begins."""

from __future__ import annotations

import re
from collections.abc import Iterator

INTERROGATIVES = ("what", "which", "where", "when", "why", "who", "whose", "whom", "how")
"""The words by which a question that begins with one is of a type of its own."""
OTHER = "other"
"""The type of a question that begins with no interrogative, which is mostly a yes-or-no question."""
_EDGES = re.compile(r"^[^\w]+|[^\w]+$")


def same_text(text: str) -> str:
    """Return a text in the form in which texts are compared: lower case, single spaces, no final full stop.

    >>> same_text(" Make  coffee. ") == same_text("make coffee")
    True
    """
    return " ".join(text.casefold().split()).rstrip(".").rstrip()


def plain_words(text: str) -> Iterator[str]:
    """Yield the words of a text in lower case, without punctuation around them.

    >>> list(plain_words("What's left of (the) sink?"))
    ["what's", 'left', 'of', 'the', 'sink']
    """
    for word in text.casefold().split():
        if bare := _EDGES.sub("", word):
            yield bare


def type_of(question: str) -> str:
    """Return the interrogative that a question begins with, or ``other``.

    >>> [type_of(each) for each in ("What's this?", "How many cups?", "Am I cooking?", "In which hand?")]
    ['what', 'how', 'other', 'other']
    """
    first = re.split(r"['\u2019]", next(plain_words(question), ""))[0]
    return first if first in INTERROGATIVES else OTHER

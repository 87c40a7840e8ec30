"""Items with options as texts alone, and rules that choose among the options without a look at any image.

Where several options fit a rule equally well, it takes the first of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agreement.bootstrap import Bootstrap
from agreement.means import share
from agreement.statistic import Statistic
from workflow.releases.plain_texts import plain_words


@dataclass(frozen=True)
class Choice:
    """An item as a rule sees it: its texts, and the place of the right one."""

    options: Sequence[str]
    key: int
    """The place of the right one, from 0."""
    question: str = ""
    id: str = ""
    dimension: str = ""
    source: str | None = None
    """The item's source, such as a video; None if the source is unknown and the item is its own cluster."""


def options_of(fields: Mapping[str, Any], *, options: str | None, answer: str | None) -> tuple[list[str], int] | None:
    """Return the options of an item and the place of the right one; None without options or a single right one."""
    offered = fields.get(options or "")
    if not isinstance(offered, list | tuple) or not offered:
        return None
    texts = [str(option) for option in offered]
    right = fields.get(answer or "")
    return (texts, texts.index(right)) if isinstance(right, str) and right in texts else None


# ---- rules -----------------------------------------------------------------------------------------------------------


def longest(texts: Sequence[str]) -> int:
    """Return the place of the text with the most characters.

    >>> longest(["a", "bbb", "ccc"])
    1
    """
    return max(range(len(texts)), key=lambda at: len(texts[at]))


def shortest(texts: Sequence[str]) -> int:
    """Return the place of the text with the fewest characters."""
    return min(range(len(texts)), key=lambda at: len(texts[at]))


def shared_words(text: str, question: str) -> int:
    """Return the number of distinct words of a text that are also in the question.

    >>> shared_words("The cup, the red one.", "Which cup is red?")
    2
    """
    return len({*plain_words(text)} & {*plain_words(question)})


def most_shared(texts: Sequence[str], question: str) -> int:
    """Return the place of the text that shares the most distinct words with the question."""
    return max(range(len(texts)), key=lambda at: shared_words(texts[at], question))


# ---- how often they are right ----------------------------------------------------------------------------------------


def share_right(hits: Sequence[bool], sources: Sequence[Hashable]) -> Statistic:
    """Return how often a rule is right, with bootstrap limits over sources. Items of one source are resampled
    together.
    """
    return share([float(hit) for hit in hits], clusters=sources, bootstrap=Bootstrap())

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
    """What a rule sees of an item: texts, and which of them is right."""

    options: Sequence[str]
    key: int
    """The place of the right one, from 0."""
    question: str = ""
    id: str = ""
    dimension: str = ""
    source: str | None = None
    """What it was made from, as a video; None: nothing says so, and it stands for itself."""


def options_of(fields: Mapping[str, Any], *, options: str | None, answer: str | None) -> tuple[list[str], int] | None:
    """The options of an item and the place of the right one; None: it has none, or not one right one."""
    offered = fields.get(options or "")
    if not isinstance(offered, list | tuple) or not offered:
        return None
    texts = [str(each) for each in offered]
    right = fields.get(answer or "")
    return (texts, texts.index(right)) if isinstance(right, str) and right in texts else None


# ---- rules -----------------------------------------------------------------------------------------------------------


def longest(texts: Sequence[str]) -> int:
    """The place of the text with the most characters.

    >>> longest(["a", "bbb", "ccc"])
    1
    """
    return max(range(len(texts)), key=lambda at: len(texts[at]))


def shortest(texts: Sequence[str]) -> int:
    """The place of the text with the fewest characters."""
    return min(range(len(texts)), key=lambda at: len(texts[at]))


def shared_words(text: str, question: str) -> int:
    """How many different words of a text are in the question, too.

    >>> shared_words("The cup, the red one.", "Which cup is red?")
    2
    """
    return len({*plain_words(text)} & {*plain_words(question)})


def most_shared(texts: Sequence[str], question: str) -> int:
    """The place of the text that has the most different words in common with the question."""
    return max(range(len(texts)), key=lambda at: shared_words(texts[at], question))


# ---- how often they are right ----------------------------------------------------------------------------------------


def share_right(hits: Sequence[bool], sources: Sequence[Hashable]) -> Statistic:
    """How often a rule is right, with limits over resampled sources: items of one source go together."""
    return share([float(each) for each in hits], clusters=sources, bootstrap=Bootstrap())

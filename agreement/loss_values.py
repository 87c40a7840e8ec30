"""The values by which losses are compared: what most people say, and what the text of a reply mentions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

_NUMBER = re.compile(r"(?<![\w.,])-?\d+(?:\.\d+)?(?!\w)(?!\.\d)")
_LOW_WORDS = re.compile(r"\b(?:incorrect|wrong|false|no|not correct)\b", re.IGNORECASE)
_HIGH_WORDS = re.compile(r"\b(?:correct|right|true|yes)\b", re.IGNORECASE)


def majority(values: Iterable[Any]) -> str | None:
    """Return what more than half of these say, as a word; None if there is no such value.

    >>> majority([1, 0.0, True]), majority([1, 1.0, 0]), majority(["tie", "tie"]), majority([])
    (None, '1', 'tie', None)
    """
    counts = Counter(_word(value) for value in values)
    word, n = next(iter(counts.most_common(1)), (None, 0))
    return word if 2 * n > counts.total() else None


def _word(value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:g}" if is_number else str(value)


def mentioned_value(text: str, values: Sequence[Any]) -> str | None:
    """Return the value of a scale that a reply mentions, read or not: of numbers the lowest, of names the last.

    A reply that says "0 out of 1" mentions 0, and one that says "1 out of 1" mentions 1. Where no number stands, words
    for right and wrong stand for the ends of the scale.

    >>> [mentioned_value(each, (0, 1)) for each in ("0 out of 1", "1/1", "It is incorrect.", "Correct!", "Hm.")]
    ['0', '1', '0', '1', None]
    >>> mentioned_value("Not A. I prefer B", ("A", "B"))
    'B'
    """
    numbers = [float(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if not numbers:
        names = "|".join(sorted(map(re.escape, map(str, values)), key=len, reverse=True))
        there = re.findall(rf"(?<!\w)(?:{names})(?!\w)", text) if names else []
        return there[-1] if there else None
    there_are = [value for digits in _NUMBER.findall(text) if (value := float(digits)) in numbers]
    if there_are:
        return f"{min(there_are):g}"
    if _LOW_WORDS.search(text):
        return f"{min(numbers):g}"
    return f"{max(numbers):g}" if _HIGH_WORDS.search(text) else None


def ends_of_scale(scale: Sequence[Any]) -> tuple[float | None, float | None]:
    """Return the ends of a scale of numbers; None where it has none."""
    numbers = [value for value in scale if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) < 2 or len(numbers) != len(scale):
        return None, None
    return float(min(numbers)), float(max(numbers))


def subject_of(judge: str, criterion: str | None) -> str:
    """Return what the losses of a judge are called."""
    return f"{judge}, {criterion}" if criterion else judge

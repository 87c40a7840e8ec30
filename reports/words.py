"""Functions that write numbers, names and sentences for all sections."""

from __future__ import annotations

import math
from collections.abc import Sequence

from reports.content import Figure, Mark, Paragraph, Section

_SPELLED = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def number(value: float, digits: int = 3) -> str:
    """Return a number for a sentence or a cell, with this number of decimals unless it is very large or very small.

    >>> number(0.12345), number(-2), number(0.00012), number(6.17e-05), number(1e40), number(1e-17)
    ('0.123', '\N{MINUS SIGN}2.000', '0.00012', '0.0000617', '1e+40', '0.000')
    """
    size = abs(value)
    plain = size < 1e-12 or 10.0**-digits / 2 <= size < 1e7
    if plain:
        text = f"{0.0 if size < 1e-12 else value:.{digits}f}"
    elif size < 1:  # three significant digits
        text = f"{value:.{2 - math.floor(math.log10(size))}f}".rstrip("0")
    else:
        text = f"{value:.3g}"
    return f"\N{MINUS SIGN}{text[1:]}" if text.startswith("-") else text


def p_value(value: float) -> str:
    """Return a p value as text. It is never 0; an undefined value is a dash.

    >>> p_value(0.0000617), p_value(0.0312), p_value(math.nan)
    ('< 0.001', '0.031', '\N{EN DASH}')
    """
    if math.isnan(value):
        return "\N{EN DASH}"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def mark(series: str, found: Figure) -> Mark:
    """Return a figure as a mark of a chart."""
    return Mark(series, found.value, found.low, found.high)


def figure_in_words(found: Figure, digits: int = 2) -> str:
    """Return a figure for a sentence.

    >>> figure_in_words(Figure(0.864, 0.84, 0.89, "bootstrap", 999))
    '0.86 [0.84, 0.89]'
    """
    if found.value is None:
        return "undefined"
    many, unit, digits = (100.0, " %", max(digits - 2, 0)) if found.share else (1.0, "", digits)
    limits = ""
    if found.low is not None and found.high is not None:
        limits = f" [{number(many * found.low, digits)}, {number(many * found.high, digits)}]"
    return f"{number(many * found.value, digits)}{unit}{limits}"


def count(number: int, one: str, many: str) -> str:
    """Return a number with its noun. Small numbers are spelled out.

    >>> count(3, "person", "people"), count(1000, "unit", "units")
    ('three people', '1,000 units')
    """
    spelled = _SPELLED[number] if number < len(_SPELLED) else f"{number:,}"
    return f"{spelled} {one if number == 1 else many}"


def name_list(names: Sequence[str]) -> str:
    """Return names for a sentence.

    >>> name_list(["ann", "bob", "cem"])
    'ann, bob and cem'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def capital(sentence: str) -> str:
    """Return the sentence with its first letter in upper case."""
    return sentence[:1].upper() + sentence[1:]


def first_parts(parts: Sequence[str], most: int = 6) -> str:
    """Return parts of a sentence, separated by semicolons. Of many parts, only the first ones are named.

    >>> first_parts(["a", "b", "c"], most=2)
    'a; b; and 1 more'
    """
    more = len(parts) - most
    return "; ".join(parts) if more <= 0 else f"{'; '.join(parts[:most])}; and {more:,} more"


def nothing(number: int, key: str, title: str, reason: str) -> Section:
    """Return a section that cannot be computed, with the reason and what it would need."""
    return Section(
        number, key, title, "There are too few ratings to answer this question.", (Paragraph(reason, "missing"),)
    )

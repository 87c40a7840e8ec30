"""Attributes of models and items: named values apart from their content, such as the size of a model."""

from __future__ import annotations

import re

Attribute = str | int | float
"""A value: a text, or a number."""

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""The form of an attribute's name."""

_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,9})?")
_SIZE = re.compile(r"~?([0-9]{1,12}(?:\.[0-9]{1,6})?)\s?([kKMBT]?)")
_TIMES = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}


def name_of(heading: str) -> str:
    """Return the attribute name for a table heading.

    >>> name_of(" Base LLM"), name_of("EgoData")
    ('base_llm', 'egodata')
    """
    return re.sub(r"[\s\-]+", "_", heading.strip()).lower()


def value_of(cell: str) -> Attribute:
    """Return the value of a table cell.

    >>> value_of("7"), value_of("0.5"), value_of("7B"), value_of("007")
    (7, 0.5, '7B', '007')
    """
    text = cell.strip()
    if not _NUMBER.fullmatch(text):
        return text
    return float(text) if "." in text else int(text)


def size_of(value: Attribute) -> float | None:
    """Return the number in a value, including sizes as in model cards; None if there is no number.

    >>> size_of("7.1B"), size_of("~13B"), size_of(558), size_of("665k"), size_of("Vicuna 7B")
    (7100000000.0, 13000000000.0, 558.0, 665000.0, None)
    """
    if not isinstance(value, str):
        return float(value)
    match = _SIZE.fullmatch(value.strip())
    return float(match[1]) * _TIMES[match[2]] if match else None

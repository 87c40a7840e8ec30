"""What is rated, by name: an item, or a model's answer to it."""

from __future__ import annotations

BETWEEN = " · "
"""Between item and model in the unit of a grade."""


def unit_of(item: str, model: str | None = None) -> str:
    """What is rated: an item by its external id, or a model's answer to it.

    >>> unit_of("q1"), unit_of("q1", "llava")
    ('q1', 'q1 · llava')
    """
    return item if model is None else f"{item}{BETWEEN}{model}"

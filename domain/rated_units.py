"""Names of rated units: an item, or a model's answer to it."""

from __future__ import annotations

BETWEEN = " · "
"""The separator of item and model in the name of a graded answer."""


def unit_of(item: str, model: str | None = None) -> str:
    """Return the name of a unit: an item's external ID, with the model if its answer is rated.

    >>> unit_of("q1"), unit_of("q1", "llava")
    ('q1', 'q1 · llava')
    """
    return item if model is None else f"{item}{BETWEEN}{model}"

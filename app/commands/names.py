"""Parse the names of raters from the command line."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from domain.errors import RatingsError

ALL = "all"
"""The value of ``--statistic`` that requests all statistics, whatever the schema says."""


def names_of(texts: Sequence[str], option: str) -> tuple[str, ...]:
    """Return the names in an option's values. Commas separate names; a name with a comma needs double quotes.

    Raises ``RatingsError`` if a name is empty or given twice, or a quote is not closed.

    >>> names_of(["ann,bob", '"gpt by likeness 1, swapped"'], "--raters")
    ('ann', 'bob', 'gpt by likeness 1, swapped')
    """
    all_names: list[str] = []
    for text in texts:
        try:
            names = [name.strip() for name in next(csv.reader([text], skipinitialspace=True, strict=True), [])]
        except csv.Error:
            raise RatingsError(
                f"{option} {text!r} has an open double quote. Put the whole name in double quotes."
            ) from None
        if not names or "" in names:
            raise RatingsError(f"{option} {text!r} has an empty name. Delete the extra comma.")
        all_names += names
    if len(set(all_names)) < len(all_names):
        raise RatingsError(f"{option} {', '.join(all_names)!r} has a name twice. Delete the duplicate.")
    return tuple(all_names)

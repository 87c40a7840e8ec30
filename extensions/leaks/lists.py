"""Lists in rows that the leak check reads: which columns are entries of one list, and which list holds the options."""

from __future__ import annotations

import re

from annotation_schemas.asked import plain
from exporters.release_keys import KeyItem
from extensions.leaks.tables import Row

PLACE = re.compile(r"\[\d+\]")
"""The place of an entry in the name of its column."""


def option_lists(item: KeyItem, row: Row) -> frozenset[str]:
    """Return the lists of a row that are the item's own options. Each option alone may be the key by chance."""
    found: dict[str, list[str]] = {}
    for column, value in row.items():
        if (name := list_of(column)) is not None:
            found.setdefault(name, []).append(plain(str(value)))
    own = sorted(map(plain, item.asked.options))
    return frozenset(name for name, values in found.items() if sorted(values) == own)


def list_of(column: str) -> str | None:
    """Return the list that a column is an entry of, or all of."""
    match = PLACE.search(column)
    if match is not None and match.end() == len(column):
        return column[: match.start()]
    return column.removesuffix("[]") if column.endswith("[]") else None

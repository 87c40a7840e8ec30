"""The reader of a CSV file with a reason for every item."""

from __future__ import annotations

from pathlib import Path

from domain.errors import InvalidFileError
from importers.named_columns import refused, table

COLUMNS = ("item", "reason")


def read_reasons(path: Path) -> dict[str, str]:
    """Return the reason of every item, which may be empty, by the item's id.

    Raises
    ------
    InvalidFileError
        The file is not such a table, names no item, or names one twice.
    """
    found: dict[str, str] = {}
    for number, told in table(path, COLUMNS, needed=COLUMNS):
        if not told["item"] or told["item"] in found:
            raise refused(path, number, f"it names {told['item']!r} once more" if told["item"] else "item is empty")
        found[told["item"]] = told["reason"]
    if not found:
        raise InvalidFileError(f"{path.name} names no item below its first row. Nothing was changed.")
    return found

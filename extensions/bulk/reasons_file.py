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
    reasons: dict[str, str] = {}
    for number, row in table(path, COLUMNS, needed=COLUMNS):
        if not row["item"] or row["item"] in reasons:
            raise refused(
                path,
                number,
                f"an earlier row already has the item {row['item']!r}; delete one of the two rows"
                if row["item"]
                else "item is empty",
            )
        reasons[row["item"]] = row["reason"]
    if not reasons:
        raise InvalidFileError(
            f"{path.name} has no items below its header row. Nothing was changed. Add at least one item."
        )
    return reasons

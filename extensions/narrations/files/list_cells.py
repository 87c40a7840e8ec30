"""Lists of one type of entry in a cell."""

from __future__ import annotations

from importers.list_cells import NotList, entries


def texts(cell: str) -> tuple[str, ...]:
    """Return a list of texts. Raises ``NotList`` for any other entry. An empty cell is an empty list."""
    found = entries(cell) if cell.strip() else []
    if not all(isinstance(each, str) for each in found):
        raise NotList("the list has a number instead of text")
    return tuple(str(each) for each in found)


def numbers(cell: str) -> tuple[int, ...]:
    """Return a list of whole numbers. Raises ``NotList`` for any other entry. An empty cell is an empty list."""
    found = entries(cell) if cell.strip() else []
    if not all(isinstance(each, int) for each in found):
        raise NotList("the list has text instead of a number")
    return tuple(int(each) for each in found)

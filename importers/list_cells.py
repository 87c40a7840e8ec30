"""Lists in a cell, in the form in which programs write them: ``['plate', "cook's knife"]``, ``[2, 17]``.

They are read as data, by a grammar that has only texts and whole numbers. No cell content is ever executed.
"""

from __future__ import annotations

import re

_TEXT = re.compile(r"'([^'\\]*(?:\\.[^'\\]*)*)'|\"([^\"\\]*(?:\\.[^\"\\]*)*)\"", re.DOTALL)
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
_MARK = re.compile(r"\s*,\s*")
_LARGEST = 0x10FFFF


class NotList(ValueError):
    """The cell is not such a list. ``str(error)`` gives the reason."""


def entries(cell: str) -> list[str | int]:
    """Return the entries of a list in a cell.

    >>> entries("['plate', \\"cook's knife\\"]"), entries("[2, 17]"), entries("[]")
    (['plate', "cook's knife"], [2, 17], [])
    """
    text = cell.strip()
    if not (text.startswith("[") and text.endswith("]")) or len(text) < 2:
        raise NotList("the cell is not a list in square brackets")
    at, end = 1, len(text) - 1
    cells: list[str | int] = []
    while text[at:end].strip():
        at += len(text[at:end]) - len(text[at:end].lstrip())
        if cells:
            mark = _MARK.match(text, at, end)
            if mark is None:
                raise NotList("a comma is missing between two entries of the list")
            at = mark.end()
            if at == end:
                break  # a comma behind the last entry
        if (quoted := _TEXT.match(text, at, end)) is not None:
            cells.append(_ESCAPE.sub(_escaped, quoted[1] if quoted[1] is not None else quoted[2]))
            at = quoted.end()
        elif (number := _NUMBER.match(text, at, end)) is not None:
            cells.append(int(number[0]))
            at = number.end()
        else:
            raise NotList("the list may contain only quoted texts and whole numbers")
    return cells


def _escaped(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code is None:
        return _PLAIN.get(found[4], found[0])
    number = int(code, 16)
    if number > _LARGEST:
        raise NotList("the list has an invalid character code")
    return chr(number)

"""What pandas makes of a column of a table that says nothing of types: programs that read TSV through it see that.

``read_csv`` takes the words of ``MISSING`` for nothing at all, and a column in which everything else is a number for
numbers: ``007`` is 7 there, and ``3`` is 3.0 where a cell of the column is empty. A column with one other text stays as
it is. Columns are read in blocks of so many rows that each is judged by itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

MISSING = frozenset(
    (
        *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>"),
        *("N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
    )
)
_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*|\s*[+-]?inf(?:inity)?\s*", re.I)
_WHOLE = re.compile(r"\s*[+-]?[0-9]+\s*")
_TRUTH = frozenset(("True", "TRUE", "true", "False", "FALSE", "false"))
_LONG = 19
"""So many digits are no whole number of 64 bits any more."""
_BLOCK = 2**20
"""Cells of a block, of which the rows are the largest power of two below."""


def rows_in_block(columns: int) -> int:
    """How many rows are judged together."""
    rows = 1
    while rows * 2 < _BLOCK // columns:
        rows *= 2
    return rows


class Misread(NamedTuple):
    """A cell that would be read as another."""

    item: str
    text: str
    becomes: str


@dataclass
class _Block:
    """What is known of the cells of a column since its last whole block."""

    rows: int = 0
    texts: bool = False
    """A cell is neither empty nor a number nor a truth value: all stay as they are."""
    gaps: bool = False
    fractions: bool = False
    numbers: bool = False
    truths: bool = False
    first: dict[str, Misread] = field(default_factory=dict)
    """By what the block would be read as: the first cell that would be another."""


class Column:
    """A column of texts on its way out: whether they would be read as they are written."""

    def __init__(self, name: str, block: int, *, numbers: bool = False) -> None:
        """``block`` rows are judged together; where cells are ``numbers``, they only have to remain the same ones."""
        self.name, self._size, self._numbers = name, block, numbers
        self._block = _Block()

    def take(self, text: str | None, item: str) -> Misread | None:
        """A cell. A misread one is told at once, or when its block is complete."""
        found = self.end() if self._block.rows == self._size else None
        block = self._block
        block.rows += 1
        if not text:
            block.gaps = True
        elif text in MISSING:
            return Misread(item, text, "nothing at all")
        elif text in _TRUTH:
            block.truths = True
            self._note("truth", item, text, text.capitalize())
        elif _NUMBER.fullmatch(text):
            block.numbers = True
            block.fractions = block.fractions or _WHOLE.fullmatch(text) is None
            if not block.fractions:
                self._note("whole", item, text, str(int(text)) if len(text) < _LONG else f"{float(text)}")
            self._note("decimal", item, text, str(float(text)))
        else:
            block.texts = True
        return found

    def _note(self, read_as: str, item: str, text: str, becomes: str) -> None:
        if becomes != text and not (self._numbers and read_as != "truth"):
            self._block.first.setdefault(read_as, Misread(item, text, becomes))

    def end(self) -> Misread | None:
        """At the end of a block: a cell that is read as another; None: there is none."""
        block, self._block = self._block, _Block()
        if block.texts or (block.numbers and block.truths):
            return None
        as_numbers = "decimal" if block.fractions or block.gaps else "whole"
        return block.first.get("truth" if block.truths else as_numbers)

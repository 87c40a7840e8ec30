"""Finding cells that pandas would misread, for programs that read TSV with it.

``read_csv`` reads the words of ``MISSING`` as missing values. It reads a column as numbers if all its other cells are
numbers: ``007`` becomes 7, and ``3`` becomes 3.0 if a cell of the column is empty. A column with any other text stays
unchanged. Columns are read in blocks of rows, and each block is judged by itself.
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
"""The number of digits from which a whole number exceeds 64 bits."""
_BLOCK = 2**20
"""The number of cells in a block. Its number of rows is the largest power of two that fits."""


def rows_in_block(columns: int) -> int:
    """Return how many rows are judged together."""
    rows = 1
    while rows * 2 < _BLOCK // columns:
        rows *= 2
    return rows


class Misread(NamedTuple):
    """A cell that pandas would read as a different value."""

    item: str
    text: str
    becomes: str


@dataclass
class _Block:
    """The facts about a column's cells since its last complete block."""

    rows: int = 0
    texts: bool = False
    """Whether a cell is neither empty nor a number nor a truth value. Then all cells stay unchanged."""
    gaps: bool = False
    fractions: bool = False
    numbers: bool = False
    truths: bool = False
    first: dict[str, Misread] = field(default_factory=dict)
    """The first cell that would change, by the type as which the block would be read."""


class CellCheck:
    """A checker for a column of texts that is being written: it finds cells that would be misread."""

    def __init__(self, name: str, block: int, *, numbers: bool = False) -> None:
        """Judge ``block`` rows together. If cells are ``numbers``, only their numeric value has to stay the same."""
        self.name, self._size, self._numbers = name, block, numbers
        self._block = _Block()

    def take(self, text: str | None, item: str) -> Misread | None:
        """Check a cell. Return a misread cell at once, or when its block is complete."""
        misread = self.end() if self._block.rows == self._size else None
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
        return misread

    def _note(self, read_as: str, item: str, text: str, becomes: str) -> None:
        if becomes != text and not (self._numbers and read_as != "truth"):
            self._block.first.setdefault(read_as, Misread(item, text, becomes))

    def end(self) -> Misread | None:
        """End a block. Return a cell that would be misread, or None."""
        block, self._block = self._block, _Block()
        if block.texts or (block.numbers and block.truths):
            return None
        as_numbers = "decimal" if block.fractions or block.gaps else "whole"
        return block.first.get("truth" if block.truths else as_numbers)

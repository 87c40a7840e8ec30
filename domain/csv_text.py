"""CSV tables that are safe to open in a spreadsheet program, which takes no text in them for a formula.

A text that begins like a formula (``=``, ``+``, ``-``, ``@``, a tab, a line break) and is not a number gets an
apostrophe in front. A text with apostrophes before such a character gets one more. Numbers stay unchanged.
``unmarked`` restores the exact text.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
_MARKED = re.compile(r"'+[=+\-@\t\r\n]")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+|inf|nan)([eE][+-]?[0-9]+)?")


def cell(value: Any) -> Any:
    """Return a value for a cell; lists and objects become JSON.

    >>> [cell(value) for value in ("=1+1", "-0.5", -3, "'=x", "it's", [1])]
    ["'=1+1", '-0.5', -3, "''=x", "it's", '[1]']
    """
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    if not isinstance(value, str):
        return value
    text = value.replace("\0", "\ufffd")
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def unmarked(text: str) -> str:
    """Return the original text of a cell.

    >>> [unmarked(text) for text in ("'=1+1", "''=x", "-0.5", "'quoted'")]
    ['=1+1', "'=x", '-0.5', "'quoted'"]
    """
    return text[1:] if text.startswith("'") and _MARKED.match(text) else text


class Writer:
    """A CSV writer that passes every value through ``cell``."""

    def __init__(self, out: TextIO, *, lineterminator: str = "\n") -> None:
        self._out, self._end = out, lineterminator
        self._rows = csv.writer(self, lineterminator="\r\n")  # so that a cell with either of them is quoted

    def write(self, line: str) -> None:
        """Write one whole line."""
        self._out.write(line.removesuffix("\r\n") + self._end)

    def writerow(self, row: Iterable[Any]) -> None:
        """Write one row."""
        self._rows.writerow([cell(value) for value in row])

    def writerows(self, rows: Iterable[Iterable[Any]]) -> None:
        """Write several rows."""
        for row in rows:
            self.writerow(row)


def as_bytes(heads: Sequence[str], rows: Iterable[Iterable[Any]]) -> bytes:
    """Return a whole table as the bytes of a file."""
    out = io.StringIO(newline="")
    writer = Writer(out)
    writer.writerow(heads)
    writer.writerows(rows)
    return out.getvalue().encode()


class DictWriter(Writer):
    """A writer of rows that name their columns. A missing column is left empty; an unknown column raises
    ``ValueError``.
    """

    def __init__(self, out: TextIO, columns: Sequence[str], *, lineterminator: str = "\n") -> None:
        super().__init__(out, lineterminator=lineterminator)
        self.columns = list(columns)

    def writeheader(self) -> None:
        """Write the column names."""
        self.writerow(self.columns)

    def writedict(self, row: Mapping[str, Any]) -> None:
        """Write one row."""
        beyond = row.keys() - set(self.columns)
        if beyond:
            raise ValueError(f"no column for {', '.join(sorted(beyond))}")
        self.writerow(row.get(name, "") for name in self.columns)

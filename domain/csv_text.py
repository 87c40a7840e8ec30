"""Tables as CSV that people open in a spreadsheet program: no text in them is taken for a formula.

A text that begins as a formula does (``=``, ``+``, ``-``, ``@``, a tab, a line break) and is no number gets an
apostrophe before it, and one more if it begins with apostrophes before such a character; numbers stay as they are.
``unmarked`` is the way back, exactly.
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
    """A value as it may stand in a cell; lists and objects become JSON.

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
    """The text that ``cell`` made this of.

    >>> [unmarked(text) for text in ("'=1+1", "''=x", "-0.5", "'quoted'")]
    ['=1+1', "'=x", '-0.5', "'quoted'"]
    """
    return text[1:] if text.startswith("'") and _MARKED.match(text) else text


class Writer:
    """Writes rows, every cell of them through ``cell``."""

    def __init__(self, out: TextIO, *, lineterminator: str = "\n") -> None:
        self._out, self._end = out, lineterminator
        self._rows = csv.writer(self, lineterminator="\r\n")  # so that a cell with either of them is quoted

    def write(self, line: str) -> None:
        """Where the rows go, one whole line at a time."""
        self._out.write(line.removesuffix("\r\n") + self._end)

    def writerow(self, row: Iterable[Any]) -> None:
        """One row."""
        self._rows.writerow([cell(value) for value in row])

    def writerows(self, rows: Iterable[Iterable[Any]]) -> None:
        """Several rows."""
        for row in rows:
            self.writerow(row)


def as_bytes(heads: Sequence[str], rows: Iterable[Iterable[Any]]) -> bytes:
    """A whole table as a file."""
    out = io.StringIO(newline="")
    writer = Writer(out)
    writer.writerow(heads)
    writer.writerows(rows)
    return out.getvalue().encode()


class DictWriter(Writer):
    """Writes rows that name their columns; a column that a row lacks is empty, one too many is an error."""

    def __init__(self, out: TextIO, columns: Sequence[str], *, lineterminator: str = "\n") -> None:
        super().__init__(out, lineterminator=lineterminator)
        self.columns = list(columns)

    def writeheader(self) -> None:
        """The names of the columns."""
        self.writerow(self.columns)

    def writedict(self, row: Mapping[str, Any]) -> None:
        """One row."""
        beyond = row.keys() - set(self.columns)
        if beyond:
            raise ValueError(f"no column for {', '.join(sorted(beyond))}")
        self.writerow(row.get(name, "") for name in self.columns)

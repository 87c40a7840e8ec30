"""Lossless splitting and editing of CSV files: rows keep the text around them, and edits leave other cells unchanged.

A table is split into a head (its first row), for each row the text before it and the row itself, and a tail. Joined
again, they equal the file. An edited row changes only the cells with new values; a new row is formatted like the
file's other rows. ``csv_text`` marks texts that a spreadsheet would read as formulas.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from itertools import takewhile
from typing import Any

from domain import csv_text
from domain.records import Fragment

SEPARATORS: Mapping[str, str] = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
"""The possible separators of cells, with their names."""

LONGEST_CELL = 512 * 1024 * 1024
_SAMPLE = 200
"""The number of rows that are used to detect the quoting of cells."""
_SAYS_SEPARATOR = re.compile(r'\ufeff?\s*"?\s*sep\s*=\s*.\s*"?\s*', re.IGNORECASE)
_NEWLINE = re.compile(r"\r\n|\n|\r")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


class NotTable(ValueError):
    """An error for text that is not a table with the expected columns; ``str(error)`` gives the reason."""


@dataclass(frozen=True)
class Row:
    """One row of a file: ``lead`` is the text before it, ``cells`` are its texts; ``problem`` describes its error, if
    any.
    """

    lead: str
    raw: str
    cells: Sequence[str] = ()
    line: int = 0
    """The line number in the file on which the row begins, counted from 1."""
    problem: str | None = None


@dataclass(frozen=True)
class Layout:
    """The formatting of a file's rows. The defaults are those of new files."""

    columns: tuple[str, ...] = ()
    """The column names in order; empty for a column without a name."""
    separator: str = ","
    newline: str = "\n"
    quoted: tuple[str, ...] = ()
    """For each column, the cells that are in double quotes: "all", "filled" (cells with text), or "" (as needed)."""

    def as_json(self) -> dict[str, Any]:
        """Return the layout as JSON values, for ``FileRecord.meta``."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Layout:
        """Return the layout that ``as_json`` stored. Unknown keys are ignored."""
        known: dict[str, Any] = {part.name: stored[part.name] for part in fields(cls) if part.name in stored}
        known.update({name: tuple(columns) for name, columns in known.items() if isinstance(columns, list)})
        return cls(**known)

    def style(self, at: int) -> str:
        """Return the quoting style of a column."""
        return self.quoted[at] if at < len(self.quoted) else ""


# ---- reading --------------------------------------------------------------------------------------------------------


class _LineReader:
    """The lines of a file with their line ends. It records the lines that were read since the last row."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self.taken: list[str] = []
        self.line = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.line += 1
        self.taken.append(line)
        return line

    def raw(self) -> str:
        """Return the text since the last row, and forget it."""
        text = self.taken[0] if len(self.taken) == 1 else "".join(self.taken)
        self.taken.clear()
        return text


@dataclass
class Table:
    """A table that is being read. ``head`` and ``layout`` are known at once, ``tail`` after all rows were read."""

    lines: _LineReader
    head: str
    layout: Layout
    tail: str = ""
    _sample: list[Row] = field(default_factory=list)
    _ends: Counter[str] = field(default_factory=Counter)

    def rows(self) -> Iterator[Row]:
        """Yield the rows below the head. Rows without any text become part of the next row's lead."""
        wide, before = len(self.layout.columns), self.tail
        reader = csv.reader(self.lines, delimiter=self.layout.separator, strict=True)
        while True:
            line, problem = self.lines.line + 1, None
            cells: Sequence[str] = ()
            try:
                cells = next(reader)
            except StopIteration:
                break
            except csv.Error as error:
                problem = _said(str(error))
            raw, end = _without_end(self.lines.raw())
            if problem is None and not any(cells):
                before += raw + end
                continue
            row = Row(before, raw, cells, line, problem or _wrong(raw, len(cells), wide))
            before = end
            if row.problem is None and len(self._sample) < _SAMPLE:
                self._sample.append(row)
                self._ends[end] += 1
            yield row
        self.tail = before

    def style(self) -> Layout:
        """Return the layout with the line ends and quoting of the rows."""
        ends = [end for end, _ in self._ends.most_common() if end]
        spans = [_cells(row.raw, self.layout.separator) for row in self._sample]
        every = bool(spans) and all(text.startswith('"') for texts in spans for text in texts)
        return Layout(
            columns=self.layout.columns,
            separator=self.layout.separator,
            newline=ends[0] if ends else self.layout.newline,
            quoted=tuple(
                "all" if every else _quoted([texts[at] for texts in spans]) for at in range(len(self.layout.columns))
            ),
        )


def table(lines: Iterable[str], known: Iterable[str]) -> Table:
    """Return the table in these lines, which include their line ends.

    The separator is the one with which the first row holds most of the ``known`` names, and then most cells.

    Raises
    ------
    NotTable
        The table is empty, its first row is broken, or two of its columns have the same name.

    >>> whole = table(["a;b\\n", "1;2,5\\n"], ["a", "b"])
    >>> [row.cells for row in whole.rows()]
    [['1', '2,5']]
    """
    csv.field_size_limit(LONGEST_CELL)
    stream = _LineReader(lines)
    begun = ""
    for line in stream:
        if not _before_head(line):
            break
        begun += line
    else:
        raise NotTable("it is empty")
    wanted = set(known)
    while True:  # until the quotes of the first row are closed
        text = "".join(stream.taken)
        heads = {
            mark: head_cells for mark in SEPARATORS if (head_cells := _head(text.removeprefix(begun), mark)) is not None
        }
        if heads:
            break
        if next(stream, None) is None:
            raise NotTable("the header has an unclosed double quote; close the quote")
    separator = max(heads, key=lambda mark: (len(wanted.intersection(heads[mark])), len(heads[mark])))
    names = heads[separator]
    if "\x00" in text:
        raise NotTable("the file has NUL characters, so the file is damaged or not UTF-8; save the file again as UTF-8")
    twice = next((name for name, n in Counter(names).items() if name and n > 1), None)
    if twice is not None:
        raise NotTable(f"two columns have the name {twice!r}; rename one of these columns")
    head, end = _without_end(stream.raw())
    return Table(stream, head, Layout(tuple(names), separator, end or "\n"), tail=end)


def says_separator(line: str) -> bool:
    """Tell whether a line only names the separator for Excel, such as ``sep=;``."""
    return _SAYS_SEPARATOR.fullmatch(line) is not None


def _before_head(line: str) -> bool:
    return not line.strip("\ufeff \t\r\n") or says_separator(line)


def _head(text: str, separator: str) -> list[str] | None:
    """Return the names in the first row, or None if the row continues on the next line."""
    try:
        cells = next(csv.reader(lines_of(text.removeprefix("\ufeff")), delimiter=separator, strict=True))
    except (csv.Error, StopIteration):
        return None
    return [cell.strip() for cell in cells]


def _said(problem: str) -> str:
    """Return a helpful sentence for an error of the ``csv`` module."""
    if "unexpected end of data" in problem:
        return (
            "a double quote opens in this row but never closes, so Touchstone cannot read the rest of the file; "
            "close the quote"
        )
    if "expected after" in problem:
        return "text follows a closing double quote; to include a double quote in a cell, write two double quotes"
    return problem


def _wrong(raw: str, n: int, wide: int) -> str | None:
    """Return the problem of a row with ``n`` cells below a head of ``wide`` cells."""
    if "\x00" in raw:
        return "the row has a NUL character, so the file is damaged; save the file again"
    if n != wide:
        return f"the row has {n} cell{'' if n == 1 else 's'}, but the header has {wide}; add or remove cells"
    return None


def _without_end(text: str) -> tuple[str, str]:
    """Split a row from its line end."""
    if text.endswith("\r\n"):
        return text[:-2], "\r\n"
    return (text[:-1], text[-1]) if text.endswith(("\n", "\r")) else (text, "")


def lines_of(text: str) -> Iterable[str]:
    """Return the lines of a text with their ends: a line feed, a carriage return, or both."""
    return (line[0] for line in _LINE.finditer(text))


def values(raw: str, layout: Layout) -> dict[str, str]:
    """Return the cells of a row by column, without cells that are empty or have no column name."""
    return by_column(next(csv.reader(lines_of(raw), delimiter=layout.separator)), layout.columns)


def by_column(cells: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """Return cells by column, without cells that are empty or have no column name.

    >>> by_column(["1", "", "'=x"], ["a", "b", "c"])
    {'a': '1', 'c': '=x'}
    """
    return {
        name: csv_text.unmarked(cell) if cell[0] == "'" else cell
        for name, cell in zip(columns, cells, strict=False)
        if cell and name
    }


# ---- writing --------------------------------------------------------------------------------------------------------


@cache
def _cell(separator: str) -> re.Pattern[str]:
    mark = re.escape(separator)
    return re.compile(rf'((?:"[^"]*(?:""[^"]*)*"|[^{mark}]*))({mark}|\Z)')


def _cells(raw: str, separator: str) -> list[str]:
    """Return the cells of a row with their quotes."""
    cells, at = [], 0
    while match := _cell(separator).match(raw, at):
        cells.append(match[1])
        at = match.end()
        if not match[2]:
            break
    return cells


def _quoted(texts: Sequence[str]) -> str:
    filled = [text for text in texts if text]
    if not filled or not all(text.startswith('"') for text in filled):
        return ""
    return "all" if len(filled) == len(texts) and '""' in filled else "filled"


def _written(value: str | None, layout: Layout, style: str) -> str:
    text = "" if value is None else str(csv_text.cell(value))
    unsafe = layout.separator in text or '"' in text or _NEWLINE.search(text) is not None or text != text.strip()
    if style == "all" or (text and style == "filled") or unsafe:
        return '"' + text.replace('"', '""') + '"'
    return text


@dataclass(frozen=True)
class ColumnChange:
    """Column changes that are applied when a file is exported."""

    layout: Layout
    without: frozenset[str] = frozenset()
    """Columns to leave out."""
    added: tuple[str, ...] = ()
    """New columns, which follow the file's own columns."""

    def head(self, head: str) -> str:
        """Return the first row, including a byte order mark and a line that names the separator."""
        if not self.without and not self.added:
            return head
        mark = "".join(takewhile(_before_head, lines_of(head))) or ("\ufeff" if head.startswith("\ufeff") else "")
        kept = self._kept(_cells(head.removeprefix(mark), self.layout.separator))
        return mark + self.layout.separator.join([*kept, *(_written(name, self.layout, "") for name in self.added)])

    def row(self, raw: str, changes: Mapping[str, str | None]) -> str:
        """Return a row of the file with new values in some columns and every other cell unchanged."""
        if not changes and not self.without and not self.added:
            return raw
        texts = _cells(raw, self.layout.separator)
        for at, name in enumerate(self.layout.columns):
            if name and name in changes:
                quoted = texts[at].startswith('"') and changes[name] is not None
                texts[at] = _written(changes[name], self.layout, "filled" if quoted else self.layout.style(at))
        new = [_written(changes.get(name), self.layout, "") for name in self.added]
        return self.layout.separator.join([*self._kept(texts), *new])

    def new_row(self, record: Mapping[str, str | None]) -> str:
        """Return a row for a record that has no row in the file."""
        texts = [
            _written(record.get(name) if name else None, self.layout, self.layout.style(at))
            for at, name in enumerate(self.layout.columns)
        ]
        new = [_written(record.get(name), self.layout, "") for name in self.added]
        return self.layout.separator.join([*self._kept(texts), *new])

    def _kept(self, texts: Sequence[str]) -> list[str]:
        named = zip(texts, self.layout.columns, strict=False)
        return [text for text, name in named if not name or name not in self.without]


def join(rows: Iterable[Fragment | str], *, head: str, tail: str, layout: Layout) -> str:
    """Return a file of rows. Rows from the file keep their lead; new rows, given as text, get the usual line end."""
    parts = [head]
    for row in rows:
        parts += [row.lead or layout.newline, row.raw] if isinstance(row, Fragment) else [layout.newline, row]
    return "".join([*parts, tail])

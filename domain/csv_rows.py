"""CSV text taken apart without loss: rows with what stands around them, and edits that leave other cells as they were.

A table becomes pieces: the head (its first row), then for each row what stands before it and the row itself, then the
tail. Joined again they are the file. An edited row changes only the cells whose values changed; a new one is written
the way the file writes its rows. Texts that a spreadsheet program would take for formulas have ``csv_text``'s mark.
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
"""What may stand between two cells, and what it is called."""

LONGEST_CELL = 512 * 1024 * 1024
_SAMPLE = 200
"""So many rows show how the file writes its cells."""
_SAYS_SEPARATOR = re.compile(r'\ufeff?\s*"?\s*sep\s*=\s*.\s*"?\s*', re.IGNORECASE)
_NEWLINE = re.compile(r"\r\n|\n|\r")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


class NotTable(ValueError):
    """The text is no table of the columns that are looked for; ``str(error)`` says why."""


@dataclass(frozen=True)
class Row:
    """One row of a file: ``lead`` stands before it, ``cells`` are its texts; ``problem`` says what is wrong with it."""

    lead: str
    raw: str
    cells: Sequence[str] = ()
    line: int = 0
    """The line of the file on which it begins, from 1."""
    problem: str | None = None


@dataclass(frozen=True)
class Layout:
    """How a file writes its rows. The defaults are those of a file that is made here."""

    columns: tuple[str, ...] = ()
    """The names in the head, in order; an empty one for a column without a name."""
    separator: str = ","
    newline: str = "\n"
    quoted: tuple[str, ...] = ()
    """Of each column, which of its cells stand in double quotes: "all", those that are "filled", or "" (as needed)."""

    def as_json(self) -> dict[str, Any]:
        """For ``FileRecord.meta``."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Layout:
        """The inverse of ``as_json``; keys it does not know are left out."""
        known: dict[str, Any] = {part.name: stored[part.name] for part in fields(cls) if part.name in stored}
        known.update({name: tuple(each) for name, each in known.items() if isinstance(each, list)})
        return cls(**known)

    def style(self, at: int) -> str:
        """Which cells of a column stand in double quotes."""
        return self.quoted[at] if at < len(self.quoted) else ""


# ---- reading --------------------------------------------------------------------------------------------------------


class _Lines:
    """The lines of a file with their ends, and those that were taken since the last row."""

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
        """The text since the last row."""
        text = self.taken[0] if len(self.taken) == 1 else "".join(self.taken)
        self.taken.clear()
        return text


@dataclass
class Table:
    """A table on its way in. ``head`` and ``layout`` are known from the start, ``tail`` when all rows were taken."""

    lines: _Lines
    head: str
    layout: Layout
    tail: str = ""
    _sample: list[Row] = field(default_factory=list)
    _ends: Counter[str] = field(default_factory=Counter)

    def rows(self) -> Iterator[Row]:
        """The rows below the head, one by one; those without any text stay in the lead of the next."""
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
        """The layout with what the rows show of it."""
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
    """The table that these lines (with their ends) are. What stands between cells is what makes the first row hold most
    of the names that are ``known``, then most cells.

    Raises
    ------
    NotTable
        It is empty, its first row is broken, or two of its columns have one name.

    >>> whole = table(["a;b\\n", "1;2,5\\n"], ["a", "b"])
    >>> [row.cells for row in whole.rows()]
    [['1', '2,5']]
    """
    csv.field_size_limit(LONGEST_CELL)
    stream = _Lines(lines)
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
        heads = {mark: found for mark in SEPARATORS if (found := _head(text.removeprefix(begun), mark)) is not None}
        if heads:
            break
        if next(stream, None) is None:
            raise NotTable("its first row, which names the columns, has a double quote that is not closed")
    separator = max(heads, key=lambda mark: (len(wanted.intersection(heads[mark])), len(heads[mark])))
    names = heads[separator]
    if "\x00" in text:
        raise NotTable("it has NUL characters, so it is damaged, or in another encoding")
    twice = next((name for name, n in Counter(names).items() if name and n > 1), None)
    if twice is not None:
        raise NotTable(f"two of its columns are called {twice!r}; give one another name")
    head, end = _without_end(stream.raw())
    return Table(stream, head, Layout(tuple(names), separator, end or "\n"), tail=end)


def says_separator(line: str) -> bool:
    """Tell whether a line names the separator for Excel, as ``sep=;``: it is no row."""
    return _SAYS_SEPARATOR.fullmatch(line) is not None


def _before_head(line: str) -> bool:
    return not line.strip("\ufeff \t\r\n") or says_separator(line)


def _head(text: str, separator: str) -> list[str] | None:
    """The names in the first row; None if it does not end here."""
    try:
        cells = next(csv.reader(lines_of(text.removeprefix("\ufeff")), delimiter=separator, strict=True))
    except (csv.Error, StopIteration):
        return None
    return [cell.strip() for cell in cells]


def _said(problem: str) -> str:
    """What the reader of the standard library says, in a sentence that helps."""
    if "unexpected end of data" in problem:
        return "a double quote that opens here is never closed; the file cannot be read from here on"
    if "expected after" in problem:
        return "there is text after a closing double quote; a double quote within a cell is written twice"
    return problem


def _wrong(raw: str, n: int, wide: int) -> str | None:
    """What is wrong with a row of ``n`` cells below a head of ``wide``."""
    if "\x00" in raw:
        return "it has a NUL character, so the file is damaged here"
    if n != wide:
        return f"it has {n} cell{'' if n == 1 else 's'}, and the head has {wide}"
    return None


def _without_end(text: str) -> tuple[str, str]:
    """A row and its line end."""
    if text.endswith("\r\n"):
        return text[:-2], "\r\n"
    return (text[:-1], text[-1]) if text.endswith(("\n", "\r")) else (text, "")


def lines_of(text: str) -> Iterable[str]:
    """The lines of a text with their ends: a line feed, a carriage return, or both."""
    return (line[0] for line in _LINE.finditer(text))


def values(raw: str, layout: Layout) -> dict[str, str]:
    """The cells of a row by column, without those that are empty or have no name."""
    return by_column(next(csv.reader(lines_of(raw), delimiter=layout.separator)), layout.columns)


def by_column(cells: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """Cells as the values of their columns, without those that are empty or have no name.

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
    """The cells of a row as they are written."""
    found, at = [], 0
    while match := _cell(separator).match(raw, at):
        found.append(match[1])
        at = match.end()
        if not match[2]:
            break
    return found


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
class Change:
    """What becomes of the columns of a file on its way out."""

    layout: Layout
    without: frozenset[str] = frozenset()
    """Columns that are left out."""
    added: tuple[str, ...] = ()
    """Columns that the file does not have, which go behind its own."""

    def head(self, head: str) -> str:
        """The first row, with what stands before it: a byte order mark, the name of the separator."""
        if not self.without and not self.added:
            return head
        mark = "".join(takewhile(_before_head, lines_of(head))) or ("\ufeff" if head.startswith("\ufeff") else "")
        kept = self._kept(_cells(head.removeprefix(mark), self.layout.separator))
        return mark + self.layout.separator.join([*kept, *(_written(name, self.layout, "") for name in self.added)])

    def row(self, raw: str, changes: Mapping[str, str | None]) -> str:
        """A row of the file with other values in some columns, every other cell as it was."""
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
        """A row that came from no file."""
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
    """A file of rows: those that came from it with their own lead, new ones (given as text) with its usual line end."""
    parts = [head]
    for row in rows:
        parts += [row.lead or layout.newline, row.raw] if isinstance(row, Fragment) else [layout.newline, row]
    return "".join([*parts, tail])

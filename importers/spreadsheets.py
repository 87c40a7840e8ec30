"""Tables in: the first sheet with the right columns of an Excel workbook (.xlsx), or a .tsv or .csv file.

A workbook is read as a stream, part by part, so that neither a cell in the last corner of an otherwise empty sheet nor
a few kilobytes that unpack to gigabytes take the memory of the process. What a spreadsheet program may have changed
(a formula, a date, an error) is told with the cell instead of being taken for what somebody wrote.
"""

from __future__ import annotations

import csv
import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from domain.errors import FileRefused

SUFFIXES = (".xlsx", ".tsv", ".csv")
LONGEST_CELL = 32_767
"""Characters that a cell of a workbook holds; the programs that write it cut off what is longer."""
LARGEST = 512 * 1024 * 1024
"""Bytes that a workbook may unpack to, and a text file may have."""
WIDEST = 1_000
"""Columns that are read."""

_CHUNK = 1 << 16
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_REFERENCE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_DATE_FORMATS = {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}
"""The built-in number formats that show a date or a time."""
_NOT_LETTERS = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.|_.|\*.')
"""Parts of a number format whose letters mean nothing."""


@dataclass(frozen=True)
class Cell:
    """What a cell holds, as text; ``problem`` says why that is not what was once written there."""

    text: str
    problem: str = ""


@dataclass(frozen=True)
class Line:
    """A row below the headings, by heading. ``number`` is its row in the sheet, or its record in a text file."""

    number: int
    cells: Mapping[str, Cell]


def lines_of_table(path: Path, *, fits: Callable[[Sequence[str]], bool], wants: str) -> Iterator[Line]:
    """The rows of the first sheet whose headings fit; empty rows are left out.

    ``wants`` names the headings in the message if none does.

    Raises
    ------
    FileRefused
        It is damaged, too large, or no sheet has these headings.
    """
    if path.suffix.lower() == ".xlsx":
        yield from _of_workbook(path, fits, wants)
        return
    rows = ((number, [Cell(text) for text in row]) for number, row in enumerate(_text_rows(path), 1))
    found = _below_headings(rows, fits)
    if found is None:
        raise FileRefused(f"{path.name} does not have {wants} in its first row. Nothing was imported.")
    yield from found


def _below_headings(
    rows: Iterator[tuple[int, Sequence[Cell]]], fits: Callable[[Sequence[str]], bool]
) -> Iterator[Line] | None:
    """The lines below the headings; None if the first row that is not empty does not fit."""
    for _, row in rows:
        headings = [cell.text.strip() for cell in row]
        if any(headings):
            return _lines(rows, headings) if fits(headings) else None
    return None


def _lines(rows: Iterator[tuple[int, Sequence[Cell]]], headings: Sequence[str]) -> Iterator[Line]:
    twice = next((name for name in headings if name and headings.count(name) > 1), None)
    if twice:
        raise FileRefused(f"Two columns are called {twice!r}. Nothing was imported; take one out.")
    for number, row in rows:
        cells = {name: cell for name, cell in zip(headings, row, strict=False) if name}
        if any(cell.text or cell.problem for cell in cells.values()):
            yield Line(number, cells)


# ---- text files -----------------------------------------------------------------------------------------------------


def _text_rows(path: Path) -> Iterator[list[str]]:
    try:
        if path.stat().st_size > LARGEST:
            raise FileRefused(f"{path.name} has more than {LARGEST >> 20} MB. Split it into several files.")
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileRefused(
            f"{path.name} is not UTF-8 (byte {error.start + 1:,}). Nothing was imported; save it as UTF-8."
        ) from error
    except OSError as error:
        raise FileRefused(f"{path} cannot be read: {error.strerror}.") from error
    csv.field_size_limit(LARGEST)  # other harnesses put whole images into a cell
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
    try:
        yield from reader
    except csv.Error as error:
        raise FileRefused(f"{path.name}, line {reader.line_num}: {error}. Nothing was imported.") from error


# ---- workbooks ------------------------------------------------------------------------------------------------------


def _of_workbook(path: Path, fits: Callable[[Sequence[str]], bool], wants: str) -> Iterator[Line]:
    try:
        with zipfile.ZipFile(path) as archive:
            book = _Workbook(path.name, archive)
            sheets = book.sheets()
            for _, part in sheets:
                found = _below_headings(book.rows(part), fits)
                if found is not None:
                    yield from found
                    return
    except zipfile.BadZipFile as error:
        raise FileRefused(
            f"{path.name} is no .xlsx workbook, or only a part of one. Nothing was imported; copy or save it again."
        ) from error
    except (zlib.error, EOFError, expat.ExpatError, NotImplementedError, RuntimeError, UnicodeError) as error:
        raise FileRefused(
            f"{path.name} is a damaged workbook ({error}). Nothing was imported; save it again."
        ) from error
    except OSError as error:
        raise FileRefused(f"{path} cannot be read: {error.strerror}.") from error
    named = ", ".join(repr(name) for name, _ in sheets[:5]) or "none"
    raise FileRefused(
        f"{path.name}: no sheet of it has {wants} in its first row (sheets: {named}). Nothing was imported."
    )


@dataclass
class _Workbook:
    """A workbook that is being read."""

    name: str
    archive: zipfile.ZipFile
    left: int = field(default_factory=lambda: LARGEST)
    _strings: list[str] | None = None
    _dates: frozenset[int] | None = None

    def sheets(self) -> list[tuple[str, str]]:
        """Name and part of every sheet, in the workbook's order."""
        targets: dict[str, str] = {}
        for tag, about in self._elements("xl/_rels/workbook.xml.rels"):
            if tag == "Relationship":
                target = about.get("Target", "")
                targets[about.get("Id", "")] = (
                    target[1:] if target.startswith("/") else posixpath.normpath(f"xl/{target}")
                )
        named = [
            (about.get("name", ""), targets.get(about.get("id", ""), ""))
            for tag, about in self._elements("xl/workbook.xml")
            if tag == "sheet"
        ]
        there = set(self.archive.namelist())
        return [(name, part) for name, part in named if part in there]

    def rows(self, part: str) -> Iterator[tuple[int, Sequence[Cell]]]:
        """The rows of a sheet, as far as they have cells, each with its number."""
        reader = _Sheet(self)
        for _ in self._parse(part, reader.start, reader.end, reader.text):
            yield from reader.ready
            reader.ready.clear()
        yield from reader.ready

    @property
    def strings(self) -> list[str]:
        """The texts that cells name by number."""
        if self._strings is None:
            reader = _Strings()
            if "xl/sharedStrings.xml" in self.archive.namelist():
                for _ in self._parse("xl/sharedStrings.xml", reader.start, reader.end, reader.text):
                    pass
            self._strings = reader.found
        return self._strings

    @property
    def dates(self) -> frozenset[int]:
        """The styles of cells that show their number as a date or a time."""
        if self._dates is None:
            own: set[int] = set()
            shown: list[int] = []
            inside = False
            for tag, about in self._elements("xl/styles.xml"):
                if tag == "numFmt" and re.search("[dmyhs]", _NOT_LETTERS.sub("", about.get("formatCode", "")).lower()):
                    own.add(_whole(about.get("numFmtId")))
                elif tag in ("cellXfs", "cellStyleXfs", "cellStyles", "dxfs"):
                    inside = tag == "cellXfs"
                elif tag == "xf" and inside:
                    shown.append(_whole(about.get("numFmtId")))
            self._dates = frozenset(place for place, id in enumerate(shown) if id in own or id in _DATE_FORMATS)
        return self._dates

    def _elements(self, part: str) -> Iterator[tuple[str, dict[str, str]]]:
        """Name and attributes of every element of a part; nothing if the workbook does not have it."""
        if part not in self.archive.namelist():
            return
        found: list[tuple[str, dict[str, str]]] = []
        for _ in self._parse(part, lambda tag, about: found.append((tag, about)), lambda tag: None, lambda text: None):
            yield from found
            found.clear()
        yield from found

    def _parse(
        self,
        part: str,
        start: Callable[[str, dict[str, str]], None],
        end: Callable[[str], None],
        text: Callable[[str], None],
    ) -> Iterator[None]:
        """Read a part's XML; comes back after every piece, so that what was found can be handed on."""
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = lambda tag, about: start(
            _local(tag), {_local(name): value for name, value in about.items()}
        )
        parser.EndElementHandler = lambda tag: end(_local(tag))
        parser.CharacterDataHandler = text
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        for piece in self._unpacked(part):
            parser.Parse(piece, False)
            yield
        parser.Parse(b"", True)

    def _unpacked(self, part: str) -> Iterator[bytes]:
        """The bytes of a part, however many its head promises, as long as there are not too many."""
        about = self.archive.getinfo(part)
        about.file_size = max(about.file_size, self.left + 2 * _CHUNK)  # what it says is not to be relied on
        with self.archive.open(about) as stream:
            while piece := stream.read(_CHUNK):
                self.left -= len(piece)
                if self.left < 0:
                    raise FileRefused(
                        f"{self.name} unpacks to more than {LARGEST >> 20} MB. Nothing was imported; "
                        "save only index and prediction, or split it."
                    )
                yield piece

    def _refuse_doctype(self, *_: Any) -> None:
        raise FileRefused(
            f"{self.name} declares a document type, as no spreadsheet program does. Nothing was imported."
        )


@dataclass
class _Strings:
    """Collects shared strings: their runs joined, without what only says how they are pronounced."""

    found: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    inside: bool = False
    spoken: bool = False

    def start(self, tag: str, about: dict[str, str]) -> None:
        if tag == "si":
            self.parts = []
        elif tag == "rPh":
            self.spoken = True
        self.inside = tag == "t" and not self.spoken

    def end(self, tag: str) -> None:
        self.inside = False
        if tag == "si":
            self.found.append(_unescaped("".join(self.parts)))
        elif tag == "rPh":
            self.spoken = False

    def text(self, text: str) -> None:
        if self.inside:
            self.parts.append(text)


@dataclass
class _Sheet:
    """Collects the rows of a sheet."""

    book: _Workbook
    ready: list[tuple[int, Sequence[Cell]]] = field(default_factory=list)
    number: int = 0
    row: dict[int, Cell] = field(default_factory=dict)
    column: int = -1
    kind: str = "n"
    style: int = 0
    formula: bool = False
    parts: list[str] = field(default_factory=list)
    inside: bool = False
    spoken: bool = False

    def start(self, tag: str, about: dict[str, str]) -> None:
        if tag == "row":
            number = about.get("r", "")
            self.number = int(number) if number.isdecimal() and len(number) < 10 else self.number + 1
            self.row, self.column = {}, -1
        elif tag == "c":
            match = _REFERENCE.fullmatch(about.get("r", ""))
            self.column = _column(match[1]) if match else self.column + 1
            self.kind, self.style = about.get("t", "n"), _whole(about.get("s"))
            self.formula, self.parts = False, []
        elif tag == "f":
            self.formula = True
        elif tag == "rPh":
            self.spoken = True
        self.inside = tag == "v" or (tag == "t" and not self.spoken)

    def end(self, tag: str) -> None:
        self.inside = False
        if tag == "c" and self.column < WIDEST:
            self.row[self.column] = self._cell("".join(self.parts))
        elif tag == "rPh":
            self.spoken = False
        elif tag == "row":
            width = max(self.row, default=-1) + 1
            self.ready.append((self.number, [self.row.get(place, Cell("")) for place in range(width)]))

    def text(self, text: str) -> None:
        if self.inside:
            self.parts.append(text)

    def _cell(self, raw: str) -> Cell:
        if self.formula:
            return Cell(raw, "is a formula in the spreadsheet")
        if self.kind == "s":
            strings = self.book.strings
            place = _whole(raw, -1)
            return Cell(strings[place]) if 0 <= place < len(strings) else Cell("", "names a text that is not there")
        if self.kind in ("inlineStr", "str"):
            return Cell(_unescaped(raw))
        if self.kind == "b":
            return Cell("TRUE" if raw.strip() == "1" else "FALSE")
        if self.kind == "e":
            return Cell(raw, f"is the error {raw} in the spreadsheet")
        if self.kind == "d" or (raw and self.style in self.book.dates):
            return Cell(raw, "is a date in the spreadsheet")
        return Cell(_number(raw))


def _local(tag: str) -> str:
    return tag.rpartition(" ")[2]


def _whole(text: str | None, otherwise: int = 0) -> int:
    return int(text) if text and text.strip().isdecimal() and len(text) < 12 else otherwise


def _column(letters: str) -> int:
    place = 0
    for letter in letters:
        place = place * 26 + ord(letter) - ord("A") + 1
    return place - 1


def _number(raw: str) -> str:
    """A number as a spreadsheet shows it: 12, not 12.0."""
    text = raw.strip()
    try:
        value = float(text)
    except ValueError:
        return text
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else text


def _unescaped(text: str) -> str:
    """Characters that XML cannot hold stand as ``_x000D_`` in a workbook."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text

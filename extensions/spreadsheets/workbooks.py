"""The reader of Excel workbooks (.xlsx).

A workbook is checked before openpyxl reads it row by row. So neither a cell in the last corner of an empty sheet, nor a
few kilobytes that unpack to gigabytes, can exhaust memory. A cell that a spreadsheet program may have changed (a
formula, a date, an error) is reported, and never taken for a written value.
"""

from __future__ import annotations

import errno
import itertools
import re
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from xml.parsers import expat

from domain.errors import InvalidFileError
from importers.table_lines import LARGEST, Rows, SheetCell

WIDEST = 1_000
"""Columns that are read."""
MOST_ROWS = 1_048_576
"""Rows of a sheet: more than that no spreadsheet program holds."""
MOST_HELD = 2_000_000
"""Elements and attributes that stay in memory while a part is read: rows or shared texts, and the cells of one row."""

_CHUNK = 1 << 16
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_TAKEN_IN = {f"{_MAIN} worksheet": f"{_MAIN} row", f"{_MAIN} sst": f"{_MAIN} si"}
"""For each root, the element that is read as a whole and then cleared from memory."""


@contextmanager
def opened(path: Path) -> Iterator[Iterator[tuple[str, Rows]]]:
    """Open a workbook, and give its sheets, each with its title and its rows.

    Raises
    ------
    InvalidFileError
        The file is no workbook, damaged or too large.
    """
    _check(path)
    with ExitStack() as stack:
        book, formulas = (stack.enter_context(closing(_opened(path, values=values))) for values in (True, False))
        pairs = zip(book.worksheets, formulas.worksheets, strict=True)
        yield ((sheet.title, _rows(path.name, sheet, same)) for sheet, same in pairs)


def _check(path: Path) -> None:
    """Raise ``InvalidFileError`` for a file that is not a workbook, is damaged, or is too large, before openpyxl opens
    it.
    """
    try:
        with path.open("rb") as stream:
            begun = stream.read(len(_OLE))
            try:
                archive = zipfile.ZipFile(stream)
            except (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError) as error:
                raise InvalidFileError(f"{path.name} is {_instead(begun, stream)}") from error
            try:
                _weigh(path.name, archive)
            except _UNSOUND as error:
                raise _damaged(path.name, str(error)) from error
    except OSError as error:
        if error.errno == errno.EINVAL:  # a part of the archive would begin before the file
            raise _damaged(path.name, "a file inside the workbook is not at the recorded position") from error
        raise InvalidFileError(
            f"Touchstone cannot read {path}: {error.strerror or error}. Check the path and the permissions."
        ) from error


def _instead(begun: bytes, stream: BinaryIO) -> str:
    """Return what a file without zip content is, with an advice, as the end of a sentence."""
    if begun != _OLE:
        return "not a complete .xlsx workbook. Nothing was imported. Copy or save the file again."
    stream.seek(0)
    if _ENCRYPTED in stream.read(LARGEST):
        return "protected by a password. Nothing was imported. Remove the password and save the file again."
    return (
        "an old workbook (.xls) that was renamed. Nothing was imported. Save the file as .xlsx in a "
        "spreadsheet program."
    )


def _damaged(name: str, what: str) -> InvalidFileError:
    return InvalidFileError(f"{name} is a damaged workbook ({what}). Nothing was imported. Save the workbook again.")


_OLE = bytes.fromhex("d0cf11e0a1b11ae1")
"""The first bytes of an old Office file, and of the wrapper around a workbook with a password."""
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_UNSOUND = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, expat.ExpatError)
"""The errors of zipfile and expat for damaged parts."""


@contextmanager
def _understood(name: str) -> Iterator[None]:
    """Translate the errors of openpyxl, which reports unreadable content by many kinds of exceptions.

    A missing part is a ``KeyError``, and a number out of range an ``IndexError`` or ``OverflowError``. A missing
    attribute or one of a wrong type is a ``TypeError``, ``ValueError`` or ``AttributeError``. Invalid XML is a
    ``SyntaxError``, and a missing workbook part an ``OSError`` without a number.
    """
    try:
        yield
    except OSError as error:
        if error.errno is not None:
            raise InvalidFileError(
                f"Touchstone cannot read {name}: {error.strerror}. Check the path and the permissions."
            ) from error
        raise _damaged(name, "the main file inside the workbook is missing") from error
    except (LookupError, OverflowError, TypeError, ValueError, AttributeError, SyntaxError) as error:
        message = str(error)
        part = re.search(r"no item named '([^']{1,80})'", message)
        kind = re.search(r"could not read (\w+)", message)
        what = (
            f"the file {part[1]} inside the workbook is missing"
            if part
            else f"Touchstone cannot read the {kind[1]}"
            if kind
            else ""
        )
        raise _damaged(name, what or "the content does not follow the .xlsx format") from error


def _weigh(name: str, archive: zipfile.ZipFile) -> None:
    """Refuse a workbook that would not fit into memory or is no sound XML, before anything of it is kept."""
    left = LARGEST
    for part in archive.namelist():
        about = archive.getinfo(part)
        if about.flag_bits & 1:
            raise InvalidFileError(
                f"{name} is protected by a password. Nothing was imported. Remove the password and save the "
                "workbook again."
            )
        if about.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _damaged(name, "the workbook uses a compression method that spreadsheet programs never use")
        about.file_size = max(about.file_size, left + 2 * _CHUNK)  # the archive's stated size cannot be trusted
        counter = _Counter(name) if part.endswith((".xml", ".rels")) else None
        with archive.open(about) as stream:
            while piece := stream.read(_CHUNK):
                left -= len(piece)
                if left < 0:
                    raise InvalidFileError(
                        f"{name} unpacks to more than {LARGEST >> 20} MB. Nothing was imported. Save only the "
                        "columns index and prediction, or split the workbook."
                    )
                if counter:
                    counter.parser.Parse(piece, False)
        if counter:
            counter.parser.Parse(b"", True)


class _Counter:
    """A counter of the memory that a part needs at once, which also checks that rows and cells are in order."""

    def __init__(self, name: str) -> None:
        self.name, self.held, self.within = name, 0, 0
        self.whole: str | None = None
        self.row, self.cell = 0, (0, "")
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._doctype

    def _start(self, tag: str, about: dict[str, str]) -> None:
        if not self.held:
            self.whole = _TAKEN_IN.get(tag)
        self.held += 1 + len(about)
        self.within += 1 + len(about)
        if self.held > MOST_HELD:
            raise InvalidFileError(
                f"{self.name} has more rows or texts than Touchstone can read at once. Split the workbook into "
                "several files."
            )
        if tag == self.whole:
            self.within, self.cell = len(about), (0, "")
            row = about.get("r", "")
            self._in_order(self.row, number := int(row) if row.isdecimal() and len(row) < 10 else self.row + 1)
            self.row = number
            if number > MOST_ROWS:
                raise InvalidFileError(
                    f"{self.name} has more than {MOST_ROWS:,} rows. Split the workbook into several files."
                )
        elif tag == f"{_MAIN} c" and (place := about.get("r")):
            self._in_order(self.cell, cell := (len(place), place))  # in one row a longer name is further right
            self.cell = cell

    def _end(self, tag: str) -> None:
        if tag == self.whole:
            self.held, self.within = self.held - self.within, 0

    def _in_order(self, before: Any, now: Any) -> None:
        if now <= before:
            raise InvalidFileError(
                f"{self.name} has rows or cells in the wrong order. Nothing was imported. Save the workbook again."
            )

    def _doctype(self, *_: Any) -> None:
        raise InvalidFileError(
            f"{self.name} declares a document type, which spreadsheet programs never do. Nothing was imported. "
            "Save the workbook again with a spreadsheet program."
        )


def _opened(path: Path, *, values: bool) -> Any:
    """Return a workbook opened by openpyxl row by row, with stored values or with formulas."""
    from openpyxl.cell.text import Text
    from openpyxl.reader.excel import ExcelReader
    from openpyxl.styles import cell_style
    from openpyxl.xml.constants import SHARED_STRINGS
    from openpyxl.xml.functions import iterparse

    class Reader(ExcelReader):  # type: ignore[misc]
        def read_strings(self) -> None:
            """Read the shared texts unchanged. openpyxl's own reader removes the mark that protects ``_x000A_``."""
            self.shared_strings = _Texts()
            part = self.package.find(SHARED_STRINGS)
            if part is None:
                return
            with self.archive.open(part.PartName[1:]) as stream:
                for _, node in iterparse(stream):
                    if node.tag == f"{{{_MAIN}}}si":
                        self.shared_strings[len(self.shared_strings)] = Text.from_tree(node).content
                        node.clear()

    # It prints the number of a missing style, and raises. Our own sentence is enough.
    vars(cell_style)["print"] = lambda *_: None
    warnings.filterwarnings("ignore", module=r"openpyxl\.")  # about styles and links, which are irrelevant here
    with _understood(path.name):
        reader = Reader(str(path), read_only=True, data_only=values, keep_links=False)
        reader.read()
    return reader.wb


class _Texts(dict[int, Any]):
    """Shared texts by number; ``None`` for one that is not there."""

    def __missing__(self, number: int) -> None:
        return None


def _rows(name: str, sheet: Any, same: Any) -> Rows:
    """Yield the rows of a sheet with their numbers. ``same`` is the sheet with its formulas."""
    with _understood(name):
        for worksheet in (sheet, same):
            worksheet.reset_dimensions()  # a sheet's stated size cannot be trusted
        rows = zip(sheet.iter_rows(), same.iter_rows(), strict=True)
    for number in itertools.count(1):
        with _understood(name):
            pair = next(rows, None)
        if pair is None:
            return
        row, formulas = pair
        if row:
            yield number, [_cell(*cell) for cell in zip(row[:WIDEST], formulas, strict=False)]


def _cell(stored: Any, formula: Any) -> SheetCell:
    value, kind = stored.value, stored.data_type
    if formula.data_type == "f":
        return SheetCell(_text(value), "is a formula in the spreadsheet")
    if kind == "s" and value is None:
        return SheetCell("", "refers to a missing text")
    if kind == "e":
        return SheetCell(str(value), f"is the error {value} in the spreadsheet")
    if kind == "d":
        from openpyxl.utils.datetime import to_excel

        return SheetCell(_text(to_excel(value)), "is a date in the spreadsheet")
    return SheetCell(_text(value))


def _text(value: Any) -> str:
    """Return a value in the form that a spreadsheet shows: 12, not 12.0."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return _unescaped(str(value))


def _unescaped(text: str) -> str:
    """Return the text with ``_x000D_`` escapes resolved. Workbooks use them for characters that XML cannot hold."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text

"""The rows of a table below its headings: a .tsv or .csv file, or the first sheet with the right columns of a workbook.

Text files are read here. Extensions read files with sheets (``Extension.sheet_readers``).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from domain import extensions
from domain.errors import InvalidFileError

SUFFIXES = (".xlsx", ".tsv", ".csv")
LONGEST_CELL = 32_767
"""The largest number of characters in a cell of a workbook. Programs that write workbooks cut off longer texts."""
LARGEST = 512 * 1024 * 1024
"""Bytes that a workbook may unpack to, and a text file may have."""
OTHER_SUFFIXES = (".xls", ".xlsb", ".ods", ".numbers")
"""The endings of spreadsheets that cannot be read."""


@dataclass(frozen=True)
class SheetCell:
    """The content of a cell as text. ``problem`` is set if the text may differ from what was once written."""

    text: str
    problem: str = ""


@dataclass(frozen=True)
class SheetRow:
    """A row below the headings, by heading. ``number`` is its row in the sheet, or its record in a text file."""

    number: int
    cells: Mapping[str, SheetCell]


Rows = Iterator[tuple[int, Sequence[SheetCell]]]
"""Rows with their numbers."""
SheetReader = Callable[[Path], AbstractContextManager[Iterator[tuple[str, Rows]]]]
"""From a file to its sheets, each with its title. Raises ``InvalidFileError`` for a damaged file."""


def lines_of_table(path: Path, *, fits: Callable[[Sequence[str]], bool], wants: str) -> Iterator[SheetRow]:
    """Yield the rows of the first sheet with fitting headings, without empty rows.

    ``wants`` names the headings in the error for a table without them.

    Raises
    ------
    InvalidFileError
        The file is damaged or too large, no sheet has these headings, or no extension reads such files.
    """
    if path.suffix.lower() == ".xlsx":
        yield from _of_sheets(path, fits, wants)
        return
    rows = ((number, [SheetCell(text) for text in row]) for number, row in enumerate(_text_rows(path), 1))
    lines = _below_headings(rows, fits)
    if lines is None:
        raise InvalidFileError(
            f"The header of {path.name} does not have {wants}. Nothing was imported. Correct the header, and import "
            "again."
        )
    yield from lines


def filled_sheets(path: Path) -> list[str]:
    """Return the names of a valid workbook's non-empty sheets, in order."""
    with _reader_of(path)(path) as sheets:
        return [title for title, rows in sheets if any(cell.text for _, row in rows for cell in row)]


def _of_sheets(path: Path, fits: Callable[[Sequence[str]], bool], wants: str) -> Iterator[SheetRow]:
    names: list[str] = []
    with _reader_of(path)(path) as sheets:
        for title, rows in sheets:
            names.append(title)
            lines = _below_headings(rows, fits)
            if lines is not None:
                yield from lines
                return
    named = ", ".join(map(repr, names[:5])) or "none"
    raise InvalidFileError(
        f"{path.name}: no sheet has {wants} in its header (sheets: {named}). Nothing was imported. Correct the "
        "header of one sheet."
    )


def _reader_of(path: Path) -> SheetReader:
    ending = path.suffix.lower()
    readers: Mapping[str, SheetReader] = dict(extensions.rows("sheet_readers"))
    if ending not in readers:
        away = (
            extensions.missing("sheet_readers", ending)
            or f"No installed extension reads {ending} files. Save the table as CSV."
        )
        raise InvalidFileError(f"Touchstone cannot read {path.name}. {away}")
    return readers[ending]


def _below_headings(rows: Rows, fits: Callable[[Sequence[str]], bool]) -> Iterator[SheetRow] | None:
    """Return the lines below the headings; None if the first non-empty row does not fit."""
    for _, row in rows:
        headings = [cell.text.strip() for cell in row]
        if any(headings):
            return _lines(rows, headings) if fits(headings) else None
    return None


def _lines(rows: Rows, headings: Sequence[str]) -> Iterator[SheetRow]:
    twice = next((name for name in headings if name and headings.count(name) > 1), None)
    if twice:
        raise InvalidFileError(
            f"Two columns have the name {twice!r}. Nothing was imported. Remove or rename one column."
        )
    for number, row in rows:
        cells = {name: cell for name, cell in zip(headings, row, strict=False) if name}
        if any(cell.text or cell.problem for cell in cells.values()):
            yield SheetRow(number, cells)


def _text_rows(path: Path) -> Iterator[list[str]]:
    try:
        if path.stat().st_size > LARGEST:
            raise InvalidFileError(
                f"{path.name} is larger than {LARGEST >> 20} MB. Split the table into several files."
            )
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidFileError(
            f"{path.name} is not UTF-8 (byte {error.start + 1:,}). Nothing was imported. Save the file as UTF-8."
        ) from error
    except OSError as error:
        raise InvalidFileError(
            f"Touchstone cannot read {path}: {error.strerror}. Check the path and the permissions."
        ) from error
    csv.field_size_limit(LARGEST)  # other harnesses put whole images into a cell
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
    try:
        yield from reader
    except csv.Error as error:
        raise InvalidFileError(f"{path.name}, line {reader.line_num}: {error}. Nothing was imported.") from error

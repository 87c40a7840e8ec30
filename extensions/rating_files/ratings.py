"""Ratings in: a file with the columns ``unit, rater, criterion, value`` and perhaps ``dimension`` and ``cluster``.

CSV (commas, semicolons, tabs or bars), TSV, or one JSON object a line. Files are read in pieces and every distinct cell
is kept once, so a file of millions of rows takes seconds and little memory. Texts are normalized to NFC.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.columns import NOTHING, Column, Gathering
from agreement.table import LongTable
from annotation_schemas.formats import ReadRatings, ReadTable
from domain import csv_text, json_text
from domain.csv_rows import SEPARATORS, says_separator
from domain.errors import InvalidFileError, RatingsError
from domain.json_text import NotJson
from domain.records import BadRow, Rating
from domain.spelling import normal
from extensions.rating_files.rating_lists import merge_lists
from extensions.rating_files.rating_values import (
    MISSING_WORDS,
    MissingWords,
    apart_sentences,
    has_decimal_commas,
    merge_spellings,
    merge_true_and_false,
    missing_sentence,
    mixed_sentences,
    number_or_text,
    number_sentences,
)
from importers.unread_keys import unread_note, vote_warnings

COLUMNS = ("unit", "rater", "criterion", "value")
OPTIONAL = ("dimension", "cluster")
_OWN = ("stage", "guideline", "schema", "note", "model_a", "model_b", "left", "winner")
"""Columns of our own exports that are redundant."""
_LONGEST = {"unit": 400, "rater": 100, "criterion": 100}
_PIECE = 100_000
"""Rows that are held as texts at once."""


def read_ratings(path: Path, *, missing: Sequence[str] = MISSING_WORDS, merge_case: bool = False) -> ReadRatings:
    """Return all ratings of a file, one by one, with the text of each. Raises ``InvalidFileError`` as
    :func:`read_table`.

    ``merge_case`` merges labels that differ only by case. A project does not need it, because its schema gives the
    spelling of values.
    """
    cells = _Cells(path, keep_all=True, missing=missing)
    table, kept = cells.checked(merge_case=merge_case)
    columns = [cells.columns[name] for name in cells.head if name in cells.columns]
    raws = zip(*(map(str, map(_written, column.of(kept).values())) for column in columns), strict=True)
    rows = [
        (rating, BadRow(path.name, row, "", json_text.printable(_line(raw))))
        for rating, row, raw in zip(_ratings(table), cells.numbers[kept].tolist(), raws, strict=True)
    ]
    notes = list(cells.notes)
    if cells.unread:
        notes.append(unread_note(cells.unread, end="the values are not imported"))
    warnings = vote_warnings(path.name, cells.unread, what="column")
    return ReadRatings(rows, cells.bad, notes, warnings, tuple(cells.without_rating()))


def read_table(path: Path, *, missing: Sequence[str] = MISSING_WORDS) -> ReadTable:
    """Return all ratings of a file, column by column. Labels that differ by case only are one label.

    ``missing`` are the words that stand for a rating that was not given.

    Raises
    ------
    InvalidFileError
        It is not such a file, it lacks a column, or it ends in the middle of a quoted cell.
    """
    cells = _Cells(path, missing=missing)
    table, _ = cells.checked(merge_case=True)
    return ReadTable(table, cells.bad, tuple(cells.notes))


def _ratings(table: LongTable) -> Iterator[Rating]:
    assert table.dimension is not None
    assert table.cluster is not None
    columns = (table.unit, table.rater, table.criterion, table.value, table.dimension, table.cluster)
    for unit, rater, criterion, value, dimension, cluster in zip(*(column.values() for column in columns), strict=True):
        yield Rating(unit, rater, criterion, value, dimension, cluster=cluster)


class _Cells:
    """The raw cells of a file, and its rows with as many cells as the head."""

    def __init__(self, path: Path, *, keep_all: bool = False, missing: Sequence[str] = MISSING_WORDS) -> None:
        self.path, self.keep_all = path, keep_all
        if path.suffix.lower() == ".parquet":
            raise InvalidFileError(
                f"{path.name} is a Parquet file, which only `touchstone agreement show --ratings` reads. Write the "
                "ratings to a CSV file."
            )
        self.missing = MissingWords(missing)
        self.notes: list[str] = []
        self.typed = path.suffix.lower() in (".jsonl", ".ndjson")
        self.head: list[str] = []
        self.columns: dict[str, Column] = {}
        self.bad: list[BadRow] = []
        self._rows: list[NDArray[np.int64]] = []
        self._without: NDArray[np.int64] = np.zeros(0, np.int64)
        self._gathered: dict[str, Gathering] = {}
        self._at = 0  # the row that was read last
        self.separator = ","
        try:
            with path.open("rb") as file:
                json_text.decode(file.read(4))
                file.seek(0)
                text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="")
                if self.typed:
                    self._read_lines(text)
                else:
                    self.separator = self._separator(text)
                    self._read_rows(csv.reader(text, delimiter=self.separator, strict=True))
        except NotJson as error:
            raise InvalidFileError(f"{path.name}, row 1: {error}.") from error
        except csv.Error as error:
            raise InvalidFileError(f"{path.name}, row {self._at + 1}: {error}.") from error
        except OSError as error:
            raise InvalidFileError(
                f"Touchstone cannot read {path}: {error.strerror}. Check the path and the permissions."
            ) from error
        columns = {name: gathered.column() for name, gathered in self._gathered.items()}
        self.columns = (
            columns if self.typed else {name: column.renamed(csv_text.unmarked) for name, column in columns.items()}
        )
        self.unread = [name for name in self.head if name and name not in (*COLUMNS, *OPTIONAL, *_OWN)]
        """The unused columns."""
        self.numbers: NDArray[np.int64] = np.concatenate([np.zeros(0, np.int64), *self._rows])
        """The row of the file that each row is, as a person counts."""

    def _separator(self, text: io.TextIOWrapper) -> str:
        """Return the separator between the names of the first row, and rewind the text to this row."""
        usual = "\t" if self.path.suffix.lower() == ".tsv" else ","
        first = text.readline()
        declared = says_separator(first)  # as Excel reads and writes it
        begins = text.tell() if declared else 0
        if declared:
            self._at, first = 1, text.readline()
        names = {mark: {name.strip(' "').lower() for name in first.strip().split(mark)} for mark in SEPARATORS}
        text.seek(begins)
        separator = next((mark for mark in (usual, *SEPARATORS) if set(COLUMNS) <= names[mark]), usual)
        if separator != usual:
            self.notes.append(f"Cells are separated by {SEPARATORS[separator]}.")
        return separator

    def _read_rows(self, reader: Any) -> None:
        self.head = [name.strip().lower() for name in next(reader, [])]
        self._at += 1
        missing = [name for name in COLUMNS if name not in self.head]
        named = [name for name in self.head if name]  # spreadsheets write separators for columns that were emptied
        if missing or len(set(named)) < len(named):
            raise InvalidFileError(
                f"{self.path.name}, row 1: {', '.join(missing) or 'a name'} is {'missing' if missing else 'repeated'}"
                ". Name each of the columns unit, rater, criterion and value once (dimension and cluster are "
                "optional)."
            )
        while True:
            piece: list[list[str]] = []
            try:
                piece.extend(islice(reader, _PIECE))
            finally:
                self._at += len(piece)  # also of those before one that cannot be read
            if not piece:
                return
            self._take(piece)

    def _read_lines(self, text: Iterable[str]) -> None:
        self.head = [*COLUMNS, *OPTIONAL]
        lines = iter(text)
        while piece := list(islice(lines, _PIECE)):
            rows = []
            for line in piece:
                self._at += 1
                record = _line_of_json(line)
                if isinstance(record, str):
                    self._refuse(self._at, record, line.rstrip("\r\n"))
                elif record is not None:
                    rows.append((self._at, *record))
            if rows:
                numbers, *columns = zip(*rows, strict=True)
                self._rows.append(np.array(numbers, dtype=np.int64))
                for name, values in zip(self.head, columns, strict=True):
                    self._gathered.setdefault(name, Gathering()).add(values)
        if not self._at:
            raise InvalidFileError(f"{self.path.name} is empty. Write one rating per line, such as {_EXAMPLE}.")

    def _take(self, piece: list[list[str]]) -> None:
        n = len(self.head)
        numbers: NDArray[np.int64] = np.arange(self._at - len(piece) + 1, self._at + 1)
        if set(map(len, piece)) - {n}:
            for number, cells in zip(numbers.tolist(), piece, strict=True):
                if cells and len(cells) != n:
                    self._refuse(number, f"the row has {len(cells)} cells, but the header has {n}", _line(cells))
            fits = [len(cells) == n for cells in piece]
            numbers = np.array([number for number, fit in zip(numbers.tolist(), fits, strict=True) if fit], np.int64)
            piece = [cells for cells, fit in zip(piece, fits, strict=True) if fit]
        self._rows.append(numbers)
        for name, values in zip(self.head, zip(*piece, strict=True), strict=True) if piece else ():
            if (self.keep_all and name) or name in COLUMNS or name in OPTIONAL:
                self._gathered.setdefault(name, Gathering()).add(values)

    def _refuse(self, number: int, reason: str, raw: str) -> None:
        self.bad.append(BadRow(self.path.name, number, reason, json_text.printable(raw)))

    def checked(self, *, merge_case: bool) -> tuple[LongTable, NDArray[np.int64]]:
        """Return the ratings among the rows, and which of the rows they are. Missing ones are counted in ``notes``."""
        n = len(self.numbers)
        nothing = Column((), np.full(n, NOTHING, dtype=np.int32))
        cells = {name: self.columns.get(name, nothing) for name in (*COLUMNS, *OPTIONAL)}
        reasons: dict[int, str] = {}
        for column in self.columns.values():
            _note(column, _unreadable, reasons)
        for name in COLUMNS:
            _note(cells[name], partial(unfit_name, name=name), reasons)
        text = {name: column.renamed(_stripped) for name, column in cells.items() if name != "value"}
        kept = np.delete(np.arange(n), np.array(sorted(reasons), dtype=np.int64))
        kept = kept[~np.isin(kept, self._missing_rows(cells["value"], reasons))]
        which = text["unit"].places[kept].astype(np.int64)
        for name in ("rater", "criterion"):
            keys = which * len(text[name].names) + text[name].places[kept]
            _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        again = np.flatnonzero(first[which] != np.arange(len(kept)))
        for at in again.tolist():
            row, before = int(kept[at]), int(kept[first[which[at]]])
            rater, criterion, unit = (text[name].at(row) for name in ("rater", "criterion", "unit"))
            reasons[row] = f"{rater} already rated {criterion} of {unit} in row {self.numbers[before]}"
        kept = np.setdiff1d(kept, kept[again], assume_unique=True)
        for row, reason in reasons.items():
            raw = [str(_written(self.columns[name].at(row))) for name in self.head if name in self.columns]
            self._refuse(int(self.numbers[row]), reason, _line(raw))
        self.bad.sort(key=lambda bad: bad.row)
        text["value"] = cells["value"]
        if len(kept) < n:
            text = {name: column.of(kept) for name, column in text.items()}
        text["value"] = self._values(text["value"])
        if merge_case:
            text["value"], lists = merge_lists(text["criterion"], text["value"])
            self.notes += lists
            text["value"], merged = merge_spellings(text["value"])
            text["value"], same = merge_true_and_false(text["criterion"], text["value"])
            self.notes += [f"{sentence}." for sentence in (*merged, *same)]
            self.notes += apart_sentences(text["criterion"], text["rater"], text["value"])
            self.notes += mixed_sentences(text["criterion"], text["value"])
        return LongTable(**text, times=None), kept

    def _missing_rows(self, value: Column, reasons: dict[int, str]) -> NDArray[np.int64]:
        """Return the rows without a rating and without a problem, and note how many there are of each word."""
        places = [at for at, cell in enumerate(value.names) if _written(cell) in self.missing]
        rows = np.flatnonzero(np.isin(value.places, places) | ~value.there)
        rows = rows[~np.isin(rows, list(reasons))]
        words = Counter(str(_written(value.at(row)) or "").strip() for row in rows.tolist())
        if sentence := missing_sentence(words):
            self.notes.append(sentence)
        self._without = rows
        return rows

    def without_rating(self) -> Iterator[Rating]:
        """Yield the rows whose rating is missing, once ``checked`` has looked for them."""
        nothing = Column((), np.full(len(self.numbers), NOTHING, dtype=np.int32))
        named = (self.columns.get(name, nothing) for name in ("unit", "rater", "criterion", *OPTIONAL))
        columns = [column.of(self._without).renamed(_stripped).values() for column in named]
        for unit, rater, criterion, dimension, cluster in zip(*columns, strict=True):
            yield Rating(unit, rater, criterion, None, dimension, cluster=cluster)

    def _values(self, value: Column) -> Column:
        """Return the column with numbers as numbers and texts in NFC."""
        if self.typed:
            return Column(tuple(map(_normal_value, map(_written, value.names))), value.places)
        try:
            comma = self.separator != "," and has_decimal_commas(value.names)
        except RatingsError as error:
            raise InvalidFileError(f"{self.path.name}: {error}.") from error
        if comma:
            self.notes.append("Values use a decimal comma, such as 0,5.")
        self.notes += number_sentences(value.names, decimal_comma=self.separator != ",")
        return value.renamed(partial(number_or_text, decimal_comma=comma))


_EXAMPLE = '{"unit": "u1", "rater": "ann", "criterion": "score", "value": 1}'


def _line_of_json(line: str) -> tuple[Any, ...] | str | None:
    """Return the cells of a line, the error in the line, or None for a blank line."""
    if not line.strip():
        return None
    try:
        record = json.loads(line, object_pairs_hook=json_text.once)
    except json_text.DuplicateKey as error:
        return str(error)
    except (ValueError, RecursionError):
        return (
            "the line is not UTF-8"
            if json_text.has_broken_bytes(line)
            else (f"the line is not a complete JSON object such as {_EXAMPLE}")
        )
    if not isinstance(record, dict):
        return f"the line is not a JSON object such as {_EXAMPLE}"
    for name in COLUMNS[:-1]:
        if record.get(name) is None:
            return f"{name} is missing"
    if "value" not in record:
        return "value is missing"
    for name in (*COLUMNS, *OPTIONAL):
        if isinstance(record.get(name), dict | list) and name != "value":
            return f"{name} must be text or a number"
    value = record["value"]
    if isinstance(value, dict | list):  # as a cell of a CSV file has it
        value = json.dumps(value, ensure_ascii=False)
    named = (str(record[name]) for name in ("unit", "rater", "criterion"))
    return (*named, (type(value), value), *(str(record.get(name) or "") for name in OPTIONAL))


def _written(cell: Any) -> Any:
    """Return the value of a JSON cell. Its type is kept: true is not 1."""
    return cell[1] if isinstance(cell, tuple) else cell


def _normal_value(value: Any) -> Any:
    return normal(value) if isinstance(value, str) else value


def _stripped(cell: str) -> str | None:
    return normal(cell) or None


def _unreadable(cell: Any) -> str | None:
    cell = str(_written(cell))
    if json_text.has_broken_bytes(cell):
        return "the line is not UTF-8"
    return "the row contains a null character" if "\x00" in cell else None


def unfit_name(cell: Any, *, name: str) -> str | None:
    """Return why a cell of this column is invalid; None if it is valid."""
    cell = str(_written(cell))
    if not cell.strip() and name != "value":
        return f"{name} is empty"
    longest = _LONGEST.get(name, len(cell))
    return f"{name} is longer than {longest} characters" if len(cell) > longest else None


def _note(column: Column, problem: Callable[[Any], str | None], reasons: dict[int, str]) -> None:
    """Record the rows in which a cell has a problem and no earlier problem was found."""
    problems = {at: reason for at, name in enumerate(column.names) if (reason := problem(name))}
    if problems:
        for row in np.flatnonzero(np.isin(column.places, list(problems))).tolist():
            reasons.setdefault(row, problems[int(column.places[row])])


def _line(cells: Sequence[str]) -> str:
    return ",".join(f'"{cell}"' if set(cell) & set(',"\n\r') else cell for cell in cells)

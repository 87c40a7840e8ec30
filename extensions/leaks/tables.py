"""The tables of a public folder (JSON, JSON lines, CSV, Parquet), row by row, and the lists in their rows."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from domain.csv_rows import LONGEST_CELL
from domain.errors import InvalidFileError, NotAvailableError

Row = dict[str, Any]
"""Cells by their dotted path: ``metadata.answer``, ``options[0]``. Values are texts, numbers, truth values or bytes."""

_MOST = 200
"""Entries of one list in a row that are looked at."""
_TABLES: Mapping[str, str] = {".csv": ",", ".tsv": "\t"}


PLACE = re.compile(r"\[\d+\]")
"""The place of an entry in the name of its column."""


class WrittenNumber(float):
    """A number with decimal places, and how a file writes it: 1.50 is not 1.5."""

    def __init__(self, text: str) -> None:
        self.text = text


def spelled_value(value: Any) -> str | None:
    """Return a text or number in the spelling of its file; None for other values."""
    if isinstance(value, WrittenNumber):
        return value.text
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None


@dataclass(frozen=True)
class Table:
    """Rows of a file."""

    file: str
    """The file's path below the folder."""
    part: str
    """The place in the file, if the file has several tables."""
    rows: Callable[[], Iterable[Row]]
    """Returns all rows from the first one."""

    @property
    def name(self) -> str:
        """Return the name of the table for sentences."""
        return f"{self.file}, {self.part}" if self.part else self.file


def tables_of(file: str, path: Path) -> list[Table]:
    """Return the tables of a file; empty if the file's format has no tables.

    Raises
    ------
    InvalidFileError
        The file has the ending of a table and cannot be read.
    NotAvailableError
        The file is Parquet, and the package that reads Parquet is not installed.
    """
    ending = path.suffix.casefold()
    if ending in _TABLES:
        return [Table(file, "", partial(_read, file, partial(_of_csv, path, _TABLES[ending])))]
    if ending in (".jsonl", ".ndjson"):
        return [Table(file, "", partial(_read, file, partial(_of_lines, path)))]
    if ending in (".json", ".jsonld"):
        parts = _read(file, partial(_of_json, path))
        return [Table(file, part, partial(iter, rows)) for part, rows in parts]
    if ending == ".parquet":
        return [Table(file, "", partial(_read, file, partial(_of_parquet, path)))]
    return []


def _json(text: str) -> Any:
    return json.loads(text, parse_float=WrittenNumber)


_T = TypeVar("_T")


def _read(file: str, rows: Callable[[], Iterable[_T]]) -> Iterator[_T]:
    try:
        yield from rows()
    except (ValueError, RecursionError, OSError, csv.Error) as error:
        raise InvalidFileError(
            f"Touchstone cannot read {file} ({error}), so the check for leaks cannot continue. Correct the file, "
            "or make the release again."
        ) from error


def flat(value: Any, path: str = "") -> Row:
    """Return a nested value as flat cells.

    >>> flat({"id": 1, "options": ["a", {"b": None}], "meta": {"c": True}})
    {'id': 1, 'options[0]': 'a', 'meta.c': True}
    """
    row: Row = {}
    _flatten(value, path, row, 0)
    return row


def _flatten(value: Any, path: str, found: Row, depth: int) -> None:
    if depth > 30:
        return
    if isinstance(value, Mapping):
        for name, part in value.items():
            _flatten(part, f"{path}.{name}" if path else str(name), found, depth + 1)
    elif isinstance(value, list | tuple):
        for at, part in enumerate(value[:_MOST]):
            _flatten(part, f"{path}[{at}]", found, depth + 1)
    elif isinstance(value, str | int | float | bytes):
        found[path] = value


def _of_csv(path: Path, separator: str) -> Iterator[Row]:
    csv.field_size_limit(LONGEST_CELL)
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        for row in csv.DictReader(file, delimiter=separator):
            cells = flat({str(name): value for name, value in row.items() if value})
            for name, value in list(cells.items()):
                if isinstance(value, str) and value[:1] in "[{":
                    try:
                        cells |= flat(_json(value), name)
                    except (ValueError, RecursionError):
                        continue
            yield cells


def _of_lines(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        for line in file:
            if bare := line.strip():
                blanks = line.rstrip("\n")[len(line.rstrip()) :]
                yield flat(_json(bare)) | ({"(end of the line)": blanks} if blanks else {})


def _of_json(path: Path) -> list[tuple[str, Sequence[Row]]]:
    """Return every list of objects, and every object of objects or values. The names of an object become ``(name)``
    cells.
    """
    whole = _json(path.read_text(encoding="utf-8-sig", errors="replace"))
    tables: list[tuple[str, Sequence[Row]]] = []
    _walk(whole, "", tables, 0)
    return tables


def _walk(value: Any, path: str, found: list[tuple[str, Sequence[Row]]], depth: int) -> None:
    if depth > 8:
        return
    if isinstance(value, list):
        if value and all(isinstance(row, dict) for row in value):
            found.append((path, [flat(row) for row in value]))
            _walk_inside(value, path, found, depth)
    elif isinstance(value, dict):
        named = [{"(name)": name, **flat(_without_tables(part))} for name, part in value.items()]
        found.append((path, named))
        for name, part in value.items():
            _walk(part, f"{path}.{name}" if path else name, found, depth + 1)


def _without_tables(value: Any) -> Any:
    """Return a value of an object as cells of its row, without the parts that are tables of their own."""
    if isinstance(value, dict):
        return {name: part for name, part in value.items() if not _is_table(part)}
    return {} if _is_table(value) else {"(value)": value}


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(row, dict) for row in value)


def _walk_inside(rows: list[Any], path: str, found: list[tuple[str, Sequence[Row]]], depth: int) -> None:
    """Collect the tables inside the rows of a table, joined by their names."""
    inside: dict[str, list[Any]] = {}
    for row in rows:
        for name, value in row.items():
            if isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
                inside.setdefault(name, []).extend(value)
    for name, value in inside.items():
        _walk(value, f"{path}.{name}" if path else name, found, depth + 1)


def _of_parquet(path: Path) -> Iterator[Row]:
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise NotAvailableError(
            "Checking Parquet files requires the package pyarrow. Install Touchstone's extra for release formats."
        ) from error
    with parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=256):
            for row in batch.to_pylist():
                yield flat(row)


# ---- lists in rows ---------------------------------------------------------------------------------------------------


def name_of(column: str) -> str:
    """Return the own name of a column, without its path and without the place in a list.

    >>> name_of("meta.Answers[2]")
    'answers'
    """
    return PLACE.sub("", column).rpartition(".")[2].strip("()").removesuffix("[]").casefold()


def list_of(column: str) -> str | None:
    """Return the list that a column is an entry of, or all of."""
    return column.removesuffix("[]") if column.endswith("[]") else _list_of_entry(column)


def _list_of_entry(column: str) -> str | None:
    match = PLACE.search(column)
    return column[: match.start()] if match is not None and match.end() == len(column) else None


def with_lists(row: Row) -> Iterator[tuple[str, Any]]:
    """Yield the cells of a row, and then each list of plain values as one text, named ``path[]``."""
    lists: dict[str, list[str]] = {}
    for column, value in row.items():
        yield column, value
        name = _list_of_entry(column)
        if name is not None and isinstance(value, str | int | float):
            lists.setdefault(name, []).append(str(value))
    for name, values in lists.items():
        if len(values) < 12:
            yield f"{name}[]", ", ".join(values)


def list_lengths(row: Row) -> Mapping[str, int]:
    """Return the number of entries of each list of a row, named ``path (length)``."""
    return Counter(f"{name} (length)" for column in row if (name := _list_of_entry(column)) is not None)

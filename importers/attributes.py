"""Imports of attributes: a table with a row for each model or item, and a column for each attribute."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from domain import csv_text, json_text
from domain.attributes import NAME, Attribute, name_of, value_of
from domain.errors import InvalidFileError
from domain.json_text import NotJson
from domain.records import BadRow

_LONGEST = 200
_MOST_COLUMNS = 60


@dataclass(frozen=True)
class ReadAttributes:
    """The attributes of each model or item in a file."""

    rows: Sequence[tuple[str, Mapping[str, Attribute], BadRow]]
    """The name of the model or item, its attributes, and the place of the row. An empty cell is no attribute."""
    bad: Sequence[BadRow]


def read_models(path: Path) -> ReadAttributes:
    """Return attributes of models from the column ``model`` and one column each. Raises ``InvalidFileError`` as
    :func:`_read`.
    """
    return _read(path, "model")


def read_labels(path: Path) -> ReadAttributes:
    """Return labels of items from the column ``item`` and one column each.

    Raises ``InvalidFileError`` as :func:`_read`.
    """
    return _read(path, "item")


def _read(path: Path, about: str) -> ReadAttributes:
    """Return all rows of a CSV file, or of a TSV file by its ending.

    Raises
    ------
    InvalidFileError
        The file cannot be read, or its first row does not name the columns.
    """
    try:
        text = json_text.decode(path.read_bytes()).removeprefix("\ufeff")
        if json_text.has_broken_bytes(text):
            raise NotJson(0, "the file is not UTF-8")
        table = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if path.suffix == ".tsv" else ",", strict=True)
        rows = [(table.line_num, cells) for cells in table]
    except (NotJson, csv.Error) as error:
        raise InvalidFileError(f"{path.name}: {error}. Nothing was imported.") from error
    except OSError as error:
        raise InvalidFileError(
            f"Touchstone cannot read {path}: {error.strerror}. Check the path and the permissions."
        ) from error
    head = [name_of(cell) for cell in rows[0][1]] if rows else []
    _check_head(path, head, about)
    at = head.index(about)
    read_rows: list[tuple[str, Mapping[str, Attribute], BadRow]] = []
    bad: list[BadRow] = []
    seen: set[str] = set()
    for number, cells in rows[1:]:
        if not any(cell.strip() for cell in cells):
            continue
        here = BadRow(path.name, number, "", json_text.printable(",".join(cells)))
        texts = [csv_text.unmarked(cell).strip() for cell in cells]
        why = _why_bad(texts, len(head), at, about, seen)
        if why:
            bad.append(BadRow(here.path, number, why, here.raw))
            continue
        seen.add(texts[at])
        attributes = {name: value_of(cell) for name, cell in zip(head, texts, strict=True) if name != about and cell}
        read_rows.append((texts[at], attributes, here))
    return ReadAttributes(read_rows, bad)


def _check_head(path: Path, head: Sequence[str], about: str) -> None:
    wrong = ""
    if about not in head:
        wrong = f"{about} is missing"
    elif len(head) < 2:
        wrong = f"the file has only the column {about}"
    elif len(set(head)) < len(head):
        wrong = f"{next(name for name in head if head.count(name) > 1)} appears twice"
    elif len(head) > _MOST_COLUMNS:
        wrong = f"the file has more than {_MOST_COLUMNS} columns"
    else:
        odd = next((name for name in head if not NAME.fullmatch(name)), None)
        wrong = (
            f"{odd!r} is not a valid name (use letters, digits and _, and start with a letter)"
            if odd is not None
            else ""
        )
    if wrong:
        raise InvalidFileError(
            f"{path.name}, row 1: the header must name the column {about} and a column for each attribute or label, "
            f"but {wrong}. Nothing was imported."
        )


def _why_bad(told: Sequence[str], columns: int, at: int, about: str, seen: set[str]) -> str:
    if len(told) != columns:
        return (
            f"the row has {len(told)} {'cell' if len(told) == 1 else 'cells'}, but the header has {columns}; correct "
            "the row"
        )
    if not told[at]:
        return f"{about} is empty"
    if told[at] in seen:
        return f"{told[at]} is already in an earlier row; keep only one of these rows"
    if any(len(cell) > _LONGEST for cell in told):
        return f"a cell is longer than {_LONGEST} characters; shorten the text"
    return ""

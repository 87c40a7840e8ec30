"""A file of answers to the items of a release: JSON lines or a JSON list of ids and answers, a table of them, or
EgoPlan's own submission (an id and ``label``)."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation_schemas.formats import id_keys
from domain import csv_rows, json_text
from domain.csv_rows import NotTable
from domain.english import with_noun
from domain.errors import InvalidFileError
from domain.json_text import NotJson

IDS = tuple(dict.fromkeys(("id", "item", *id_keys())))
ANSWERS = ("answer", "prediction", "label")
"""The possible names of the answer's key or column. The first one present counts."""
LARGEST = 512 << 20
LONGEST = 1_000_000
"""Characters of an answer."""
_NONE = ("", "n/a")
"""The texts for a missing answer."""
_SHOWN = 3


@dataclass(frozen=True)
class SubmissionFile:
    """The answers in a submission file."""

    name: str
    sha256: str
    answers: Mapping[str, Any]
    """The answers by id, in the order of the file: a text, number, truth value or list; None for a declared missing
    answer.
    """


def read_submission(path: Path) -> SubmissionFile:
    """Return all answers of a file.

    Raises
    ------
    InvalidFileError
        The file is unreadable or incomplete, has no ids and answers, or answers an item twice. No answer is scored.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise InvalidFileError(
                f"{path} is larger than {LARGEST >> 20} MB. Nothing was scored. Remove all data except the answers."
            )
        data = path.read_bytes()
    except OSError as error:
        raise InvalidFileError(
            f"Touchstone cannot read {path}: {error.strerror}. Check the path and the permissions."
        ) from error
    try:
        text = json_text.decode(data).removeprefix("\ufeff")
        if json_text.has_broken_bytes(text):
            raise NotJson(0, "the file is not UTF-8; save the file as UTF-8, then try again")
        if not text.strip():
            raise NotJson(0, "it is empty")
        rows = list(_of_json(path, text) if text.lstrip()[0] in "[{" else _of_table(path, text))
    except (NotJson, NotTable) as error:
        raise InvalidFileError(f"Touchstone cannot read {path}: {error}. Nothing was scored.") from error
    twice = [id for id, n in Counter(id for id, _ in rows).items() if n > 1]
    if twice:
        named = ", ".join(twice[:_SHOWN])
        raise InvalidFileError(
            f"{path} has more than one answer to {with_noun(len(twice), 'item')} ({named}"
            f"{', ...' if len(twice) > _SHOWN else ''}). Nothing was scored. Keep only one answer to each item."
        )
    if not rows:
        raise InvalidFileError(f"{path} contains no answers. Nothing was scored. Choose a file with answers.")
    return SubmissionFile(path.name, hashlib.sha256(data).hexdigest(), dict(rows))


def _of_json(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    for number, piece in enumerate(json_text.split(text).pieces, 1):
        if piece.problem:
            raise NotJson(0, f"row {number}: {piece.problem}")
        try:
            record = json_text.loaded(piece.raw)
        except NotJson as error:
            raise NotJson(0, f"row {number}: {error}") from error
        id = record.get(_key(record, IDS, number))
        if isinstance(id, bool) or not isinstance(id, str | int):
            raise NotJson(0, f"row {number}: the id must be text or a whole number")
        yield str(id), _value(record.get(_key(record, ANSWERS, number)), number)


def _of_table(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    table = csv_rows.table(csv_rows.lines_of(text), (*IDS, *ANSWERS))
    columns = table.layout.columns
    id, answer = _key(columns, IDS, 1), _key(columns, ANSWERS, 1)
    for number, row in enumerate(table.rows(), 2):
        if row.problem:
            raise NotTable(f"row {number}: {row.problem}")
        cells = csv_rows.by_column(row.cells, columns)
        yield cells.get(id, "").strip(), _value(cells.get(answer), number)


def _key(there: Sequence[str] | Mapping[str, Any], names: Sequence[str], number: int) -> str:
    key_column = next((name for name in names if name in there), None)
    if key_column is None:
        raise NotJson(0, f"row {number} has no {' or '.join(names)}; every row needs an id and an answer")
    return key_column


def _value(value: Any, number: int) -> Any:
    if isinstance(value, str):
        if len(value) > LONGEST:
            raise NotJson(0, f"row {number}: the answer has more than {LONGEST:,} characters; shorten the answer")
        return None if value.strip().casefold() in _NONE else json_text.showable(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return json_text.showable(value)

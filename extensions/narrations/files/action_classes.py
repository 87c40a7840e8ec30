"""EPIC-KITCHENS' classes of verbs and nouns: CSV with ``id,key,instances``, where instances are a list in a cell."""

from __future__ import annotations

from pathlib import Path

from domain import csv_rows
from domain.errors import InvalidFileError
from extensions.narrations.files.list_cells import texts
from extensions.narrations.files.narration_rows import of_file
from extensions.narrations.rules.phrases import Classes
from importers.list_cells import NotList

_COLUMNS = ("id", "key", "instances")


def read_classes(verbs: Path, nouns: Path) -> tuple[Classes, dict[str, str]]:
    """Return the classes of both files, and the SHA-256 of each file.

    Raises
    ------
    InvalidFileError
        A file is no table of classes, or a row is invalid. Without a class, the same action in other words would
        count as another action.
    """
    vocabularies, hashes = [], {}
    for file in (verbs, nouns):
        by_word, hashes[file.name] = _read(file)
        vocabularies.append(by_word)
    return Classes(*vocabularies), hashes


def _read(file: Path) -> tuple[dict[str, int], str]:
    text, sha256 = of_file(file)
    try:
        table = csv_rows.table(csv_rows.lines_of(text), _COLUMNS)
    except csv_rows.NotTable as error:
        raise InvalidFileError(f"{file.name}: {error}.") from error
    if lacking := [name for name in _COLUMNS if name not in table.layout.columns]:
        raise InvalidFileError(
            f"{file.name} has no column {lacking[0]}. A table of classes needs the columns {', '.join(_COLUMNS)}."
        )
    at = [table.layout.columns.index(name) for name in _COLUMNS]
    ids_by_word: dict[str, int] = {}
    for row in table.rows():
        id, key, instances = (row.cells[column] for column in at) if row.problem is None else ("", "", "")
        try:
            words = texts(instances)
        except NotList as error:
            raise InvalidFileError(f"{file.name}, line {row.line}, instances: {error}. Correct the line.") from error
        if row.problem or not id.isascii() or not id.isdecimal() or len(id) > 9:
            raise InvalidFileError(
                f"{file.name}, line {row.line}: {row.problem or f'the ID {id[:40]!r} is not a number'}. Correct "
                "the line."
            )
        for word in (key, *words):
            ids_by_word.setdefault(word.casefold(), int(id))
    return ids_by_word, sha256

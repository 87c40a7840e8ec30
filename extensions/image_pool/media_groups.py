"""Groups of images and clips: the files for one new item, each with its role."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation_schemas.formats import ColumnMapping
from domain import csv_rows, json_text
from domain.csv_rows import NotTable
from domain.errors import InvalidFileError, InvalidMediaError
from importers.item_tables import TableReader
from importers.media_files import UNSUPPORTED, MediaFolder, files_below, kind_of

JSON_LINES = (".jsonl", ".ndjson")
GROUP, ROLE, FILE, DIMENSION, SOURCE = "group", "role", "file", "dimension", "source"
_OF_GROUP = (GROUP, DIMENSION, SOURCE)
_NUMBERED = re.compile(r"(.+)_\d+")


@dataclass
class MediaGroup:
    """The files that one item is to be written about."""

    name: str
    where: str
    """The place where the group is first named, for people."""
    files: list[tuple[str, Path]] = field(default_factory=list)
    """Role and file, in order."""
    dimension: str | None = None
    source: str | None = None
    problem: str | None = None
    """Why the group cannot be imported."""

    def refuse(self, why: str) -> None:
        """Note why the group cannot be imported. The first reason stays."""
        self.problem = self.problem or why


def groups_of_table(
    table: Path, folder: Path, *, roles: Sequence[str], columns: Mapping[str, str] | None = None
) -> list[MediaGroup]:
    """Return the groups in a table (CSV or a workbook) or in JSON lines, in order.

    A row is a file (``group``, ``role``, ``file``), or a group with a column for each role (``before``, ``after``,
    ``reference_1``, ``reference_2``; in JSON also lists). Columns ``dimension`` and ``source`` are optional.

    Parameters
    ----------
    folder
        The folder of the files.
    columns
        The columns with other names in the file: ``{"group": "Nr", "before": "Bild 1"}``.

    Raises
    ------
    InvalidFileError
        The file cannot be read, lacks a column, or has an unknown column.
    """
    there = MediaFolder(folder)
    renamed = {column: name for name, column in (columns or {}).items()}
    media_groups: dict[str, MediaGroup] = {}
    rows = _lines(table) if table.suffix.lower() in JSON_LINES else _rows(table, [*renamed, *_OF_GROUP, *roles])
    head: set[str] = set()
    for where, row in rows:
        record = {renamed.get(key, key): value for key, value in row.items()}
        head |= row.keys()
        _must_be_known(table.name, record, roles)
        name = str(record.get(GROUP) or "").strip()
        group = media_groups.setdefault(name, MediaGroup(name, where))
        if not name:
            group.refuse(f"{where} has no group; add a group name")
        _say_of_group(group, record, where)
        for role, file in _files(record, roles):
            _take(group, role, file, where, there, roles)
    if missing := sorted(renamed.keys() - head):
        raise InvalidFileError(
            f"{table.name} has no column {missing[0]!r} for {renamed[missing[0]]}. Correct the column mapping."
        )
    if not media_groups:
        raise InvalidFileError(f"{table.name} has no groups. Add at least one row.")
    return _in_order(media_groups.values(), roles)


def groups_of_folders(folder: Path, *, roles: Sequence[str]) -> list[MediaGroup]:
    """Return a group for each folder with files. A file has its role as its name, or ``<role>_1``, ``<role>_2``, ..."""
    media_groups: dict[str, MediaGroup] = {}
    for name, path in files_below(folder):
        of, _, file = name.rpartition("/")
        group = media_groups.setdefault(of, MediaGroup(of, of, source=of.rpartition("/")[0] or None))
        if not of:
            group.where = group.name = file
            group.refuse(f"{file} is not in a group's folder; move the file into the folder of its group")
        role = _role(Path(file).stem, roles)
        if role is None:
            group.refuse(f"{name}: {no_role(Path(file).stem, roles)}")
        elif kind_of(path) is None and path.suffix.lower() not in UNSUPPORTED:  # the store names the remedy for these
            group.refuse(f"{name} is not an image or clip; remove the file from the folder")
        else:
            group.files.append((role, path))
    return _in_order(media_groups.values(), roles)


def _in_order(groups: Iterable[MediaGroup], roles: Sequence[str]) -> list[MediaGroup]:
    """Return the groups with their files in the order of the schema's roles."""
    media_groups = [*groups]
    for group in media_groups:
        group.files.sort(key=lambda each: roles.index(each[0]))
    return media_groups


def no_role(name: str, roles: Sequence[str]) -> str:
    """Return the error for a name that is not a role."""
    return f"items of this project have no role {name!r} (known roles: {', '.join(roles) or 'none'})"


def _role(name: str, roles: Sequence[str]) -> str | None:
    numbered = _NUMBERED.fullmatch(name)
    return name if name in roles else numbered[1] if numbered and numbered[1] in roles else None


def _must_be_known(file: str, record: Mapping[str, Any], roles: Sequence[str]) -> None:
    long = {ROLE, FILE} & record.keys()
    if GROUP not in record:
        raise InvalidFileError(
            f"{file} has no column {GROUP!r}. If the column has another name, use --column {GROUP}=COLUMN."
        )
    if long and long != {ROLE, FILE}:
        (lacking,) = {ROLE, FILE} - long
        raise InvalidFileError(
            f"{file} has no column {lacking!r}. If the column has another name, use --column {lacking}=COLUMN."
        )
    for key in record:
        if key and key not in (*_OF_GROUP, *long) and _role(key, roles) is None:
            raise InvalidFileError(
                f"{file} has a column {key!r}: {no_role(key, roles)}. Name the column's role with --column ROLE={key}."
            )


def _say_of_group(group: MediaGroup, record: Mapping[str, Any], where: str) -> None:
    for key in (DIMENSION, SOURCE):
        value = str(record.get(key) or "").strip() or None
        before = getattr(group, key)
        if value is not None and before not in (None, value):
            group.refuse(
                f"{where} has {key} {value!r}, but an earlier row has {before!r}; use the same "
                "value in all rows of the group"
            )
        setattr(group, key, before or value)


def _files(record: Mapping[str, Any], roles: Sequence[str]) -> Iterator[tuple[str, str]]:
    if ROLE in record:
        yield str(record[ROLE] or "").strip(), str(record[FILE] or "").strip()
        return
    for key, value in record.items():
        if (role := _role(key, roles)) is not None:
            for file in value if isinstance(value, list) else [value]:
                if str(file or "").strip():
                    yield role, str(file).strip()


def _take(group: MediaGroup, role: str, file: str, where: str, there: MediaFolder, roles: Sequence[str]) -> None:
    try:
        path = there.named(file, folders=("",)) if file else None
    except InvalidMediaError as error:
        group.refuse(f"{where}: {error}")
        return
    if role not in roles:
        group.refuse(f"{where}: {no_role(role, roles)}")
    elif not file:
        group.refuse(f"{where} has no file for {role}; add the file")
    elif path is None:
        group.refuse(f"{where}: there is no image or clip {file!r} in the folder; add the file, or correct the name")
    else:
        group.files.append((role, path))


def _rows(table: Path, known: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    if not table.is_file():
        raise InvalidFileError(f"The file {table} does not exist. Check the path.")
    try:
        read = csv_rows.table(csv_rows.lines_of(TableReader.text(table, ColumnMapping()).text), [*known, ROLE, FILE])
    except NotTable as error:
        raise InvalidFileError(f"{table.name}: {error}.") from error
    for row in read.rows():
        if row.problem is not None:
            raise InvalidFileError(f"{table.name} (line {row.line}): {row.problem}.")
        yield f"{table.name} (line {row.line})", dict(zip(read.layout.columns, row.cells, strict=True))


def _lines(table: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(TableReader.text(table, ColumnMapping()).text.splitlines(), 1):
        if not line.strip():
            continue
        where = f"{table.name} (line {number})"
        try:
            record = json.loads(line, object_pairs_hook=json_text.once)
        except ValueError as error:
            raise InvalidFileError(f"{where} is not valid JSON: {error}. Correct the line.") from error
        if not isinstance(record, dict):
            raise InvalidFileError(
                f'{where} is not an object such as {{"group": "g1", "role": "before", "file": "1.png"}}.'
            )
        yield where, record

"""Files of models' answers: the files below a path, and the facts in their names and folders."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from annotation_schemas.formats import (
    ReadPredictions,
    dimension_named,
    dimension_of_folder,
    name_of_rater,
)
from annotation_schemas.model import Schema
from domain import json_text
from domain.errors import InvalidFileError
from domain.json_text import NotJson
from domain.no_answer import settled
from domain.records import BadRow, PredictionRecord
from importers.unread_keys import unread_note, vote_warnings

Rows = Iterator[tuple[PredictionRecord | None, BadRow]]
"""The answers of a file with where they stood; None where a row does not fit, with the reason."""

LARGEST = 512 * 1024 * 1024
"""Bytes that are read of one text."""
LONGEST = 1_000_000
"""Characters that an answer may have."""
MOST_ROWS = 500_000
"""The largest number of answers in one import."""
_HEAD = 1 << 16
_KEPT = 2_000
"""Characters of a row that are written down where it does not fit."""


@dataclass(frozen=True)
class AnswerFile:
    """A file of answers, with the facts that hold for all of its rows."""

    path: Path
    place: str
    """The file's name in rows and messages: its path below the imported folder, or its own name."""
    single: bool
    """The file was named directly, so it must hold answers."""
    schema: Schema
    dimension: str | None = None
    model: str | None = None
    """The model that answered, whatever the file states."""
    data_sets: Sequence[str] = ()
    """Names of this data set, which a file's name may end with."""
    unread: dict[str, None] = field(default_factory=dict)
    """Keys or columns that its reader has met and does not read."""

    @cached_property
    def head(self) -> str:
        """Return the beginning of the file without byte order mark and white space, long enough to recognize its
        format.
        """
        try:
            with self.path.open("rb") as stream:
                return stream.read(_HEAD).decode("utf-8", "surrogateescape").lstrip("\ufeff \t\r\n")
        except OSError as error:
            raise InvalidFileError(
                f"Touchstone cannot read {self.path}: {error.strerror}. Check the path and the permissions."
            ) from error

    @property
    def unknown(self) -> str:
        """Return the error for a file without the name of a model."""
        return f"the model is missing from the row and from the file name {self.path.name}; name the model with --model"

    def text(self) -> str:
        """Return the whole text. Raises ``InvalidFileError`` for a file that is too large or not UTF-8.

        Single bytes that are not UTF-8 become surrogates.
        """
        try:
            if self.path.stat().st_size > LARGEST:
                raise InvalidFileError(
                    f"{self.place} is larger than {LARGEST >> 20} MB. Nothing was imported. Split the file into "
                    "several files."
                )
            return json_text.decode(self.path.read_bytes()).removeprefix("\ufeff")
        except NotJson as error:
            raise InvalidFileError(f"{self.place}, row 1: {error}. Nothing was imported.") from error
        except OSError as error:
            raise InvalidFileError(
                f"Touchstone cannot read {self.path}: {error.strerror}. Check the path and the permissions."
            ) from error

    def value(self, **how: Any) -> Any:
        """Return the JSON value in the file. Raises ``InvalidFileError`` with the place of a syntax error."""
        text = self.text()
        try:
            if json_text.has_broken_bytes(text):
                raise NotJson(0, "the file is not UTF-8")
            return json_text.loaded(text, **how)
        except NotJson as error:
            raise InvalidFileError(
                f"Touchstone cannot read {self.place}: {error} ({json_text.place(text, error.at)}). Nothing was "
                "imported. Copy the file again, or save the file again with the program that wrote it."
            ) from error

    def named(self) -> str | None:
        """Return the model in ``<model>_<dataset>.xlsx``, if a folder above has its name, or a known data set follows.

        Both parts may contain underscores, so with more than one underscore the name alone does not show where the
        model ends.
        """
        stem = self.path.stem
        for folder in self.path.resolve().parents:
            if folder.name and stem.startswith(f"{folder.name}_"):
                return folder.name
        for name in self.data_sets:
            if name and stem.casefold().endswith(f"_{name.casefold()}"):
                return stem[: -len(name) - 1]
        before, line, _ = stem.partition("_")
        return before if line and stem.count("_") == 1 and before else None

    def here(self, number: int, raw: str = "", reason: str = "") -> BadRow:
        """Return the place of a row, with the reason why it is invalid."""
        raw = raw[:_KEPT]
        try:
            raw = json_text.printable(raw)
        except UnicodeEncodeError:  # an escape in the file names half a character
            raw = json_text.showable(raw)
        return BadRow(self.place, number, json_text.showable(reason), raw)


def read_answers(
    path: Path,
    rows: Callable[[AnswerFile], Rows],
    endings: Collection[str],
    *,
    schema: Schema,
    dimension: str | None,
    model: str | None,
    project: str,
) -> ReadPredictions:
    """Return the answers that ``rows`` finds in a file, or in all files with these endings below a folder.

    An answer that is too long makes its row invalid. Placeholders for a missing answer are read as missing.

    Parameters
    ----------
    model
        The model, instead of the one in rows, names and folders.
    project
        The project's name, which the names of tables may end with: ``<model>_<project>.xlsx``.

    Raises
    ------
    InvalidFileError
        No file can be read, a file has no records or too many, or ``dimension`` is not in the
        schema.
    """
    single = not path.is_dir()
    fixed = dimension_named(schema, dimension) if dimension else None
    if dimension and fixed is None:
        known = ", ".join(part.id for part in schema.dimensions)
        raise InvalidFileError(f"{schema.title} has no dimension {dimension!r}. Use one of: {known}.")
    good: list[tuple[PredictionRecord, BadRow]] = []
    bad: list[BadRow] = []
    hashes: dict[str, str] = {}
    unread: dict[str, Sequence[str]] = {}
    for answer_file in [path] if single else answer_files(path, endings):
        place = answer_file.name if single else answer_file.relative_to(path).as_posix()
        named = fixed or dimension_of_file(schema, answer_file)
        file = AnswerFile(
            answer_file, place, single, schema, named.id if named else None, model, (project, schema.name, schema.title)
        )
        hashes[place] = _sha256(answer_file)
        for answer, here in rows(file):
            if answer is None:
                bad.append(here)
            elif len(answer.text) > LONGEST:
                reason = f"the answer has {len(answer.text):,} characters, but at most {LONGEST:,} are allowed"
                bad.append(replace(here, reason=reason))
            else:
                good.append((settled(answer if model is None else by(answer, model)), here))
            if len(good) + len(bad) > MOST_ROWS:
                raise InvalidFileError(
                    f"{place} has more than {MOST_ROWS:,} rows (including rows of earlier files). "
                    "Nothing was imported. Import fewer files at once, or split the file."
                )
        if file.unread:
            unread[place] = tuple(file.unread)
    return ReadPredictions(good, bad, hashes, unread)


def told_of_unread(read: ReadPredictions, used: Collection[str]) -> tuple[list[str], list[str]]:
    """Return notes and warnings about unused keys. ``used`` are columns that hold items' options."""
    left = {place: [name for name in names if name not in used] for place, names in read.unread.items()}
    every = tuple(dict.fromkeys(name for names in left.values() for name in names))
    notes = [unread_note(every, what="key", end="the values are not imported")] if every else []
    return notes, [warning for place, names in left.items() for warning in vote_warnings(place, names)]


def by(record: PredictionRecord, model: str) -> PredictionRecord:
    """Return the answer as that of another model. Raises ``Misfit`` for an invalid name."""
    return replace(record, model=name_of_rater(model, "model"))


def answer_files(folder: Path, endings: Collection[str]) -> list[Path]:
    """Return the files of answers below a folder. If it has ``model_answer`` folders, only files in them are
    returned.
    """
    files: list[Path] = []
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        files += [
            Path(where) / name for name in names if name.lower().endswith(tuple(endings)) and not name.startswith(".")
        ]
    files.sort()
    if not files:
        ordered = sorted(endings, key=list(_TOLD_FIRST).index) if set(endings) <= set(_TOLD_FIRST) else list(endings)
        named = " or ".join([", ".join(ordered[:-1]), ordered[-1]] if len(ordered) > 1 else ordered)
        raise InvalidFileError(
            f"{folder} has no {named} file. Choose a file with answers, or a folder that contains files with answers."
        )
    return [file for file in files if file.parent.name == "model_answer"] or files


_TOLD_FIRST = (".jsonl", ".json", ".xlsx", ".tsv", ".csv", ".eval")


def dimension_of_file(schema: Schema, file: Path) -> Any:
    """Return the dimension that the nearest folder around the file names."""
    parts = file.resolve().parent.parts
    for end in range(len(parts), 1, -1):
        dimension = dimension_of_folder(schema, parts[:end])
        if dimension:
            return dimension
    return schema.dimensions[0] if len(schema.dimensions) == 1 else None


def _sha256(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InvalidFileError(
            f"Touchstone cannot read {file}: {error.strerror}. Check the path and the permissions."
        ) from error

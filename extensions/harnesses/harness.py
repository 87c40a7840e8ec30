"""A harness, which is a program that asks models: how its files are recognized and read.

The row of its format has a ``Harness`` as its reader. ``predictions`` asks every harness whether a file belongs to it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from annotation_schemas.formats import ReadPredictions, Takes, keys_of_source, reading
from annotation_schemas.model import Schema
from domain import json_text
from domain.errors import InvalidFileError
from extensions.harnesses.shown_options import is_option_column
from importers.answer_files import AnswerFile, Rows, read_answers


@dataclass(frozen=True)
class Harness:
    """A harness: how its files are recognized and read. A call reads a file or a folder."""

    meaning: str
    """The name of its files, as the end of a sentence: ``not a log of Inspect``."""
    recognises: Callable[[AnswerFile], bool]
    """Return whether a file belongs to the harness, by its content. An incomplete file counts if its beginning fits."""
    rows: Callable[[AnswerFile], Rows]
    endings: tuple[str, ...] = (".json", ".jsonl")
    """The endings of such files, in lower case."""

    def __call__(
        self, path: Path, *, schema: Schema, dimension: str | None = None, model: str | None = None, project: str = ""
    ) -> ReadPredictions:
        """Return all answers of a file, or of all files of this harness below a folder.

        Raises
        ------
        InvalidFileError
            No such file exists, a file cannot be read, or the schema does not have ``dimension``.
        """

        def taken(file: AnswerFile) -> Rows:
            if self.recognises(file):
                answer_files.append(file)
                yield from self.rows(file)
            elif file.single:
                raise InvalidFileError(f"{file.place} is not a {self.meaning}. {_OTHERWISE}")

        answer_files: list[AnswerFile] = []
        read = read_answers(path, taken, self.endings, schema=schema, dimension=dimension, model=model, project=project)
        if not answer_files:
            raise InvalidFileError(f"{path} contains no {self.meaning}. {_OTHERWISE}")
        return replace(read, hashes={file.place: read.hashes[file.place] for file in answer_files})


_OTHERWISE = "Nothing was imported. Use the format `predictions`, which recognizes files by their content."


def harnesses() -> list[Harness]:
    """Return the harnesses whose files can be read, in the order of their rows."""
    return [row.reads for row in reading(Takes.ANSWERS) if isinstance(row.reads, Harness)]


# ---- which keys of a record are read

_ASKED = ("question", "prompt")


def name_unread(file: AnswerFile, record: Any, bookkeeping: Collection[str] = ()) -> None:
    """Note the keys of another program's record that are neither ids, nor the question, nor options.

    ``bookkeeping`` are keys that are irrelevant for an answer, or that the reader uses.
    """
    if not isinstance(record, Mapping):
        return
    keys = keys_of_source(file.schema)
    known = {*_OURS, *_THEIRS, *_ASKED, *bookkeeping, *((keys.id_key,) if keys and keys.id_key else ())}
    for name, value in record.items():
        if name in known or is_option_column(str(name)) or (isinstance(value, Mapping) and ids_in(file.schema, value)):
            continue
        file.unread[str(name)] = None


# ---- which item a record is about -----------------------------------------------------------------------------------

_OURS = ("item", "item_id")
_THEIRS = ("question_id", "id", "qid", "uid", "index", "idx")


def ids_in(schema: Schema, *records: Any) -> tuple[str, ...]:
    """Return the possible item ids in other programs' records, the most certain first.

    A whole number counts only under a name that means an id: ``item``, ``item_id``, or the id key of this schema's
    files. Under any other name it may be a count.
    """
    keys = keys_of_source(schema)
    ours = (*_OURS, *((keys.id_key,) if keys and keys.id_key else ()))
    records = tuple(record for record in records if isinstance(record, Mapping))
    sure = [_id(record[name]) for name in ours for record in records if name in record]
    texts = [record[name] for name in _THEIRS for record in records if isinstance(record.get(name), str)]
    ids = (_id(candidate) for candidate in (*sure, *(text for text in texts if not text.strip().isdigit())))
    return tuple(dict.fromkeys(item_id for item_id in ids if item_id))


def _id(value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    text = json_text.showable(str(value))
    return text if text.strip() and len(text) <= 300 else None

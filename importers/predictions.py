"""Models' answers as JSON lines ``{"item", "model", "text"}``.

An extension reads further files of this format (``Extension.readers``), those of other programs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from annotation_schemas.formats import Misfit, ReadPredictions, name_of_rater
from annotation_schemas.model import Schema
from domain import extensions, json_text
from domain.errors import InvalidFileError, NotAvailableError
from domain.json_text import NotJson
from domain.records import PredictionRecord
from importers.answer_files import AnswerFile, Rows, read_answers
from importers.unread_keys import ReadKeys, quoted_names

KEYS = ("item", "model", "text")
OWN = ("read", "answer_id", "tstamp", "dimension")
"""Keys of our own exports and of FastChat's that are redundant."""


def read_predictions(
    path: Path, *, schema: Schema, dimension: str | None = None, model: str | None = None, project: str = ""
) -> ReadPredictions:
    """Return all answers of a file, or of all files of answers below a folder. The arguments are those of
    ``importers.answer_files.read_answers``.

    Raises
    ------
    InvalidFileError
        No file can be read, a file has no records, or the schema does not have ``dimension``.
    NotAvailableError
        A file has further keys. They may hold options, so that a letter means one of these, and no extension is here
        that reads them.
    """
    endings = (".jsonl", ".json")
    return read_answers(path, _rows, endings, schema=schema, dimension=dimension, model=model, project=project)


def _rows(file: AnswerFile) -> Rows:
    keys = ReadKeys((*KEYS, *OWN))
    for number, piece in enumerate(pieces_of(file.path)[1], 1):
        try:
            if piece.problem:
                raise Misfit(piece.problem)
            record = json_text.values(piece.raw, keys)
            if keys.unread:
                away = extensions.missing("readers", "predictions") or (
                    "No installed extension reads these keys. Remove the keys, or install an extension that "
                    "reads these keys."
                )
                raise NotAvailableError(f"{file.place} has the keys {quoted_names([*keys.unread])}. {away}")
            yield answer_of(record, file), file.here(number, piece.raw)
        except (Misfit, NotJson) as error:
            yield None, file.here(number, piece.raw, str(error))


def pieces_of(file: Path) -> tuple[str, Sequence[json_text.Piece]]:
    """Return the text of a file, and its records. Raises ``InvalidFileError`` for a file without any."""
    try:
        text = json_text.decode(file.read_bytes())
        return text, json_text.split(text).pieces
    except NotJson as error:
        raise InvalidFileError(f"{file.name}, row 1: {error}. Nothing was imported.") from error
    except OSError as error:
        raise InvalidFileError(
            f"Touchstone cannot read {file}: {error.strerror}. Check the path and the permissions."
        ) from error


def answer_of(record: Mapping[str, Any], file: AnswerFile) -> PredictionRecord:
    """Return the answer in a record with an item, a model and a text. Raises ``Misfit`` for any other record."""
    item = record.get("item")
    if isinstance(item, int) and not isinstance(item, bool):
        item = str(item)
    if not isinstance(item, str) or not item:
        raise Misfit("item is missing")
    model = name_of_rater(file.model or text_of(record, "model"), "model")
    return PredictionRecord(model, text_of(record, "text", empty=True), item=item)


def text_of(record: Mapping[str, Any], key: str, *, empty: bool = False) -> str:
    """Return a text of a record. Raises ``Misfit`` if the record has none, or an empty one and ``empty`` is False."""
    value = record.get(key)
    if not isinstance(value, str) or (not value.strip() and not empty):
        raise Misfit(f"{key} is missing")
    return value

"""Models' answers in: JSON lines ``{"item", "model", "text"}``, or FastChat's ``model_answer/*.jsonl``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation_schemas.formats import Misfit, dimension_named, dimension_of_folder, short, whole_number
from annotation_schemas.model import Schema
from domain import json_text
from domain.errors import FileRefused
from domain.json_text import NotJson
from domain.records import BadRow, PredictionRecord
from importers.items import annotation_files

_KEYS = ("item", "model", "text", "question_id", "model_id", "choices")


@dataclass(frozen=True)
class ReadPredictions:
    """The answers that were found, each with where it stood, and the rows that do not fit."""

    rows: Sequence[tuple[PredictionRecord, BadRow]]
    """The second says where the first came from; its reason is empty."""
    bad: Sequence[BadRow] = ()


def read_predictions(path: Path, *, schema: Schema, dimension: str | None = None) -> ReadPredictions:
    """All answers of a file, or of all .jsonl and .json files below a folder.

    Raises
    ------
    FileRefused
        There is nothing to read, a file holds no records, or ``dimension`` is not one of the schema.
    """
    single = not path.is_dir()
    fixed = dimension_named(schema, dimension) if dimension else None
    if dimension and fixed is None:
        known = ", ".join(part.id for part in schema.dimensions)
        raise FileRefused(f"{schema.title} has no dimension {dimension!r}; it has {known}.")
    rows: list[tuple[PredictionRecord, BadRow]] = []
    bad: list[BadRow] = []
    for file in [path] if single else answer_files(path):
        place = file.name if single else file.relative_to(path).as_posix()
        named = fixed or _dimension_of(schema, file)
        for number, piece in enumerate(_pieces(file), 1):
            here = BadRow(place, number, "", json_text.printable(piece.raw))
            try:
                if piece.problem:
                    raise Misfit(piece.problem)
                rows.append((_prediction(json_text.values(piece.raw, _KEYS), named.id if named else None), here))
            except (Misfit, NotJson) as error:
                bad.append(BadRow(place, number, str(error), here.raw))
    return ReadPredictions(rows, bad)


def answer_files(folder: Path) -> list[Path]:
    """The files of answers below a folder. Where there are ``model_answer`` folders, only what lies in them is one."""
    found = annotation_files(folder, None)
    return [file for file in found if file.parent.name == "model_answer"] or found


def _dimension_of(schema: Schema, file: Path) -> Any:
    """The dimension that the nearest folder around the file names."""
    parts = file.resolve().parent.parts
    for end in range(len(parts), 1, -1):
        found = dimension_of_folder(schema, parts[:end])
        if found:
            return found
    return schema.dimensions[0] if len(schema.dimensions) == 1 else None


def _pieces(file: Path) -> Sequence[json_text.Piece]:
    try:
        return json_text.split(json_text.decode(file.read_bytes())).pieces
    except NotJson as error:
        raise FileRefused(f"{file.name}, row 1: {error}. Nothing was imported.") from error
    except OSError as error:
        raise FileRefused(f"{file} cannot be read: {error.strerror}.") from error


def _prediction(record: Mapping[str, Any], dimension: str | None) -> PredictionRecord:
    if "question_id" in record and "item" not in record:
        position = whole_number(record["question_id"], "question_id")
        if dimension is None:
            raise Misfit(
                "nothing says its dimension; put the file in the dimension's folder or name it with --dimension"
            )
        model = _text(record, "model_id")
        return PredictionRecord(
            short(model, "model_id"), _first_turn(record.get("choices")), dimension=dimension, position=position
        )
    item = record.get("item")
    if isinstance(item, int) and not isinstance(item, bool):
        item = str(item)
    if not isinstance(item, str) or not item:
        raise Misfit("it has no item")
    return PredictionRecord(short(_text(record, "model"), "model"), _text(record, "text", empty=True), item=item)


def _first_turn(choices: Any) -> str:
    try:
        turn = choices[0]["turns"][0]
    except (TypeError, LookupError):
        turn = None
    if not isinstance(turn, str):
        raise Misfit("it has no choices[0].turns[0]")
    return turn


def _text(record: Mapping[str, Any], key: str, *, empty: bool = False) -> str:
    value = record.get(key)
    if not isinstance(value, str) or (not value.strip() and not empty):
        raise Misfit(f"it has no {key}")
    return value

"""Models' answers in: JSON lines ``{"item", "model", "text"}``, FastChat's ``model_answer/*.jsonl``, VLMEvalKit's.

What another harness writes in place of an answer that it did not get (``domain.no_answer``) is read as that.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from annotation_schemas.formats import (
    Misfit,
    ReadPredictions,
    dimension_named,
    dimension_of_folder,
    short,
    whole_number,
)
from annotation_schemas.model import Schema
from domain import json_text
from domain.errors import FileRefused
from domain.json_text import NotJson
from domain.no_answer import settled
from domain.records import BadRow, PredictionRecord
from domain.runs import Outcome
from importers.spreadsheets import LONGEST_CELL, OTHER_SUFFIXES, SUFFIXES, Cell, lines_of_table

_KEYS = ("item", "model", "text", "question_id", "model_id", "choices", "index", "prediction", "question")
_WANTS = "the columns index (or item) and prediction"


@dataclass(frozen=True)
class _File:
    """A file of answers and what is known about all of its rows."""

    path: Path
    place: str
    dimension: str | None
    model: str | None
    """Who answered, where a row does not say it."""
    unknown: str
    """What to say where no one says it."""


def read_predictions(
    path: Path, *, schema: Schema, dimension: str | None = None, model: str | None = None, project: str = ""
) -> ReadPredictions:
    """All answers of a file, or of all files of answers below a folder.

    Parameters
    ----------
    model
        Who answered, instead of the person who rows or the file's name say it was.
    project
        The project's name, which the names of tables may end with: ``<model>_<project>.xlsx``.

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
    hashes: dict[str, str] = {}
    data_sets = (project, schema.name, schema.title)
    for found in [path] if single else answer_files(path):
        place = found.name if single else found.relative_to(path).as_posix()
        named = fixed or dimension_of_file(schema, found)
        who = model or (_model_of(found, data_sets) if found.suffix.lower() in SUFFIXES else None)
        file = _File(found, place, named.id if named else None, who, _unknown_model(found))
        hashes[place] = _sha256(found)
        for read, here in _rows_of(file, single):
            if isinstance(read, PredictionRecord):
                rows.append((settled(read if model is None else _by(read, model)), here))
            else:
                bad.append(here)
    return ReadPredictions(rows, bad, hashes)


def answer_files(folder: Path) -> list[Path]:
    """The files of answers below a folder. Where there are ``model_answer`` folders, only what lies in them is one."""
    found: list[Path] = []
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        endings = (".json", ".jsonl", *SUFFIXES)
        found += [Path(where) / name for name in names if name.lower().endswith(endings) and not name.startswith(".")]
    found.sort()
    if not found:
        raise FileRefused(
            f"{folder} holds no .jsonl, .json, .xlsx, .tsv or .csv file. Give a file of answers, or the folder that "
            "holds them."
        )
    return [file for file in found if file.parent.name == "model_answer"] or found


# ---- rows -----------------------------------------------------------------------------------------------------------


def _rows_of(file: _File, single: bool) -> Iterator[tuple[PredictionRecord | None, BadRow]]:
    """The answers of a file with where they stood; None where a row does not fit."""
    if file.path.suffix.lower() in SUFFIXES:
        yield from _table_rows(file, single)
        return
    if file.path.suffix.lower() in OTHER_SUFFIXES:
        raise FileRefused(
            f"{file.place} is no kind of spreadsheet that is read. Nothing was imported; save it as .xlsx."
        )
    for number, piece in enumerate(_pieces(file.path), 1):
        raw = json_text.printable(piece.raw)
        try:
            if piece.problem:
                raise Misfit(piece.problem)
            yield _prediction(json_text.values(piece.raw, _KEYS), file), BadRow(file.place, number, "", raw)
        except (Misfit, NotJson) as error:
            yield None, BadRow(file.place, number, str(error), raw)


def _table_rows(file: _File, single: bool) -> Iterator[tuple[PredictionRecord | None, BadRow]]:
    seen: list[Sequence[str]] = []

    def fits(headings: Sequence[str]) -> bool:
        seen.append(headings)
        return "prediction" in headings and ("index" in headings or "item" in headings)

    try:
        for line in lines_of_table(file.path, fits=fits, wants=_WANTS):
            raw = "\t".join(cell.text[:1000] for cell in line.cells.values())
            try:
                yield _of_cells(line.cells, file), BadRow(file.place, line.number, "", raw)
            except Misfit as error:
                yield None, BadRow(file.place, line.number, str(error), raw)
    except FileRefused:
        if single or not seen or any(fits(headings) for headings in tuple(seen)):
            raise
        return  # next to answers a folder holds tables of scores


def _pieces(file: Path) -> Sequence[json_text.Piece]:
    try:
        return json_text.split(json_text.decode(file.read_bytes())).pieces
    except NotJson as error:
        raise FileRefused(f"{file.name}, row 1: {error}. Nothing was imported.") from error
    except OSError as error:
        raise FileRefused(f"{file} cannot be read: {error.strerror}.") from error


def _prediction(record: Mapping[str, Any], file: _File) -> PredictionRecord:
    if "question_id" in record and "item" not in record:
        position = whole_number(record["question_id"], "question_id")
        if file.dimension is None:
            raise Misfit(
                "nothing says its dimension; put the file in the dimension's folder or name it with --dimension"
            )
        model = short(file.model or _text(record, "model_id"), "model_id")
        text = _first_turn(record.get("choices"))
        return PredictionRecord(model, text, dimension=file.dimension, position=position)
    if "prediction" in record:
        cells = {
            key: _cell(key, record[key])
            for key in ("item", "index", "prediction", "question", "model")
            if key in record
        }
        return _of_cells(cells, file)
    item = record.get("item")
    if isinstance(item, int) and not isinstance(item, bool):
        item = str(item)
    if not isinstance(item, str) or not item:
        raise Misfit("it has no item")
    model = short(file.model or _text(record, "model"), "model")
    return PredictionRecord(model, _text(record, "text", empty=True), item=item)


def _of_cells(cells: Mapping[str, Cell], file: _File) -> PredictionRecord:
    """An answer from a row of VLMEvalKit's."""
    for name in ("item", "index", "prediction", "model"):
        if name in cells and cells[name].problem:
            raise Misfit(f"its {name} {cells[name].problem}; save the file anew with the harness that wrote it")
    texts = {name: cell.text for name, cell in cells.items() if cell.text.strip()}
    model = texts.get("model") or file.model
    if model is None:
        raise Misfit(file.unknown)
    item, index = texts.get("item"), texts.get("index")
    if item is None and index is None:
        raise Misfit("it has no index")
    answer = cells["prediction"].text if "prediction" in cells else ""
    record = PredictionRecord(
        short(model, "model"),
        answer,
        item=short(item, "item") if item else None,
        index=short(index, "index") if index and not item else None,
        question=texts.get("question"),
        dimension=file.dimension,
    )
    if file.path.suffix.lower() == ".xlsx" and len(answer) >= LONGEST_CELL:
        error = f"A cell holds {LONGEST_CELL:,} characters; what came after is lost."
        return replace(record, outcome=Outcome.TRUNCATED, error=error)
    return record


def _by(record: PredictionRecord, model: str) -> PredictionRecord:
    return replace(record, model=short(model, "model"))


def _cell(key: str, value: Any) -> Cell:
    if value is None:
        return Cell("")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Misfit(f"{key} is neither text nor a number")
    return Cell(str(value))


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


# ---- what a file's name and place say -------------------------------------------------------------------------------


def dimension_of_file(schema: Schema, file: Path) -> Any:
    """The dimension that the nearest folder around the file names."""
    parts = file.resolve().parent.parts
    for end in range(len(parts), 1, -1):
        found = dimension_of_folder(schema, parts[:end])
        if found:
            return found
    return schema.dimensions[0] if len(schema.dimensions) == 1 else None


def _model_of(file: Path, data_sets: Sequence[str]) -> str | None:
    """The model in ``<model>_<dataset>.xlsx``: a folder around it has its name, or what follows is a known data set.

    Both parts may hold underscores, so with more than one of them the name alone does not say where the model ends.
    """
    for folder in file.resolve().parents:
        if folder.name and file.stem.startswith(f"{folder.name}_"):
            return folder.name
    for name in data_sets:
        if name and file.stem.casefold().endswith(f"_{name.casefold()}"):
            return file.stem[: -len(name) - 1]
    before, line, _ = file.stem.partition("_")
    return before if line and file.stem.count("_") == 1 and before else None


def _unknown_model(file: Path) -> str:
    return f"neither it nor the name {file.name} says which model answered; name it with --model"


def _sha256(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise FileRefused(f"{file} cannot be read: {error.strerror}.") from error

"""Imports of models' answers from several formats.

They are JSON lines ``{"item", "model", "text"}``, FastChat's ``model_answer/*.jsonl``, VLMEvalKit's tables, and the
files of every harness that has a row. A harness's placeholder for a missing answer (``domain.no_answer``) is read as
missing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotation_schemas.formats import Misfit, ReadPredictions, name_of_rater, short, whole_number
from annotation_schemas.model import Schema
from domain import json_text
from domain.errors import InvalidFileError
from domain.json_text import NotJson
from domain.records import BadRow, PredictionRecord
from domain.runs import Outcome
from extensions.harnesses.harness import harnesses
from extensions.harnesses.shown_options import counted_columns, counts_on, is_option_column, listed_options, prompt_text
from importers.answer_files import AnswerFile, Rows, read_answers
from importers.predictions import KEYS, OWN, answer_of, pieces_of, text_of
from importers.table_lines import LONGEST_CELL, OTHER_SUFFIXES, SUFFIXES, SheetCell, lines_of_table
from importers.unread_keys import ReadKeys

_KEYS = (*KEYS, "question_id", "model_id", "choices", "index", "prediction", "question", "prompt")


class _ReadKeys(ReadKeys):
    """The keys of a record that are read: those of answers, and whatever holds options, or may hold them.

    A key that counts on (``op1``) is unread unless its texts turn out to be an item's options (``told_of_unread``).
    """

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or counts_on(str(name))

    def also(self, name: str) -> bool:
        """Tell whether a key holds options."""
        return is_option_column(name)


_WANTS = "the columns index (or item) and prediction"


def read_predictions(
    path: Path, *, schema: Schema, dimension: str | None = None, model: str | None = None, project: str = ""
) -> ReadPredictions:
    """Return all answers of a file, or of all files of answers below a folder.

    Parameters
    ----------
    model
        The model, instead of the one in rows, names and folders.
    project
        The project's name, which the names of tables may end with: ``<model>_<project>.xlsx``.

    Raises
    ------
    InvalidFileError
        No file can be read, a file has no records, or the schema does not have ``dimension``.
    """
    return read_answers(path, _rows_of, endings(), schema=schema, dimension=dimension, model=model, project=project)


def endings() -> tuple[str, ...]:
    """Return the endings of files of answers from any program."""
    return tuple(
        dict.fromkeys((".json", ".jsonl", *SUFFIXES, *(e for harness in harnesses() for e in harness.endings)))
    )


# ---- rows -----------------------------------------------------------------------------------------------------------


def _rows_of(file: AnswerFile) -> Rows:
    """Yield the answers of a file with their places; None for an invalid row."""
    if file.path.suffix.lower() in SUFFIXES:
        yield from _table_rows(file if file.model else replace(file, model=file.named()))
        return
    harness = next((harness for harness in harnesses() if harness.recognises(file)), None)
    if harness is not None:
        yield from harness.rows(file)
        return
    if file.path.suffix.lower() in OTHER_SUFFIXES:
        raise InvalidFileError(
            f"{file.place} is a spreadsheet that Touchstone cannot read. Nothing was imported. Save the file as .xlsx."
        )
    keys = _ReadKeys([*_KEYS, *OWN])
    keys.unread = file.unread
    for number, piece in enumerate(_pieces(file.path), 1):
        raw = json_text.printable(piece.raw)
        try:
            if piece.problem:
                raise Misfit(piece.problem)
            yield _prediction(json_text.values(piece.raw, keys), file), BadRow(file.place, number, "", raw)
        except (Misfit, NotJson) as error:
            yield None, BadRow(file.place, number, str(error), raw)


def _table_rows(file: AnswerFile) -> Rows:
    seen: list[Sequence[str]] = []

    def fits(headings: Sequence[str]) -> bool:
        seen.append(headings)
        return "prediction" in headings and ("index" in headings or "item" in headings)

    keys = _ReadKeys(_KEYS)
    keys.unread = file.unread
    try:
        for line in lines_of_table(file.path, fits=fits, wants=_WANTS):
            raw = "\t".join(cell.text[:1000] for cell in line.cells.values())
            try:
                shown = {name: cell.text for name, cell in line.cells.items() if name in keys}
                yield _with_shown(_of_cells(line.cells, file), shown), BadRow(file.place, line.number, "", raw)
            except Misfit as error:
                yield None, BadRow(file.place, line.number, str(error), raw)
    except InvalidFileError:
        if file.single or not seen or any(fits(headings) for headings in tuple(seen)):
            raise
        return  # next to answers a folder holds tables of scores


def _pieces(file: Path) -> Sequence[json_text.Piece]:
    text, pieces = pieces_of(file)
    return _with_nan(text, pieces) if "NaN" in text and any(piece.problem for piece in pieces) else pieces


def _with_nan(text: str, found: Sequence[json_text.Piece]) -> Sequence[json_text.Piece]:
    """Return the records of a list in which ``NaN`` is a missing value, as VLMEvalKit writes it; otherwise
    ``found``.
    """
    try:
        whole = json_text.loaded(text.removeprefix("\ufeff"), parse_constant=lambda _: None)
    except NotJson:
        return found
    if not isinstance(whole, list) or not all(isinstance(record, dict) for record in whole):
        return found
    return [json_text.Piece("", json.dumps(record)) for record in whole]


def _prediction(record: Mapping[str, Any], file: AnswerFile) -> PredictionRecord:
    if "question_id" in record and "item" not in record:
        position = whole_number(record["question_id"], "question_id")
        if file.dimension is None:
            raise Misfit(
                "the dimension is unknown. Put the file in the dimension's folder, or name the dimension with --set "
                "dimension=ID"
            )
        model = name_of_rater(file.model or text_of(record, "model_id"), "model_id")
        text = _first_turn(record.get("choices"))
        return PredictionRecord(model, text, dimension=file.dimension, position=position)
    if "prediction" in record:
        cells = {
            key: _cell(key, record[key])
            for key in ("item", "index", "prediction", "question", "model")
            if key in record
        }
        answer = _of_cells(cells, file if file.model else replace(file, model=file.named()))
        return _with_shown(answer, record)
    return _with_shown(answer_of(record, file), record)


def _with_shown(answer: PredictionRecord, record: Mapping[str, Any]) -> PredictionRecord:
    """Return the answer with the question, the options and the prompt of its row, if the row has them."""
    asked = record.get("question")
    question = answer.question or (json_text.showable(asked) if isinstance(asked, str) else None)
    prompt = str(json_text.showable(prompt_text(record.get("prompt")))) or question or ""
    return replace(
        answer, question=question, options=listed_options(record), columns=counted_columns(record), prompt=prompt
    )


def _of_cells(cells: Mapping[str, SheetCell], file: AnswerFile) -> PredictionRecord:
    """Return an answer from a row of VLMEvalKit's tables."""
    for name in ("item", "index", "prediction", "model"):
        if name in cells and cells[name].problem:
            raise Misfit(f"{name} {cells[name].problem}. Save the file again with the harness that wrote the file")
    texts = {name: cell.text for name, cell in cells.items() if cell.text.strip()}
    model = texts.get("model") or file.model
    if model is None:
        raise Misfit(file.unknown)
    item, index = texts.get("item"), texts.get("index")
    if item is None and index is None:
        raise Misfit("index is missing")
    answer = cells["prediction"].text if "prediction" in cells else ""
    record = PredictionRecord(
        name_of_rater(model, "model"),
        answer,
        item=short(item, "item") if item else None,
        index=short(index, "index") if index and not item else None,
        question=texts.get("question"),
        dimension=file.dimension,
    )
    if file.path.suffix.lower() == ".xlsx" and len(answer) >= LONGEST_CELL:
        error = f"The answer is cut off, because a cell can have at most {LONGEST_CELL:,} characters."
        return replace(record, outcome=Outcome.TRUNCATED, error=error)
    return record


def _cell(key: str, value: Any) -> SheetCell:
    if value is None:
        return SheetCell("")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Misfit(f"{key} is not text or a number")
    return SheetCell(str(value))


def _first_turn(choices: Any) -> str:
    try:
        turn = choices[0]["turns"][0]
    except (TypeError, LookupError):
        turn = None
    if not isinstance(turn, str):
        raise Misfit("choices[0].turns[0] is missing")
    return turn

"""Models' answers as one JSON object: ``{"<id of an item>": "<answer>"}``."""

from __future__ import annotations

import json
import re
from typing import Any

from annotation_schemas.formats import Format, Misfit, Takes, name_of_rater, short
from domain import json_text
from domain.errors import InvalidFileError
from domain.records import PredictionRecord
from extensions.harnesses.harness import Harness
from importers.answer_files import AnswerFile, Rows

_FIRST = re.compile(r'\{\s*("(?:[^"\\]|\\.)*")\s*:\s*(?:["}]|-?\d|null|$)')
_LINES = re.compile(r"\}[ \t]*\r?\n\s*\{")
_OF_RECORDS = {
    *("item", "model", "text", "question_id", "model_id", "answer_id", "choices", "tstamp", "index", "prediction"),
    *("question", "doc_id", "judge", "tool", "result"),
}
"""First keys of records, which are no ids."""


def recognises(file: AnswerFile) -> bool:
    """Return whether the file is a single object, and not a list of record objects."""
    first = _FIRST.match(file.head)
    if not first or _LINES.search(file.head):
        return False
    try:
        return json.loads(first[1]) not in _OF_RECORDS
    except ValueError:
        return False


def rows(file: AnswerFile) -> Rows:
    """Yield an answer for each key. A duplicate key gives two answers."""
    pairs = file.value(object_pairs_hook=list)
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
        raise InvalidFileError(
            f"{file.place} is not a JSON object of answers by ID. Nothing was imported. Check the file."
        )
    model = file.model or file.named()
    for number, (item, answer) in enumerate(pairs, 1):
        raw = json.dumps({item: answer if isinstance(answer, str | int | float | None) else "..."}, ensure_ascii=False)
        try:
            if model is None:
                raise Misfit(file.unknown)
            name = short(json_text.showable(item), "its id")
            yield PredictionRecord(name_of_rater(model, "model"), _text(answer), item=name), file.here(number, raw)
        except Misfit as error:
            yield None, file.here(number, raw, str(error))


def _text(said: Any) -> str:
    if said is None:
        return ""
    if isinstance(said, bool) or not isinstance(said, str | int | float):
        raise Misfit("the answer must be text or a number")
    return str(json_text.showable(str(said)))


ROWS = (
    Format(
        "answer_map",
        "a model's answers as one JSON object, `{id: answer}`",
        Takes.ANSWERS,
        place=44,
        reads=Harness("JSON object of answers by ID, `{id: answer}`", recognises, rows, endings=(".json",)),
    ),
)

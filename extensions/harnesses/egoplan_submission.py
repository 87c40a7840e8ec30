"""A submission to EgoPlan-Bench's server as a model's answers: a list with an item's id and the letter of an option."""

from __future__ import annotations

import json

from annotation_schemas.formats import Misfit, item_keys, name_of_rater, short, whole_number
from domain import json_text
from domain.errors import InvalidFileError
from domain.json_text import NotJson
from domain.records import PredictionRecord
from domain.runs import Outcome
from extensions.harnesses.harness import Harness
from importers.answer_files import AnswerFile, Rows

_LABEL = "label"
_NONE = "N/A"
"""The challenge's value for unanswered items."""


def _id() -> str:
    """Return the key of an item's id in the benchmark's own files."""
    return item_keys("egoplan").id_key or ""


def recognises(file: AnswerFile) -> bool:
    """Return whether the first record has an id and a label, and almost no other key."""
    at = file.head.find("{")
    if at < 0 or file.head[:at].strip() not in {"", "["}:
        return False
    try:
        first, _ = json.JSONDecoder().raw_decode(file.head, at)
    except (ValueError, RecursionError):
        return False
    return {_id(), _LABEL} <= set(first) and len(first) <= 3


def rows(file: AnswerFile) -> Rows:
    """Yield an answer for each label. ``N/A`` is a missing answer."""
    model = file.model or file.named()
    try:
        pieces = json_text.split(file.text()).pieces
    except NotJson as error:
        raise InvalidFileError(f"{file.place}, row 1: {error}. Nothing was imported.") from error
    for number, piece in enumerate(pieces, 1):
        try:
            if piece.problem:
                raise Misfit(piece.problem)
            yield _answer(piece.raw, file, model), file.here(number, piece.raw)
        except (Misfit, NotJson) as error:
            yield None, file.here(number, piece.raw, str(error))


def _answer(raw: str, file: AnswerFile, model: str | None) -> PredictionRecord:
    key = _id()
    values = json_text.values(raw, (key, _LABEL))
    if model is None:
        raise Misfit(file.unknown)
    item = values.get(key)
    if not isinstance(item, str):
        item = str(whole_number(item, key))
    label = values.get(_LABEL)
    if label is not None and not isinstance(label, str):
        raise Misfit(f"{_LABEL} is not text")
    record = PredictionRecord(name_of_rater(model, "model"), label or "", item=short(item, key))
    if (label or "").strip().upper() == _NONE:
        error = f"The submission contains {_NONE}, which means that there is no answer."
        return PredictionRecord(record.model, record.text, item=record.item, outcome=Outcome.EMPTY, error=error)
    return record


read = Harness("submission to EgoPlan-Bench", recognises, rows)

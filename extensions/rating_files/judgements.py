"""Imports of judges' raw replies from three formats.

They are JSON lines ``{"item", "judge", "text"}``, FastChat's ``model_judgment``, and lists of ``games`` with a
``judgement`` each. The replies are read later by our own parser, and compared with the scores in the file, if any.
EgoThink has one ``model_judgment`` folder for each dimension, whose ``question_id`` is a position in that dimension,
from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation_schemas.formats import Misfit, name_of_rater
from annotation_schemas.model import Schema
from domain import json_text
from domain.errors import InvalidFileError
from domain.json_text import NotJson
from domain.records import BadRow
from importers.answer_files import dimension_of_file
from importers.items import annotation_files
from importers.unread_keys import ReadKeys, unread_note, vote_warnings

_KEYS = (
    "item",
    "question_id",
    "idx",
    "model",
    "model_id",
    "judge",
    "text",
    "judgment",
    "judgement",
    "games",
    "finish_reason",
    "sample",
    "swapped",
    "score",
    "turn",
)
_OF_OTHERS = ("user_prompt", "tstamp", "answer_id", "judgment_id", "version", "review_id")
"""Keys of FastChat's and of our own files that are redundant."""

NO_REPLY = "$ERROR$"
"""FastChat's text for a missing reply."""
NO_SCORE = -1
"""The score that it writes where it could not read one."""


@dataclass(frozen=True)
class JudgementRecord:
    """A reply of a judge, as a file gives it."""

    item: str
    """External id, or the position as digits."""
    judge: str
    text: str
    model: str | None = None
    """The model of the answer; None for the item itself."""
    finish_reason: str | None = None
    sample: int = 0
    swapped: bool = False
    """The answers were shown in the other order."""
    dimension: str | None = None
    """The dimension that the file's folder names. Then ``item`` may be a position in the dimension, from 0."""
    score: float | None = None
    """The score that the file's author read in the reply; None if missing or unreadable."""
    has_score: bool = False
    """Whether the file gives scores at all."""


@dataclass(frozen=True)
class ReadJudgements:
    """The replies that were found, each with where it stood, and the rows that do not fit."""

    rows: Sequence[tuple[JudgementRecord, BadRow]]
    bad: Sequence[BadRow] = ()
    notes: Sequence[str] = ()
    """Ignored keys and columns of the files, in sentences."""
    warnings: Sequence[str] = ()
    """The ignored keys that may matter."""


def read_judgements(path: Path, schema: Schema | None = None) -> ReadJudgements:
    """Return all replies of a file, or of all .jsonl and .json files below a folder.

    If folders with the name ``model_judgment`` exist, only files in them are read. With a schema, folders name the
    dimensions.

    Raises
    ------
    InvalidFileError
        No file can be read, or a file has no records.
    """
    rows: list[tuple[JudgementRecord, BadRow]] = []
    bad: list[BadRow] = []
    keys = ReadKeys([*_KEYS, *_OF_OTHERS])
    single = not path.is_dir()
    files = [path] if single else list(annotation_files(path, None))
    for file in [judgement_file for judgement_file in files if judgement_file.parent.name == "model_judgment"] or files:
        named_dimension = dimension_of_file(schema, file) if schema is not None else None
        dimension = named_dimension.id if named_dimension is not None else None
        place = file.name if single else file.relative_to(path).as_posix()
        for number, piece in enumerate(_pieces(file), 1):
            here = BadRow(place, number, "", json_text.printable(piece.raw))
            try:
                if piece.problem:
                    raise Misfit(piece.problem)
                rows.append((_record(json_text.values(piece.raw, keys), dimension), here))
            except (Misfit, NotJson) as error:
                bad.append(BadRow(place, number, str(error), here.raw))
    unread = tuple(keys.unread)
    notes = [unread_note(unread, what="key", end="the values are not imported")] if unread else []
    return ReadJudgements(rows, bad, notes, vote_warnings(path.name, unread))


def _pieces(file: Path) -> Sequence[json_text.Piece]:
    try:
        return json_text.split(json_text.decode(file.read_bytes())).pieces
    except NotJson as error:
        raise InvalidFileError(f"{file.name}, row 1: {error}. Nothing was imported.") from error
    except OSError as error:
        raise InvalidFileError(
            f"Touchstone cannot read {file}: {error.strerror}. Check the path and the permissions."
        ) from error


def _record(record: Mapping[str, Any], dimension: str | None) -> JudgementRecord:
    if record.get("turn", 1) not in (1, None):
        raise Misfit("the reply is about a second turn, but items of this project have only one turn")
    item = next((record[key] for key in ("item", "question_id", "idx") if key in record), None)
    if isinstance(item, int) and not isinstance(item, bool):
        item = str(item)
    if not isinstance(item, str) or not item:
        raise Misfit("the row names no item")
    judge = record.get("judge")
    if isinstance(judge, list) and judge and all(isinstance(part, str) for part in judge):
        judge = " by ".join(judge)  # FastChat: the model and the name of its prompt
    if not isinstance(judge, str) or not judge.strip():
        raise Misfit("the row names no judge")
    model = record.get("model", record.get("model_id"))
    if model is not None and not isinstance(model, str):
        raise Misfit("`model` must be text")
    finish = record.get("finish_reason")
    sample, swapped = record.get("sample", 0), record.get("swapped", False)
    if isinstance(sample, bool) or not isinstance(sample, int) or not 0 <= sample < 1000:
        raise Misfit("`sample` must be a whole number from 0 to 999")
    if not isinstance(swapped, bool):
        raise Misfit("`swapped` must be true or false")
    return JudgementRecord(
        item=item,
        judge=name_of_rater(judge, "judge"),
        text=_reply(record),
        model=name_of_rater(model, "model") if model is not None else None,
        finish_reason=finish if isinstance(finish, str) else None,
        sample=sample,
        swapped=swapped,
        dimension=dimension,
        score=_score(record),
        has_score="score" in record,
    )


def _score(record: Mapping[str, Any]) -> float | None:
    score = record.get("score")
    if isinstance(score, bool) or not isinstance(score, int | float) or score == NO_SCORE:
        return None
    return float(score)


def _reply(record: Mapping[str, Any]) -> str:
    reply = next((record[key] for key in ("text", "judgment", "judgement") if key in record), None)
    games = record.get("games")
    if reply is None and isinstance(games, list):
        if len(games) != 1 or not isinstance(games[0], dict):
            raise Misfit("the row must contain exactly one game; write a separate row for each game")
        reply = games[0].get("judgement")
    if isinstance(reply, int | float) and not isinstance(reply, bool):
        reply = str(reply)
    if not isinstance(reply, str):
        raise Misfit("the reply has no text")
    return reply

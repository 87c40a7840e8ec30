"""Exports of ratings and models' answers."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple
from typing import Any

from annotation_schemas.formats import Content
from domain import csv_text
from domain.reading.answers import AnswerKind, ReadOutcome
from domain.records import AnswerReading, BadRow, PredictionRecord, Rating


def predictions(content: Content) -> dict[str, bytes]:
    """Return models' answers with their readings."""
    return {"predictions.jsonl": predictions_jsonl((answer.answer, answer.read) for answer in content.answers)}


def ratings(content: Content) -> dict[str, bytes]:
    """Return every rating of people, judges and files."""
    return {"ratings.csv": ratings_csv(content.ratings)}


def models(content: Content) -> dict[str, bytes]:
    """Return the attributes of each model."""
    return {"models.csv": _said_csv("model", content.said)}


def labels(content: Content) -> dict[str, bytes]:
    """Return every item with its labels."""
    return {"labels.csv": _said_csv("item", content.said)}


def _said_csv(about: str, said: Mapping[str, Mapping[str, Any]]) -> bytes:
    out = io.StringIO(newline="")
    names = dict.fromkeys(name for own in said.values() for name in own)
    writer = csv_text.DictWriter(out, [about, *names])
    writer.writeheader()
    for name in sorted(said):
        writer.writedict({about: name, **said[name]})
    return out.getvalue().encode()


def ratings_csv(ratings: Iterable[Rating]) -> bytes:
    """Return ratings as CSV, with the columns of :func:`rating_rows`."""
    out = io.StringIO(newline="")
    csv_text.Writer(out).writerows(rating_rows(ratings))
    return out.getvalue().encode()


def rating_rows(ratings: Iterable[Rating]) -> Iterator[list[str]]:
    """Yield the head ``unit,rater,criterion,value``, with more columns if ratings need them, and a row for each rating.

    - ``stage`` if there are several verification stages
    - ``dimension`` and ``note`` if a rating has one
    - ``guideline`` and ``schema`` if these had several versions
    - ``model_a``, ``model_b``, ``left`` and ``winner`` for comparisons

    A note is repeated in every row of its submission.
    """
    rows = list(ratings)
    with_dimension = any(rating.dimension is not None for rating in rows)
    with_guideline = len({rating.guideline for rating in rows} - {None}) > 1
    with_schema = len({rating.schema for rating in rows} - {None}) > 1
    with_note = any(rating.note for rating in rows)
    with_pair = any(rating.pair for rating in rows)
    with_stage = any(rating.stage for rating in rows)
    more = [
        *(["stage"] if with_stage else []),
        *(["dimension"] if with_dimension else []),
        *(["guideline"] if with_guideline else []),
        *(["schema"] if with_schema else []),
        *(["note"] if with_note else []),
        *(["model_a", "model_b", "left", "winner"] if with_pair else []),
    ]
    yield ["unit", "rater", "criterion", "value", *more]
    for rating in rows:
        value = rating.value if isinstance(rating.value, str) else json.dumps(rating.value)
        extra = [rating.stage] if with_stage else []
        extra += [rating.dimension or ""] if with_dimension else []
        extra += ["" if rating.guideline is None else str(rating.guideline)] if with_guideline else []
        extra += ["" if rating.schema is None else str(rating.schema)] if with_schema else []
        extra += [rating.note] if with_note else []
        extra += [*(astuple(rating.pair) if rating.pair else ("",) * 4)] if with_pair else []
        yield [rating.unit, rating.rater, rating.criterion, value, *extra]


def predictions_jsonl(predictions: Iterable[tuple[PredictionRecord, AnswerReading | None]]) -> bytes:
    """Return one ``{"item", "model", "text"}`` per line, with the reading of the text.

    ``read`` has the outcome, the value, the words and the reader. It is missing if the item asks for free text and was
    answered. ``options`` has the options in the order that the model saw, if it is not the item's order.
    """
    lines = []
    for answer, read in predictions:
        reading = _read(read, answer)
        line: dict[str, Any] = {"item": answer.item, "model": answer.model, "text": answer.text}
        line |= {"options": list(answer.options)} if answer.options else {}
        lines.append(line | ({"read": reading} if reading else {}))
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()


def _read(read: AnswerReading | None, answer: PredictionRecord) -> dict[str, Any] | None:
    if read is None or (read.kind is AnswerKind.TEXT and read.outcome is ReadOutcome.READ):
        return None
    reading: dict[str, Any] = {"outcome": read.outcome.value}
    reading |= {"value": read.value} if read.outcome is ReadOutcome.READ else {"why": read.why}
    reading |= {"words": read.words(answer.text)} if read.spans else {}
    return reading | {"reader": read.reader, "version": read.version}


def bad_rows_jsonl(bad: Iterable[BadRow]) -> bytes:
    """Return rows that an import left out: one ``{"path", "row", "reason", "raw"}`` per line."""
    lines = ({"path": row.path, "row": row.row, "reason": row.reason, "raw": row.raw} for row in bad)
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()

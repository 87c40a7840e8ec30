"""Answers as JSON lines of an item, a model and a text, without the extension that reads files of other programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas import shipped
from annotation_schemas.formats import ReadPredictions
from annotation_schemas.loader import load_schema
from domain.errors import NotAvailableError
from domain.records import PredictionRecord
from domain.runs import Outcome
from importers.predictions import read_predictions

SCHEMA = load_schema(shipped()["egothink"]).schema_


def read(folder: Path, *records: Any, model: str | None = None) -> ReadPredictions:
    path = folder / "answers.jsonl"
    path.write_text("\n".join(each if isinstance(each, str) else json.dumps(each) for each in records))
    return read_predictions(path, schema=SCHEMA, model=model)


def test_each_line_is_an_answer(tmp_path: Path) -> None:
    found = read(
        tmp_path, {"item": "a/1", "model": "m", "text": "A"}, {"item": 2, "model": "m", "text": "B", "read": 1}
    )
    assert [record for record, _ in found.rows] == [
        PredictionRecord("m", "A", item="a/1"),
        PredictionRecord("m", "B", item="2"),
    ]
    assert list(found.unread) == []


def test_a_named_model_and_an_answer_that_is_missing(tmp_path: Path) -> None:
    [(record, _)] = read(tmp_path, {"item": "a", "text": ""}, model="mine").rows
    assert (record.model, record.outcome) == ("mine", Outcome.EMPTY)


def test_rows_that_do_not_fit_have_a_reason(tmp_path: Path) -> None:
    found = read(tmp_path, {"model": "m", "text": "A"}, {"item": "a", "text": "A"}, '{"item": "a", ', {"item": "b"})
    assert [bad.reason for bad in found.bad][:2] == ["item is missing", "model is missing"]
    assert len(found.bad) == 4


def test_further_keys_are_refused_as_they_may_be_the_options_that_a_letter_means(tmp_path: Path) -> None:
    with pytest.raises(NotAvailableError, match=r"answers\.jsonl has the keys 'choices'"):
        read(tmp_path, {"item": "a", "model": "m", "text": "A", "choices": ["cup", "pan"]})

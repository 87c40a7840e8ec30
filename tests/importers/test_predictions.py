"""Models' answers come in by item, or by position within a dimension."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from domain.errors import FileRefused
from domain.records import PredictionRecord
from importers.predictions import read_predictions

SCHEMA = load_schema(shipped()["egothink"]).schema_


def lines(path: Path, records: list[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def turn(n: int, text: str) -> dict[str, Any]:
    return {"question_id": n, "answer_id": "x", "model_id": "tiny", "choices": [{"index": 0, "turns": [text]}]}


def test_answers_by_item(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "a.jsonl", [{"item": "Activity/0", "model": "m", "text": ""}, {"item": 7, "model": "m", "text": "t"}]
    )
    read = read_predictions(path, schema=SCHEMA)
    assert [row for row, _ in read.rows] == [
        PredictionRecord("m", "", item="Activity/0"),
        PredictionRecord("m", "t", item="7"),
    ]


def test_fastchat_answers_by_position_in_the_folder_s_dimension(tmp_path: Path) -> None:
    lines(tmp_path / "Object/attribute/model_answer/tiny.jsonl", [turn(0, "red"), turn(1, "blue")])
    lines(tmp_path / "Activity/model_answer/tiny.jsonl", [turn(3, "washing")])
    read = read_predictions(tmp_path, schema=SCHEMA)
    assert [row for row, _ in read.rows] == [
        PredictionRecord("tiny", "washing", dimension="activity", position=3),
        PredictionRecord("tiny", "red", dimension="attribute", position=0),
        PredictionRecord("tiny", "blue", dimension="attribute", position=1),
    ]


def test_what_lies_beside_the_answers_is_no_answer(tmp_path: Path) -> None:
    lines(tmp_path / "comparing/model_answer/tiny.jsonl", [turn(0, "red"), turn(1, "")])
    lines(tmp_path / "comparing/reference_answer/ground_truth.jsonl", [turn(0, "blue")])
    lines(tmp_path / "comparing/question.jsonl", [{"question_id": 0, "turns": ["Which?"]}])
    read = read_predictions(tmp_path, schema=SCHEMA)
    assert [(row.dimension, row.text) for row, _ in read.rows] == [("comparison", "red"), ("comparison", "")]
    assert read.bad == []


def test_fastchat_answers_with_a_named_dimension(tmp_path: Path) -> None:
    path = lines(tmp_path / "model_answer" / "tiny.jsonl", [turn(0, "red")])
    assert [bad.row for bad in read_predictions(path, schema=SCHEMA).bad] == [1]
    read = read_predictions(path, schema=SCHEMA, dimension="existence")
    assert [row.dimension for row, _ in read.rows] == ["existence"]
    with pytest.raises(FileRefused, match="no dimension"):
        read_predictions(path, schema=SCHEMA, dimension="nothing")


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"model": "m", "text": "t"}, "it has no item"),
        ({"item": "", "model": "m", "text": "t"}, "it has no item"),
        ({"item": "1", "text": "t"}, "it has no model"),
        ({"item": "1", "model": "m"}, "it has no text"),
        ({"item": "1", "model": "m", "text": None}, "it has no text"),
        ({"question_id": 1.5, "model_id": "m", "choices": [{"turns": ["t"]}]}, "question_id is not a whole number"),
        ({"question_id": 1, "model_id": "m", "choices": []}, "choices"),
        ({"question_id": 1, "model_id": "m", "choices": [{"turns": [3]}]}, "choices"),
        ([1], "not an object"),
    ],
)
def test_a_row_that_does_not_fit_is_named(tmp_path: Path, record: Any, reason: str) -> None:
    path = lines(tmp_path / "Activity" / "a.jsonl", [{"item": "1", "model": "m", "text": "t"}, record])
    read = read_predictions(path, schema=SCHEMA)
    assert len(read.rows) == 1
    assert [(bad.path, bad.row) for bad in read.bad] == [("a.jsonl", 2)]
    assert reason in read.bad[0].reason


def test_a_line_that_is_no_json_spoils_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"item": "1", "model": "m", "text": "t"}\n{"item": \n{"item": "2", "model": "m", "text": "t"}\n')
    read = read_predictions(path, schema=SCHEMA)
    assert [row.item for row, _ in read.rows] == ["1", "2"]
    assert [bad.row for bad in read.bad] == [2]

"""Models' answers come in by item, or by position within a dimension."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas import shipped
from annotation_schemas.formats import FORMATS
from annotation_schemas.loader import load_schema
from domain.errors import InvalidFileError
from domain.records import PredictionRecord
from domain.runs import Outcome
from extensions.harnesses.predictions import read_predictions
from importers.readers import reader_of
from testkit.missing_extensions import needs
from tests.importers.workbooks import Raw, workbook

SCHEMA = load_schema(shipped()["egothink"]).schema_
EGOPLAN = load_schema(shipped()["egoplan"]).schema_


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
        PredictionRecord(
            "m", "", item="Activity/0", outcome=Outcome.EMPTY, error="The file has no text for this item."
        ),
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


def test_what_lies_next_to_the_answers_is_no_answer(tmp_path: Path) -> None:
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
    with pytest.raises(InvalidFileError, match="no dimension"):
        read_predictions(path, schema=SCHEMA, dimension="nothing")


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"model": "m", "text": "t"}, "item is missing"),
        ({"item": "", "model": "m", "text": "t"}, "item is missing"),
        ({"item": "1", "text": "t"}, "model is missing"),
        ({"item": "1", "model": "\x1b[31mm", "text": "t"}, "model has a line break or another control character"),
        ({"item": "1", "model": "m\nn", "text": "t"}, "model has a line break or another control character"),
        ({"item": "1", "model": "m"}, "text is missing"),
        ({"item": "1", "model": "m", "text": None}, "text is missing"),
        ({"question_id": 1.5, "model_id": "m", "choices": [{"turns": ["t"]}]}, "question_id is not a whole number"),
        ({"question_id": 1, "model_id": "m", "choices": []}, "choices"),
        ({"question_id": 1, "model_id": "m", "choices": [{"turns": [3]}]}, "choices"),
        ([1], "not a JSON object"),
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


# ---- what other harnesses write -------------------------------------------------------------------------------------


def answers(path: Path, **options: Any) -> list[PredictionRecord]:
    return [row for row, _ in read_predictions(path, schema=SCHEMA, **options).rows]


@needs("sheet_readers", ".xlsx")
def test_vlmevalkit_s_workbook(tmp_path: Path) -> None:
    rows = [
        ["index", "question", "category", "prediction"],
        [0, "What is 0?", "x", "red"],
        ["1", "What is 1?", "x", "Failed to obtain answer via API. "],
        [2, "What is 2?", "x", None],
        [3, "What is 3?", "x", "y" * 32_767],
        [4, "What is 4?", "x", 5],
    ]
    path = workbook(tmp_path / "tiny" / "tiny_EgoThink.xlsx", {"Sheet1": rows})
    read = read_predictions(path, schema=SCHEMA)
    asked = [f"What is {n}?" for n in range(5)]
    assert [(row.model, row.index, row.question) for row, _ in read.rows] == [
        ("tiny", str(n), asked[n]) for n in range(5)
    ]
    assert [(row.outcome, row.text[:7]) for row, _ in read.rows] == [
        (Outcome.ANSWERED, "red"),
        (Outcome.TRANSPORT_ERROR, "Failed "),
        (Outcome.EMPTY, ""),
        (Outcome.TRUNCATED, "yyyyyyy"),
        (Outcome.ANSWERED, "5"),
    ]
    assert [here.row for _, here in read.rows] == [2, 3, 4, 5, 6]
    assert read.hashes == {"tiny_EgoThink.xlsx": hashlib.sha256(path.read_bytes()).hexdigest()}


@needs("sheet_readers", ".xlsx")
@pytest.mark.parametrize(
    ("place", "model"),
    [
        ("tiny_Set.xlsx", "tiny"),
        ("llava_v1.5_7b/llava_v1.5_7b_Ego_Plan.xlsx", "llava_v1.5_7b"),
        ("llava_v1.5_7b/T20260101/llava_v1.5_7b_Ego_Plan.xlsx", "llava_v1.5_7b"),
        ("llava_v1.5_7b_EgoThink.xlsx", "llava_v1.5_7b"),
        ("llava_v1.5_7b_my_set.xlsx", "llava_v1.5_7b"),
        ("llava_v1.5_7b_Ego_Plan.xlsx", None),
        ("answers.xlsx", None),
    ],
)
def test_who_answered_is_in_the_name_of_the_file_or_of_a_folder(tmp_path: Path, place: str, model: str | None) -> None:
    path = workbook(tmp_path / place, {"Sheet1": [["index", "prediction"], [0, "red"]]})
    read = read_predictions(path, schema=SCHEMA, project="my_set")
    assert [row.model for row, _ in read.rows] == ([model] if model else [])
    if model is None:
        assert [row.reason for row in read.bad] == [
            f"the model is missing from the row and from the file name {path.name}; name the model with --model"
        ]
    assert [row.model for row in answers(path, model="named")] == ["named"]


def test_a_column_or_an_option_names_the_model(tmp_path: Path) -> None:
    path = tmp_path / "tiny_Set.csv"
    path.write_text("item,model,prediction\na/1,other,red\na/2,,blue\n")
    assert [(row.model, row.item) for row in answers(path)] == [("other", "a/1"), ("tiny", "a/2")]
    assert [row.model for row in answers(path, model="named")] == ["named", "named"]
    own = lines(tmp_path / "a.jsonl", [{"item": "1", "model": "m", "text": "t"}, {"item": "2", "text": "t"}])
    assert [row.model for row in answers(own, model="named")] == ["named", "named"]


@needs("sheet_readers", ".xlsx")
@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ([None, "red"], "index is missing"),
        ([0, Raw("|<f>SUM(A1)</f>")], "prediction is a formula in the spreadsheet. Save the file again"),
        ([0, Raw(' t="e"|<v>#NAME?</v>')], "prediction is the error #NAME?"),
        ([Raw(' t="d"|<v>2026-01-01</v>'), "red"], "index is a date in the spreadsheet"),
        (["9" * 301, "red"], "index"),
    ],
)
def test_rows_that_do_not_fit(tmp_path: Path, row: list[Any], reason: str) -> None:
    path = workbook(tmp_path / "tiny_Set.xlsx", {"S": [["index", "prediction"], row, [1, "blue"]]})
    read = read_predictions(path, schema=SCHEMA)
    assert [bad.row for bad in read.bad] == [2]
    assert reason in read.bad[0].reason
    assert [row.text for row, _ in read.rows] == ["blue"]


@pytest.mark.parametrize("ending", [".xls", ".ODS", ".xlsb"])
def test_a_spreadsheet_of_another_kind_is_told(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"tiny_EgoThink{ending}"
    path.write_bytes(b"whatever")
    with pytest.raises(
        InvalidFileError, match=rf"tiny_EgoThink{ending} is a spreadsheet that Touchstone cannot read.*as \.xlsx"
    ):
        read_predictions(path, schema=SCHEMA)


@needs("sheet_readers", ".xlsx")
def test_tables_of_scores_next_to_answers_are_no_answers(tmp_path: Path) -> None:
    workbook(tmp_path / "tiny" / "tiny_Set.xlsx", {"S": [["index", "prediction"], [0, "red"]]})
    (tmp_path / "tiny" / "tiny_Set_acc.csv").write_text("split,Overall\nval,0.5\n")
    assert [(row.model, row.text) for row in answers(tmp_path)] == [("tiny", "red")]
    with pytest.raises(InvalidFileError, match=r"tiny_Set_acc\.csv does not have the columns index"):
        answers(tmp_path / "tiny" / "tiny_Set_acc.csv")


def test_vlmevalkit_s_json(tmp_path: Path) -> None:
    records = [{"index": 0, "prediction": "red"}, {"index": "b", "prediction": "Failed to obtain answer via API."}]
    path = tmp_path / "tiny_Set.json"
    path.write_text(json.dumps([*records, {"index": True, "prediction": "x"}]))
    read = read_predictions(path, schema=SCHEMA, model="tiny")
    assert [(row.index, row.outcome) for row, _ in read.rows] == [
        ("0", Outcome.ANSWERED),
        ("b", Outcome.TRANSPORT_ERROR),
    ]
    assert [bad.reason for bad in read.bad] == ["index is not text or a number"]


def test_vlmevalkit_s_json_names_its_model_and_has_nan_for_nothing(tmp_path: Path) -> None:
    """With PRED_FORMAT=json it dumps the rows of its table by ``json.dump``."""
    nan = float("nan")
    rows = [
        {"index": 0, "question": "What is 0?", "category": nan, "prediction": "red"},
        {"index": 1, "question": "What is 1?", "category": "x", "prediction": nan},
    ]
    path = tmp_path / "tiny_Set.json"
    path.write_text(json.dumps(rows, indent=4, ensure_ascii=False))
    assert "NaN" in path.read_text()
    read = read_predictions(path, schema=SCHEMA)
    assert read.bad == []
    assert [(row.model, row.index, row.text, row.outcome) for row, _ in read.rows] == [
        ("tiny", "0", "red", Outcome.ANSWERED),
        ("tiny", "1", "", Outcome.EMPTY),
    ]
    path.write_text(path.read_text()[:-40])
    assert (
        "correct the file, because Touchstone cannot read the text after this position"
        in read_predictions(path, schema=SCHEMA).bad[0].reason
    )


def test_what_fastchat_writes_when_its_requests_fail_is_no_answer(tmp_path: Path) -> None:
    path = lines(tmp_path / "Activity/model_answer/tiny.jsonl", [turn(0, "$ERROR$"), turn(1, "it costs $ERROR$")])
    assert [row.outcome for row in answers(path)] == [Outcome.TRANSPORT_ERROR, Outcome.ANSWERED]


# ---- EgoPlan's submissions ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["predictions", "egoplan_submission"])
def test_a_submission_to_egoplan(tmp_path: Path, format: str) -> None:
    path = tmp_path / "tiny_EgoPlan.json"
    rows = [{"sample_id": 0, "label": "B"}, {"sample_id": "7", "label": "a"}, {"sample_id": 8, "label": "N/A"}]
    bad = [{"sample_id": 1.5, "label": "A"}, {"sample_id": 2, "label": 3}, {"label": "A"}]
    path.write_text(json.dumps([*rows, *bad], indent=4))
    found = reader_of(FORMATS[format])(path, schema=EGOPLAN)
    assert [(a.model, a.item, a.text, a.outcome) for a, _ in found.rows] == [
        ("tiny", "0", "B", Outcome.ANSWERED),
        ("tiny", "7", "a", Outcome.ANSWERED),
        ("tiny", "8", "N/A", Outcome.EMPTY),
    ]
    assert [(bad.row, bad.reason) for bad in found.bad] == [
        (4, "sample_id is not a whole number; write a whole number without quotes"),
        (5, "label is not text"),
        (6, "sample_id is not a whole number; write a whole number without quotes"),
    ]


def test_a_submission_that_breaks_off(tmp_path: Path) -> None:
    path = tmp_path / "submission.json"
    path.write_text('[{"sample_id": 0, "label": "B"}, {"sample_id": 1, "lab')
    found = read_predictions(path, schema=EGOPLAN, model="m")
    assert len(found.rows) == 1
    assert "correct the file, because Touchstone cannot read the text after this position" in found.bad[0].reason

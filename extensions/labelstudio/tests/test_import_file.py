"""Test that the JSON of a real Label Studio gives the entered answers, and that all other content is reported."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas.formats import Names
from annotation_schemas.model import Schema
from domain.errors import InvalidFileError
from extensions.labelstudio.import_file import ReadProject, read_label_studio
from extensions.labelstudio.names import SAME
from extensions.labelstudio.tests.kitchen import FOLDER, KITCHEN, RATINGS, kitchen
from extensions.labelstudio.values import media_path

PREDICTED = Names(controls={"prediction": "why"})


def ratings(read: ReadProject) -> dict[tuple[str, str], dict[str, Any]]:
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for rating, _ in read.ratings:
        assert rating.model is None
        found.setdefault((rating.item, rating.rater), {})[rating.criterion] = rating.value
    return found


def schema() -> Schema:
    return kitchen().schema_


@pytest.mark.parametrize("name", ["kitchen.json", "kitchen-min.json", "kitchen-snapshot.json"])
def test_what_two_people_entered_there_comes_out_of_every_form_of_export(name: str) -> None:
    read = read_label_studio(FOLDER / name, schema=schema(), names=PREDICTED)
    assert not read.bad
    assert ratings(read) == RATINGS
    assert [(item.external_id, item.fields["answer"]) for item in sorted(read.items, key=lambda i: i.external_id)] == [
        ("1", "A red cup."),
        ("2", "Two."),
        ("3", "No."),
        ("4", "Dry it."),
    ]
    questions = {item.external_id: item.fields["question"] for item in read.items}
    assert questions["2"] == "Wie viele Messer? \u2013 zwei"
    assert {item.assets[0].path for item in read.items} == {
        "upload/5/5d48d83e-red.png",
        "upload/5/9fb7ff51-blue.png",
        "kitchen/green one.png",
        "pics/grey.png",
    }


@pytest.mark.parametrize("name", ["kitchen.json", "kitchen-snapshot.json"])
def test_predictions_become_answers_and_skips_and_changed_minds_are_counted(name: str) -> None:
    read = read_label_studio(FOLDER / name, schema=schema(), names=PREDICTED)
    assert [(answer.item, answer.model, answer.text) for answer, _ in read.predictions] == [("1", "tiny-1", "a cup")]
    assert (read.skipped, read.earlier) == (1, 1)


def test_a_prediction_without_a_result_is_an_empty_answer(tmp_path: Path) -> None:
    nothing = {"model_version": "m", "result": []}
    answered = {"model_version": "n", "result": [said("why", "textarea", text=["a cup"])]}
    found = read(tmp_path, task(predictions=[nothing, answered]))
    assert not found.bad
    assert [(each.model, each.text, each.outcome.value) for each, _ in found.predictions] == [
        ("m", "", "empty"),
        ("n", "a cup", "answered"),
    ]
    # for a control that is left out, the file does not show whether an answer was required
    left_out = read(tmp_path, task(predictions=[nothing]), names=Names(without=frozenset({"objects"})))
    assert not left_out.predictions
    named = Names({}, {"prediction": "why"}, frozenset({"objects"}))
    assert [each.text for each, _ in read(tmp_path, task(predictions=[nothing]), names=named).predictions] == [""]


def test_one_object_a_line_is_the_same(tmp_path: Path) -> None:
    lines = tmp_path / "kitchen.jsonl"
    tasks = json.loads((FOLDER / "kitchen.json").read_text(encoding="utf-8"))
    lines.write_text("\ufeff" + "".join(json.dumps(task) + "\n" for task in tasks), encoding="utf-8")
    read = read_label_studio(lines, schema=schema(), names=PREDICTED)
    assert ratings(read) == RATINGS
    assert not read.bad


# ---- one task of our own ---------------------------------------------------------------------------------------------


DATA = {"image": "a.png", "question": "What?", "answer": "A cup."}


def said(control: str, kind: str, **value: Any) -> dict[str, Any]:
    return {"from_name": control, "to_name": "image", "type": kind, "value": value}


def task(*annotations: Mapping[str, Any], data: Mapping[str, Any] = DATA, **more: Any) -> dict[str, Any]:
    return {"id": 7, "data": dict(data), "annotations": list(annotations), **more}


def annotation(*result: Mapping[str, Any], by: Any = 3, **more: Any) -> dict[str, Any]:
    return {"id": 11, "completed_by": by, "result": list(result), **more}


def read(folder: Path, *tasks: Any, names: Names = SAME, text: str = KITCHEN) -> ReadProject:
    path = folder / "tasks.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return read_label_studio(path, schema=kitchen(text).schema_, names=names)


def test_keys_and_controls_may_have_other_names(tmp_path: Path) -> None:
    data = {"picture": "a.png", "q": "What?", "answer": "A cup.", "uid": "k-1", "more": 1}
    names = Names({"image": "picture", "question": "q", "item_id": "uid"}, {"fits": "verdict"}, frozenset({"remark"}))
    result = [said("verdict", "choices", choices=["no"]), said("remark", "textarea", text=["hm"])]
    found = read(tmp_path, task(annotation(*result), data=data), names=names)
    assert not found.bad
    assert found.items[0].external_id == "k-1"
    assert found.items[0].fields == {"question": "What?", "answer": "A cup."}
    assert ratings(found) == {("k-1", "label-studio-3"): {"fits": "no"}}


@pytest.mark.parametrize(
    ("result", "value"),
    [
        (said("clarity", "choices", choices=["3"]), 3),
        (said("clarity", "number", number=3), 3),
        (said("clarity", "rating", rating=3), 3),
        (said("count", "textarea", text=["3"]), 3),
        (said("count", "rating", rating=3), 3),
        (said("why", "choices", choices=["dark"]), "dark"),
        (said("fits", "textarea", text=["yes"]), "yes"),
        (said("fits", "choices", choices=["Yes"]), "yes"),
    ],
)
def test_the_same_answer_may_have_been_given_with_another_control(
    tmp_path: Path, result: dict[str, Any], value: Any
) -> None:
    found = read(tmp_path, task(annotation(result)))
    assert not found.bad
    assert [rating.value for rating, _ in found.ratings] == [value]


@pytest.mark.parametrize(
    ("by", "rater"),
    [
        (3, "label-studio-3"),
        ({"id": 3, "email": "ann@example.org"}, "label-studio-3"),
        ({"email": "ann@example.org"}, "ann@example.org"),
        (None, "ann"),
    ],
)
def test_who_annotated(tmp_path: Path, by: Any, rater: str) -> None:
    found = read(tmp_path, task(annotation(said("fits", "choices", choices=["no"]), by=by)), names=Names(rater="ann"))
    assert [rating.rater for rating, _ in found.ratings] == [rater]


def test_answers_that_people_graded(tmp_path: Path) -> None:
    """Two tasks show answers of two models to one item."""
    first = {**DATA, "item_id": "x", "prediction": "A mug.", "model": "one"}
    second = {**first, "prediction": "A knife.", "model": "two"}
    tasks = [
        task(annotation(said("score", "choices", choices=[score])), data=data, id=number)
        for number, (data, score) in enumerate([(first, "0.5"), (second, "0")], 1)
    ]
    found = read(tmp_path, *tasks)
    assert not found.bad
    assert [item.external_id for item in found.items] == ["x"]
    assert [(each.model, each.criterion, each.value) for each, _ in found.ratings] == [
        ("one", "score", 0.5),
        ("two", "score", 0),
    ]
    assert [(each.model, each.text) for each, _ in found.predictions] == [("one", "A mug."), ("two", "A knife.")]


FITS = said("fits", "choices", choices=["yes"])


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (task(annotation(said("fits", "choices", choices=["maybe"]))), "task 7, annotation 11: Does it fit?"),
        (task(annotation(said("verdict", "choices", choices=["yes"]))), "--set controls.CRITERION=verdict"),
        (task(annotation(FITS, FITS)), "task 7, annotation 11"),
        (task(annotation(FITS, by=None)), "Name the annotator with --set rater=NAME"),
        (task(annotation(FITS, by="x" * 101)), "more than 100 characters"),
        (task(annotation(FITS) | {"result": {"a": 1}}), "annotation 11: `result` must be a list"),
        (task(annotation(said("count", "number", number="many"))), "task 7, annotation 11"),
        (
            task(data={"image": "a.png", "text": "What?", "answer": "A cup."}),
            "The task has the keys image, text, answer",
        ),
        (task(data={"question": "What?", "answer": "A cup."}), "--set fields.image=KEY"),
        (task(data={**DATA, "image": "data:image/png;base64,AAAA"}), "contains the image data"),
        (task(data={**DATA, "image": "http://["}), "must be a path or an address"),
        (task(data={**DATA, "image": ["a.png", "b.png"]}), "an item can have at most 1"),
        (task(data={**DATA, "image": "x" * 301}), "longer than 300"),
        (task(data={**DATA, "dimension": "garden"}), "The dimensions are kitchen"),
        (task(data={**DATA, "prediction": "A mug."}), "Name the model with --model"),
        (task(data={**DATA, "item_id": 1.5}), "must be a whole number or text"),
        ({"id": 7, "data": "x"}, "task 7: `data` must be an object"),
        ({"id": [7], "data": DATA}, "`id` must be"),
        ({"id": 7, "data": DATA, "annotations": {"result": []}}, "task 7: annotations must be a list"),
        (task(predictions=[{"model_version": "m", "result": "x"}]), "prediction 1: `result` must be a list"),
        (task(predictions=[{"result": [said("why", "textarea", text=["a"])]}]), "(model_version)"),
        (
            task(predictions=[{"model_version": "m", "result": [said("objects", "rectanglelabels", x=1)]}]),
            "Ignore this control with --set ignore_controls=objects",
        ),
        (
            task(predictions=[{"model_version": "m", "result": [FITS, said("why", "textarea", text=["a"])]}]),
            "--set controls.prediction=CONTROL",
        ),
        ("a text", "not a JSON object"),
    ],
)
def test_what_does_not_fit_is_told_and_the_rest_is_read(tmp_path: Path, bad: Any, sentence: str) -> None:
    found = read(tmp_path, task(annotation(FITS), data={**DATA, "item_id": "good"}), bad)
    assert [row.row for row in found.bad] == [2]
    assert sentence in found.bad[0].reason
    assert "good" in [item.external_id for item in found.items]
    assert ("good", "label-studio-3") in ratings(found)


def test_the_same_item_twice_is_told(tmp_path: Path) -> None:
    found = read(tmp_path, task(), task())
    assert [(row.row, "is already in row 1" in row.reason) for row in found.bad] == [(2, True)]


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (Names({"colour": "c"}), "--set fields.colour"),
        (Names(controls={"colour": "c"}), "--set controls.colour"),
    ],
)
def test_names_that_the_schema_does_not_have(tmp_path: Path, names: Names, sentence: str) -> None:
    with pytest.raises(InvalidFileError, match=sentence):
        read(tmp_path, task(), names=names)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b'{"tasks": []',
        b"<!doctype html><html></html>",
        b"NaN",
        '[{"data": {}}]'.encode("utf-16"),
        b"\x00\x01\x02",
        b'"text"',
    ],
)
def test_other_files_are_refused_in_words(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "tasks.json"
    path.write_bytes(data)
    with pytest.raises(InvalidFileError, match=r"tasks\.json, row 1: .*Use a Label Studio export"):
        read_label_studio(path, schema=schema())


@pytest.mark.parametrize(
    "record",
    [
        "{}",
        '{"id": 1, "data": {"question": NaN}}',
        '{"id": 1, "data": ' + '{"a": ' * 5000 + "1" + "}" * 5000 + "}",
        '{"id": 1, "data": {"question": 1e999}}',
        '{"id": 1, "data": {"image": "a.png", "question": "\\ud800", "answer": "x"}, "annotations": '
        + "[" * 300
        + "]" * 300
        + "}",
        '{"id": 1, "data": {"image"',
    ],
)
def test_hostile_records_are_bad_rows(tmp_path: Path, record: str) -> None:
    path = tmp_path / "tasks.json"
    path.write_text(f"[{json.dumps(task(annotation(FITS)))}, {record}]", encoding="utf-8")
    found = read_label_studio(path, schema=schema())
    assert [row.row for row in found.bad] == [2]
    assert [item.external_id for item in found.items] == ["7"]


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("/data/upload/5/5d48d83e-red.png", "upload/5/5d48d83e-red.png"),
        ("http://host:8080/data/upload/5/a%20b.png", "data/upload/5/a b.png"),
        ("/data/local-files/?d=../../etc/passwd.png", "etc/passwd.png"),
        ("s3://bucket/folder/1.png", "folder/1.png"),
        ("C:\\pictures\\1.png", "C:/pictures/1.png"),
        ("../1.png", "1.png"),
    ],
)
def test_where_a_picture_is_looked_for(value: str, path: str) -> None:
    assert media_path(value, "image") == path

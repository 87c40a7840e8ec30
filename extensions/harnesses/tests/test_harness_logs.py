"""Logs of other harnesses, as they wrote them: every answer, and what is said of a log that does not fit."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas import shipped
from annotation_schemas.formats import FORMATS, ReadPredictions
from annotation_schemas.loader import load_schema
from domain.errors import InvalidFileError
from domain.records import PredictionRecord
from domain.runs import Outcome
from extensions.harnesses.predictions import read_predictions
from extensions.harnesses.tests.known_logs import ENDED, ENDED_IN_INSPECT, ITEMS, KNOWN, LOGS, OF_INSPECT
from importers import answer_files
from importers.readers import reader_of
from testkit.missing_extensions import needs

SCHEMA = load_schema(shipped()["egothink"]).schema_
EGOPLAN = load_schema(shipped()["egoplan"]).schema_


def read(path: Path, format: str = "predictions", schema: Any = SCHEMA, **options: Any) -> ReadPredictions:
    found: ReadPredictions = reader_of(FORMATS[format])(path, schema=schema, **options)
    return found


def by_id(found: ReadPredictions) -> dict[str, PredictionRecord]:
    assert found.bad == []
    return {answer.ids[0]: answer for answer, _ in found.rows}


def texts(found: ReadPredictions) -> dict[str, str]:
    return {name: answer.text for name, answer in by_id(found).items()}


def refused(path: Path, *, format: str = "predictions", **options: Any) -> str:
    with pytest.raises(InvalidFileError) as told:
        read(path, format, **options)
    words = str(told.value)
    assert path.name in words
    assert "Nothing was imported" in words
    return words


# ---- what harnesses wrote -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("log", ["lmms_eval_0.7.3", "lmms_eval_0.3.5", "lm_eval_0.4.13"])
@pytest.mark.parametrize("format", ["predictions", "lmms_eval_samples"])
def test_every_answer_of_lmms_eval_and_lm_eval(log: str, format: str) -> None:
    found = read(LOGS / log, format)
    failed = "[LMMS_EVAL_REQUEST_FAILED after 1 retries] Error code: 400 - scripted failure"
    wrote = KNOWN | ({"Reasoning/counting/0": failed} if log == "lmms_eval_0.7.3" else {})
    ended = ENDED | ({"Reasoning/counting/0": Outcome.TRANSPORT_ERROR} if log == "lmms_eval_0.7.3" else {})
    assert texts(found) == wrote
    assert {name: answer.outcome for name, answer in by_id(found).items()} == ended
    assert {answer.model for answer, _ in found.rows} == {"scripted/tiny"}
    assert [here.row for _, here in found.rows] == list(range(1, 10))
    asked = {each["item"]: each["question"] for each in ITEMS}
    prompt = "\nAnswer in one sentence." if log == "lmms_eval_0.7.3" else ""
    assert {answer.ids[0]: answer.question for answer, _ in found.rows} == {
        name: question + prompt for name, question in asked.items()
    }
    assert sum("samples" in path for path in found.hashes) == 1


@pytest.mark.parametrize("format", ["predictions", "inspect_log"])
@pytest.mark.parametrize(("log", "epochs"), [("inspect.eval", 2), ("inspect.json", 1)])
def test_every_answer_of_inspect(log: str, epochs: int, format: str) -> None:
    found = read(LOGS / log, format)
    assert len(found.rows) == 9 * epochs
    assert texts(found) == OF_INSPECT
    assert {name: answer.outcome for name, answer in by_id(found).items()} == ENDED_IN_INSPECT
    assert {answer.model for answer, _ in found.rows} == {"openai-api/scripted/tiny"}
    assert {answer.question for answer, _ in found.rows} == {each["question"] for each in ITEMS}
    why = {name: answer.error for name, answer in by_id(found).items() if answer.error}
    assert why == {
        "Object/attribute/1": "The file has no text for this item.",
        "Localization/spatial/0": "Inspect: max_tokens",
        "Reasoning/counting/0": "Inspect recorded an error: ModelGenerateError('scripted failure')",
        "Reasoning/situated/0": "Inspect: content_filter",
    }


@needs("sheet_readers", ".xlsx")
@pytest.mark.parametrize("ending", ["json", "xlsx"])
def test_every_answer_of_vlmevalkit(ending: str) -> None:
    found = read(LOGS / "vlmevalkit" / "scripted_tiny" / f"scripted_tiny_Demo.{ending}")
    assert found.bad == []
    failed = {"Reasoning/counting/0": "Failed to obtain answer via API."}
    assert {answer.item: answer.text for answer, _ in found.rows} == KNOWN | failed
    assert {answer.item: answer.outcome for answer, _ in found.rows} == ENDED | {
        "Reasoning/counting/0": Outcome.TRANSPORT_ERROR
    }
    assert {answer.model for answer, _ in found.rows} == {"scripted_tiny"}
    assert {answer.item: answer.question for answer, _ in found.rows} == {e["item"]: e["question"] for e in ITEMS}


def test_samples_that_inspect_counted_have_no_id() -> None:
    found = read(LOGS / "inspect_counted.eval")
    assert [answer.ids for answer, _ in found.rows] == [()] * 9
    said = {(answer.question, answer.text) for answer, _ in found.rows}
    assert said == {(each["question"], OF_INSPECT[each["item"]]) for each in ITEMS}


def test_log_likelihoods_are_no_text() -> None:
    found = read(LOGS / "lm_eval_choice", model="tiny")
    assert found.rows == []
    assert [bad.row for bad in found.bad] == [1, 2, 3]
    assert "log-likelihoods instead of text" in found.bad[0].reason


def test_scores_next_to_answers_are_told_from_them(tmp_path: Path) -> None:
    scores = LOGS / "lmms_eval_0.3.5" / "20261123_163514_results.json"
    assert "has scores from lmms-eval or lm-eval, but no answers" in refused(scores)
    assert "has scores" in refused(scores, format="lmms_eval_samples")


def test_a_name_says_nothing_about_what_a_file_is(tmp_path: Path) -> None:
    shutil.copy(LOGS / "inspect.eval", tmp_path / "log.zip")
    shutil.copy(LOGS / "inspect.json", tmp_path / "answers.json")
    assert len(read(tmp_path / "log.zip").rows) == 18
    assert len(read(tmp_path / "answers.json").rows) == 9
    assert "log.zip is not a sample log of lmms-eval" in refused(tmp_path / "log.zip", format="lmms_eval_samples")
    own = tmp_path / "own.jsonl"
    own.write_text('{"item": "a", "model": "m", "text": "x"}\n')
    assert "own.jsonl is not a log of Inspect" in refused(own, format="inspect_log")
    assert "own.jsonl is not a JSON object of answers by ID" in refused(own, format="answer_map")
    assert [answer.item for answer, _ in read(own).rows] == ["a"]


# ---- shapes of lmms-eval --------------------------------------------------------------------------------------------


def sample(**parts: Any) -> dict[str, Any]:
    return {"doc_id": 0, "target": "x", "doc": {"item": "a"}, "filtered_resps": ["red"], **parts}


def samples(folder: Path, *records: Any, name: str = "20260101_000000_samples_t.jsonl") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"resps": [["red"]], "filtered_resps": ["A"]}, ["red"]),
        ({"resps": ["red", "blue"], "filtered_resps": "A"}, ["red", "blue"]),
        ({"resps": [["red"], ["blue"]]}, ["red", "blue"]),
        ({"resps": "red", "filtered_resps": "A"}, ["red"]),
        ({"filtered_resps": "red"}, ["red"]),
        ({"filtered_resps": ""}, [""]),
        ({"filtered_resps": ["-1.5", "maybe"]}, ["-1.5", "maybe"]),
        ({"same": float("nan")}, ["red"]),
    ],
)
def test_responses_in_every_shape(tmp_path: Path, parts: Mapping[str, Any], said: list[str]) -> None:
    found = read(samples(tmp_path, sample(**parts)), model="m")
    assert ([answer.text for answer, _ in found.rows], found.bad) == (said, [])


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (sample(filtered_resps=[]), "the line has no response"),
        (sample(filtered_resps=None), "the line has no response"),
        (sample(filtered_resps=[7]), "the responses are not text"),
        (sample(filtered_resps=["-0.5", "True"]), "log-likelihoods"),
        (sample(filtered_resps=[[-0.5, False], [-1.5, True]]), "log-likelihoods"),
        (sample(resps=[[["one", "two"]]]), "several turns"),
        (json.dumps(sample())[:-20], "the text ends too early"),
        ('{"doc_id": 1, "resps": tru}', "the text is not JSON"),
        ("[1]", "the line is not an object"),
        ('{"doc_id": ' + "[" * 100_000 + "]" * 100_000 + ', "resps": "x"}', "nested too deep"),
        ('{"doc_id": ' + "9" * 5_000 + ', "resps": "x"}', "a number that is too large"),
        (sample(filtered_resps="x" * 1_000_001), "the answer has 1,000,001 characters"),
    ],
)
def test_a_row_of_a_log_that_does_not_fit_is_named(tmp_path: Path, record: Any, reason: str) -> None:
    found = read(samples(tmp_path, sample(), record), model="m")
    assert len(found.rows) == 1
    assert [(bad.path, bad.row) for bad in found.bad] == [("20260101_000000_samples_t.jsonl", 2)]
    assert reason in found.bad[0].reason


def test_bytes_that_are_no_utf_8(tmp_path: Path) -> None:
    path = samples(tmp_path, sample())
    path.write_bytes(
        path.read_bytes() + json.dumps(sample(filtered_resps="caf\u00e9"), ensure_ascii=False).encode("latin-1")
    )
    assert [bad.reason for bad in read(path, model="m").bad] == ["the line is not UTF-8"]
    path.write_bytes("\ufeff".encode("utf-16-le") + json.dumps(sample()).encode("utf-16-le"))
    assert "the text is encoded in UTF-16 or UTF-32 instead of UTF-8" in refused(path, model="m")


def test_who_answered_stands_in_the_scores_or_the_folder(tmp_path: Path) -> None:
    path = samples(tmp_path / "org__tiny", sample())
    alone = samples(tmp_path / "somewhere", sample())

    def who(path: Path) -> list[str]:
        return [answer.model for answer, _ in read(path).rows]

    assert who(path) == ["org/tiny"]
    assert [bad.reason for bad in read(alone).bad] == [
        "the model is unknown, because the scores and the folder do not name a model. Name the model with --model"
    ]
    assert who(tmp_path) == ["org/tiny", "somewhere"]  # lmms-eval calls folders after models
    scores = alone.with_name("20260101_000000_results.json")
    other = alone.with_name("20260102_000000_results.json")
    other.write_text('{"results": {}, "model_name": "other"}')
    assert who(alone) == ["other"]
    for written, named in (
        ({"model_name": "org/tiny"}, "org/tiny"),
        ({"model_name": "/home/x/models/tiny/"}, "tiny"),
        (
            {"model_name": "", "config": {"model": "llava", "model_args": "device=cpu,pretrained=org/llava"}},
            "org/llava",
        ),
        ({"config": {"model": "dummy", "model_args": ""}}, "dummy"),
    ):
        scores.write_text(json.dumps({"results": {}, **written}))
        assert who(alone) == [named]
    scores.write_text('{"results": {')
    assert read(alone).rows == []
    assert [answer.model for answer, _ in read(alone, model="said").rows] == ["said"]


def test_ids_stand_where_a_task_puts_them(tmp_path: Path) -> None:
    def ids(schema: Any = SCHEMA, **parts: Any) -> tuple[str, ...]:
        ((answer, _),) = read(samples(tmp_path, {**sample(), "doc": {}, **parts}), model="m", schema=schema).rows
        return answer.ids

    assert ids() == ()
    assert ids(doc={"item": "a", "id": "b"}) == ("a", "b")
    assert ids(submission={"item_id": 7}) == ("7",)
    assert ids(doc={"id": 7, "question_id": "8", "index": True}) == ()  # a count, as far as anyone can tell
    assert ids(doc={"sample_id": 3120, "id": 7}, schema=EGOPLAN) == ("3120",)
    assert ids(doc={"sample_id": 3120}) == ()


def test_one_file_for_each_task_as_lmms_eval_wrote_before_0_2(tmp_path: Path) -> None:
    path = tmp_path / "egothink.json"
    logs = [sample(resps=[["red"]], arguments=[["What is it?", 0]]), sample(doc={"item": "b"}, resps=[["blue"]]), 3]
    args = {"model": "llava", "model_args": "pretrained=org/llava,device_map=auto"}
    path.write_text(json.dumps({"args": args, "model_configs": {"task": "egothink"}, "logs": logs}, indent=4))
    found = read(path)
    assert [(answer.model, answer.ids, answer.text) for answer, _ in found.rows] == [
        ("org/llava", ("a",), "red"),
        ("org/llava", ("b",), "blue"),
    ]
    assert [(bad.row, bad.reason) for bad in found.bad] == [(3, "the line is not an object {...}")]
    path.write_text(path.read_text()[:-30])
    assert "Touchstone cannot read egothink.json: the text ends too early" in refused(path)


# ---- shapes of Inspect ----------------------------------------------------------------------------------------------


def inspect_log(path: Path, *found: Mapping[str, Any], model: str = "org/tiny", **about: Any) -> Path:
    head = {"version": 2, "status": "success", "eval": {"model": model, "task_id": "t", **about}}
    path.write_text(json.dumps({**head, "samples": list(found)}), encoding="utf-8")
    return path


def a_sample(id: Any = "a", text: str = "red", **parts: Any) -> dict[str, Any]:
    output = {"completion": text, "choices": [{"stop_reason": "stop", "message": {"content": text}}]}
    return {"id": id, "epoch": 1, "input": "What is it?", "output": output, **parts}


@pytest.mark.parametrize(
    ("parts", "text", "outcome"),
    [
        ({}, "red", Outcome.ANSWERED),
        (
            {"output": {"choices": [{"message": {"content": [{"type": "text", "text": "red"}]}}]}},
            "red",
            Outcome.ANSWERED,
        ),
        (
            {"output": {"completion": "attachment://h"}, "attachments": {"h": "a long answer"}},
            "a long answer",
            Outcome.ANSWERED,
        ),
        ({"limit": {"type": "token", "limit": 5}}, "red", Outcome.TRUNCATED),
        ({"limit": {"type": "time", "limit": 5}, "output": {"completion": ""}}, "", Outcome.FAILED),
        ({"error": {"message": "boom"}}, "red", Outcome.FAILED),
        ({"output": {"completion": "", "error": "blocked"}}, "", Outcome.REFUSED),
        ({"output": {"completion": " ", "choices": [{"stop_reason": "max_tokens"}]}}, " ", Outcome.EMPTY),
        ({"output": {}}, "", Outcome.EMPTY),
    ],
)
def test_how_a_sample_ended(tmp_path: Path, parts: Mapping[str, Any], text: str, outcome: Outcome) -> None:
    ((answer, _),) = read(inspect_log(tmp_path / "l.json", a_sample(**parts))).rows
    assert (answer.text, answer.outcome) == (text, outcome)


def test_the_words_of_a_conversation_are_those_of_the_user(tmp_path: Path) -> None:
    turns = [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": [{"type": "text", "text": "What is it?"}, {"type": "image", "image": "x"}]},
    ]
    ((answer, _),) = read(inspect_log(tmp_path / "l.json", a_sample(input=turns))).rows
    assert answer.question == "What is it?"


def test_a_number_is_an_id_only_where_inspect_cannot_have_counted(tmp_path: Path) -> None:
    def ids(*given: Any, **about: Any) -> list[tuple[str, ...]]:
        found = read(inspect_log(tmp_path / "l.json", *(a_sample(id) for id in given), **about))
        return [answer.ids for answer, _ in found.rows]

    assert ids(1, 2, dataset={"samples": 2}) == [(), ()]
    assert ids(1, 3120, dataset={"samples": 2}) == [(), ("3120",)]
    assert ids(0) == [("0",)]
    assert ids("1") == [("1",)]
    assert ids(11, dataset={"samples": 1}, config={"limit": [10, 11]}) == [()]
    assert ids(11, dataset={"samples": 1}, config={"sample_id": 11}) == [()]


def test_samples_that_do_not_fit(tmp_path: Path) -> None:
    given = [a_sample(), a_sample(invalidation={"author": "x"}), 7, a_sample(epoch="one")]
    found = read(inspect_log(tmp_path / "l.json", *given))
    assert [bad.reason for bad in found.bad] == [
        "the sample is marked as invalid in Inspect",
        "the sample is not an object {...}",
        "epoch is not a number",
    ]
    assert [bad.row for bad in found.bad] == [2, 3, 4]
    none = read(inspect_log(tmp_path / "n.json"))
    assert [bad.reason for bad in none.bad] == [
        "the log has no samples, because its run ended before the first sample (status: success)"
    ]
    nobody = read(inspect_log(tmp_path / "l.json", a_sample(), model="none/none"))
    assert [bad.reason for bad in nobody.bad] == [
        "the model is missing from the row and from the file name l.json; name the model with --model"
    ]


def test_the_first_epoch_comes_first(tmp_path: Path) -> None:
    given = [a_sample("a", "late", epoch=2), a_sample("b", "first"), a_sample("a", "early")]
    found = read(inspect_log(tmp_path / "l.json", *given))
    assert [(answer.text, here.row) for answer, here in found.rows] == [("first", 2), ("early", 3), ("late", 1)]


# ---- objects of answers by id ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("indent", [None, 4])
@pytest.mark.parametrize("format", ["predictions", "answer_map"])
def test_answers_by_id(tmp_path: Path, indent: int | None, format: str) -> None:
    path = tmp_path / "tiny_EgoThink.json"
    path.write_text(json.dumps({"a/0": "red", "a/1": 3, "a/2": None, "a/3": ""}, indent=indent))
    found = read(path, format)
    assert [(a.model, a.item, a.text, a.outcome) for a, _ in found.rows] == [
        ("tiny", "a/0", "red", Outcome.ANSWERED),
        ("tiny", "a/1", "3", Outcome.ANSWERED),
        ("tiny", "a/2", "", Outcome.EMPTY),
        ("tiny", "a/3", "", Outcome.EMPTY),
    ]
    assert [here.row for _, here in found.rows] == [1, 2, 3, 4]


def test_answers_by_id_that_do_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text('{"a": "red", "b": ["x"], "c": true, "a": "blue", "d": {"x": 1}}')
    found = read(path, model="m")
    assert [(answer.item, answer.text) for answer, _ in found.rows] == [
        ("a", "red"),
        ("a", "blue"),
    ]  # not the last alone
    assert [(bad.row, bad.reason) for bad in found.bad] == [
        (n, "the answer must be text or a number") for n in (2, 3, 5)
    ]
    unnamed = read(path)
    assert "name the model with --model" in unnamed.bad[0].reason
    path.write_text('{"a": "red", "b": "bl')
    assert "Touchstone cannot read answers.json: the text ends too early (line 1, column 19)" in refused(
        path, model="m"
    )


def test_half_characters_and_nothings_are_stored_as_what_they_are_not(tmp_path: Path) -> None:
    """An escape may name half of a pair, or U+0000: neither can be stored everywhere."""
    half = '"\\ud83d\\u0000"'
    by_id = tmp_path / "answers.json"
    by_id.write_text(f'{{{half}: "red", "b": {half}, "c": [{half}], {half[:-1]}c": [1]}}')
    log = tmp_path / "log.json"
    log.write_text(
        f'{{"version": 2, "status": "success", "eval": {{"model": {half}}}, "samples": [{{"id": {half}, "epoch": 1, '
        f'"input": {half}, "output": {{"completion": {half}}}}}, {{"id": {half}, "epoch": {half}}}]}}'
    )
    lines = samples(tmp_path, f'{{"doc_id": 0, "doc": {{"item": {half}, "question": {half}}}, "resps": [[{half}]]}}')
    nan = tmp_path / "tiny_Set.json"
    nan.write_text(f'[{{"index": {half}, "prediction": {half}, "category": NaN}}]')
    for path in (by_id, log, lines, nan):
        found = read(path, model=None if path == log else "m")
        assert found.rows
        for answer, here in found.rows:
            kept = (
                answer.model,
                answer.text,
                answer.item or "",
                answer.index or "",
                answer.question or "",
                *answer.ids,
            )
            assert all("\x00" not in text and text.encode("utf-8") == text.encode("utf-8", "replace") for text in kept)
            assert "\ufffd\ufffd" in kept
            here.raw.encode("utf-8")
        for bad in found.bad:
            (bad.raw + bad.reason).encode("utf-8")


def test_records_are_no_answers_by_id(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text('{"item": "a", "model": "m", "text": "red"}')
    assert [(answer.item, answer.text) for answer, _ in read(path).rows] == [("a", "red")]
    lines = tmp_path / "lines.json"
    lines.write_text('{"id": "a", "answer": "red"}\n{"id": "b", "answer": "blue"}\n')
    assert [bad.reason for bad in read(lines).bad] == ["item is missing", "item is missing"]


# ---- too much -------------------------------------------------------------------------------------------------------


def test_more_rows_and_bytes_than_come_in_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = samples(tmp_path, *[sample()] * 21)
    monkeypatch.setattr(answer_files, "MOST_ROWS", 20)
    assert "has more than 20 rows" in refused(path, model="m")
    monkeypatch.setattr(answer_files, "LARGEST", 1 << 10)
    assert "is larger than 0 MB" in refused(path, model="m")


def test_a_folder_without_a_log(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(InvalidFileError, match=r"contains no log of Inspect\. Nothing was imported"):
        read(tmp_path, "inspect_log")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidFileError, match=r"has no \.json file"):
        read(tmp_path / "empty", "answer_map")


def test_logs_of_several_harnesses_lie_in_one_folder(tmp_path: Path) -> None:
    shutil.copytree(LOGS / "lmms_eval_0.7.3", tmp_path / "a")
    shutil.copy(LOGS / "inspect.eval", tmp_path / "b.eval")
    whole = read_predictions(tmp_path, schema=SCHEMA)
    assert len(whole.rows) == 9 + 18
    assert {answer.model for answer, _ in whole.rows} == {"scripted/tiny", "openai-api/scripted/tiny"}
    only = read(tmp_path, "inspect_log")
    assert (len(only.rows), list(only.hashes)) == (18, ["b.eval"])

"""Logs of other harnesses of the kinds that users reported to their projects: which item and which option is meant.

Each row names the public thread with the situation. The right value is read off the file: the text that stands under
the letter of the answer.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from db.engine import Store
from domain.errors import InvalidFileError
from media.store import MediaStore
from testkit.missing_extensions import needs
from tests.workflow.test_options_as_shown import begin, bring, inspect, lm_eval, media, read_as, sample

pytestmark = [pytest.mark.thorough, needs("formats", "inspect_log")]
__all__ = ["media"]

Q4 = "Which one is open?"
SHOWN = f"{Q4}\nA. the door\nB. the tap\nC. the box\nAnswer:"


def messages(*texts: str) -> list[dict[str, str]]:
    """Turns of a user and an assistant by turns."""
    return [{"role": "assistant" if n % 2 else "user", "content": text} for n, text in enumerate(texts)]


def table(head: str, *rows: str) -> str:
    return "\n".join(line.replace("|", "\t") for line in (head, *rows)) + "\n"


READ: dict[str, tuple[str, str, tuple[str, str]]] = {
    # tables of VLMEvalKit; the items have the tap, the door, the box
    "VLMEvalKit 73: a pass with shifted options": (
        "mS_p3.tsv",
        table("index|question|A|B|C|answer|prediction", f"q4|{Q4}|the box|the tap|the door|C|C"),
        ("q4", "the door"),
    ),
    "VLMEvalKit 803: the log of another pass": (
        "mS_p3.tsv",
        table("index|question|A|B|C|answer|prediction|log|hit", f"q4|{Q4}|the door|the box|the tap|A|A|Matched B|0"),
        ("q4", "the door"),
    ),
    "VLMEvalKit 141: options in small letters": (
        "mS_p3.tsv",
        table("index|question|a|b|c|answer|prediction", f"q4|{Q4}|the door|the tap|the box|A|A"),
        ("q4", "the door"),
    ),
    "vstar 8: the right option always first, as a list": (
        "mS_p3.tsv",
        table("index|question|options|prediction", f"q4|{Q4}|['the door', 'the tap', 'the box']|A"),
        ("q4", "the door"),
    ),
    "VLMEvalKit 121: a spreadsheet with decimals": (
        "mS_p3.tsv",
        table("index|question|A|B|C|D|prediction", "q1|How many cups?|3.0|2.0|4.0|1.0|A"),
        ("q1", "3"),
    ),
    "pandas 24681 in such a table: None is empty": (
        "mS_p3.tsv",
        table("index|question|A|B|C|D|prediction", "q2|Which is left?|Two||One|Three|B"),
        ("q2", "None"),
    ),
    # logs of Inspect
    "inspect_ai 5010: shuffled twice": (
        "l.json",
        inspect([sample("q4", "ANSWER: C", input=Q4, choices=["the box", "the tap", "the door"])]),
        ("q4", "the door"),
    ),
    "inspect_ai 310: a target that is a text": (
        "l.json",
        inspect([sample("q4", "A", input=Q4, choices=["the door", "the tap", "the box"], target="the door")]),
        ("q4", "the door"),
    ),
    "inspect_ai 1240: shuffled by the solver": (
        "l.json",
        inspect(
            [
                sample(
                    "q4",
                    "ANSWER: A",
                    input=Q4,
                    choices=["the tap", "the door", "the box"],
                    messages=messages(f"{Q4}\n\nA) the door\nB) the tap\nC) the box", "ANSWER: A"),
                )
            ]
        ),
        ("q4", "the door"),
    ),
    "inspect_ai 721: an example before the question": (
        "l.json",
        inspect(
            [
                sample(
                    "q4",
                    "ANSWER: A",
                    input=Q4,
                    messages=messages(
                        "What colour?\n\nA) red\nB) blue",
                        "ANSWER: B",
                        f"{Q4}\n\nA) the door\nB) the tap\nC) the box",
                        "ANSWER: A",
                    ),
                )
            ]
        ),
        ("q4", "the door"),
    ),
    # logs of lm-eval and lmms-eval
    "lm-evaluation-harness 2237: examples before the question": (
        "s.jsonl",
        lm_eval({"item": "q4", "question": Q4}, f"What colour is it?\nA. red\nB. blue\nAnswer: B\n\n{SHOWN}"),
        ("q4", "the door"),
    ),
    "Twinkle Eval 140: an option got lost": (
        "s.jsonl",
        lm_eval({"item": "q2", "question": "Which is left?"}, "Which is left?\nA. Two\nB. None\nC. One", "B"),
        ("q2", "None"),
    ),
    "MMLU-Pro 14: two of the options": (
        "s.jsonl",
        lm_eval({"item": "q1", "question": "How many cups?", "options": ["3", "2"]}, "How many cups?\nA. 3\nB. 2"),
        ("q1", "3"),
    ),
    "cefra 117: an answer in words": (
        "s.jsonl",
        lm_eval({"item": "q4", "question": Q4}, SHOWN, "the tap"),
        ("q4", "the tap"),
    ),
    "llm-foundry 811: labels in another order": (
        "s.jsonl",
        lm_eval(
            {
                "item": "q4",
                "question": Q4,
                "choices": {"text": ["the tap", "the box", "the door"], "label": ["C", "B", "A"]},
            },
            Q4,
        ),
        ("q4", "the door"),
    ),
}


@pytest.mark.parametrize(("name", "text", "expected"), READ.values(), ids=READ)
def test_a_letter_means_what_stood_under_it(
    store: Store, media: MediaStore, tmp_path: Path, name: str, text: str, expected: tuple[str, str]
) -> None:
    begin(store, media, tmp_path)
    (tmp_path / name).write_text(text)
    assert bring(store, media, tmp_path / name, model="m").predictions == 1
    item, option = expected
    assert read_as(store) == {(item, "m"): option}


def both(*pairs: tuple[str, str]) -> str:
    return "\n".join(lm_eval({"item": item, "question": question}, question) for item, question in pairs)


REFUSED: dict[str, tuple[str, str, str]] = {
    "lm-evaluation-harness 4084: ids in another order than the samples": (
        "s.jsonl",
        both(("q1", "Which is left?"), ("q2", "How many cups?")),
        "'q2' has this question",
    ),
    "lm-evaluation-harness 4084: a prompt out of an old cache": (
        "s.jsonl",
        lm_eval({"item": "q1", "question": "How many cups?"}, "Answer with a letter.\nWhich is left?"),
        "the question of 'q2'",
    ),
    "lm-evaluation-harness 4084: the same with options": (
        "s.jsonl",
        lm_eval({"item": "q1", "question": "How many cups?"}, "Which is left?\nA. None\nB. Two\nC. One\nD. Three"),
        "the question of 'q2'",
    ),
    "VLMEvalKit 696: an index that several questions have": (
        "mS_p3.tsv",
        table("index|question|prediction", f"q4|{Q4}|B", "q4|What is it?|A"),
        "'q5' has this question",
    ),
    "inspect_ai 972: two samples of one id": (
        "l.json",
        inspect([sample("q4", "B", input=Q4), sample("q4", "A", input="What is it?")]),
        "'q5' has this question",
    ),
    "sgl-eval 39: two answers of one id": (
        "s.jsonl",
        "\n".join(lm_eval({"item": "q4", "question": Q4}, Q4, said) for said in "BA"),
        "an earlier row has a different answer by m to this item",
    ),
    "VLMEvalKit 73: further passes of a question": (
        "mS_p3.tsv",
        table(
            "index|question|A|B|C|prediction",
            f"q4|{Q4}|the tap|the door|the box|B",
            f"1000000|{Q4}|the box|the tap|the door|C",
        ),
        "there is no item '1000000'",
    ),
    "inspect_ai 4590: options with numbers from 0": (
        "s.jsonl",
        lm_eval({"item": "q4", "question": Q4}, f"{Q4}\n0: the door\n1: the tap\n2: the box", "0"),
        "numbers the options from 0",
    ),
}


@pytest.mark.parametrize(("name", "text", "why"), REFUSED.values(), ids=REFUSED)
def test_a_row_that_contradicts_its_item_is_refused(
    store: Store, media: MediaStore, tmp_path: Path, name: str, text: str, why: str
) -> None:
    begin(store, media, tmp_path)
    (tmp_path / name).write_text(text)
    with pytest.raises(InvalidFileError, match=why):
        bring(store, media, tmp_path / name, model="m")
    assert read_as(store) == {}


TAKEN: dict[str, tuple[str, str, dict[tuple[str, str], Any]]] = {
    "inspect_ai 399: samples in another order": (
        "l.json",
        inspect([sample("q5", "A", input="What is it?"), sample("q4", "B", input=Q4)]),
        {("q4", "m"): "the door", ("q5", "m"): "true"},
    ),
    "lm-evaluation-harness 1401: written by two processes": (
        "s.jsonl",
        "\n".join([lm_eval({"item": "q4", "question": Q4}, Q4, "B")] * 2),
        {("q4", "m"): "the door"},
    ),
    "lm-evaluation-harness 4089: the number of a row, and no item": (
        "s.jsonl",
        json.dumps({"doc_id": 3, "doc": {"question": "How many cups?"}, "arguments": {}, "filtered_resps": ["B"]}),
        {("q1", "m"): "3"},
    ),
    "LEval 1: a number before the question": (
        "s.jsonl",
        lm_eval({"item": "q4", "question": f"Question 4. {Q4}"}, f"Question 4. {Q4}", "B"),
        {("q4", "m"): "the door"},
    ),
}


@pytest.mark.parametrize(("name", "text", "expected"), TAKEN.values(), ids=TAKEN)
def test_a_right_log_is_taken(
    store: Store, media: MediaStore, tmp_path: Path, name: str, text: str, expected: dict[tuple[str, str], Any]
) -> None:
    begin(store, media, tmp_path)
    (tmp_path / name).write_text(text)
    bring(store, media, tmp_path / name, model="m")
    assert read_as(store) == expected

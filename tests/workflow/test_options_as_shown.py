"""Letters are read by the options that a model was shown, whatever their order, and refused where they are others'; a
log whose ids contradict its questions is refused, too.

The items are those of the reported cases. Option texts that stand under a letter in a file say what is expected.
"""

from __future__ import annotations

import json
import random
import string
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db.engine import Store
from domain.errors import InvalidFileError
from domain.runs import Outcome
from media.store import MediaStore
from testkit.missing_extensions import needs
from testkit.samples import write
from tests.paths import shared
from workflow.access.projects import create_project
from workflow.files.export import exported
from workflow.files.import_files import import_files
from workflow.files.project_check import check
from workflow.files.rows_look import look_at_rows

pytestmark = [pytest.mark.thorough, needs("formats", "inspect_log")]

SCHEMA = """
name: mcq
version: 1
title: "MCQ"
guideline: guide.md
dimensions:
  - {id: kitchen, title: "Kitchen", definition: "In the kitchen."}
item:
  assets:
    - {role: image, kind: image}
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list}
    - {name: answer, kind: option_of, field: options, secret_in: [verification]}
stages:
  verification:
    raters: 2
    criteria:
      - {name: right, kind: choice, prompt: "Is the answer right?", options: ["yes", "no"]}
    keep: {rule: unanimous, criterion: right, value: "yes"}
"""
GRADING = """  grading:
    raters: 3
    criteria:
      - {name: quality, kind: scale, prompt: "How good?", values: [0, 0.5, 1]}
"""
ITEMS = {
    "q1": ("How many cups?", ["2", "3", "4", "1"], "3"),
    "q2": ("Which is left?", ["None", "Two", "One", "Three"], "None"),
    "q3": ("What colour is it?", ["NA", "red", "blue"], "NA"),
    "q4": ("Which one is open?", ["the tap", "the door", "the box"], "the door"),
    "q5": ("What is it?", ["true", "false"], "true"),
    "q6": ("Which is it?", ["1.0", "1", "01"], "1"),
}


@pytest.fixture
def media(home: Path) -> MediaStore:
    return MediaStore(home / "media")


def begin(store: Store, media: MediaStore, tmp_path: Path, *, grading: bool = False, name: str = "p") -> None:
    (tmp_path / "guide.md").write_text("Look.")
    (tmp_path / "mcq.yaml").write_text(SCHEMA + (GRADING if grading else ""))
    create_project(store, name=name, loaded=load_schema(tmp_path / "mcq.yaml"))
    rows = [{"id": id, "question": q, "options": o, "answer": a, "image": "f.png"} for id, (q, o, a) in ITEMS.items()]
    bring(store, media, write(tmp_path / "items.json", rows), "jsonl", project=name)


def bring(
    store: Store, media: MediaStore, path: Path, format: str = "predictions", *, project: str = "p", **options: Any
) -> Any:
    return import_files(store, media, by=None, project=project, format=format, path=path, **options)


def read_as(store: Store, project: str = "p") -> dict[tuple[str, str], Any]:
    """What was read of each answer, as an export says it."""
    out = exported(store, by=None, project=project, format="predictions")
    lines = [json.loads(line) for file in out.files.values() for line in file.decode().splitlines()]
    return {(each["item"], each["model"]): each["read"].get("value") for each in lines}


def lm_eval(doc: dict[str, Any], prompt: str, said: str = "A") -> str:
    arguments = {"gen_args_0": {"arg_0": prompt, "arg_1": {}}}
    return json.dumps({"doc_id": 3, "doc": doc, "arguments": arguments, "resps": [[said]], "filtered_resps": [said]})


def inspect(samples: list[dict[str, Any]]) -> str:
    head = {"version": 2, "status": "success", "eval": {"model": "m", "task_id": "t"}}
    return json.dumps({**head, "samples": samples})


def sample(id: str, said: str = "A", **more: Any) -> dict[str, Any]:
    return {"id": id, "epoch": 1, "output": {"completion": said}, **more}


Q4 = {"item": "q4", "question": ITEMS["q4"][0]}
LISTED = "Which one is open?\n\nA) the door\nB) the tap\nC) the box"
SHUFFLED = {
    "mS_p3.tsv": (
        "item\tquestion\tA\tB\tC\tanswer\tprediction\nq4\tWhich one is open?\tthe door\tthe tap\tthe box\tA\tA\n"
    ),
    "columns.jsonl": lm_eval({**Q4, "A": "the door", "B": "the tap", "C": "the box"}, Q4["question"]),
    "prompt.jsonl": lm_eval(Q4, "Which one is open?\nA. the door\nB. the tap\nC. the box\nAnswer:"),
    "inline.jsonl": lm_eval(Q4, "Which one is open? (A) the door (B) the tap (C) the box"),
    "options.jsonl": lm_eval({**Q4, "options": ["the door", "the tap", "the box"]}, Q4["question"]),
    "written.jsonl": lm_eval({**Q4, "options": "['the door', 'the tap', 'the box']"}, Q4["question"]),
    "chat.jsonl": lm_eval(Q4, json.dumps([{"role": "user", "content": LISTED}])),
    "both.jsonl": lm_eval({**Q4, "options": ITEMS["q4"][1]}, LISTED),
    "input.jsonl": json.dumps({"doc_id": 1, "submission": {"item": "q4"}, "input": LISTED, "filtered_resps": "A"}),
    "input.json": inspect([sample("q4", input=LISTED, messages=[{"role": "user", "content": LISTED}])]),
    "messages.json": inspect([sample("q4", input=Q4["question"], messages=[{"role": "user", "content": LISTED}])]),
    "choices.json": inspect([sample("q4", input=Q4["question"], choices=["the door", "the tap", "the box"])]),
    "ours.jsonl": json.dumps({"item": "q4", "model": "m", "text": "A", "options": ["the door", "the tap", "the box"]}),
    "asked.jsonl": json.dumps({"item": "q4", "model": "m", "text": "A", "prompt": LISTED}),
}


@pytest.mark.parametrize("name", SHUFFLED)
def test_a_letter_means_the_option_that_was_shown_under_it(
    store: Store, media: MediaStore, tmp_path: Path, name: str
) -> None:
    begin(store, media, tmp_path)
    (tmp_path / name).write_text(SHUFFLED[name])
    assert bring(store, media, tmp_path / name, model="m").predictions == 1
    assert read_as(store) == {("q4", "m"): "the door"}
    assert bring(store, media, tmp_path / name, model="m").repeated == 1
    assert check(store) == []


@pytest.mark.parametrize("name", ["mS_p3.tsv", "prompt.jsonl", "input.json"])
def test_it_is_refused_where_people_grade_answers_by_the_items_order(
    store: Store, media: MediaStore, tmp_path: Path, name: str
) -> None:
    begin(store, media, tmp_path, grading=True)
    (tmp_path / name).write_text(SHUFFLED[name])
    with pytest.raises(InvalidFileError, match=r"row \d: the model saw the options in another order, but"):
        bring(store, media, tmp_path / name, model="m")
    assert read_as(store) == {}


def test_graders_get_shuffled_answers_that_name_no_letter(store: Store, media: MediaStore, tmp_path: Path) -> None:
    """The options' order changes what "B" means, and not what "the door" means. A failed request means nothing."""
    begin(store, media, tmp_path, grading=True)
    texts = ["the door", "B", "B. the tap", "Either A or B.", "ERROR: request timed out", ""]
    lines = [
        json.dumps({"item": "q4", "model": f"m{n}", "text": text, "options": ["the door", "the tap", "the box"]})
        for n, text in enumerate(texts)
    ]
    (tmp_path / "s.jsonl").write_text("\n".join(lines))
    done = bring(store, media, tmp_path / "s.jsonl", skip_bad=True)
    assert read_as(store) == {("q4", "m0"): "the door"}
    assert done.unanswered == {Outcome.TRANSPORT_ERROR: 1, Outcome.EMPTY: 1}
    assert [each.row for each in done.bad] == [2, 3, 4]
    assert "people or judges in the stage grading see the item's order" in done.bad[0].reason


def test_a_failed_request_is_counted_whatever_options_its_row_has(
    store: Store, media: MediaStore, tmp_path: Path
) -> None:
    begin(store, media, tmp_path)
    row = {"item": "q4", "model": "m", "text": "nan", "options": ["a lamp", "the tap", "the box"]}
    (tmp_path / "s.jsonl").write_text(json.dumps(row))
    assert bring(store, media, tmp_path / "s.jsonl").unanswered == {Outcome.TRANSPORT_ERROR: 1}


def test_columns_that_hold_options_are_not_called_ignored(store: Store, media: MediaStore, tmp_path: Path) -> None:
    begin(store, media, tmp_path)
    row = {"item": "q4", "model": "m", "text": "A", "op1": "the door", "op2": "the tap", "op3": "the box"}
    (tmp_path / "s.jsonl").write_text(json.dumps({**row, "hint1": "look", "hint2": "left"}))
    about = {"by": None, "project": "p", "format": "predictions", "path": tmp_path / "s.jsonl"}
    note = "Unused keys: 'hint1', 'hint2' (the values are not imported)."
    assert note in look_at_rows(store, media, **about).notes
    assert bring(store, media, tmp_path / "s.jsonl").note == note
    assert read_as(store) == {("q4", "m"): "the door"}


HUMAN = {"human_votes": {"A": 3}, "tool_results": "seen", "scene": "kitchen"}
IGNORED = {
    "lm-eval": ("s.jsonl", {**json.loads(lm_eval({**Q4, **HUMAN}, LISTED)), "judge_score": 1.0, "exact_match": 1}),
    "Inspect": ("l.json", {"judge_score": 1.0, "exact_match": 1, "metadata": HUMAN}),
}


@pytest.mark.parametrize(("name", "told"), IGNORED.values(), ids=IGNORED)
def test_logs_name_the_keys_that_nothing_reads(
    store: Store, media: MediaStore, tmp_path: Path, name: str, told: dict[str, Any]
) -> None:
    begin(store, media, tmp_path)
    text = json.dumps(told) if name == "s.jsonl" else inspect([sample("q4", input=LISTED, **told)])
    (tmp_path / name).write_text(text)
    done = bring(store, media, tmp_path / name, model="m")
    ignored = "'judge_score', 'exact_match', 'human_votes', 'tool_results', 'scene'"
    assert done.note == f"Unused keys: {ignored} (the values are not imported)."
    assert [each.split(" look ")[0] for each in done.warnings] == [f"{name}: the keys 'judge_score', 'human_votes'"]


def test_a_log_with_other_options_is_refused_and_names_the_row(store: Store, media: MediaStore, tmp_path: Path) -> None:
    begin(store, media, tmp_path)
    path = tmp_path / "l.jsonl"
    shown = "Which one is open?\nA. the door\nB. the lamp\nC. the box"
    path.write_text("\n".join([lm_eval({"item": "q5", "question": "What is it?"}, "What is it?"), lm_eval(Q4, shown)]))
    with pytest.raises(InvalidFileError) as told:
        bring(store, media, path, model="m")
    assert str(told.value).startswith(
        'l.jsonl, row 2: the model saw the option B. "the lamp", which the item does not have; a letter in the '
        "answer would therefore mean another option."
    )


def test_an_export_of_answers_keeps_the_order_that_was_shown(store: Store, media: MediaStore, tmp_path: Path) -> None:
    begin(store, media, tmp_path)
    (tmp_path / "s.jsonl").write_text(SHUFFLED["prompt.jsonl"])
    bring(store, media, tmp_path / "s.jsonl", model="m")
    (out,) = exported(store, by=None, project="p", format="predictions").files.values()
    assert json.loads(out)["options"] == ["the door", "the tap", "the box"]
    begin(store, media, tmp_path, name="again")
    (tmp_path / "out.jsonl").write_bytes(out)
    bring(store, media, tmp_path / "out.jsonl", project="again")
    assert read_as(store, "again") == {("q4", "m"): "the door"}


CONTRADICT = {
    "lm-eval": ("s.jsonl", lm_eval({"item": "q2", "question": "How many cups?"}, "How many cups?")),
    "lm-eval, prompt alone": ("s.jsonl", lm_eval({"item": "q2"}, "Be short.\nQuestion: How many cups?\nAnswer:")),
    "lmms-eval": ("s.jsonl", json.dumps({"doc_id": 1, "doc": {"id": "q2"}, "input": "How many cups?", "resps": "A"})),
    "lmms-eval, no item's": ("s.jsonl", lm_eval({"item": "q2", "question": "Who is it?"}, "Who is it?")),
    "Inspect": ("l.json", inspect([sample("q2", input="How many cups?\n\nA) 2\nB) 3\nC) 4\nD) 1")])),
    "a table with items": ("m_p.tsv", "item\tquestion\tprediction\nq2\tHow many cups?\tA\n"),
    "a table with indices": ("m_p.tsv", "index\tquestion\tprediction\nq2\tHow many cups?\tA\n"),
    "our own": ("p.jsonl", json.dumps({"item": "q2", "model": "m", "text": "A", "question": "How many cups?"})),
}


@pytest.mark.parametrize(("name", "text"), CONTRADICT.values(), ids=CONTRADICT)
def test_an_id_with_the_question_of_another_item_is_refused(
    store: Store, media: MediaStore, tmp_path: Path, name: str, text: str
) -> None:
    begin(store, media, tmp_path)
    (tmp_path / name).write_text(text)
    with pytest.raises(
        InvalidFileError,
        match=r"row \d: the answer names the item 'q2', but the answer's question, .* is not the item's question",
    ):
        bring(store, media, tmp_path / name, model="m")
    assert read_as(store) == {}


@pytest.mark.parametrize(
    "asked",
    [
        "Which one is open?",
        "WHICH  one\nis open",
        "<image>\nWhich one is open?\nA. the tap\nB. the door\nC. the box\nAnswer with the letter.",
        "You are in a kitchen. Which one is open? Think first.",
        "?",
        "",
    ],
)
def test_a_question_in_another_dress_is_no_contradiction(
    store: Store, media: MediaStore, tmp_path: Path, asked: str
) -> None:
    begin(store, media, tmp_path)
    (tmp_path / "s.jsonl").write_text(lm_eval({"item": "q4"}, asked, "B"))
    bring(store, media, tmp_path / "s.jsonl", model="m")
    assert read_as(store) == {("q4", "m"): "the door"}


# ---- files of other tools --------------------------------------------------------------------------------------------

LOGS = {
    "inspect": "2026-03-02T09-00-00-00-00_chart-questions_tiny-vl-1.eval",
    "vlmevalkit": "tiny-vl-2_ChartQ.tsv",
    "lmms_eval": "tiny-vl-1",
}


@pytest.mark.parametrize("tool", LOGS)
def test_right_logs_of_other_tools_are_taken_and_shuffled_items_change_nothing(
    store: Store, media: MediaStore, tmp_path: Path, tool: str
) -> None:
    """The same log for items whose options stand as in the log, and in another order: what is read is the same."""
    truth = json.loads(shared("data", "rivals", tool, "truth.json").read_text(encoding="utf-8"))
    (tmp_path / "guide.md").write_text("Look.")
    (tmp_path / "mcq.yaml").write_text(SCHEMA)
    found = []
    for name in ("same", "other"):
        create_project(store, name=name, loaded=load_schema(tmp_path / "mcq.yaml"))
        rows = [
            {
                "id": each["id"],
                "question": each["fields"]["question"],
                "options": each["options"] if name == "same" else each["options"][::-1],
                "answer": each["options"][0],
                "image": "f.png",
            }
            for each in truth["items"]
        ]
        bring(store, media, write(tmp_path / f"{name}.json", rows), "jsonl", project=name)
        bring(store, media, shared("data", "rivals", tool, LOGS[tool]), project=name, model="m")
        found.append(read_as(store, name))
    assert found[0] == found[1]
    assert sum(value is not None for value in found[0].values()) >= 4


def test_a_shuffled_log_of_real_questions_scores_as_it_was_made(
    store: Store, media: MediaStore, tmp_path: Path
) -> None:
    """Every fourth answer of 200 is wrong, so 150 are right; letters are those of an order of each question's own."""
    create_project(store, name="p", loaded=load_schema(shipped()["egoplan"]))
    records = json.loads(shared("data", "egoplan", "EgoPlan_validation.json").read_text())[:200]
    bring(store, media, write(tmp_path / "val.json", records), "egoplan")
    rng, lines, truth = random.Random(3), [], {}
    for n, each in enumerate(records):
        options = [each[f"choice_{letter}"] for letter in "abcd"]
        rng.shuffle(options)
        said = options.index(each["answer"])
        said = (said + 1) % 4 if n % 4 == 0 else said
        truth[str(each["sample_id"]), "m"] = options[said]
        shown = "\n".join(f"{letter}. {text}" for letter, text in zip(string.ascii_uppercase, options, strict=False))
        doc = {"sample_id": each["sample_id"], "question": each["question"]}
        lines.append(lm_eval(doc, f"{each['question']}\n{shown}\nAnswer:", string.ascii_uppercase[said]))
    (tmp_path / "s.jsonl").write_text("\n".join(lines))
    assert bring(store, media, tmp_path / "s.jsonl", model="m").predictions == 200
    read = read_as(store)
    assert read == truth
    keys = {str(each["sample_id"]): each["answer"] for each in records}
    assert sum(value == keys[item] for (item, _), value in read.items()) == 150

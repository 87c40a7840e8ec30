"""Logs of other harnesses become answers of the items that they are about: by id or question, and never by a guess."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db import files, projects
from db.engine import Store
from db.tables import AttemptRow, PredictionRow, ReadingRow, RunRow
from domain.errors import InvalidFileError
from domain.records import PredictionRecord
from domain.runs import Outcome
from extensions.harnesses.tests.known_logs import ENDED_IN_INSPECT, ITEMS, KNOWN, LOGS, OF_INSPECT
from media.store import MediaStore
from testkit.samples import egoplan_record, egothink_record, write
from workflow.access.projects import create_project
from workflow.files.export import exported
from workflow.files.import_files import import_files
from workflow.files.one_import import ImportSummary
from workflow.files.project_check import check
from workflow.files.question_match import QuestionMatch


@pytest.fixture
def media(home: Path) -> MediaStore:
    return MediaStore(home / "media")


def bring(store: Store, media: MediaStore, path: Path, format: str = "predictions", **options: Any) -> ImportSummary:
    return import_files(store, media, by=None, project="p", format=format, path=path, **options)


@pytest.fixture
def demo(store: Store, media: MediaStore, tmp_path: Path) -> None:
    """The nine items that the logs are about, two of which ask "Where am I?"."""
    create_project(store, name="p", loaded=load_schema(shipped()["egothink"]))
    folders: dict[str, list[Any]] = {}
    for n, each in enumerate(ITEMS):
        folder, _, place = each["item"].rpartition("/")
        records = folders.setdefault(folder, [])
        assert int(place) == len(records)
        records.append(egothink_record(n, question=each["question"], answer=each["answer"]))
    for folder, records in folders.items():
        write(tmp_path / "items" / folder / "annotations.json", records)
    bring(store, media, tmp_path / "items", "egothink")


def answered(store: Store) -> dict[tuple[str, str], str]:
    """The answers by item and model."""
    with store.read() as session:
        project = projects.by_name(session, name="p")
        assert project is not None
        names = {id: name for id, name, _ in files.item_ids(session, project_id=project.id)}
        return {(names[row.item_id], row.model): row.text for row in session.exec(select(PredictionRow))}


def ended(store: Store) -> dict[str, Outcome]:
    with store.read() as session:
        project = projects.by_name(session, name="p")
        assert project is not None
        names = {id: name for id, name, _ in files.item_ids(session, project_id=project.id)}
        return {names[row.item_id]: row.outcome for row in session.exec(select(AttemptRow)) if row.item_id is not None}


def there(texts: dict[str, str], model: str, *without: str) -> dict[tuple[str, str], str]:
    return {(item, model): text for item, text in texts.items() if item not in without}


EGGS, FULL, CAKE = "Reasoning/counting/0", "Object/attribute/1", "Reasoning/situated/0"


@pytest.mark.usefixtures("demo")
def test_a_log_of_inspect_comes_in_by_ids(store: Store, media: MediaStore) -> None:
    done = bring(store, media, LOGS / "inspect.eval")
    nothing = {Outcome.EMPTY: 1, Outcome.FAILED: 1, Outcome.REFUSED: 1}
    assert done == ImportSummary(predictions=6, repeated=9, unanswered=nothing)  # its second epoch says the same
    assert answered(store) == there(OF_INSPECT, "openai-api/scripted/tiny", EGGS, FULL, CAKE)
    assert ended(store) == ENDED_IN_INSPECT
    assert bring(store, media, LOGS / "inspect.json") == ImportSummary(repeated=9)
    assert check(store) == []


@pytest.mark.parametrize("log", ["lmms_eval_0.7.3", "lmms_eval_0.3.5", "lm_eval_0.4.13"])
@pytest.mark.usefixtures("demo")
def test_a_log_of_lmms_eval_comes_in_by_ids(store: Store, media: MediaStore, log: str) -> None:
    done = bring(store, media, LOGS / log)
    without = (FULL, EGGS) if log == "lmms_eval_0.7.3" else (FULL,)
    assert (done.predictions, done.bad) == (9 - len(without), ())
    assert answered(store) == there(KNOWN, "scripted/tiny", *without)
    assert ended(store)[EGGS] is (Outcome.TRANSPORT_ERROR if EGGS in without else Outcome.ANSWERED)


@pytest.mark.usefixtures("demo")
def test_without_ids_the_question_says_which_item_and_two_of_one_question_are_not_guessed_at(
    store: Store, media: MediaStore
) -> None:
    log = LOGS / "inspect_counted.eval"
    with pytest.raises(InvalidFileError) as told:
        bring(store, media, log)
    why = (
        "the answer has no item id, and the answer's question, 'Where am I?', is the question of 2 items "
        "(Localization/location/0, Localization/location/1)"
    )
    assert str(told.value).splitlines() == [
        "2 rows are invalid:",
        f"inspect_counted.eval, row 4: {why}.",
        f"inspect_counted.eval, row 6: {why}.",
        "2 rows have no item id, and a question that several items share. Nothing was imported. Correct the file, or "
        "import only the valid rows with --skip-bad, which lists the skipped rows.",
    ]
    assert answered(store) == {}
    done = bring(store, media, log, skip_bad=True)
    assert [(bad.row, bad.reason) for bad in done.bad] == [(4, why), (6, why)]
    assert done.note == (
        "2 rows have no item id, and a question that several items share. Unused keys: 'scores', 'scene' (the "
        "values are not imported)."
    )
    where = ("Localization/location/0", "Localization/location/1")
    assert answered(store) == there(OF_INSPECT, "openai-api/scripted/tiny", EGGS, FULL, CAKE, *where)


@pytest.mark.usefixtures("demo")
def test_one_of_two_items_of_one_question_is_told_by_the_dimension(
    store: Store, media: MediaStore, tmp_path: Path
) -> None:
    write(
        tmp_path / "more" / "Activity" / "annotations.json", [egothink_record(1, question="Is my glass full or empty?")]
    )
    bring(store, media, tmp_path / "more", "egothink")
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps({"doc_id": 0, "input": "Is my glass full\n or empty?", "filtered_resps": "full"}) + "\n")
    with pytest.raises(InvalidFileError, match="is the question of 2 items"):
        bring(store, media, path, model="m")
    assert bring(store, media, path, model="m", dimension="activity").predictions == 1
    assert answered(store) == {("Activity/0", "m"): "full"}


@pytest.mark.usefixtures("demo")
def test_what_is_about_no_item_is_named_and_never_dropped(store: Store, media: MediaStore, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"doc": {"item": "nowhere", "question": "Which fruit lies on my table"}},  # all but a question mark
        {"doc": {"item": "nowhere"}},
        {"doc": {}, "input": "Which fruit lies on your table?"},
        {"doc": {"id": 1}, "input": "Answer.\nQuestion:  Which fruit lies\n on my table?\nAnswer:"},
    ]
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps({"doc_id": n, **row, "resps": [["x"]]}) + "\n" for n, row in enumerate(rows)))
    done = bring(store, media, path, model="m", skip_bad=True)
    assert [(bad.row, bad.reason) for bad in done.bad] == [
        (
            1,
            "there is no item 'nowhere' in this project, and no item has the answer's question, 'Which fruit lies "
            "on my table'",
        ),
        (2, "there is no item 'nowhere' in this project, and the answer has no question"),
        (3, "the answer has no item id, and no item has the answer's question, 'Which fruit lies on your table?'"),
    ]
    assert answered(store) == {("Object/existence/1", "m"): "x"}


@pytest.mark.usefixtures("demo")
def test_of_several_answers_to_one_item_the_first_epoch_s_counts(
    store: Store, media: MediaStore, tmp_path: Path
) -> None:
    def epoch(n: int, text: str) -> dict[str, Any]:
        return {"id": "Object/existence/1", "epoch": n, "input": "?", "output": {"completion": text}}

    path = tmp_path / "l.json"
    head = {"version": 2, "status": "success", "eval": {"model": "m", "task_id": "t"}}
    path.write_text(json.dumps({**head, "samples": [epoch(3, "plum"), epoch(2, "lemon"), epoch(1, "lemon")]}))
    with pytest.raises(
        InvalidFileError, match=r"l\.json, row 1: an earlier row has a different answer by m to this item"
    ):
        bring(store, media, path)
    assert answered(store) == {}
    done = bring(store, media, path, skip_bad=True)
    assert (done.predictions, done.repeated, [bad.row for bad in done.bad]) == (1, 1, [1])
    assert answered(store) == {("Object/existence/1", "m"): "lemon"}


def test_our_submission_to_egoplan_comes_back(store: Store, media: MediaStore, tmp_path: Path) -> None:
    create_project(store, name="p", loaded=load_schema(shipped()["egoplan"]))
    bring(store, media, write(tmp_path / "val.json", [egoplan_record(n) for n in (0, 1, 2)]), "egoplan")
    given = {"0": "take plate", "1": "close drawer"}
    bring(store, media, write(tmp_path / "given.json", given), "answer_map", model="first")
    with store.read() as session:
        run = session.exec(select(RunRow.public_id)).one()
    out = exported(store, by=None, project="p", format="egoplan_submission", run=run, unanswered="N/A")
    path = tmp_path / "submission.json"
    path.write_bytes(out.files["submission.json"])
    assert json.loads(path.read_text()) == [
        {"sample_id": 0, "label": "A"},
        {"sample_id": 1, "label": "D"},
        {"sample_id": 2, "label": "N/A"},
    ]
    done = bring(store, media, path, "egoplan_submission", model="second")
    assert done == ImportSummary(predictions=2, unanswered={Outcome.EMPTY: 1})
    assert answered(store) == {(item, "first"): text for item, text in given.items()} | {
        ("0", "second"): "A",
        ("1", "second"): "D",
    }


def test_options_of_an_item_may_be_listed_in_another_order(store: Store, media: MediaStore, tmp_path: Path) -> None:
    """Under B: take cup; in the reverse order fold napkin; and an option that the item does not have."""
    create_project(store, name="p", loaded=load_schema(shipped()["egoplan"]))
    bring(store, media, write(tmp_path / "val.json", [egoplan_record(n) for n in range(4)]), "egoplan")
    own = ["take plate", "take cup", "fold napkin", "close drawer"]
    choices = [own, own[::-1], [*own[:3], "close  drawer"], ["yes", "no"]]
    path = tmp_path / "l.json"
    head = {"version": 2, "status": "success", "eval": {"model": "m", "task_id": "t"}}
    given = [
        {"id": f"{n}", "epoch": 1, "input": "?", "choices": each, "output": {"completion": "B"}}
        for n, each in enumerate(choices)
    ]
    path.write_text(json.dumps({**head, "samples": given}))
    done = bring(store, media, path, skip_bad=True)
    assert [(bad.row, bad.reason) for bad in done.bad] == [
        (
            4,
            'the model saw the option A. "yes", which the item does not have; a letter in the answer would '
            "therefore mean another option",
        )
    ]
    with store.read() as session:
        values = session.exec(select(ReadingRow.value).order_by(ReadingRow.id)).all()
    assert values == ["take cup", "fold napkin", "take cup"]
    assert answered(store) == {(f"{n}", "m"): "B" for n in (0, 1, 2)}


# ---- which item ------------------------------------------------------------------------------------------------------

ASKED = {1: "Why?", 2: "What is it?", 3: "What  is\nit?", 4: "Is it red? Why?", 5: "Where am I?", 6: ""}
MATCH = QuestionMatch({f"i{id}": id for id in ASKED}, ASKED, {id: "d" if id < 5 else "e" for id in ASKED})


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Where am I?", 5),
        ("  Where\tam\n\nI? ", 5),
        ("where am I?", None),
        ("Where am I ?", None),
        ("You are at home.\nWhere am I?\nAnswer in one word.", 5),
        ("question: Where am I?", 5),
        ("You are at home. Where am I?", None),
        ("What is it?", None),
        ("Why?", 1),
        ("Is it red?\nWhy?", 4),
        ("Why?\nWhere am I?", None),
        ("\n".join(["x"] * 200 + ["Where am I?"]), 5),
        ("x\n" * 100_000, None),
        (" \n", None),
        (None, None),
    ],
)
def test_a_question_is_found_whole_or_not_at_all(question: str | None, found: int | None) -> None:
    id, why = MATCH(PredictionRecord("m", "x", question=question))
    assert id == found
    assert bool(why) == (found is None)


def test_an_id_goes_before_the_question_and_the_first_that_is_an_item_s_counts() -> None:
    assert MATCH(PredictionRecord("m", "x", question="So: What is it?", ids=("other", "i2")))[0] == 2
    assert MATCH(PredictionRecord("m", "x", question="Where am I?", ids=("other", "i2"))) == (
        None,
        "the answer names the item 'i2', but the answer's question, 'Where am I?', is not the item's question: "
        "'What is it?'; 'i5' has this question",
    )
    assert MATCH(PredictionRecord("m", "x", question="Where am I?", ids=("other",)))[0] == 5
    assert MATCH(PredictionRecord("m", "x", question="Where am I?", dimension="d"))[0] is None


def test_the_order_of_a_log_says_nothing(store: Store, media: MediaStore, tmp_path: Path) -> None:
    """Each answer names its own question, so that a wrong match shows."""
    create_project(store, name="p", loaded=load_schema(shipped()["egothink"]))
    numbers = list(range(60))
    write(tmp_path / "items" / "Activity" / "annotations.json", [egothink_record(n) for n in numbers])
    bring(store, media, tmp_path / "items", "egothink")
    random.Random(5).shuffle(numbers)
    rows = [{"doc_id": at, "input": f"What is {n}?\nBe short.", "resps": [[f"{n}"]]} for at, n in enumerate(numbers)]
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert bring(store, media, path, model="m").predictions == 60
    assert answered(store) == {(f"Activity/{n}", "m"): f"{n}" for n in range(60)}

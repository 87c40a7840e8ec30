"""Models' answers from free text to a number: what they state is read once, kept, and serves all that counts."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pytest
from sqlmodel import select

from annotation_schemas import shipped
from annotation_schemas.expected_answers import STRANGE_KEY
from annotation_schemas.loader import load_schema, load_text
from db.engine import Store
from db.tables import AttemptRow, PredictionRow, ReadingRow
from domain.errors import InvalidFileError
from domain.reading.answers import READER_VERSION, AnswerKind, ExpectedAnswer, ReadOutcome
from domain.roles import Role
from domain.runs import Attempt, Outcome, RunPlan
from media.store import MediaStore
from testkit import factories
from testkit.missing_extensions import needs
from testkit.samples import egoplan_record, write
from tests.paths import shared
from workflow.access.projects import create_project
from workflow.annotate import answer_readings, reading_rows
from workflow.annotate.authoring import edit_item
from workflow.files import export
from workflow.files.import_files import import_files
from workflow.results import leaderboard, leaderboard_lines, project_answers
from workflow.results.score_choices import Scores

KEY = Scores("key")


@pytest.fixture
def media(home: Path) -> MediaStore:
    return MediaStore(home / "media")


def bring(store: Store, media: MediaStore, path: Path, format: str = "predictions") -> Any:
    return import_files(store, media, by=None, project="p", format=format, path=path)


def lines(path: Path, rows: Sequence[tuple[str, str]], model: str = "m") -> Path:
    path.write_text("".join(json.dumps({"item": item, "model": model, "text": text}) + "\n" for item, text in rows))
    return path


def accuracy(store: Store, model: str = "m", **asked: Any) -> leaderboard_lines.LeaderboardLine:
    return leaderboard.sliced_scores(project_answers.read_project(store, person=None, project="p", **asked), KEY).whole[
        model
    ]


def contents(store: Store) -> dict[str, dict[str, Any]]:
    return {
        item.name: dict(item.fields)
        for item in project_answers.read_project(store, person=None, project="p").items.values()
    }


# ---- real files ------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_letters_on_egoplan_score_what_they_are_worth(store: Store, media: MediaStore, tmp_path: Path) -> None:
    create_project(store, name="p", loaded=load_schema(shipped()["egoplan"]))
    records = json.loads(shared("data", "egoplan", "EgoPlan_validation.json").read_text())[:400]
    bring(store, media, write(tmp_path / "val.json", records), "egoplan")
    items = contents(store)
    assert len(items) == 400
    right = {name: "abcd".index(record["golden_choice_idx"].lower()) for name, record in by_id(items, records)}
    bring(store, media, lines(tmp_path / "r.jsonl", [(name, "ABCD"[at]) for name, at in right.items()], "right"))
    wrong = [(name, f"({'abcd'[(at + 1) % 4]})") for name, at in right.items()]
    bring(store, media, lines(tmp_path / "w.jsonl", wrong, "wrong"))
    # every fourth right by its text, every fourth wrong, every fourth a refusal, every fourth nothing of the kind
    forms = (
        lambda options, at: options[at],
        lambda options, at: ascii_uppercase[(at + 1) % 4],
        lambda options, at: "I'm sorry, but I cannot help with that.",
        lambda options, at: "It depends on what happened before.",
    )
    mixed = [(name, forms[number % 4](items[name]["options"], at)) for number, (name, at) in enumerate(right.items())]
    bring(store, media, lines(tmp_path / "x.jsonl", mixed, "mixed"))
    cut = leaderboard.sliced_scores(project_answers.read_project(store, person=None, project="p"), KEY)
    assert [cut.whole[name].found.value for name in ("right", "wrong", "mixed")] == [1.0, 0.0, 0.25]
    assert not cut.whole["right"].unread
    line = cut.whole["mixed"]
    assert (line.found.n_units, sum(line.unread.values())) == (400, 200)
    assert line.unread[ReadOutcome.REFUSED.words] == 100
    assert (line.lowest, line.highest) == (0.25, 0.75)
    # its submission says the same: 100 labels that are the key, 100 that are not, 200 without one
    run = run_of(store, "mixed")
    with pytest.raises(InvalidFileError, match="matches an option: 200 of 400 "):
        export.exported(store, by=None, project="p", format="egoplan_submission", run=run)
    made = export.exported(store, by=None, project="p", format="egoplan_submission", run=run, unanswered="N/A")
    labels = {row["sample_id"]: row["label"] for row in json.loads(made.files["submission.json"])}
    said = {items[name]["sample_id"]: "ABCD"[at] for name, at in right.items()}
    assert sum(labels[id] == key for id, key in said.items()) == 100
    assert sum(label == "N/A" for label in labels.values()) == 200


@pytest.mark.thorough
def test_best_actions_on_pca_bench_score_what_they_are_worth(store: Store, media: MediaStore, tmp_path: Path) -> None:
    create_project(store, name="p", loaded=load_schema(shipped()["pca_bench"]))
    for name in ("Autonomous-Driving-test_open-meta.json", "Domestic-Robot-test_open-meta.json"):
        records = json.loads(shared("data", "pca_bench", name).read_text())
        bring(store, media, write(tmp_path / "in" / name, records), "pca_bench")
    items = contents(store)
    assert len(items) == 200
    right = {name: fields["actions"].index(fields["answer"]) for name, fields in items.items()}
    said = [
        (name, f"Nothing is in the way. The best action is {ascii_uppercase[at]}. {items[name]['actions'][at]}")
        for name, at in right.items()
    ]
    bring(store, media, lines(tmp_path / "a.jsonl", said, "right"))
    other = [
        (name, f"The best action is {ascii_uppercase[(at + 1) % len(items[name]['actions'])]}.")
        for name, at in right.items()
    ]
    bring(store, media, lines(tmp_path / "b.jsonl", other, "wrong"))
    assert accuracy(store, "right").found.value == 1.0
    assert accuracy(store, "wrong").found.value == 0.0


def by_id(items: dict[str, dict[str, Any]], records: Sequence[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    ids = {record["sample_id"]: record for record in records}
    return [(name, ids[fields["sample_id"]]) for name, fields in items.items()]


def run_of(store: Store, model: str) -> str:
    from db.tables import RunRow

    with store.read() as session:
        return session.exec(select(RunRow.public_id).where(RunRow.name == model)).one()


# ---- the record ------------------------------------------------------------------------------------------------------


@pytest.fixture
def items(store: Store) -> list[int]:
    """Four items with the options red, blue, and the key red."""
    factories.make_project(store)
    return factories.make_items(store, 4)


def rows(store: Store) -> list[ReadingRow]:
    with store.read() as session:
        return list(session.exec(select(ReadingRow).order_by(ReadingRow.id)))  # type: ignore[arg-type]


def test_an_answer_is_read_in_the_transaction_that_stores_it(store: Store, items: list[int]) -> None:
    attempts = [
        Attempt(items[0], Outcome.ANSWERED, "A"),
        Attempt(items[1], Outcome.ANSWERED, "I would say blue or red"),
        Attempt(items[2], Outcome.TRUNCATED, "Let me think about the colours that", finish_reason="length"),
        Attempt(items[3], Outcome.REFUSED),
    ]
    factories.make_run(store, attempts)
    found = rows(store)
    outcomes = [each.outcome for each in found]
    assert outcomes == [ReadOutcome.READ, ReadOutcome.UNREADABLE, ReadOutcome.TRUNCATED]
    assert (found[0].value, found[0].places, found[0].spans, found[0].version) == ("red", [0], [[0, 1]], READER_VERSION)
    assert (found[0].reader, found[0].revision, found[1].value) == ("rules", 1, None)
    assert found[1].why


@pytest.mark.both_databases
def test_answers_from_before_are_read_once_by_however_many(store: Store, items: list[int]) -> None:
    factories.make_predictions(store, items, models=["a", "b"])
    assert rows(store) == []
    threads = [
        threading.Thread(target=answer_readings.fill_up, args=(store,), kwargs={"project": "p"}) for _ in range(3)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(rows(store)) == len({row.prediction_id for row in rows(store)}) == 8
    assert answer_readings.fill_up(store, project="p") == 0
    assert answer_readings.read_again(store, by=None, project="p") == (8, 0)


def test_a_newer_reader_counts_and_what_was_read_before_is_kept(
    store: Store, items: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    factories.make_run(store, [Attempt(items[0], Outcome.ANSWERED, "azure")], name="m")
    assert accuracy(store).unread == {ReadOutcome.UNREADABLE.words: 1}
    older = project_answers.current(store, person=None, project="p")
    monkeypatch.setattr(answer_readings, "READER_VERSION", READER_VERSION + 1)
    real = reading_rows.read_answer
    monkeypatch.setattr(reading_rows, "read_answer", lambda text, asked, **more: real("red", asked))
    assert answer_readings.read_again(store, by=None, project="p") == (1, 1)
    assert project_answers.current(store, person=None, project="p") is not older, "what is kept for pages is read anew"
    assert accuracy(store).found.value == 1.0
    assert [(row.version, row.outcome) for row in rows(store)] == [
        (READER_VERSION, ReadOutcome.UNREADABLE),
        (READER_VERSION + 1, ReadOutcome.READ),
    ]


def test_a_letter_goes_on_meaning_the_option_that_was_shown(store: Store, items: list[int]) -> None:
    """The options are put in another order, then one is replaced: B was blue, and blue it stays."""
    lea = factories.make_person(store, "lea", role=Role.LEAD)
    factories.make_run(store, [Attempt(items[0], Outcome.ANSWERED, "A")], name="m")
    edit_item(store, person=lea, project="p", item="colour/0", fields={"options": ["blue", "red"]})
    answer_readings.read_again(store, by=None, project="p")
    assert accuracy(store).found.value == 1.0
    edit_item(store, person=lea, project="p", item="colour/0", fields={"options": ["blue", "green"], "answer": "green"})
    line = accuracy(store)
    assert line.found.n_units == 0
    assert dict(line.left_out) == {"the chosen option is no longer in the item": 1}
    assert (line.lowest, line.highest) == (0, 1)


SEVERAL = """
name: several
version: 1
title: Several
dimensions: [{id: colour, title: Colour, definition: "A colour."}]
item:
  assets: [{role: image, kind: image}]
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list}
    - {name: answer, kind: options_of, field: options}
stages:
  authoring: {}
"""


def test_none_of_them_is_wrong_where_some_are_right(store: Store) -> None:
    """2 of 4: both named, both named, one named, none named."""
    factories.make_project(store, loaded=load_text(SEVERAL, "g", "several"))
    fields = {"question": "Which are colours?", "options": ["red", "cup", "blue"], "answer": ["red", "blue"]}
    ids = factories.make_items(store, 4, fields=fields)
    texts = ["A, C", "red and blue", "A", "None of them."]
    factories.make_run(store, [Attempt(id, Outcome.ANSWERED, text) for id, text in zip(ids, texts, strict=True)])
    line = accuracy(store, "little-model")
    assert (line.found.value, line.found.n_units, dict(line.left_out)) == (0.5, 4, {})


TEXT_KEY = factories.BLIND.replace("PER_SOURCE", "1").replace("RATERS", "2").replace("ADJUDICATION", "none")
TEXT_KEY = TEXT_KEY.replace("{name: answer, kind: option_of, field: options,", "{name: answer, kind: text,")


@pytest.mark.thorough
def test_a_typing_error_in_a_text_key_is_seen_and_mended_without_asking_anew(store: Store) -> None:
    """The truth by hand, options red and blue: A, red and "A. red" are right, B is wrong."""
    factories.make_project(store, loaded=load_text(TEXT_KEY, "g", "blind"))
    lea = factories.make_person(store, "lea", role=Role.LEAD)
    (typo,) = factories.make_items(store, fields=factories.make_fields(answer="Redd"))
    (letter,) = factories.make_items(store, fields=factories.make_fields(answer="A"))
    texts = {"m1": "A", "m2": "red", "m3": "The answer is A. red", "m4": "B"}
    for model, text in texts.items():
        said = [Attempt(id, Outcome.ANSWERED, text) for id in (typo, letter)]
        factories.make_run(store, said, name=model)
    before = {model: accuracy(store, model) for model in texts}
    assert [line.found.value for line in before.values()] == [1, 1, 1, 0]
    assert {tuple(line.left_out.items()) for line in before.values()} == {((STRANGE_KEY, 1),)}
    edit_item(store, person=lea, project="p", item="colour/0", fields={"answer": "red"})
    after = {model: accuracy(store, model) for model in texts}
    assert [(line.found.value, line.found.n_units) for line in after.values()] == [(1, 2), (1, 2), (1, 2), (0, 2)]


def test_an_edit_reads_answers_anew_that_were_read_as_something_else(
    store: Store, items: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    lea = factories.make_person(store, "lea", role=Role.LEAD)
    with monkeypatch.context() as then:
        then.setattr(answer_readings, "asked_of", lambda schema, fields: ExpectedAnswer(AnswerKind.TEXT))
        factories.make_run(store, [Attempt(items[at], Outcome.ANSWERED, "A. red") for at in (0, 1)], name="m")
    assert accuracy(store).found.n_units == 0
    edit_item(store, person=lea, project="p", item="colour/0", fields={"question": "Which colour?"})
    line = accuracy(store)
    assert (line.found.value, line.found.n_units) == (1.0, 1)
    assert [row.value for row in rows(store)] == ["A. red", "A. red", "red"], "what was read before is kept"
    edit_item(store, person=lea, project="p", item="colour/0", fields={"question": "Which?"})
    assert len(rows(store)) == 3


def test_a_ranked_option_is_what_it_is_whatever_its_words(store: Store) -> None:
    factories.make_project(store)
    (item,) = factories.make_items(
        store, fields=factories.make_fields(options=["I cannot help with that.", "B"], answer="B")
    )
    said = [Attempt(item, Outcome.ANSWERED, "I cannot help with that.")]
    factories.make_run(store, said, plan=RunPlan(strategy="rank_options"), name="m")
    (row,) = rows(store)
    assert (row.outcome, row.places, row.rule) == (ReadOutcome.READ, [0], "ranked")


NASTY = [
    "B",
    "b)",
    "(A).",
    "**B**",
    "Close the drawer.",
    "not B",
    "A or B",
    "",
    " ",
    "I",
    "<think>B",
    "<think>B</think>A",
    "Answer: A\nAnswer: B",
    "open the fridge",
    "\u202eB",
    "I'm sorry, I can't see the video.",
    "🅱",
    "D",
    "E",
    "Z",
]


def test_results_submission_and_file_of_one_run_say_the_same(store: Store, media: MediaStore, tmp_path: Path) -> None:
    create_project(store, name="p", loaded=load_schema(shipped()["egoplan"]))
    bring(store, media, write(tmp_path / "val.json", [egoplan_record(n) for n in range(len(NASTY))]), "egoplan")
    items = contents(store)
    bring(store, media, lines(tmp_path / "n.jsonl", list(zip(items, NASTY, strict=True))))
    line = accuracy(store)
    made = export.exported(
        store, by=None, project="p", format="egoplan_submission", run=run_of(store, "m"), unanswered="N/A"
    )
    labels = {row["sample_id"]: row["label"] for row in json.loads(made.files["submission.json"])}
    said = export.exported(store, by=None, project="p", format="predictions").files["predictions.jsonl"]
    told = {row["item"]: row for row in map(json.loads, said.decode().splitlines())}
    hits = 0
    for name, fields in items.items():
        label = labels[fields["sample_id"]]
        read = told.get(name, {}).get("read", {})
        assert (label == "N/A") == (read.get("outcome") != "read"), name
        if label != "N/A":
            assert fields["options"][ascii_uppercase.index(label)] == read["value"]
            assert read["words"]
            hits += read["value"] == fields["answer"]
    assert line.found.value == pytest.approx(hits / line.found.n_units)
    assert line.found.n_units == line.asked == len(NASTY)


def test_answers_come_into_a_project_in_one_way_only() -> None:
    """Anyone who stores an answer has it read: no other module adds rows of that table."""
    import re

    from tests.paths import ROOT

    adds = re.compile(r"insert\w*\(\s*(?:session,\s*)?PredictionRow|PredictionRow\(\s*\w+=")
    rooms = ("db", "workflow", "app", "importers", "inference")
    found = [path for room in rooms for path in (ROOT / room).rglob("*.py") if adds.search(path.read_text())]
    assert [path.name for path in found] == ["readings.py"]


@needs("readers", "predictions")
@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("", Outcome.EMPTY),
        (" \n\t", Outcome.EMPTY),
        ("\u200b", Outcome.EMPTY),
        ("Failed to obtain answer via API.", Outcome.TRANSPORT_ERROR),
        ("$ERROR$", Outcome.TRANSPORT_ERROR),
    ],
)
def test_a_file_s_row_without_an_answer_is_no_answer_in_any_format(
    store: Store, items: list[int], media: MediaStore, tmp_path: Path, text: str, outcome: Outcome
) -> None:
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / "m2.csv").write_text(f'item,prediction\n"colour/0","{text}"\n"colour/1","red"\n')
    ways = {
        "m1": lines(tmp_path / "a.jsonl", [("colour/0", text), ("colour/1", "red")], "m1"),
        "m2": tmp_path / "table" / "m2.csv",
    }
    for model, path in ways.items():
        done = import_files(store, media, by=None, project="p", format="predictions", path=path, model=model)
        assert (done.predictions, dict(done.unanswered)) == (1, {outcome: 1}), model
        again = import_files(store, media, by=None, project="p", format="predictions", path=path, model=model)
        assert (again.predictions, again.repeated) == (0, 2), model
        line = accuracy(store, model)
        assert (line.asked, line.answered, line.found.n_units) == (2, 1, 2 if outcome is Outcome.EMPTY else 1)
        assert line.found.value == (0.5 if outcome is Outcome.EMPTY else 1.0)


@pytest.mark.both_databases
def test_white_space_around_an_answer_is_not_stored_and_the_attempt_keeps_it(store: Store, items: list[int]) -> None:
    said = [Attempt(items[0], Outcome.ANSWERED, " red\n"), Attempt(items[1], Outcome.ANSWERED, "red")]
    factories.make_run(store, said)
    with store.read() as session:
        assert [row.text for row in session.exec(select(PredictionRow))] == ["red", "red"]
        assert sorted(row.text for row in session.exec(select(AttemptRow))) == [" red\n", "red"]


FAILED_REQUESTS = (
    "nan",
    "NaN",
    "None",
    "null",
    "<NA>",
    "ERROR: request timed out",
    "[ERROR] HTTP 500 from the server",
    "Error code: 429 - {'error': {'message': 'Rate limit reached'}}",
    "TimeoutError('The read operation timed out')",
    "openai.APIConnectionError: Connection error.",
    '{"error": {"message": "context length exceeded", "code": 400}}',
    "<html><head><title>502 Bad Gateway</title></head></html>",
    "Traceback (most recent call last):\n  File \"ask.py\", line 3\nKeyError: 'choices'",
    "Request timed out.",
)


@pytest.mark.parametrize("text", FAILED_REQUESTS)
def test_what_a_program_wrote_in_place_of_an_answer_is_a_failed_attempt(
    store: Store, items: list[int], media: MediaStore, tmp_path: Path, text: str
) -> None:
    """1 of 1 answered: the failed request is no answer and no wrong one, and the import says what stood there."""
    path = lines(tmp_path / "a.jsonl", [("colour/0", text), ("colour/1", "red")])
    done = import_files(store, media, by=None, project="p", format="predictions", path=path)
    assert (done.predictions, dict(done.unanswered)) == (1, {Outcome.TRANSPORT_ERROR: 1})
    assert list(done.instead.values()) == [1]
    assert next(iter(done.instead)).startswith(text[:10])
    line = accuracy(store)
    assert (line.asked, line.answered, line.found.n_units, line.found.value) == (2, 1, 1, 1.0)
    again = import_files(store, media, by=None, project="p", format="predictions", path=path)
    assert (again.predictions, again.repeated) == (0, 2)


@pytest.mark.parametrize(
    ("options", "key", "text"),
    [
        (["nan", "3"], "nan", "nan"),
        (["None", "Some"], "None", "None"),
        (["ERROR: request timed out", "ok"], "ERROR: request timed out", "ERROR: request timed out"),
        (["N/A", "5"], "N/A", "N/A"),
        (["TypeError", "KeyError"], "KeyError", "KeyError"),
    ],
)
def test_a_word_of_the_item_s_own_is_an_answer(
    store: Store, media: MediaStore, tmp_path: Path, options: list[str], key: str, text: str
) -> None:
    factories.make_project(store)
    factories.make_items(store, fields=factories.make_fields(options=options, answer=key))
    path = lines(tmp_path / "a.jsonl", [("colour/0", text)])
    done = import_files(store, media, by=None, project="p", format="predictions", path=path)
    assert (done.predictions, dict(done.unanswered)) == (1, {})
    assert accuracy(store).found.value == 1.0


def test_none_is_an_answer_where_none_may_be_right(store: Store, media: MediaStore, tmp_path: Path) -> None:
    factories.make_project(store, loaded=load_text(SEVERAL, "g", "several"))
    fields = {"question": "Which are colours?", "options": ["red", "cup"], "answer": ["red"]}
    factories.make_items(store, 2, fields=fields)
    path = lines(tmp_path / "a.jsonl", [("colour/0", "None"), ("colour/1", "nan")])
    done = import_files(store, media, by=None, project="p", format="predictions", path=path)
    assert (done.predictions, dict(done.instead)) == (1, {"nan": 1})

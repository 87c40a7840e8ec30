"""A run's answers leave as the benchmark's server takes them, or with the run's name as JSON lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlmodel import select

from annotation_schemas import shipped
from annotation_schemas.formats.egoplan import submission_json
from annotation_schemas.loader import load_schema
from db.engine import Store
from db.tables import RunRow
from domain.errors import InvalidFileError, NotFoundError
from media.store import MediaStore
from testkit.samples import egoplan_record, write
from tests.paths import shared
from workflow.access.projects import create_project
from workflow.files.export import export
from workflow.files.import_files import import_files


def test_the_file_is_written_as_the_authors_write_theirs() -> None:
    theirs = shared("data", "egoplan", "submission_validation.json").read_bytes()
    labels = {row["sample_id"]: row["label"] for row in json.loads(theirs)}
    assert submission_json(labels) == theirs


@pytest.fixture
def project(store: Store, home: Path, tmp_path: Path) -> Store:
    create_project(store, name="p", loaded=load_schema(shipped()["egoplan"]))
    media = MediaStore(home / "media")
    twice = {"choice_d": "take cup", "answer": "take plate", "golden_choice_idx": "A"}  # two wrong options are equal
    val = write(tmp_path / "val.json", [egoplan_record(n, **twice) for n in (12, 5, 7)])
    import_files(store, media, by=None, project="p", format="egoplan", path=val)
    return store


def answer(store: Store, home: Path, tmp_path: Path, answers: dict[str, str], model: str = "m") -> str:
    """Answers of a model out of a file; the run's id."""
    path = tmp_path / f"{model}.jsonl"
    path.write_text("".join(json.dumps({"item": k, "model": model, "text": v}) + "\n" for k, v in answers.items()))
    import_files(store, MediaStore(home / "media"), by=None, project="p", format="predictions", path=path)
    with store.read() as session:
        return session.exec(select(RunRow.public_id).where(RunRow.name == model)).one()


@pytest.mark.both_databases
def test_a_submission(project: Store, home: Path, tmp_path: Path) -> None:
    run = answer(project, home, tmp_path, {"5": "take cup", "7": "C. fold napkin", "12": "A"})
    answer(project, home, tmp_path, {"5": "take plate", "7": "A", "12": "B"}, "other")
    out = tmp_path / "submission.json"
    done = export(project, by=None, project="p", format="egoplan_submission", out=out, run=run)
    assert done.items == 3
    assert out.read_text() == (
        '[\n    {\n        "sample_id": 5,\n        "label": "B"\n    },\n'
        '    {\n        "sample_id": 7,\n        "label": "C"\n    },\n'
        '    {\n        "sample_id": 12,\n        "label": "A"\n    }\n]'
    )


def test_what_is_not_answered_is_said_or_named(project: Store, home: Path, tmp_path: Path) -> None:
    run = answer(project, home, tmp_path, {"5": "B", "7": "I would take a cup"})
    out = tmp_path / "submission.json"
    sentence = (
        r"^Items without an answer in this run that matches an option: 2 of 3 "
        r"\(12, 7 \('I would take a cup' was not read: .*\)\)\. .*--unanswered"
    )
    with pytest.raises(InvalidFileError, match=sentence):
        export(project, by=None, project="p", format="egoplan_submission", out=out, run=run)
    assert not out.exists()
    export(project, by=None, project="p", format="egoplan_submission", out=out, run=run, unanswered="N/A")
    assert json.loads(out.read_text()) == [
        {"sample_id": 5, "label": "B"},
        {"sample_id": 7, "label": "N/A"},
        {"sample_id": 12, "label": "N/A"},
    ]


def test_the_answers_of_one_run_come_back_as_they_went(project: Store, home: Path, tmp_path: Path) -> None:
    answers = {"12": 'two\nlines "quoted"', "5": "ä 猫", "7": "B"}
    run = answer(project, home, tmp_path, answers)
    answer(project, home, tmp_path, {"5": "take plate"}, "other")
    out = tmp_path / "out.jsonl"
    assert export(project, by=None, project="p", format="predictions", out=out, run=run).items == 3
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    read = {row["item"]: row.pop("read") for row in rows}
    assert rows == [{"item": item, "model": "m", "text": text} for item, text in answers.items()]
    assert [read[item]["outcome"] for item in answers] == ["unreadable", "unreadable", "read"]
    media = MediaStore(home / "media")
    again = import_files(project, media, by=None, project="p", format="predictions", path=out)
    assert (again.predictions, again.repeated) == (0, 3)


def test_format_and_run_go_together(project: Store, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    with pytest.raises(InvalidFileError, match="Choose the run with --run"):
        export(project, by=None, project="p", format="egoplan_submission", out=out)
    with pytest.raises(InvalidFileError, match="Export egoplan without these options"):
        export(project, by=None, project="p", format="egoplan", out=out, run="x")
    with pytest.raises(InvalidFileError, match="--unanswered is only for submissions"):
        export(project, by=None, project="p", format="predictions", out=out, unanswered="N/A")
    with pytest.raises(NotFoundError, match="has no run 'x'"):
        export(project, by=None, project="p", format="egoplan_submission", out=out, run="x")


def test_items_without_ids_and_options_are_refused(store: Store, home: Path, tmp_path: Path) -> None:
    create_project(store, name="p", loaded=load_schema(shipped()["egoplan"]))
    media = MediaStore(home / "media")
    record = egoplan_record(1)
    del record["sample_id"]
    import_files(store, media, by=None, project="p", format="egoplan", path=write(tmp_path / "val.json", [record]))
    run = answer(store, home, tmp_path, {"0": "B"})
    with pytest.raises(
        InvalidFileError,
        match=r"needs the original sample_id and the options of each item\. The item '0' has a missing or duplicate "
        r"ID, or no options",
    ):
        export(store, by=None, project="p", format="egoplan_submission", out=tmp_path / "out.json", run=run)

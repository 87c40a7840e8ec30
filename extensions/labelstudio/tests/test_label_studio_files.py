"""Test the import and export of Label Studio's JSON: all or nothing, no duplicates, and no private data."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from annotation_schemas.formats import Names
from db import files, projects
from db.engine import Store
from domain.errors import InvalidFileError, NotAllowedError
from domain.states import Stage
from extensions.labelstudio.exchange.import_project import ImportedLabelStudio, import_label_studio
from extensions.labelstudio.tests.kitchen import FOLDER, KITCHEN, RATINGS, kitchen
from media.store import MediaStore
from testkit.factories import claimed, make_items, make_people, make_person, make_predictions, make_project
from testkit.kept_items import kept_ids
from workflow.annotate import submissions
from workflow.files.export import exported
from workflow.files.import_files import import_files
from workflow.results.ratings import ratings_of

NAMES = Names(controls={"prediction": "why"})


@pytest.fixture
def media(home: Path) -> MediaStore:
    return MediaStore(home / "media")


def project(store: Store, text: str = KITCHEN, name: str = "p") -> str:
    return make_project(store, name=name, loaded=kitchen(text))


def bring(store: Store, media: MediaStore, path: Path, *, names: Names = NAMES, **options: Any) -> ImportedLabelStudio:
    options = {"by": None, "project": "p", **options}
    return import_label_studio(store, media, path=path, names=names, **options)


def rated(store: Store, stage: Stage = Stage.VERIFICATION, project: str = "p") -> dict[tuple[str, str], dict[str, Any]]:
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for rating in ratings_of(store, project=project, stage=stage):
        found.setdefault((rating.unit, rating.rater), {})[rating.criterion] = rating.value
    return found


def left_as(found: dict[tuple[str, str], dict[str, Any]], *names: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Return ratings as they are exported: under pseudonyms, numbered by arrival."""
    called = {name: f"person-{number}" for number, name in enumerate(names, 1)}
    return {(unit, called[rater]): values for (unit, rater), values in found.items()}


def answers(store: Store, project: str = "p") -> list[tuple[str, str]]:
    with store.read() as session:
        row = projects.by_name(session, name=project)
        assert row is not None
        return sorted((each.model, each.text) for each in files.predictions(session, project_id=row.id))


def tasks_of(store: Store, **options: Any) -> list[dict[str, Any]]:
    made = exported(store, by=None, project="p", format="label_studio", file_name="tasks.json", **options)
    found: list[dict[str, Any]] = json.loads(made.files["tasks.json"])
    return found


def pictures(folder: Path, *names: str) -> Path:
    for number, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 6), (10 * number, 0, 0)).save(folder / name)
    return folder


@pytest.mark.thorough
@pytest.mark.both_databases
def test_an_old_project_comes_in_with_everything_at_once(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store)
    folder = pictures(tmp_path / "media", "upload/5/5d48d83e-red.png", "blue.png", "deep/down/grey.png")
    done = bring(store, media, FOLDER / "kitchen.json", media_dir=folder)
    assert (done.imported.items, done.imported.predictions, done.imported.ratings) == (4, 1, 31)
    assert (done.imported.assets_found, done.imported.assets_missing) == (3, 1)  # no folder has green one.png
    assert (done.skipped, done.earlier) == (1, 1)
    assert rated(store) == RATINGS
    assert answers(store) == [("tiny-1", "a cup")]
    again = bring(store, media, FOLDER / "kitchen.json").imported
    assert (again.items, again.predictions, again.ratings, again.repeated) == (0, 0, 0, 4 + 1 + 31)
    assert rated(store) == RATINGS


def test_a_picture_that_was_missing_is_filled_in_by_the_same_file(
    store: Store, media: MediaStore, tmp_path: Path
) -> None:
    project(store)
    assert bring(store, media, FOLDER / "kitchen.json").imported.assets_missing == 4
    folder = pictures(tmp_path / "media", "kitchen/green one.png")
    assert bring(store, media, FOLDER / "kitchen.json", media_dir=folder).imported.assets_found == 1


def test_a_later_export_adds_what_is_new(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store)
    tasks = json.loads((FOLDER / "kitchen.json").read_text(encoding="utf-8"))
    early = tmp_path / "kitchen.json"
    early.write_text(json.dumps([{**tasks[0], "annotations": tasks[0]["annotations"][:1]}, tasks[1]]), encoding="utf-8")
    assert bring(store, media, early).imported.items == 2
    done = bring(store, media, FOLDER / "kitchen.json").imported
    assert (done.items, done.ratings) == (2, 31 - 6 - 5 - 5)
    assert rated(store) == RATINGS


def test_two_files_of_that_name_that_may_be_meant_are_told(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store)
    folder = pictures(tmp_path / "media", "a/grey.png", "b/grey.png")
    with pytest.raises(InvalidFileError, match=r"several files match pics/grey\.png"):
        bring(store, media, FOLDER / "kitchen.json", media_dir=folder)
    assert bring(store, media, FOLDER / "kitchen.json").imported.items == 4, "the refused import has left something"


def test_what_does_not_fit_refuses_all_or_is_left_out(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store)
    tasks = json.loads((FOLDER / "kitchen.json").read_text(encoding="utf-8"))
    tasks[1]["annotations"][0]["result"][0]["value"] = {"choices": ["maybe"]}
    del tasks[2]["data"]["question"]
    path = tmp_path / "kitchen.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    with pytest.raises(InvalidFileError, match=r"row 2: task 2, annotation 3: .*\n.*row 3: task 3: ") as refused:
        bring(store, media, path)
    assert "--skip-bad" in str(refused.value)
    assert rated(store) == {}
    done = bring(store, media, path, skip_bad=True).imported
    assert [bad.row for bad in done.bad] == [2, 3]
    left_out = {("2", "label-studio-4"), ("3", "label-studio-4")}
    assert rated(store) == {key: value for key, value in RATINGS.items() if key not in left_out}


def test_an_item_that_is_here_with_other_content_is_told(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store)
    bring(store, media, FOLDER / "kitchen.json")
    tasks = json.loads((FOLDER / "kitchen.json").read_text(encoding="utf-8"))
    tasks[3]["data"]["question"] = "And now?"
    path = tmp_path / "kitchen.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    with pytest.raises(InvalidFileError, match=r"row 4: the item '4' is already in this project with other content"):
        bring(store, media, path)


def test_a_rating_that_contradicts_an_earlier_one_is_told(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store)
    bring(store, media, FOLDER / "kitchen.json")
    tasks = json.loads((FOLDER / "kitchen.json").read_text(encoding="utf-8"))
    tasks[3]["annotations"][0]["result"][0]["value"] = {"choices": ["no"]}
    path = tmp_path / "kitchen.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    with pytest.raises(InvalidFileError, match="label-studio-5 has already rated fits of 4 as yes"):
        bring(store, media, path)


def test_only_leads_bring_in(store: Store, media: MediaStore) -> None:
    project(store)
    with pytest.raises(NotAllowedError):
        bring(store, media, FOLDER / "kitchen.json", by=make_person(store, "ann"))


def test_the_other_import_says_where_such_files_go(store: Store, media: MediaStore) -> None:
    project(store)
    with pytest.raises(InvalidFileError, match="touchstone item import p label_studio FILE"):
        import_files(store, media, by=None, project="p", format="label_studio", path=FOLDER / "kitchen.json")


def test_the_schema_may_name_the_keys(store: Store, media: MediaStore, tmp_path: Path) -> None:
    named = KITCHEN + "source: {format: label_studio, fields: {question: ask}}\n"
    project(store, named)
    path = tmp_path / "t.json"
    path.write_text(json.dumps([{"data": {"image": "a.png", "ask": "What?", "answer": "A cup."}}]), encoding="utf-8")
    assert bring(store, media, path).imported.items == 1


# ---- out -------------------------------------------------------------------------------------------------------------


def verified(store: Store) -> list[int]:
    """Create three items that two people verified, with agreement on two of them. Return the items' ids."""
    make_project(store)
    ids = make_items(store, 3, dimension="colour")
    for person, third in zip(make_people(store, "ann", "ben"), ("red", "blue"), strict=True):
        for _ in range(3):
            task = claimed(store, person)
            values = {"choice": third if task.fields["question"] == "Question 2?" else "red"}
            submissions.submit(store, person=person, task=task.id, key=task.id, values=values, note="seen", seconds=7.5)
    return ids


def test_votes_go_out_under_pseudonyms_and_secrets_do_not(store: Store) -> None:
    make_predictions(store, verified(store), models=["tiny"])
    tasks = tasks_of(store)
    assert len(tasks) == 3
    text = json.dumps(tasks)
    assert "ann" not in text.replace("annotations", "")
    assert "ben" not in text
    for task in tasks:
        assert set(task["data"]) == {"item_id", "dimension", "question", "options"}
        assert [prediction["model_version"] for prediction in task["predictions"]] == ["tiny"]
    votes = [annotation for task in tasks for annotation in task.get("annotations", ())]
    assert len(votes) == 6
    assert Counter(vote["result"][0]["value"]["choices"][0] for vote in votes) == {"red": 5, "blue": 1}
    for vote in votes:
        assert "completed_by" not in vote
        assert 0 < vote["lead_time"] <= 7.5  # no one can have taken longer than they had the task
        assert vote["ground_truth"] is False
        assert {part["meta"]["rater"] for part in vote["result"]} <= {"person-1", "person-2"}
    private = tasks_of(store, private=True)
    assert {task["data"]["answer"] for task in private} == {"red"}


def test_the_same_state_gives_the_same_bytes(store: Store) -> None:
    verified(store)
    one, two = (exported(store, by=None, project="p", format="label_studio", only=kept_ids(store)) for _ in range(2))
    assert one.files == two.files


def test_a_public_file_without_the_key_holds_no_vote_that_tells_it(store: Store) -> None:
    verified(store)
    only = kept_ids(store)
    made = exported(store, by=None, project="p", format="label_studio", public=True, only=only, file_name="tasks.json")
    manifest = json.loads(made.files["manifest.json"])
    tasks = json.loads(made.files["tasks.json"])
    assert len(tasks) == 2
    assert [item["id"] for item in manifest["items"]] == [task["data"]["item_id"] for task in tasks] == only
    assert all("annotations" not in task and "predictions" not in task for task in tasks)


def test_a_stage_that_the_format_does_not_have(store: Store) -> None:
    verified(store)
    with pytest.raises(InvalidFileError, match="--stage is only for label_studio"):
        exported(store, by=None, project="p", format="ratings", stage=Stage.GRADING)


def round_trip(store: Store, media: MediaStore, folder: Path, **options: Any) -> ImportedLabelStudio:
    made = exported(store, by=None, project="p", format="label_studio", file_name="tasks.json", private=True, **options)
    path = folder / "tasks.json"
    path.write_bytes(made.files["tasks.json"])
    return bring(store, media, path, names=Names(), project="q")


def test_out_and_into_another_project_says_the_same(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store)
    project(store, name="q")
    bring(store, media, FOLDER / "kitchen.json")
    done = round_trip(store, media, tmp_path).imported
    assert (done.items, done.ratings, done.predictions, len(done.bad)) == (4, 31, 1, 0)
    assert rated(store, project="q") == left_as(RATINGS, "label-studio-4", "label-studio-5")
    assert answers(store, project="q") == [("tiny-1", "a cup")]


def test_grades_go_out_and_come_in(store: Store, media: MediaStore, tmp_path: Path) -> None:
    project(store)
    project(store, name="q")
    rows = [
        {
            "id": number,
            "data": {
                "item_id": "x",
                "image": "a.png",
                "question": "What?",
                "answer": "A cup.",
                "prediction": text,
                "model": model,
            },
            "annotations": [
                {
                    "completed_by": by,
                    "result": [{"from_name": "score", "type": "choices", "value": {"choices": [grade]}}],
                }
                for by, grade in grades.items()
            ],
        }
        for number, (model, text, grades) in enumerate(
            [("one", "A mug.", {1: "0.5", 2: "1"}), ("two", "A hat.", {1: "0"})], 1
        )
    ]
    path = tmp_path / "graded.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    bring(store, media, path)
    expected = {
        ("x · one", "label-studio-1"): {"score": 0.5},
        ("x · one", "label-studio-2"): {"score": 1},
        ("x · two", "label-studio-1"): {"score": 0},
    }
    assert rated(store, Stage.GRADING) == expected
    out = tasks_of(store, stage=Stage.GRADING)
    assert ["one" in json.dumps(task["data"]) for task in out] == [False, False], "a grader would read the model's name"
    round_trip(store, media, tmp_path, stage=Stage.GRADING)
    assert rated(store, Stage.GRADING, "q") == left_as(expected, "label-studio-1", "label-studio-2")
    assert answers(store, "q") == [("one", "A mug."), ("two", "A hat.")]

"""Rules of wording where items are written, edited and brought in: said, and refused where they stop."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas.loader import load_text
from db import item_revisions
from db.engine import Store
from domain.errors import InvalidInputError, InvalidRowsError, NotAllowedError, NotFoundError
from domain.records import Person
from domain.states import Stage
from media.store import MediaStore
from testkit.factories import claimed as task_of
from testkit.factories import make_items, make_people, make_person, make_pool, make_predictions, make_project
from testkit.missing_extensions import needs
from testkit.stage_work import open_work
from workflow.annotate import authoring, image_pool, submissions
from workflow.files import import_files

SCHEMA = """
name: worded
version: 1
title: Worded
source: {format: jsonl}
dimensions: [{id: colour, title: Colour}]
item:
  assets: [{role: image, kind: image, min: 0}]
  fields:
    - {name: question, kind: text, wording: {words: {most: 4}, ends_with: "?", stops: STOPS}}
    - {name: options, kind: text_list, wording: {alike_length: 2, no_rewording: true}}
    - {name: answer, kind: option_of, field: options, secret_in: [refinement], wording: {not_in: [question]}}
stages:
  authoring: {}
  refinement:
    criteria: [{name: other, kind: choice, prompt: "Another one?", options: ["yes", "no"]}]
    until: one_right_answer
    done: {other: "no"}
"""
GOOD = {"question": "Which cup is this?", "options": ["red one", "blue one"], "answer": "red one"}
LONG = {**GOOD, "question": "Which of these cups is this?"}  # 6 words
OPEN = {**GOOD, "question": "Which cup is this"}


def begin(store: Store, stops: str = "[ends_with]") -> None:
    make_project(store, loaded=load_text(SCHEMA.replace("STOPS", stops), "", "worded"))


def write(store: Store, person: Person, values: dict[str, Any]) -> None:
    (image,) = make_pool(store, 1)
    view = image_pool.pick(store, person=person, project="p", dimension="colour", assets=[image])
    submissions.submit(store, person=person, task=view.id, key=view.id, values=values)


def questions(store: Store) -> list[str]:
    with store.read() as session:
        return [each["question"] for each in item_revisions.current_content(session, project_id=1).values()]


def test_advice_stops_no_one_and_a_rule_that_stops_does(store: Store) -> None:
    begin(store)
    ann = make_person(store, "ann")
    write(store, ann, LONG)
    with pytest.raises(InvalidInputError) as refused:
        write(store, ann, OPEN)
    assert [(each.name, each.message) for each in refused.value.problems] == [
        ("question", "Question: End the text with \u201c?\u201d.")
    ]
    assert questions(store) == [LONG["question"]]


@needs("stages", "refinement")
def test_an_edit_is_held_to_what_it_changes(store: Store) -> None:
    begin(store)
    make_items(store, 1, fields=OPEN)  # from before the rule
    (id,) = make_items(store, 1, fields=GOOD)
    make_predictions(store, [id], models=["m"])
    (ann,) = make_people(store, "ann", stages=[Stage.REFINEMENT])
    open_work(store, Stage.REFINEMENT, models=["m"])
    task = task_of(store, ann, Stage.REFINEMENT).id
    answers = {"other": "yes"}

    def submit(key: str, **fields: Any) -> None:
        values = {**answers, "fields": fields}
        submissions.submit(store, person=ann, task=task, key=key, values=values)

    with pytest.raises(InvalidInputError, match="End the text with"):
        submit("one", question="Which cup")
    submit("two", question="Which of these many cups is this?")
    authoring.edit_item(store, person=None, project="p", item="colour/0", fields={"options": ["red one", "blue"]})
    assert questions(store) == [OPEN["question"], "Which of these many cups is this?"]


def test_a_page_is_told_of_nothing_that_its_stage_keeps_back(store: Store) -> None:
    begin(store)
    ann = make_person(store, "ann", stages=[Stage.AUTHORING, Stage.REFINEMENT])
    given = {"question": "Where is the red one", "options": ["red one", "a red one", "x"], "answer": "red one"}
    said = {
        stage: [each.rule for each in authoring.wording(store, person=ann, project="p", stage=stage, fields=given)]
        for stage in (Stage.AUTHORING, Stage.REFINEMENT)
    }
    assert said[Stage.AUTHORING] == ["words", "ends_with", "alike_length", "no_rewording", "not_in"]
    assert said[Stage.REFINEMENT] == ["words", "ends_with", "alike_length", "no_rewording"]
    for stage in (Stage.VERIFICATION, Stage.ADJUDICATION):
        with pytest.raises(NotAllowedError):
            authoring.wording(store, person=ann, project="p", stage=stage, fields=given)
    bob = make_person(store, "bob", project=None)
    with pytest.raises(NotFoundError):
        authoring.wording(store, person=bob, project="p", stage=Stage.AUTHORING, fields=given)


def lines(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps({"id": str(n), **each}) + "\n" for n, each in enumerate(records)), "utf-8")
    return path


def test_files_are_held_to_the_same_rules(store: Store, tmp_path: Path) -> None:
    begin(store)
    media = MediaStore(tmp_path / "media")
    here: dict[str, Any] = {"by": None, "project": "p", "format": "jsonl"}
    path = lines(tmp_path / "some.jsonl", GOOD, LONG, {**LONG, "options": ["red one", "The red ones!"]})
    looked = import_files.look_at_files(store, media, **here, path=path)
    note = "Wording: 2 items break a rule: Question, words: most 4 (2); Options, no_rewording (1)."
    assert looked.note == note
    assert import_files.import_files(store, media, **here, path=path).note == note
    bad = lines(tmp_path / "bad.jsonl", {**GOOD, "id": "9"}, {**OPEN, "id": "8"})
    with pytest.raises(InvalidRowsError, match="End the text with") as refused:
        import_files.import_files(store, media, **here, path=bad)
    assert "row 2" in str(refused.value)
    assert len(questions(store)) == 3

"""Grading models' answers blind."""

from __future__ import annotations

import dataclasses
import json

import pytest
from sqlmodel import select

from db.engine import Store
from db.tables import AnnotationRow
from domain.errors import ConflictError, InvalidInputError
from domain.records import NoTask, Person
from domain.roles import Role
from domain.states import Stage
from testkit.comments import read_comments, write_comment
from testkit.factories import claimed, make_items, make_people, make_person, make_predictions, make_project, vote
from workflow.annotate import claims, submissions
from workflow.annotate.progress import progress
from workflow.files.project_check import check

MODELS = ("gpt-secret", "llava-secret", "blip-secret")


def grade_all(store: Store, person: Person) -> list[str]:
    seen = []
    while not isinstance(view := claims.next_task(store, person=person, project="p", stage=Stage.GRADING), NoTask):
        seen.append(view.answer or "")
        submissions.submit(store, person=person, task=view.id, key=view.id, values={"score": 0.5})
    return seen


@pytest.mark.thorough
def test_each_answer_is_graded_by_two_people_once_each_in_an_order_of_their_own(store: Store) -> None:
    make_project(store)
    make_predictions(store, make_items(store, 6), models=MODELS)
    ann, bob, cy = make_people(store, "ann", "bob", "cy")
    orders = [grade_all(store, person) for person in (ann, bob)]
    for order in orders:
        assert len(order) == len(set(order)) == 18
    assert orders[0] != orders[1]
    assert grade_all(store, cy) == []
    with store.read() as session:
        assert len(session.exec(select(AnnotationRow)).all()) == 36
    assert check(store) == []


def test_the_models_name_is_nowhere(store: Store) -> None:
    make_project(store)
    make_predictions(store, make_items(store), models=MODELS)
    view = claimed(store, make_person(store, "ann"), Stage.GRADING)
    assert set(view.fields) == {"question", "answer"}
    assert view.answer is not None
    said = json.dumps(dataclasses.asdict(view), default=str)
    assert "secret" not in said
    assert "origin" not in said


def test_grades_are_on_the_scale_and_may_be_corrected(store: Store) -> None:
    make_project(store)
    make_predictions(store, make_items(store), models=MODELS[:1])
    ann = make_person(store, "ann")
    view = claimed(store, ann, Stage.GRADING)
    for wrong in (0.7, True, "1", None):
        with pytest.raises(InvalidInputError):
            submissions.submit(store, person=ann, task=view.id, key="k", values={"score": wrong})
    submissions.submit(store, person=ann, task=view.id, key="k", values={"score": 1})
    assert submissions.undo(store, person=ann, project="p", stage=Stage.GRADING).id == view.id
    submissions.submit(store, person=ann, task=view.id, key="k2", values={"score": 0})
    with store.read() as session:
        rows = session.exec(select(AnnotationRow).order_by(AnnotationRow.id)).all()
    assert [row.answers["score"] for row in rows] == [1, 0]
    assert rows[1].supersedes_id == rows[0].id
    assert progress(store, person=ann, project="p", stage=Stage.GRADING).mine_done == 1


def test_a_grade_is_corrected_no_more_once_a_comment_that_waited_for_it_is_read(store: Store) -> None:
    make_project(store)
    make_predictions(store, make_items(store), models=MODELS[:1])
    ann = make_person(store, "ann")
    lea = make_person(store, "lea", role=Role.LEAD, stages=[Stage.ADJUDICATION])
    view = claimed(store, ann, Stage.GRADING)
    asked = write_comment(store, person=ann, item=view.item, text="Is it meant so?")
    submissions.submit(store, person=ann, task=view.id, key="k", values={"score": 1})
    for person in make_people(store, "ben", "cy"):
        vote(store, person, "red")
        grade_all(store, person)
    assert submissions.undo(store, person=ann, project="p", stage=Stage.GRADING).id == view.id
    submissions.submit(store, person=ann, task=view.id, key="k2", values={"score": 0.5})
    write_comment(store, person=lea, item=view.item, text="No: it is wrong.", to=[ann], reply_to=asked)
    assert read_comments(store, person=ann) == ["No: it is wrong."]
    with pytest.raises(ConflictError, match="cannot change your answer"):
        submissions.undo(store, person=ann, project="p", stage=Stage.GRADING)

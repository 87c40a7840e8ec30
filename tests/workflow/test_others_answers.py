"""What others answered, shown to raters after an item is settled: off unless the schema says so, and never before."""

from __future__ import annotations

import json
from typing import Any

import pytest

from annotation_schemas.loader import load_text
from app.workbench import page
from db.engine import Store
from domain.errors import ConflictError, SchemaError
from domain.records import NoTask, Person
from domain.states import Stage
from testkit.factories import (
    BLIND,
    Clock,
    claimed,
    make_items,
    make_people,
    make_predictions,
    make_project,
    vote,
)
from workflow.annotate import authoring, claims, own_submissions, submissions
from workflow.annotate.others_answers import NO_OTHERS, NOT_YET
from workflow.lead import bulk
from workflow.lead.bulk_plans import Action, BulkSelection

ALLOWED = "    show_others: settled\n    criteria:"


def opened(store: Store, clock: Clock, allowed: bool, raters: int = 2) -> list[Person]:
    text = BLIND.replace("RATERS", str(raters)).replace("PER_SOURCE", "2").replace("ADJUDICATION", "none")
    make_project(store, loaded=load_text(text.replace("    criteria:", ALLOWED) if allowed else text, "Be exact.", "b"))
    store.clock = clock
    return make_people(store, "ann", "ben", "cyrus")


def seen(store: Store, person: Person) -> tuple[Any, str]:
    """The others' answers in what the page of a person's last submission gets, and its sentence."""
    (row, *_) = own_submissions.find(store, person=person, project="p").rows
    own = own_submissions.look(store, person=person, project="p", submission=row.id, with_others=True)
    text = BLIND.replace("RATERS", "2").replace("PER_SOURCE", "2").replace("ADJUDICATION", "none")
    sent = page.task_part(load_text(text, "", "b").schema_, own.view)
    for name in ("ann", "ben", "cyrus", "secret-model", *(["psst"] if person.login == "ann" else [])):
        assert name not in json.dumps(sent, default=str).replace("answer", "")
    return [(each["label"], each["values"]) for each in sent["votes"]], own.others


def test_votes_are_seen_after_the_verdict_when_nothing_can_be_edited(store: Store) -> None:
    clock = Clock()
    ann, ben, _ = opened(store, clock, allowed=True)
    make_items(store, 1)
    vote(store, ann, "red")
    assert seen(store, ann) == ([], NOT_YET)
    view = claimed(store, ben)
    submissions.submit(store, person=ben, task=view.id, key="b", values={"choice": "blue"}, note="psst")
    assert seen(store, ann) == ([], NOT_YET), "the item is decided, and ann may still edit"
    clock.advance(hours=1)
    assert seen(store, ann) == ([("Rater 1", {"choice": "blue"})], "")
    assert seen(store, ben) == ([("Rater 1", {"choice": "red"})], "")
    with pytest.raises(ConflictError):
        submissions.undo(store, person=ann, project="p", stage=Stage.VERIFICATION)


def test_grades_are_seen_when_all_answers_to_the_item_are_graded_and_then_stand(store: Store) -> None:
    clock = Clock()
    ann, ben, _ = opened(store, clock, allowed=True)
    item = make_items(store, 1)
    for person in (ann, ben):
        vote(store, person, "red")
    make_predictions(store, item, models=["secret-model", "other"])

    def grade(person: Person, score: float) -> None:
        view = claimed(store, person, Stage.GRADING)
        submissions.submit(store, person=person, task=view.id, key=f"{view.id} {score}", values={"score": score})

    for person, score in ((ann, 1), (ann, 1), (ben, 0)):
        grade(person, score)
    clock.advance(hours=1)
    assert seen(store, ann) == ([], NOT_YET)
    assert seen(store, ben) == ([], NOT_YET)
    grade(ben, 0)
    submissions.undo(store, person=ben, project="p", stage=Stage.GRADING)
    assert seen(store, ann) == ([], NOT_YET), "one grade is being edited"
    grade(ben, 0.5)
    votes, why = seen(store, ann)
    assert (len(votes), why) == (1, "")
    with pytest.raises(ConflictError, match="cannot change your answer"):
        submissions.undo(store, person=ann, project="p", stage=Stage.GRADING)


def test_who_has_seen_the_votes_is_not_asked_when_the_item_is_verified_again(store: Store) -> None:
    clock = Clock()
    ann, ben, cy = opened(store, clock, allowed=True)
    make_items(store, 1)
    for person in (ann, ben):
        vote(store, person, "red")
    clock.advance(hours=1)
    assert seen(store, ann) == ([("Rater 1", {"choice": "red"})], "")
    chosen = BulkSelection(items=("colour/0",))
    found = bulk.preview(store, by=None, project="p", action=Action.VERIFY_AGAIN, chosen=chosen)
    assert found.out == "1 rater has seen votes on 1 of these items and will not be asked about it again."
    authoring.edit_item(store, person=None, project="p", item="colour/0", fields={"question": "Which colour is it?"})
    assert isinstance(claims.next_task(store, person=ann, project="p", stage=Stage.VERIFICATION), NoTask)
    for person in (ben, cy):
        vote(store, person, "red")


def test_who_may_still_grade_an_answer_does_not_see_the_votes_on_its_item(store: Store) -> None:
    clock = Clock()
    ann, ben, _ = opened(store, clock, allowed=True)
    item = make_items(store, 1)
    for person in (ann, ben):
        vote(store, person, "red")
    clock.advance(hours=1)
    make_predictions(store, item, models=["secret-model"])
    assert seen(store, ann) == ([], NOT_YET)
    view = claimed(store, ann, Stage.GRADING)
    submissions.submit(store, person=ann, task=view.id, key="g", values={"score": 1})
    (_, row) = own_submissions.find(store, person=ann, project="p").rows
    own = own_submissions.look(store, person=ann, project="p", submission=row.id, with_others=True)
    assert [each.values for each in own.view.votes] == [{"choice": "red"}]


def test_without_the_key_nothing_is_seen(store: Store) -> None:
    clock = Clock()
    ann, ben, _ = opened(store, clock, allowed=False)
    make_items(store, 1)
    for person in (ann, ben):
        vote(store, person, "red")
    clock.advance(hours=1)
    assert seen(store, ann) == ([], "")


def test_a_single_rater_is_told_that_no_one_else_answered(store: Store) -> None:
    clock = Clock()
    ann, *_ = opened(store, clock, allowed=True, raters=1)
    make_items(store, 1)
    vote(store, ann, "red")
    clock.advance(hours=1)
    assert seen(store, ann) == ([], NO_OTHERS)


def test_gold_checks_would_be_found_out(store: Store) -> None:
    text = BLIND.replace("RATERS", "2").replace("PER_SOURCE", "2").replace("ADJUDICATION", "none")
    gold = "    gold: {rate: 0.1}\n" + ALLOWED
    with pytest.raises(SchemaError, match="gold checks"):
        load_text(text.replace("    criteria:\n", gold + "\n", 1), "", "b")


def test_who_has_seen_the_votes_is_not_asked_to_grade_answers_that_come_later(store: Store) -> None:
    clock = Clock()
    ann, ben, cy = opened(store, clock, allowed=True)
    (item,) = make_items(store, 1)
    vote(store, ann, "red")
    vote(store, ben, "red")
    clock.advance(hours=1)
    assert seen(store, ann)[0] == [("Rater 1", {"choice": "red"})]
    make_predictions(store, [item], models=["m"])
    assert isinstance(claims.next_task(store, person=ann, project="p", stage=Stage.GRADING), NoTask)
    assert claimed(store, cy, Stage.GRADING)

"""Tags of the steps of a plan: what fits, and a sentence for what does not."""

from __future__ import annotations

from typing import Any

import pytest

from annotation_schemas import kinds, shipped
from annotation_schemas.loader import load_schema
from db.engine import Store
from domain.errors import InvalidInputError
from domain.states import Stage
from testkit.factories import claimed, make_items, make_person, make_predictions, make_project
from tests.annotation_schemas.test_answers import problem
from workflow.annotate import submissions

PLAN = {"kind": "plan", "options": ["useless"], "actions": [{"name": "grasp"}]}


@pytest.mark.parametrize("value", [[], [{"step": 2, "tag": "useless"}, {"step": 0, "tag": "useless"}]])
def test_what_fits(value: Any) -> None:
    assert problem(PLAN, value) is None


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([{"step": 3, "tag": "useless"}], "does not have"),
        ([{"step": 1, "tag": "odd"}], "not an option"),
        ([{"step": 1, "tag": "useless"}, {"step": 1, "tag": "useless"}], "a duplicate"),
    ],
)
def test_what_does_not_fit_is_told(value: Any, said: str) -> None:
    found = problem(PLAN, value)
    assert found is not None
    assert said in found


@pytest.mark.parametrize(
    ("entry", "words"),
    [({"step": 2, "tag": "useless"}, "step 2: useless"), ({"step": 0, "tag": "useless"}, "the whole: useless")],
)
def test_a_tag_is_read_as_the_kind_says_it(entry: dict[str, object], words: str) -> None:
    assert kinds.in_words(entry) == words


def test_plans_are_graded_otherwise_than_questions(store: Store) -> None:
    make_project(store, loaded=load_schema(shipped()["etp_bench"]))
    ann = make_person(store, "ann")
    for dimension in ("type", "embodied_reasoning"):
        fields = {"question": "Do it.", "form": "open", "answer": "Hat"}
        items = make_items(store, dimension=dimension, fields=fields)
        make_predictions(store, items, models=["one"], dimension=dimension)
    answers = {
        "type": ({"score": 0.5}, "success"),
        "embodied_reasoning": ({"success": 0, "errors": [{"step": 0, "tag": "navigation"}]}, "score"),
    }
    for dimension, (values, other) in answers.items():
        view = claimed(store, ann, Stage.GRADING, dimension=dimension)
        for wrong in ({}, {**values, other: 1}):
            with pytest.raises(InvalidInputError):
                submissions.submit(store, person=ann, task=view.id, key=f"{view.id}-{len(wrong)}", values=wrong)
        submissions.submit(store, person=ann, task=view.id, key=view.id, values=values)

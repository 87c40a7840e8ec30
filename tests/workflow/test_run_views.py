"""What leads read of a run: attempts by dimension and one by one, reasons of failures, and what grading would get."""

from __future__ import annotations

import pytest

from db.engine import Store
from domain.errors import NotAllowedError
from domain.roles import Role
from domain.runs import Attempt, Outcome
from domain.states import Stage
from testkit.factories import claimed, make_items, make_person, make_project, make_run
from workflow.runs import run_grading, run_views

FAILED = "The server answered with 500."


@pytest.fixture
def run(store: Store) -> str:
    """Four items of Colour and two of Shape; three of the six were answered, two failed alike and one otherwise."""
    make_project(store)
    colour = make_items(store, 4)
    shape = make_items(store, 2, dimension="shape")
    failed = {"outcome": Outcome.TRANSPORT_ERROR, "error": FAILED, "status": 500}
    return make_run(
        store,
        [
            Attempt(colour[0], Outcome.ANSWERED, "red"),
            Attempt(colour[1], final=False, **failed),  # type: ignore[arg-type]
            Attempt(colour[1], Outcome.TRUNCATED, "bl"),
            Attempt(colour[2], final=False, **failed),  # type: ignore[arg-type]
            Attempt(colour[2], **failed),  # type: ignore[arg-type]
            Attempt(colour[3], **failed),  # type: ignore[arg-type]
            Attempt(shape[0], Outcome.ANSWERED, "round"),
            Attempt(shape[1], Outcome.SKIPPED, error="There is no image."),
        ],
    )


@pytest.mark.both_databases
def test_attempts_of_a_dimension_and_one_of_them(store: Store, run: str) -> None:
    found = run_views.attempts_of(store, by=None, run=run, dimension="shape")
    assert [(each.item, each.attempt.outcome) for each in found] == [
        ("shape/5", Outcome.SKIPPED),
        ("shape/4", Outcome.ANSWERED),
    ]
    (one,) = run_views.attempts_of(store, by=None, run=run, id=found[1].id)
    assert one.attempt.text == "round"
    assert len(run_views.attempts_of(store, by=None, run=run)) == 8
    assert len(run_views.attempts_of(store, by=None, run=run, only_last=True)) == 6


def test_reasons_are_counted_by_item_and_the_most_frequent_stands_first(store: Store, run: str) -> None:
    assert run_views.failures_of(store, by=None, run=run) == (
        run_views.FailureView(Outcome.TRANSPORT_ERROR, FAILED, 2, "colour/2", "Question 2?"),
        run_views.FailureView(Outcome.SKIPPED, "There is no image.", 1, "shape/5", "Question 5?"),
    )


def test_what_grading_would_get_is_what_it_gets(store: Store, run: str) -> None:
    """Three answers, two graders for each."""
    assert run_grading.slots_of(store, by=None, run=run) == {"colour": 4, "shape": 2}
    assert run_grading.send_to_grading(store, by=None, run=run) == 6
    assert run_grading.slots_of(store, by=None, run=run) == {}
    assert run_grading.send_to_grading(store, by=None, run=run) == 0
    grader = make_person(store, "greta")
    assert "little-model" not in repr(claimed(store, grader, Stage.GRADING))


def test_only_leads_read(store: Store, run: str) -> None:
    senior = make_person(store, "sue", role=Role.SENIOR)
    for read in (run_views.failures_of, run_grading.slots_of, run_views.attempts_of, run_views.view):
        with pytest.raises(NotAllowedError):
            read(store, by=senior, run=run)

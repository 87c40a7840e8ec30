"""When a stage may be done, against dates and counts made by hand."""

from __future__ import annotations

from datetime import date

import pytest

from db.engine import Store
from domain.errors import NotAllowedError
from domain.records import Person
from domain.roles import Role
from domain.states import Stage
from extensions.schedule import dashboard_section, forecast
from testkit.factories import Clock, claimed, make_items, make_person, make_project
from tests.workflow.test_statement_counts import statements_for
from workflow.annotate import submissions

pytestmark = pytest.mark.both_databases


@pytest.fixture
def clock(store: Store) -> Clock:
    moved = Clock()  # Monday, 4 May 2026, 9:00
    store.clock = moved
    return moved


def _vote(store: Store, person: Person, seconds: float, clock: Clock) -> None:
    view = claimed(store, person)
    clock.advance(minutes=10)  # longer than anything they say it took
    answer = {"values": {"choice": "red"}, "seconds": seconds}
    submissions.submit(store, person=person, task=view.id, key=f"{view.id}-{clock.now}", **answer)


def _verification(store: Store, lea: Person) -> forecast.Forecast:
    return {one.stage: one for one in forecast.forecasts(store, by=lea, project="p")}[Stage.VERIFICATION]


@pytest.mark.one_database
def test_no_forecast_without_days_then_from_the_worst_and_the_best_and_none_when_work_has_stopped(
    store: Store, clock: Clock
) -> None:
    make_project(store)
    make_items(store, 16)  # 32 slots
    lea = make_person(store, "lea", role=Role.LEAD)
    ann = make_person(store, "ann")
    for n in (2, 4):  # Monday and Tuesday
        for _ in range(n):
            _vote(store, ann, 5, clock)
        clock.advance(days=1)
    early = _verification(store, lea)
    assert (early.left, list(early.days), early.finish, early.hours) == (26, [2, 4], None, None)
    assert "No forecast: 2 days with work" in early.sentence
    clock.advance(days=3)  # three days without work
    for _ in range(5):  # Saturday
        _vote(store, ann, 20, clock)
    assert list(_verification(store, lea).days) == [2, 4], "Saturday is not over"
    clock.advance(days=1)
    late = _verification(store, lea)
    assert (late.left, list(late.days), late.span) == (21, [2, 4, 5], 6)
    # 21 / 5 and 21 / 2, rounded up; there was work on 3 of the 6 days from Monday to Saturday: twice as many days.
    # Today, Sunday 10 May, may be the first of the 10 or no day with work at all.
    assert late.more_days == (5, 11)
    assert late.finish == (date(2026, 5, 19), date(2026, 6, 1))
    assert "5 to 11 more days with work" in late.sentence
    # Eleven tasks in 6 x 5 + 5 x 20 = 130 s: 21 take 248.2 s.
    assert late.hours == (pytest.approx(21 * 130 / 11 / 3600), pytest.approx(21 * 130 / 11 / 3600))
    clock.advance(days=20)
    gone = _verification(store, lea)
    assert (list(gone.days), gone.finish) == ([], None)
    assert "the last work was on 2026-05-09" in gone.sentence
    with pytest.raises(NotAllowedError):
        forecast.forecasts(store, by=ann, project="p")


def test_authoring_is_left_by_what_is_wanted(store: Store, clock: Clock) -> None:
    make_project(store)
    make_items(store, 1)  # of the 4 that are wanted in this dimension
    lea = make_person(store, "lea", role=Role.LEAD)
    left = {one.stage: one.left for one in forecast.forecasts(store, by=lea, project="p")}
    assert left == {Stage.AUTHORING: 3, Stage.VERIFICATION: 2}


@pytest.mark.one_database
@pytest.mark.thorough
def test_forecasts_ask_no_more_of_the_database_if_there_is_more(store: Store, clock: Clock) -> None:
    def look(store: Store, person: Person, project: str) -> None:
        forecast.forecasts(store, by=person, project=project)

    (few,), (many,) = statements_for(store, clock, look)
    assert many <= few


def test_the_last_item_needs_every_stage_and_the_votes_of_items_left_to_write(store: Store, clock: Clock) -> None:
    make_project(store)
    make_items(store, 2)  # of the 4 that are wanted; 2 votes each
    lea = make_person(store, "lea", role=Role.LEAD)
    found = {one.stage: one for one in forecast.forecasts(store, by=lea, project="p")}
    assert (found[Stage.AUTHORING].left, found[Stage.VERIFICATION].left) == (2, 4)
    assert found[Stage.VERIFICATION].to_come == 4, "two votes on each item that is left to write"
    assert forecast.last_item([*found.values()]) is None, "no one has worked yet"
    early, late = (date(2026, 5, day) for day in (4, 20))
    ends = [
        forecast.Forecast(stage, 5, (5, 5, 5), whole=(early, late)) for stage in (Stage.VERIFICATION, Stage.GRADING)
    ]
    assert forecast.last_item(ends) == (early, late), "grades settle no item"
    assert forecast.last_item([*ends, forecast.Forecast(Stage.AUTHORING, 5, (5, 5))]) is None
    later = forecast.Forecast(Stage.AUTHORING, 5, (5, 5, 5), whole=(date(2026, 5, 9), date(2026, 5, 11)))
    assert forecast.last_item([*ends, later]) == (date(2026, 5, 9), late), "each end is that of the last stage"


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        (date(2026, 1, 9), date(2026, 1, 21), "between 9 and 21 January"),
        (date(2026, 1, 28), date(2026, 2, 3), "between 28 January and 3 February"),
        (date(2026, 12, 28), date(2027, 1, 3), "between 28 December and 3 January 2027"),
        (date(2026, 1, 9), date(2026, 1, 9), "on 9 January"),
        (date(2027, 1, 9), date(2027, 1, 21), "between 9 and 21 January 2027"),
    ],
)
def test_days_are_said_as_people_say_them(first: date, last: date, words: str) -> None:
    assert dashboard_section.between(first, last, today=date(2026, 1, 2)) == words

"""One's own days and pace, counted by hand: at every midnight, and for no one else."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from db.engine import Store
from domain.errors import InvalidInputError
from domain.states import Stage
from extensions.own_pace import pace as own_pace
from extensions.own_pace.pace import OwnPace
from testkit.factories import Clock, claimed, make_items, make_people, make_project, make_schema
from workflow.annotate import submissions

pytestmark = pytest.mark.both_databases


def done(pace: OwnPace) -> list[int]:
    return [each.n for each in pace.days]


def test_days_and_pace_are_ones_own_and_end_at_ones_own_midnight(store: Store) -> None:
    make_project(store, loaded=make_schema())
    make_items(store, 8)
    ann, ben = make_people(store, "ann", "ben")
    store.clock = clock = Clock()
    clock.now = datetime(2026, 6, 1, 21, 20, tzinfo=UTC)

    def votes(n: int, seconds: float) -> None:
        for _ in range(n):
            task = claimed(store, ann)
            clock.advance(seconds=seconds)
            submissions.submit(store, person=ann, task=task.id, key=task.id, values={"choice": "red"}, seconds=seconds)

    votes(2, 60)
    clock.advance(hours=1)  # in Zurich it is half past midnight
    votes(3, 60)
    assert done(own_pace.own_pace(store, person=ann)) == [0, 0, 0, 0, 0, 0, 5]
    here = own_pace.own_pace(store, person=ann, zone="Europe/Zurich")
    assert done(here) == [0, 0, 0, 0, 0, 2, 3]
    assert (here.today, here.n) == (3, 5)
    assert here.an_hour == pytest.approx(60)
    assert own_pace.own_pace(store, person=ann, zone="../etc/passwd").today == 5, "an odd zone is UTC"
    assert done(own_pace.own_pace(store, person=ben)) == [0] * 7
    assert own_pace.today(store, person=ann) is None, "she has set no goal"
    own_pace.set_goal(store, person=ann, tasks=9)
    assert own_pace.today(store, person=ann) == (5, 9)
    assert own_pace.today(store, person=ann, zone="Europe/Zurich") == (3, 9)
    # a correction is no task more
    submissions.undo(store, person=ann, project="p", stage=Stage.VERIFICATION)
    again = claimed(store, ann)
    submissions.submit(store, person=ann, task=again.id, key="again", values={"choice": "blue"}, seconds=30)
    assert own_pace.own_pace(store, person=ann).n == 5
    clock.advance(days=6)
    assert done(own_pace.own_pace(store, person=ann)) == [5, 0, 0, 0, 0, 0, 0]
    clock.advance(days=1)
    assert own_pace.own_pace(store, person=ann).n == 0
    assert own_pace.own_pace(store, person=ann).an_hour is None


def test_a_goal_is_ones_own_and_can_be_taken_back(store: Store) -> None:
    make_project(store, loaded=make_schema())
    ann, ben = make_people(store, "ann", "ben")
    for goal, kept in ((40, 40), (60, 60), (None, None), (0, None)):
        own_pace.set_goal(store, person=ann, tasks=goal)
        assert own_pace.own_pace(store, person=ann).goal == kept
    own_pace.set_goal(store, person=ann, tasks=40)
    assert own_pace.own_pace(store, person=ben).goal is None
    for odd in (-1, own_pace.LARGEST_GOAL + 1):
        with pytest.raises(InvalidInputError, match="1 to"):
            own_pace.set_goal(store, person=ann, tasks=odd)
    assert own_pace.own_pace(store, person=ann).goal == 40

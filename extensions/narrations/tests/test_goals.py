"""Which goals are kept, with which actions, and why the others are not."""

from __future__ import annotations

from decimal import Decimal

import pytest

from extensions.narrations.rules.goals import LEVELS, Goal, Limits, Step, Task, tasks
from extensions.narrations.rules.narration import Tally, by_video
from extensions.narrations.tests.rows import MILK


def goal(
    start: str | None, stop: str | None, text: str = "Drink", parent: Goal | None = None, video: str = "V"
) -> Goal:
    first, last = (None if each is None else Decimal(each) for each in (start, stop))
    return Goal(video, text, "line 1", LEVELS[0], first, last, None, parent)


def kept(*goals: Goal, limits: Limits | None = None) -> tuple[list[Task], Tally]:
    tally = Tally()
    return list(tasks(goals, by_video(MILK), limits or Limits(), tally)), tally


def ids(task: Task) -> list[str]:
    return [row.id for row in task.actions]


def test_actions_of_a_span_begin_in_it() -> None:
    found, _ = kept(goal("2", "10"))
    assert ids(found[0]) == ["V-2", "V-3", "V-4", "V-5"]  # what begins at 10 s is none of it any more
    assert ids(kept(goal(None, None))[0][0]) == [f"V-{n}" for n in range(1, 7)]


@pytest.mark.parametrize(
    ("left_out", "why"),
    [
        (goal("5", "2"), "the goal stops before it starts"),
        (goal("0", "3"), "the goal has fewer than 4 actions"),
        (goal("0", "12", video="W"), "the goal's video has no narrations"),
        (goal("20", "30"), "the goal lies outside the narrations of its video"),
        (goal("0", "14"), "the goal extends beyond the narrations of its video"),
        (goal("0", "12", parent=goal("3", "12", "Cook")), "the goal extends beyond the goal above it"),
        # a parent that is wrong itself says nothing: what is above it does
        (goal("0", "12", parent=goal("9", "1", parent=goal("3", "12"))), "the goal extends beyond the goal above it"),
    ],
)
def test_left_out_with_the_reason(left_out: Goal, why: str) -> None:
    found, tally = kept(left_out)
    assert not found
    assert tally.left_out == {why: 1}
    assert tally.examples[why][0].startswith("line 1: ")


def test_a_second_over_is_a_slip() -> None:
    assert len(kept(goal("0", "13"))[0]) == 1  # the last narration stops at 12 s
    assert len(kept(goal("2", "12", parent=goal("3", "12", "Cook")))[0]) == 1
    assert not kept(goal("0", "13"), limits=Limits(slack=Decimal(0)))[0]


def test_too_many_actions() -> None:
    found, tally = kept(goal("0", "12"), limits=Limits(most=5))
    assert (found, tally.left_out) == ([], {"the goal has more than 5 actions": 1})


def test_steps_by_id_words_and_frames() -> None:
    named = (Step(id="V-2"), Step(text="pour milk into cup"), Step(text="Take the milk"), Step(text="V-6"))
    found, _ = kept(Goal("V", "Drink", "line 1", steps=named))
    assert ids(found[0]) == ["V-2", "V-3", "V-5", "V-6"]
    _, tally = kept(Goal("V", "Drink", "line 1", steps=(Step(text="juggle"),)))
    assert tally.left_out == {"one of the goal's actions is not a narration of its video": 1}


def test_a_goal_that_is_named_again_has_the_actions_of_all() -> None:
    one = Goal("V", "Drink.", "line 1", steps=(Step(id="V-1"), Step(id="V-2")))
    other = Goal("V", "drink", "line 2", steps=(Step(id="V-2"), Step(id="V-4"), Step(id="V-6")))
    found, tally = kept(one, other)
    assert [ids(each) for each in found] == [["V-1", "V-2", "V-4", "V-6"]]
    assert tally.steps == {"goals given": 2, "goals given again": 1, "goals kept": 1}
    spans, tally = kept(goal("0", "12"), goal("0", "13"), goal("2", "13"))
    assert [len(each.actions) for each in spans] == [6, 5]  # the same actions once, others are another goal
    assert tally.steps["goals given again"] == 1

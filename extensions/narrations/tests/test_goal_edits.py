"""Goals while people mend them: their ends, two out of one, one out of two, and what a file says of them."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from extensions.narrations.rules.goal_edits import (
    following,
    goals_with_actions,
    in_order,
    merged,
    reaching,
    split,
    steps_of,
)
from extensions.narrations.rules.goals import LEVELS, Goal, Step, Video
from extensions.narrations.tests.goal_replies import video

ROWS = video("V", 12)
HERE = Video(ROWS)


def goal(text: str, *actions: int, level: int = 2) -> Goal:
    return Goal("V", text, "g", LEVELS[level], steps=steps_of(ROWS[at - 1] for at in actions))


def actions(each: Goal) -> list[int]:
    return [int(step.id.removeprefix("V-")) for step in each.steps or ()]


@pytest.mark.parametrize(
    ("had", "first", "last", "wanted"),
    [
        ((3, 4, 5, 6), 2, 6, [2, 3, 4, 5, 6]),
        ((3, 4, 5, 6), 4, 5, [4, 5]),
        ((3, 4, 6), 2, 8, [2, 3, 4, 6, 7, 8]),  # what it leaves out between its ends stays out
        ((3, 4, 5, 6), 8, 9, [8, 9]),
        ((3, 4, 5, 6), 6, 3, [3, 4, 5, 6]),  # ends the wrong way round
        ((3, 6), 4, 5, [4]),  # it had neither: a goal is never left without an action
    ],
)
def test_a_goal_reaches_from_one_action_to_another(
    had: tuple[int, ...], first: int, last: int, wanted: list[int]
) -> None:
    assert actions(reaching(goal("wash", *had), HERE, first - 1, last - 1)) == wanted


def test_ends_of_actions_that_are_no_narrations_any_more() -> None:
    lost = replace(goal("wash", 1, 2), steps=(Step("W-9", "fly", start=Decimal(2), stop=Decimal(3)),))
    assert actions(reaching(lost, HERE, 1, 3)) == [2, 3, 4]


def test_a_goal_becomes_two_and_two_become_one() -> None:
    one, other = split(goal("wash", 1, 2, 3, 4, 5), 2)
    assert (actions(one), actions(other), other.text, other.level) == ([1, 2], [3, 4, 5], "wash", "subgoal")
    again = merged(one, replace(other, text="dry"))
    assert (actions(again), again.text) == ([1, 2, 3, 4, 5], "wash")
    assert actions(merged(goal("a", 4, 6), goal("b", 1, 4))) == [1, 4, 6]
    for at in (0, 5):
        with pytest.raises(ValueError, match="cannot be split"):
            split(goal("wash", 1, 2, 3, 4, 5), at)


def test_goals_stand_by_time_each_before_those_within_it() -> None:
    cook, brew, heat, toast = goal("cook", *range(1, 13), level=1), goal("brew", 1, 2, 3, 4, 5, 6), *(
        goal("heat", 1, 2, 3, 4, level=3), goal("toast", 8, 9, 10, 11)
    )  # fmt: skip
    there = in_order([toast, heat, cook, brew])
    assert [each.text for each in there] == ["cook", "brew", "heat", "toast"]
    assert [following(there, at) for at in range(4)] == [None, 3, None, None]


def test_goals_of_files_get_their_actions_or_say_why_not() -> None:
    given = [
        Goal("V", "by span", "a", LEVELS[2], start=Decimal(4), stop=Decimal(10)),  # actions 2, 3, 4 begin in it
        Goal("V", "asked", "b", steps=(Step("V-5"), Step("V-6"))),
        Goal("V", "Asked.", "c", steps=(Step("V-7"),)),
        Goal("W", "elsewhere", "d"),
        Goal("V", "odd", "e", steps=(Step("V-1", "fly"),)),
        Goal("V", "between", "f", start=Decimal("4.5"), stop=Decimal(5)),
        Goal("V", "back", "g", start=Decimal(9), stop=Decimal(5)),
    ]
    found, unplaced = goals_with_actions(given, {"V": ROWS})
    assert {each.text: actions(each) for each in found["V"]} == {"by span": [2, 3, 4], "asked": [5, 6, 7]}
    assert [(each.goal.where, each.why) for each in unplaced] == [
        ("d", "the goal's video has no narrations"),
        ("e", "one of the goal's actions differs in words or times from the narration with its ID"),
        ("f", "no action begins within the goal"),
        ("g", "the goal stops before it starts"),
    ]


def test_goals_of_two_levels_with_the_same_words_stay_two() -> None:
    same = [goal("wash", 1, 2, 3, 4), goal("wash", 1, 2, level=3), goal("wash", 5, 6, 7)]
    assert len(goals_with_actions(same, {"V": ROWS})[0]["V"]) == 3

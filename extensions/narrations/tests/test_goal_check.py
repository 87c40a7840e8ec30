"""Goals that people have mended, held against the narrations: a sentence for each fault."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from extensions.narrations.rules.goal_check import check
from extensions.narrations.rules.goals import LEVELS, Goal, Limits, Step
from extensions.narrations.rules.narration import by_video
from extensions.narrations.tests.goal_replies import video

ROWS = video("V", 12)


def goal(text: str, first: int, last: int, level: int = 2, line: int = 1) -> Goal:
    steps = tuple(Step(row.id, row.text, start=row.start, stop=row.stop) for row in ROWS[first - 1 : last])
    return Goal("V", text, f"g.json, line {line}", LEVELS[level], steps=steps)


def changed(at: int, **values: object) -> Goal:
    """``wash``, of the first four actions, with something else in one of them."""
    whole = goal("wash", 1, 4)
    assert whole.steps is not None
    steps = list(whole.steps)
    steps[at] = replace(steps[at], **values)  # type: ignore[arg-type]
    return replace(whole, steps=tuple(steps))


def told(*goals: Goal) -> list[str]:
    return [str(each) for each in check(goals, by_video(ROWS), Limits())]


def test_what_a_reply_gave_has_no_fault() -> None:
    assert not told(goal("cook", 1, 12, 1), goal("brew", 1, 6), goal("heat", 1, 4, 3), goal("toast", 8, 11))


def test_goals_that_say_no_level_may_share_actions() -> None:
    assert not told(goal("brew", 1, 6, 0), goal("toast", 4, 11, 0))


@pytest.mark.parametrize(
    ("goals", "wanted"),
    [
        ([replace(goal("wash", 1, 4), video="W")], ["W, 'wash': the goal's video has no narrations. Correct"]),
        ([changed(1, id="V-99")], ["action 2 (V-99): no narration of V has this ID. Use an ID"]),
        ([changed(1, text="do 3")], ["action 2 (V-2): the action has 'do 3', unlike its narration ('do 2'). Use the"]),
        ([changed(1, start=Decimal(5))], ["action 2 (V-2): the action starts at '5', unlike its narration ('4'). "
        "Use the"]),
        ([changed(3, stop=Decimal(9))], ["action 4 (V-4): the action stops at '9', unlike its narration ('9.5'). "
        "Use the"]),
        ([changed(2, id="V-2", text="", start=None, stop=None)], ["action 3 (V-2): it occurs twice. Delete"]),
        ([changed(2, id="V-1", text="", start=None, stop=None)], ["the action begins before the action above it. "
        "Sort"]),
        (
            [goal("wash", 1, 3)],
            ["'wash': the goal's number of actions is 3, but a goal needs 4 to 20. Add actions, or delete the goal."],
        ),
        ([goal("wash", 1, 4), goal("Wash.", 5, 8, line=9)], ["line 9: V, 'Wash.': the goal has the same words as"]),
        ([goal("wash", 1, 6), goal("dry", 5, 9)], ["'dry': the goal shares 2 actions with g.json, line 1, such as "
        "V-5."]),
        ([goal("cook", 1, 6, 1), goal("dry", 5, 9)],
         ["'dry': only some of the goal's actions are in the overall goal of g.json, line 1"]),
        ([goal("dry", 5, 9), goal("cook", 1, 6, 1)],
         ["'dry': only some of the goal's actions are in the overall goal of g.json, line 1"]),
        ([Goal("V", "wash", "g", start=Decimal(9), stop=Decimal(2))], ["the goal stops before it starts. Set the "
        "goal's times"]),
        ([Goal("V", "wash", "g", steps=(Step(text="fly"),))],
         ["one of the goal's actions is not a narration of its video. Identify"]),
    ],
)  # fmt: skip
def test_a_fault_is_said_with_what_to_do(goals: list[Goal], wanted: list[str]) -> None:
    found = told(*goals)
    assert len(found) == len(wanted), found
    for sentence, part in zip(found, wanted, strict=True):
        assert part in sentence


def test_a_goal_of_twenty_one_actions() -> None:
    rows = video("V", 21)
    steps = tuple(Step(row.id) for row in rows)
    (fault,) = check([Goal("V", "wash", "g", steps=steps)], by_video(rows), Limits())
    assert (
        str(fault)
        == "g: V, 'wash': the goal's number of actions is 21, but a goal needs 4 to 20. Split or delete the goal."
    )

"""What a model's reply about goals comes to: goals, or what is wrong with it, each thing by its kind."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from domain import strict_json
from domain.strict_json import Fault, asked_again
from extensions.narrations.rules import goal_replies
from extensions.narrations.rules.goal_prompt import OURS, action_list, lacking, question
from extensions.narrations.rules.goal_replies import read_reply
from extensions.narrations.rules.goals import Limits
from extensions.narrations.tests.goal_replies import node, reply, right, sub, video
from extensions.narrations.tests.rows import MILK

ROWS = video("V", 12)


def test_goals_of_three_levels_with_their_actions() -> None:
    said = read_reply(right(), ROWS, Limits())
    assert not said.faults
    assert [(task.goal.level, task.goal.text, task.actions[0].id, task.actions[-1].id) for task in said.tasks] == [
        ("overall goal", "make breakfast", "V-1", "V-12"),
        ("subgoal", "brew coffee", "V-1", "V-6"),
        ("secondary subgoal", "heat water", "V-1", "V-4"),
        ("subgoal", "toast bread", "V-8", "V-11"),
    ]
    assert [fault.kind for fault in said.left_out] == [goal_replies.TOO_FEW]  # "pour it", of two


def test_a_fence_around_the_whole_is_no_fault() -> None:
    assert len(read_reply(f"```json\n{right()}\n```\n", ROWS, Limits()).tasks) == 4


ONE = node("make breakfast", 1, 12, subgoals=[])


def changed(**values: object) -> str:
    return json.dumps({"overall_goal": {**ONE, **values}})


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("", [strict_json.NO_JSON]),
        ("I cannot say.", [strict_json.NO_JSON]),
        (f"Here they are: {right()}", [strict_json.NO_JSON]),
        (f"{right()} I hope this helps.", [strict_json.NO_JSON]),
        (right()[:-20], [strict_json.CUT]),
        (right()[: right().index("breakfast")], [strict_json.CUT]),
        (f"[{right()}]", [strict_json.FORMLESS]),
        ("[" * 100_000, [strict_json.NO_JSON]),
        ('{"overall_goal": 1e999999999999}', [strict_json.FORMLESS]),
        ('{"overall_goal": ' + "9" * 5000 + "}", [strict_json.NO_JSON]),
        (changed().replace('"goal":', '"goal": "x", "goal":'), [strict_json.TWICE]),
        (changed(first="1"), [strict_json.FORMLESS]),
        (changed(first=True), [strict_json.FORMLESS]),
        (changed(stop="25.5"), [strict_json.FORMLESS]),
        (changed(why="because"), [strict_json.FORMLESS]),
        (changed(goal="x" * 201), [strict_json.FORMLESS]),
        (changed(start=float("nan")), [strict_json.NO_JSON]),
        (json.dumps({"overall_goal": {"goal": "cook"}}), [strict_json.FORMLESS] * 5),  # five keys are missing
        ('{"a": "' + "x" * 1_000_000 + '"}', [strict_json.TOO_LONG]),
        (changed(goal=" . "), [goal_replies.WORDLESS]),
        (changed(goal="cook \ud800"), [strict_json.FORMLESS]),
        (changed(goal="cook \0"), [goal_replies.WORDLESS]),
        (changed(last=13), [goal_replies.UNKNOWN]),
        (changed(first=0), [goal_replies.UNKNOWN]),
        (changed(first=12, last=1), [goal_replies.BACKWARDS]),
        (changed(start=2.5), [goal_replies.TIMES]),
        (changed(start=0, stop=26), [goal_replies.TIMES, goal_replies.TIMES]),
        (reply("cook", 1, 12, sub("brew", 1, 6), sub("toast", 6, 12)), [goal_replies.OVERLAP]),
        (reply("cook", 1, 12, sub("all", 1, 12), sub("toast", 4, 7)), [goal_replies.OVERLAP]),
        (reply("cook", 1, 8, sub("brew", 5, 12)), [goal_replies.OUTSIDE]),
        (reply("cook", 1, 12, sub("brew", 1, 6, node("pour", 7, 12))), [goal_replies.OUTSIDE]),
        (reply("cook", 1, 12, sub("toast", 7, 12), sub("brew", 1, 6)), [goal_replies.DISORDER]),
        (reply("cook", 1, 12, sub("brew", 1, 6), sub("Brew.", 7, 12)), [goal_replies.SAME_WORDS]),
        (reply("cook", 1, 3), [goal_replies.NONE_LEFT]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_and_no_goal_is_left(text: str, kinds: list[str]) -> None:
    said = read_reply(text, ROWS, Limits())
    assert [fault.kind for fault in said.faults] == kinds
    assert not said.tasks
    assert all(fault.what.endswith(".") and len(fault.what) < 400 for fault in said.faults)


def test_goals_of_three_and_of_twenty_one_actions_are_left_out_and_the_others_stay() -> None:
    text = reply(
        "cook",
        1,
        25,
        sub("wash", 1, 21, node("rinse", 1, 20)),
        sub("dry", 22, 25),
    )
    said = read_reply(text, video("V", 25), Limits())
    assert [(task.goal.text, len(task.actions)) for task in said.tasks] == [("rinse", 20), ("dry", 4)]
    assert [fault.kind for fault in said.left_out] == [goal_replies.TOO_MANY] * 2  # 25 and 21
    three = read_reply(reply("cook", 1, 12, sub("wash", 1, 3)), ROWS, Limits())
    assert [fault.what for fault in three.left_out] == ['The subgoal "wash" has 3 actions, but a goal needs 4 to 20.']


def test_times_are_exact_to_the_microsecond() -> None:
    text = json.dumps({"overall_goal": {**ONE, "last": 6, "start": 0, "stop": 12}})
    assert len(read_reply(text, MILK, Limits()).tasks) == 1
    off = text.replace('"stop": 12', '"stop": 12.000001')
    assert [each.kind for each in read_reply(off, MILK, Limits()).faults] == [goal_replies.TIMES]
    assert Decimal("12") == MILK[-1].stop


def test_our_prompt_has_everything_in_it_and_narrations_stay_as_they_are() -> None:
    rows = [MILK[0], *video("V", 1)]
    assert action_list(rows) == "1 | 0 | 1.5 | open fridge\n2 | 2 | 3.5 | do 1"
    ours = OURS.read_text()
    assert lacking(ours) is None
    text = question(ours, rows, Limits(5, 7))
    assert "goals of 5 to 7 actions" in text
    assert goal_replies.FORM in text
    assert text.rstrip().endswith("2 | 2 | 3.5 | do 1")
    assert question("{narrations} {x y}", video("V", 1), Limits()) == "1 | 2 | 3.5 | do 1 {x y}"
    assert asked_again("Q\n", [Fault("k", "It is cut.")]).startswith("Q\n\nYour last reply")


@pytest.mark.parametrize(
    ("prompt", "told"),
    [("Say it.", "has no {narrations}"), ("{narrations} {goal}", "has the unknown placeholder {goal}")],
)
def test_a_prompt_that_cannot_be_filled(prompt: str, told: str) -> None:
    assert (lacking(prompt) or "").startswith(told)

"""Plans are read as models write them, and checked against what the steps before them have brought about."""

from __future__ import annotations

import pytest

from annotation_schemas.model import PlanAction
from extensions.plans.conditions import condition_problem
from extensions.plans.steps import steps_of

ACTIONS = (
    PlanAction(name="navigate_to", ends=("near *",), makes=("near 1",)),
    PlanAction(name="grasp", needs=("near 1", "not holding *"), makes=("holding 1",)),
    PlanAction(name="place_inside", objects=2, needs=("holding 1", "near 2"), ends=("holding 1",)),
    PlanAction(name="open", needs=("near 1", "not open 1"), makes=("open 1",)),
)
BEGINS = ("not holding *",)


def told(plan: str) -> list[tuple[str | None, tuple[str, ...], tuple[str, ...]]]:
    return [(step.action, step.problems, step.open) for step in steps_of(plan, ACTIONS, BEGINS)]


def test_a_plan_that_works_takes_only_the_beginning_for_granted() -> None:
    plan = """Here is my plan:
    1. **navigate\\_to (fridge)**
     Preconditions: fridge (the white one) is far.
    2. open(Fridge)
    3. navigate_to(pie)
    4. Grasp(pie)
    5. navigate_to(fridge)
    6. place_inside(pie, fridge)
    Done (I hope)."""
    assert told(plan) == [
        ("navigate_to", (), ()),
        ("open", (), ("not open Fridge",)),
        ("navigate_to", (), ()),
        ("grasp", (), ()),
        ("navigate_to", (), ()),
        ("place_inside", (), ()),
    ]


NOT = "but the earlier steps contradict this condition."


def test_what_the_steps_before_contradict_is_a_problem_and_what_they_leave_open_is_not() -> None:
    assert told("grasp(cup)\nopen(door)\ngrasp(pan)") == [
        ("grasp", (), ("near cup",)),
        ("open", (), ("near door", "not open door")),
        ("grasp", (f"needs holding nothing, {NOT}",), ("near pan",)),
    ]
    assert told("- navigate_to(cup)\n- grasp(cup)\n- place_inside(cup, oven)")[2][1] == (f"needs near oven, {NOT}",)
    assert told("open(box)\nopen(BOX)")[1][1] == (f"needs not open BOX, {NOT}",)


def test_what_is_no_action_is_told_and_changes_nothing() -> None:
    steps = steps_of("1. fly(moon)\n2. place_inside(cup)\n3. Then I rest.\nI hope so.\n4. wait()", ACTIONS, BEGINS)
    assert [step.problems[0] for step in steps] == [
        "fly is not an action of this schema.",
        "place_inside takes 2 objects; 1 is named.",
        "This line has no readable action.",
        "wait is not an action of this schema.",
    ]
    assert [step.start for step in steps] == [0, 13, 34, 61]


@pytest.mark.parametrize("lead", ["**1. ", "### Step 1: ", "**Step 1:** ", "> 1) ", "* 1. ", "# **1.** "])
def test_a_number_may_stand_in_marks_of_headings_and_emphasis(lead: str) -> None:
    assert told(f"{lead}grasp(cup)**\nPreconditions: near.") == [("grasp", (), ("near cup",))]
    assert told(f"{lead}The objects of the task") == told("The objects of the task") == []


@pytest.mark.parametrize("text", ["", "\n\n", "I do not know.", "(grasp)", "a" * 10_000, "1." * 3_000])
def test_any_text_is_read_without_an_error(text: str) -> None:
    assert all(step.problems for step in steps_of(text, ACTIONS, BEGINS))


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("near 1", True),
        ("not holding *", True),
        ("near 3", False),
        ("near", False),
        ("Near 1", False),
        ("near 0", False),
    ],
)
def test_conditions_of_a_schema(text: str, fits: bool) -> None:
    assert (condition_problem(text, 2) is None) is fits


def test_what_turns_is_known_only_if_it_was_known_before() -> None:
    switch = (
        PlanAction(name="press", turns=("lit 1",)),
        PlanAction(name="light", makes=("lit 1",)),
        PlanAction(name="read", needs=("lit 1",)),
    )
    lamp = [(step.problems, step.open) for step in steps_of("press(a)\nread(a)", switch)]
    assert lamp[1] == ((), ("lit a",))
    lit = [step.problems for step in steps_of("light(a)\npress(a)\nread(a)\npress(a)\nread(a)", switch)]
    assert lit == [(), (), (f"needs lit a, {NOT}",), (), ()]

"""The actions in `etp_bench` and their conditions, as the paper prints them."""

from __future__ import annotations

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from extensions.plans.steps import steps_of


def test_etp_actions_are_those_of_table_5() -> None:
    grading = load_schema(shipped()["etp_bench"]).schema_.stages.grading
    assert grading is not None
    (errors,) = [criterion for criterion in grading.criteria if criterion.kind == "plan"]
    places = {f"place_{where}": 2 for where in ("onTop", "inside", "under", "onLeft", "onRight")}
    one = dict.fromkeys(("navigate_to", "grasp", "open", "close", "slice", "wait", "toggle"), 1)
    assert {action.name: action.objects for action in errors.actions} == {**one, **places, "wipe": 2}
    # The start of Figure 13's plan: the chocolate bar lies on the table that was left, and its way there is missing.
    plan = """1. grasp (potato\\_chips\\_package)
2. navigate\\_to (cupboard)
3. open (cupboard)
4. place\\_inside (potato\\_chips\\_package, cupboard)
5. grasp(chocolate\\_bar)"""
    steps = steps_of(plan, errors.actions, errors.begins)
    assert [bool(step.problems) for step in steps] == [False, False, False, False, True]
    assert steps[0].open == ("near potato_chips_package",)


def test_etp_conditions_are_those_of_table_5() -> None:
    grading = load_schema(shipped()["etp_bench"]).schema_.stages.grading
    assert grading is not None
    (errors,) = [criterion for criterion in grading.criteria if criterion.kind == "plan"]

    def found(plan: str) -> list[list[str]]:
        return [list(step.problems) for step in steps_of(plan, errors.actions, errors.begins, None, errors.follows)]

    otherwise = "but the earlier steps contradict this condition."
    # D.1: "navigate_to(arg1), it means that the arg1 is not within reachable distance"
    assert found("navigate_to(sink)\nnavigate_to(sink)") == [[], [f"needs not near sink, {otherwise}"]]
    # "Slice arg1, the item needs to be placed on the countertop. Arg1 is not sliced, and arg1 is reachable."
    apple = "navigate_to(apple)\ngrasp(apple)\nnavigate_to(counter)\n"
    assert found(apple + "slice(apple)")[3] == [
        f"needs near apple, {otherwise}",
        f"needs apple on top of something, {otherwise}",
    ]
    assert found(apple + "place_inside(apple, counter)\nslice(apple)")[4] == [
        f"needs apple on top of something, {otherwise}"
    ]
    whole = found(apple + "place_onTop(apple, counter)\nslice(apple)\nslice(apple)")
    assert whole == [[], [], [], [], [], [f"needs not sliced apple, {otherwise}"]]
    # "Postconditions: arg1 is put on top of arg2": it lies where the robot stands, and no longer in its hand
    assert found(apple + "place_onTop(apple, counter)\ngrasp(apple)") == [[]] * 5
    # "arg1 is currently being held, and arg2 is reachable", for each way of placing
    for place in ("onTop", "inside", "under", "onLeft", "onRight"):
        bad = found(f"navigate_to(cup)\nplace_{place}(cup, shelf)")[1]
        assert bad == [f"needs holding cup, {otherwise}", f"needs near shelf, {otherwise}"]
    # "wipe ... Arg1 continues to be held"; "toggle ... arg1 is reachable"
    assert found("navigate_to(cloth)\ngrasp(cloth)\nnavigate_to(pot)\nwipe(cloth, pot)\nwipe(cloth, pot)") == [[]] * 5
    assert found("navigate_to(sink)\ntoggle(lamp)")[1] == [f"needs near lamp, {otherwise}"]

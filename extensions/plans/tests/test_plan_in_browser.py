"""A grader tags the steps of a plan by keys in a real browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from testkit.serving import Server
from tests.e2e.people import at_desk
from tests.e2e.test_criteria_kinds import active, build, rated, serving

__all__ = ["serving"]  # a fixture

pytestmark = pytest.mark.browser

FIRST_STEPS = """Plan:
1. navigate_to(mug)
2. grasp(mug)
3. grasp(spoon)
4. pour(tea)
5. place_onTop(mug)
6. Then everything is done.
"""


def test_a_plan_of_etp_bench_by_keys(serving: Server, chromium: Browser, tmp_path: Path, pictures: Path | None) -> None:
    """A plan that fails: what goes wrong is asked in place, and what was found about each step is no answer to it."""
    fields = {"task": "Serve tea.", "question": "Which actions do that?", "form": "plan"}
    etp_bench = load_schema(shipped()["etp_bench"])
    build(serving, tmp_path, "plans", etp_bench, {"embodied_reasoning": fields}, FIRST_STEPS)
    with at_desk(chromium, serving, "greta") as desk:
        desk.page.set_viewport_size({"width": 1920, "height": 1080})
        desk.open("/grade?project=plans")
        expect(desk.bench).to_have_attribute("data-view", "task")
        question = desk.page.locator(".criterion[data-criterion=success] .prompt")
        expect(desk.page.locator(".criterion[data-criterion=errors]")).to_be_hidden()
        desk.press("1")
        active(desk, "errors")
        expect(question).to_be_in_viewport()  # what was answered stays in sight above what opened below it
        expect(desk.page.locator(".criterion[data-criterion=errors] .keyline")).to_be_in_viewport()
        steps = desk.page.locator(".plan .step")
        expect(steps).to_have_count(7)  # the plan as a whole, and six numbered lines
        expect(steps.nth(1).locator(".found")).to_contain_text("not near mug")  # one does not walk to where one is
        expect(steps.nth(2).locator(".found")).to_have_count(0)
        expect(steps.nth(3)).to_contain_text("needs holding nothing")  # the mug is still in the hand
        expect(steps.nth(4)).to_contain_text("pour is not an action of this schema.")
        expect(steps.nth(5)).to_contain_text("place_onTop takes 2 objects; 1 is named.")
        expect(steps.nth(6)).to_contain_text("This line has no readable action.")
        desk.press("ArrowUp", "8", "ArrowDown", "ArrowDown", "ArrowDown", "5", "ArrowDown", "6")
        expect(desk.page.locator(".saved")).to_contain_text("saved")
        desk.page.reload()
        expect(steps).to_have_count(7)
        expect(desk.page.locator(".plan .tagname")).to_have_count(3)
        desk.picture(pictures / "criteria-plan.png" if pictures else None)
        desk.press("ControlOrMeta+Enter")
        expect(desk.bench).to_have_attribute("data-view", "nothing")
    found = rated(serving, tmp_path, "plans", "etp_bench")
    assert json.loads(found.pop("success")) == 0
    assert json.loads(found.pop("errors")) == [
        {"step": 0, "tag": "incomplete"},
        {"step": 3, "tag": "action_wrong"},
        {"step": 4, "tag": "action_unknown"},
    ]
    assert not found

"""The builder in a real browser: a form from nothing, a project with own images, a vote; and the form of each stage."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, expect

from annotation_schemas import registry, shipped
from annotation_schemas.loader import load_schema
from domain.roles import Role
from testkit.missing_extensions import needs
from testkit.serving import Server
from tests.e2e.people import Desk, at_desk, opened
from tests.e2e.test_criteria_kinds import questions, serving
from workflow.access import accounts, memberships

__all__ = ["serving"]  # a fixture


def saved(desk: Desk) -> Locator:
    return desk.page.get_by_role("status").filter(has_text="Draft saved")


@pytest.mark.browser
@needs("import_sections", "Images for new items")
def test_a_form_from_nothing_becomes_a_project_with_own_images_and_a_vote(
    serving: Server, chromium: Browser, tmp_path: Path
) -> None:
    with opened(serving) as store:
        accounts.create_person(store, login="newt", name="Newt", is_admin=True)
    image = tmp_path / "red wall.png"
    Image.new("RGB", (640, 480), (200, 30, 30)).save(image)
    with at_desk(chromium, serving, "newt") as desk:
        built(desk)
        desk.page.reload()
        expect(desk.page.get_by_role("heading", name="Walls & <floors>")).to_be_visible()  # the draft is open again
        desk.page.get_by_role("button", name="Create project").click()
        dialog = desk.page.get_by_role("dialog", name="Create project")
        expect(dialog.get_by_label("Project ID")).to_have_value("walls_floors")
        dialog.get_by_role("button", name="Create project").dblclick()
        desk.page.wait_for_url("**/import?project=walls_floors*")
        desk.page.locator("input[type=file]").first.set_input_files(image)
        desk.page.get_by_role("button", name="Add to the pool").click()
        expect(desk.page.get_by_text("1 image").first).to_be_visible()
        with opened(serving) as store:
            for login in ("ada", "vera"):
                memberships.set_member(store, by=None, project="walls_floors", login=login, role=Role.ANNOTATOR)
    with at_desk(chromium, serving, "ada") as desk:
        desk.open("/author?project=walls_floors")
        expect(desk.bench).to_have_attribute("data-view", "pool")
        desk.press("Enter")
        expect(desk.bench).to_have_attribute("data-view", "task")
        desk.fill("question", "Which color is the wall?")
        desk.fill("answer", "Red")
        desk.press("ControlOrMeta+Enter")
        expect(desk.bench).not_to_have_attribute("data-view", "task")
    with at_desk(chromium, serving, "vera") as desk:
        desk.open("/verify?project=walls_floors")
        expect(desk.page.locator(".criterion[data-criterion=fits]")).to_contain_text("Is the answer right?")
        desk.press("1", "ControlOrMeta+Enter")
        expect(desk.bench).not_to_have_attribute("data-view", "task")
    with closing(sqlite3.connect(serving.home / "touchstone.db")) as connection:
        votes = connection.execute("SELECT answers FROM annotation ORDER BY id DESC LIMIT 1").fetchone()[0]
    assert '"fits": "yes"' in votes


def built(desk: Desk) -> None:
    """A title, another question to ask, a finding that is mended, and a text that is not YAML for a moment."""
    desk.open("/builder")
    desk.page.get_by_role("button", name="Question and answer").click()
    form = desk.page.locator(".ts.preview")
    expect(form.locator(".criterion")).to_have_count(1)
    desk.page.get_by_label("Title", exact=True).fill("Walls & <floors>")
    expect(desk.page.get_by_role("heading", name="Walls & <floors>")).to_be_visible()
    rule = desk.page.get_by_label("Keep rule")
    rule.select_option(label="more than half")
    desk.page.get_by_role("button", name="Ask 3 people").click()
    expect(desk.page.locator(".says")).to_have_text(
        "An item is kept if at least 2 of 3 people say “Right”. Every other item is rejected."
    )
    desk.page.get_by_role("button", name="Undo").click()
    desk.page.get_by_role("button", name="Say “all”").click()
    expect(desk.page.locator(".says")).to_contain_text("both people say “Right”")
    desk.page.get_by_role("button", name="+ Question").click()
    expect(form.locator(".criterion")).to_have_count(2)
    desk.page.get_by_role("button", name="Delete question").click()
    expect(form.locator(".criterion")).to_have_count(1)
    desk.page.locator(".cm-content").click()
    desk.press("ControlOrMeta+End")
    desk.page.keyboard.insert_text("\nbroken: [")
    expect(desk.page.get_by_text("is not plain YAML yet")).to_be_visible()
    expect(desk.page.get_by_label("Title", exact=True)).to_be_disabled()
    desk.press("ControlOrMeta+z")
    expect(desk.page.get_by_label("Title", exact=True)).to_have_value("Walls & <floors>")
    expect(saved(desk)).to_be_visible()


@pytest.mark.browser
@needs("kinds", "plan")
def test_a_lead_sees_each_form_of_a_running_project(serving: Server, chromium: Browser, tmp_path: Path) -> None:
    """Each form with a made-up item: every question, answered by its key, and nothing of it is stored."""
    questions(serving, tmp_path, "forms")

    def stored() -> list[int]:
        with closing(sqlite3.connect(serving.home / "touchstone.db")) as connection:
            tables = ("item", "task", "annotation", "draft", "event", "asset", "person_setting")
            return [connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables]

    with at_desk(chromium, serving, "lena") as desk:
        desk.open("/builder?project=forms")
        before = stored()
        form = desk.page.locator(".ts.preview")
        stages = desk.page.get_by_role("group", name="Stage")
        for stage in ("authoring", "grading", "verification"):
            stages.get_by_role("button", name=stage.title()).click()
            expect(form).to_have_attribute("data-stage", stage)
            if stage == "authoring":
                expect(form.locator(".field")).to_have_count(5)  # what an author writes
                continue
            asked = [each.name for each in registry.criteria_of(load_schema(shipped()["questions"]).schema_, stage)]
            blocks = form.locator(".criterion")
            expect(blocks).to_have_count(len(asked))
            assert [block.get_attribute("data-criterion") for block in blocks.all()] == asked
        stages.get_by_role("button", name="Grading").click()
        expect(form.locator(".media img.view:not(.waiting)")).to_have_js_property("naturalWidth", 960)
        quality = form.locator(".criterion[data-criterion=quality]")
        quality.locator(".choice").last.click()
        expect(quality.locator(".choice.chosen")).to_have_count(1)
        form.get_by_role("button", name="Submit").click()
        unsaid = form.locator(".criterion[data-criterion=plan] .error")
        expect(unsaid).to_have_text("Tag what is wrong, or press Enter if nothing is wrong.")  # as where it counts
        assert stored() == before

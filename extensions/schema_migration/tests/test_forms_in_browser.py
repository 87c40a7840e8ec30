"""A lead tries each form of a schema on the page *Schema* in a real browser."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from annotation_schemas import registry, shipped
from annotation_schemas.loader import load_schema
from testkit.missing_extensions import needs
from testkit.serving import Server
from tests.e2e.people import Desk, at_desk
from tests.e2e.test_criteria_kinds import questions, serving

__all__ = ["serving"]  # a fixture


@pytest.mark.browser
@needs("kinds", "plan")
def test_a_lead_sees_each_form(serving: Server, chromium: Browser, tmp_path: Path) -> None:
    questions(serving, tmp_path, "forms")
    with at_desk(chromium, serving, "lena") as desk:
        forms_on_the_schema_page(desk, serving)


def forms_on_the_schema_page(desk: Desk, server: Server) -> None:
    """A lead sees each form with a made-up item: every question, answered by its key, and nothing of it is stored."""

    def stored() -> list[int]:
        with closing(sqlite3.connect(server.home / "touchstone.db")) as connection:
            tables = ("item", "task", "annotation", "draft", "event", "asset")
            return [connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables]

    desk.open("/schema?project=forms")
    before = stored()
    form = desk.page.locator(".ts.preview")
    expect(form.locator(".field")).to_have_count(5)  # what an author writes; the page begins with authoring
    for number, stage in ((1, "verification"), (2, "grading")):
        desk.page.get_by_role("combobox", name=re.compile("Stage")).click()
        desk.page.get_by_role("option").nth(number).click()
        asked = [each.name for each in registry.criteria_of(load_schema(shipped()["questions"]).schema_, stage)]
        expect(form).to_have_attribute("data-stage", stage)
        blocks = form.locator(".criterion")
        expect(blocks).to_have_count(len(asked))
        assert [block.get_attribute("data-criterion") for block in blocks.all()] == asked
    expect(form.locator(".media img.view:not(.waiting)")).to_have_js_property("naturalWidth", 960)
    quality = form.locator(".criterion[data-criterion=quality]")
    quality.locator(".choice").last.click()
    expect(quality.locator(".choice.chosen")).to_have_count(1)
    form.get_by_role("button", name="Submit").click()
    unsaid = form.locator(".criterion[data-criterion=plan] .error")
    expect(unsaid).to_have_text("Tag what is wrong, or press Enter if nothing is.")  # as where it counts
    assert stored() == before

"""A lead mends goals in a real browser, by keyboard alone once the files are in, and takes the file along."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from domain.roles import Role
from extensions.narrations.tests.test_goals_page import CSV, GIVEN
from testkit.factories import make_person, make_project
from testkit.serving import Server
from tests.e2e.people import at_desk, opened
from tests.e2e.test_for_everyone import unfit

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_lead_mends_goals_by_keyboard(
    server: Server, chromium: Browser, pictures: Path | None, tmp_path: Path
) -> None:
    (tmp_path / "n.csv").write_text(CSV)
    (tmp_path / "g.json").write_text(json.dumps(GIVEN))
    with opened(server) as store:
        store.upgrade()
        make_project(store, loaded=load_schema(shipped()["egoplan"]))
        make_person(store, "lea", role=Role.LEAD)
    server.start()
    with at_desk(chromium, server, "lea") as lea:
        lea.open("/goals?project=p")
        page = lea.page
        lea.settled()
        for at, name, what in ((0, "n.csv", "narrations"), (1, "g.json", "goals")):
            page.locator("input[type=file]").nth(at).set_input_files(tmp_path / name)
            button = page.get_by_role("button", name=f"Keep these {what}")
            expect(button).to_be_enabled()
            lea.settled()
            button.click()
            expect(page.get_by_text(f"of {name}: ")).to_be_visible()
            lea.settled()
        expect(page.get_by_role("radio")).to_have_count(3)
        lea.looks(pictures, "goals")
        page.get_by_role("radio").first.focus()
        lea.press("ArrowDown")
        words = page.get_by_label("Words of goal 2")
        expect(words).to_have_value("brew coffee")
        lea.settled()
        words.focus()
        lea.press("Control+a")
        page.keyboard.type("brew tea")
        lea.press("Enter")
        expect(page.get_by_role("radio", name="brew tea")).to_be_checked()
        lea.settled()
        page.get_by_role("combobox", name="Last action").focus()
        page.keyboard.type("9. do 9")
        lea.press("Enter")
        faults = page.locator('[data-part="faults"]')
        # while the page is drawn anew, what stood there before may stand beside it for a moment
        expect(faults.filter(has_text="the goal shares 2 actions with Goal 2, such as V-8.")).to_be_visible()
        expect(faults).to_have_count(1)
        lea.settled()
        lea.looks(pictures, "goals-fault")
        page.get_by_role("button", name="Undo").focus()
        lea.press("Enter")
        expect(faults.filter(has_text="Nothing.")).to_be_visible()
        expect(faults).to_have_count(1)
        lea.settled()
        page.get_by_role("button", name="Save this video").focus()
        lea.press("Enter")
        expect(page.get_by_text("Version 2 of the goals of V is saved.")).to_be_visible()
        lea.settled()
        with page.expect_download() as download:
            page.get_by_role("button", name="Download all saved goals").press("Enter")
        told = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
        assert [(each["goal"], len(each["actions"])) for each in told] == [
            ("make breakfast", 12),
            ("brew tea", 6),
            ("toast bread", 4),
        ]
        # every action is asked for once in each of its goals: 12 + 6 + 4
        lea.settled()
        page.locator("summary").filter(has_text="Questions from saved goals").focus()
        lea.press("Enter")
        rate = page.get_by_label("Frames per second")
        expect(rate).to_be_visible()
        lea.settled()
        rate.focus()
        page.keyboard.type("30")
        lea.press("Enter")
        lea.settled()
        page.get_by_role("button", name="Make questions").focus()
        lea.press("Enter")
        expect(page.get_by_text("22 questions made.")).to_be_visible()
        come = page.get_by_role("button", name="Import these questions")
        expect(come).to_be_enabled()
        lea.settled()
        lea.looks(pictures, "goals-questions")
        assert unfit(page) == {}
        come.focus()
        lea.press("Enter")
        expect(page.get_by_text("22 items")).to_be_visible()
        lea.settled()

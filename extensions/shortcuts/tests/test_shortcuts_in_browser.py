"""A lead reads the page Shortcuts in a real browser: it fills by itself, and leads to the items it names."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from domain.roles import Role
from extensions.shortcuts.tests.rooms import Rooms
from testkit.factories import make_person
from testkit.serving import Server
from tests.e2e.people import at_desk, opened
from tests.e2e.test_for_everyone import unfit
from tests.workflow.shortcut_world import reader, served, spec_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_lead_reads_shortcuts_and_goes_to_the_items(server: Server, chromium: Browser, pictures: Path | None) -> None:
    with opened(server) as store:
        store.upgrade()
        rooms = Rooms(store, server.home, export="export:\n  shortcuts: {without_images: 0.2}\n")
        with served(reader) as model:
            rooms.ask(spec_of(model, "reader"), text_only=True, orders=3)
        make_person(store, "lea", role=Role.LEAD)
    server.start()
    with at_desk(chromium, server, "lea") as lea:
        lea.open("/shortcuts?project=p&show=rules&show=models&show=models-items&show=items")
        page = lea.page
        rules = page.locator('[data-part="rules"] tbody tr')
        expect(rules).to_have_count(7, timeout=120_000)  # a process begins, loads what it needs, and learns
        lea.settled()
        expect(rules.first).to_contain_text("100.0 %")
        expect(page.locator('[data-part="gate"]')).to_contain_text("not within: Shortest option 100.0 %")
        expect(page.locator('[data-part="dots"]').first).to_contain_text("Shortest option")
        lea.settled()
        expect(page.locator('[data-part="models"] tbody tr')).to_contain_text(["reader"])
        expect(page.locator('[data-part="models-gate"]')).to_contain_text("not within: 3 of 12 items (25.0 %)")
        lists = page.get_by_role("combobox", name="List of items")
        lists.scroll_into_view_if_needed()
        lea.settled()
        lists.click()
        page.get_by_role("option", name="for a second look").click()
        expect(page.locator('[data-part="models-items"] tbody tr')).to_have_count(3)
        expect(page.get_by_role("link", name="These 3 on Items")).to_have_attribute(
            "href", re.compile("ids=colour%2F1")
        )
        lea.settled()
        show = page.get_by_role("combobox", name="Show", exact=True)
        show.scroll_into_view_if_needed()  # a list that opens while the page moves closes again
        lea.settled()
        show.click()
        page.get_by_role("option", name="every item").click()
        listed = page.locator('[data-part="items"] tbody tr')
        expect(listed).to_have_count(12)
        lea.settled()
        lea.looks(pictures, "shortcuts")
        assert unfit(page) == {}
        with page.expect_download() as download:
            page.get_by_role("button", name="All scores as CSV").dblclick()  # two presses where one was meant
        told = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"))))
        assert {row["item"] for row in told} == {f"colour/{at}" for at in range(12)}
        page.get_by_label("Search texts, IDs and reasons").fill("number 7?")
        lea.press("Enter")
        expect(listed).to_have_count(1)
        expect(listed.first).to_contain_text("shortest option")
        lea.settled()
        page.get_by_role("link", name="This item on Items").click()
        expect(page.get_by_text("1 item", exact=True)).to_be_visible(timeout=60_000)
        expect(page.get_by_role("checkbox", name="Select colour/7: Number 7?")).to_be_visible()

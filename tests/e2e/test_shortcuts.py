"""A lead reads the page Shortcuts in a real browser: it fills by itself, and leads to the items it names."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from domain.roles import Role
from testkit.factories import make_person
from testkit.serving import Server
from tests.e2e.people import at_desk, opened
from tests.workflow.releases.test_shortcut_gate import kept, limited

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_lead_reads_shortcuts_and_goes_to_the_items(server: Server, chromium: Browser, pictures: Path | None) -> None:
    with opened(server) as store:
        store.upgrade()
        kept(store, limited("{}"), longest=True)
        make_person(store, "lea", role=Role.LEAD)
    server.start()
    with at_desk(chromium, server, "lea") as lea:
        lea.open("/shortcuts?project=p")
        page = lea.page
        rules = page.locator('[data-part="rules"] tbody tr')
        expect(rules).to_have_count(7, timeout=120_000)  # a process begins, loads what it needs, and learns
        lea.settled()
        expect(rules.first).to_contain_text("100.0 %")
        expect(page.locator('[data-part="gate"]')).to_contain_text("not within: Longest option 100.0 %")
        expect(page.locator(".st-key-chart-shortcuts svg.marks")).to_be_visible()
        expect(page.get_by_role("cell", name="Longest option", exact=True)).to_have_count(1)  # its table stands once
        lea.settled()
        show = page.get_by_role("combobox", name="Show")
        show.scroll_into_view_if_needed()  # a list that opens while the page moves closes again
        lea.settled()
        show.click()
        page.get_by_role("option", name="every item").click()
        listed = page.locator('[data-part="items"] tbody tr')
        expect(listed).to_have_count(12)
        lea.settled()
        lea.looks(pictures, "shortcuts")
        with page.expect_download() as download:
            page.get_by_role("button", name="Download: every score").dblclick()  # two presses where one was meant
        told = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"))))
        assert {row["item"] for row in told} == {f"i{at}" for at in range(12)}
        page.get_by_label("Words in its texts").fill("i7")
        lea.press("Enter")
        expect(listed).to_have_count(1)
        expect(listed.first).to_contain_text("longest option")
        lea.settled()
        page.get_by_role("link", name="It on Items").click()
        expect(page.get_by_text("1 item", exact=True)).to_be_visible(timeout=60_000)
        expect(page.get_by_role("checkbox", name="Tick i7: Which?")).to_be_visible()

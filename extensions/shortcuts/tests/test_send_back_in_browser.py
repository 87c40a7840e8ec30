"""A lead sends items back from Shortcuts, and the author corrects one, both by keyboard alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from extensions.shortcuts.tests.test_send_back import TOLD, rooms
from testkit.serving import Server
from tests.e2e.people import at_desk, opened
from tests.e2e.test_for_everyone import unfit

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_from_what_models_flag_to_the_correction(server: Server, chromium: Browser, pictures: Path | None) -> None:
    with opened(server) as store:
        store.upgrade()
        rooms(store, server.home)
    server.start()
    with at_desk(chromium, server, "lea") as lea:
        lea.open("/shortcuts?project=p&show=models-items")
        page = lea.page
        box = page.get_by_role("checkbox", name="Send these items back").first
        expect(box).to_be_attached(timeout=120_000)  # a process begins, and counts
        lea.settled()
        box.focus()
        lea.press("Space")
        why = page.get_by_role("textbox", name="To the author of colour/")
        expect(why).to_have_value(TOLD)
        lea.settled()
        lea.looks(pictures, "send-back")
        assert unfit(page) == {}
        why.focus()
        lea.press("Control+End")
        page.keyboard.type(" Ask what only the picture tells.")
        lea.press("Control+Enter")
        lea.settled()
        page.get_by_role("button", name="Send back 1 item", exact=True).focus()
        lea.press("Enter")
        yes = page.get_by_role("button", name="Yes, send back 1 item")
        expect(yes).to_be_visible()
        lea.settled()
        yes.focus()
        lea.press("Enter")
        expect(page.get_by_text("Done: 1 item sent back.")).to_be_visible()
    with at_desk(chromium, server, "ann") as ann:
        ann.open("/?project=p")
        page = ann.page
        page.get_by_role("link", name="1 of your items was sent back to you").focus()
        ann.press("Enter")
        reason = page.get_by_text(f"Sent back: {TOLD} Ask what only the picture tells.")
        expect(reason).to_be_visible()
        ann.settled()
        ann.looks(pictures, "sent-back")
        page.get_by_role("button", name="Edit my item").first.focus()
        ann.press("Enter")
        question = page.locator(".field[data-field=question] textarea")
        expect(question).to_have_value("Number 1?")
        ann.looks(pictures, "sent-back-form")
        ann.fill("question", "Number 1, by the picture?")
        ann.press("Control+Enter")
        expect(ann.bench).to_have_attribute("data-view", "pool")
        ann.open("/my_submissions?project=p")
        expect(page.get_by_role("link", name="Number 1, by the picture?")).to_be_visible()
        expect(reason).to_have_count(0)

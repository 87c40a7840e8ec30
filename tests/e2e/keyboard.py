"""Someone at a page with nothing but a keyboard: Tab and Shift+Tab until it is reached, then keys that do it."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import FileChooser, Locator, Page, expect

from testkit.browser import settled

MOST = 200
"""So many presses of Tab reach anything on a page; more is a trap, or something that no key comes to."""

AT = """
    let at = document.activeElement;
    while (at && at.shadowRoot && at.shadowRoot.activeElement) at = at.shadowRoot.activeElement;
"""
"""The element that has the focus, also where it is closed off."""
WAY = f"""wanted => {{{AT}
    if (!wanted.isConnected) return 'gone';
    if (!at || at === document.body) return 'on';
    if (wanted === at || wanted.contains(at)) return 'here';
    const outermost = (one) => one.getRootNode().host ? outermost(one.getRootNode().host) : one;
    const [mine, theirs] = [outermost(at), outermost(wanted)];
    const behind = theirs.compareDocumentPosition(mine) === Node.DOCUMENT_POSITION_FOLLOWING;
    return behind ? 'back' : 'on';
}}"""
"""Whether the focus is there, or which way it has to go; or that the page has drawn something else in its place."""
WHERE = f"""() => {{{AT}
    const said = at && (at.getAttribute('aria-label') || at.innerText || at.value || '');
    return at ? `${{at.tagName}} ${{said}}`.slice(0, 80) : '';
}}"""


def _waited_for(chooser: FileChooser) -> None:
    """Who waits for the dialog does the rest."""


class Keyboard:
    """What someone does on a page without a mouse. Nothing here clicks, and nothing is focused by a script."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def reach(self, wanted: Locator) -> None:
        """Tab, in the direction in which it lies, until it has the focus."""
        expect(wanted).to_be_visible()
        handle = wanted.element_handle()  # looking by role at each step would be most of what a story costs
        for _ in range(MOST):
            way = handle.evaluate(WAY)
            if way == "here":
                return
            if way == "gone":
                handle = wanted.element_handle()
                continue
            self.page.keyboard.press("Shift+Tab" if way == "back" else "Tab")
        raise AssertionError(
            f"{MOST} presses of Tab do not reach {wanted}; the focus is on {self.page.evaluate(WHERE)}"
        )

    def press(self, wanted: Locator, key: str = "Enter", *, times: int = 1) -> None:
        """Reach something and press a key there."""
        self.reach(wanted)
        for _ in range(times):
            self.page.keyboard.press(key)

    def button(self, name: str | re.Pattern[str], *, times: int = 1, within: Locator | None = None) -> None:
        """Press the button of this name."""
        place = within or self.page.get_by_test_id("stMain")
        self.press(place.get_by_role("button", name=name, exact=isinstance(name, str)).first, times=times)

    def radio(self, group: str, option: str | re.Pattern[str], *, within: Locator | None = None) -> None:
        """Reach a group of radio buttons, and go to one of them with the arrows."""
        found = (within or self.page).get_by_role("radiogroup", name=group)
        wanted = found.get_by_role("radio", name=option)
        self.reach(found.get_by_role("radio", checked=True))
        for _ in range(10):
            if wanted.is_checked():
                break
            self.page.keyboard.press("ArrowDown")
        expect(wanted).to_be_checked()
        settled(self.page)

    def pill(self, name: str, *, within: Locator) -> None:
        """Press one of several buttons of a kind: Tab reaches one of them, arrows the others."""
        wanted = within.get_by_role("button", name=name, exact=True)
        self.reach(wanted.locator("xpath=.."))
        for _ in range(10):
            if wanted.evaluate(WAY) == "here":
                break
            self.page.keyboard.press("ArrowRight")
        self.page.keyboard.press("Space")
        settled(self.page)

    def choose(self, box: str | re.Pattern[str], option: str, *, within: Locator | None = None) -> None:
        """Reach a list, type what is wanted, and take the first that fits."""
        found = (within or self.page.get_by_test_id("stMain")).get_by_role("combobox", name=box)
        self.reach(found.first)
        found.first.element_handle().wait_for_element_state("stable")  # a page that moves closes the list that opens
        self.page.keyboard.type(option)
        first = self.page.get_by_role("option").first
        expect(first).to_contain_text(option)
        expect(first).to_have_attribute("data-focused", "true")  # on a busy machine later than it is drawn
        name = first.inner_text()
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_role("option", name=name, exact=True)).to_have_count(0)
        settled(self.page)

    def writes(self, box: Locator, text: str) -> None:
        """Reach a box and type into it, in place of what is there."""
        self.reach(box)
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.type(text)

    def gives(self, label: str, path: Path) -> None:
        """Reach the button of a box for files, and choose one."""
        self.page.on("filechooser", _waited_for)  # from now on, not from the press on: that would be a race
        box = self.page.get_by_role("region", name=label)
        self.reach(box.locator("button").last)
        with self.page.expect_file_chooser() as waiting:
            self.page.keyboard.press("Enter")
        waiting.value.set_files(path)

    def goes(self, typed: str, title: str = "") -> None:
        """M, words about a page, Enter. ``title`` is in the title of that page, by default what was typed."""
        settled(self.page)
        self.page.keyboard.press("m")
        self.page.keyboard.type(typed)
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_role("heading", name=title or typed, level=1)).to_be_visible()
        settled(self.page)

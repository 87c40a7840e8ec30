"""The system's Chromium under Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WAIT_MS = 20_000
"""How long a person would wait for a page on a busy machine before calling it broken."""

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
]


def program() -> str | None:
    """The path of a Chromium that is on the path, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def launched() -> Iterator[Browser]:
    """A headless browser; pages are made by the caller."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=WAIT_MS)

    path = program()
    if path is None:
        raise RuntimeError("Chromium is not installed: install the package chromium (make test does it as root).")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield running
        running.close()


WHOLE = """before => {
    if (!document.getElementById('root')) return true;
    const whole = document.querySelector('[data-test-script-state=notRunning]')
        && !document.querySelector('[data-stale=true], [data-testid=stSkeleton]');
    const now = Date.now();
    window.wholeSince = whole ? window.wholeSince ?? now : undefined;
    return whole && now - Math.max(window.wholeSince, before.since) >= before.held;
}"""
"""No run goes on, nothing stands there from an earlier one, and no widget's code is still being fetched: widgets of one
kind appear in any order, so the first on a page that is not whole need not be the first of the page."""


def settled(page: Page, *, held_ms: int = 100) -> None:
    """Wait until Streamlit has drawn a page to its end and a moment has gone by; a page of ours alone is always whole.

    After a press wait for something that follows from it first: for as long as the server has not answered, the page
    from before the press looks whole.
    """
    since = page.evaluate("() => Date.now()")
    page.wait_for_function(WHOLE, arg={"since": since, "held": held_ms}, polling=20, timeout=3 * WAIT_MS)

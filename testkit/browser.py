"""The system's Chromium under Playwright."""

from __future__ import annotations

import asyncio
import shutil
from asyncio.events import _set_running_loop
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from playwright.sync_api import Browser, CDPSession, Error, Page

WAIT_MS = 60_000
"""How long a person would wait for a page on a busy machine before calling it broken."""

SHELL = "chromium-headless-shell"
"""The same engine without the windows, menus and services around it, which no test looks at: a third less work."""
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
    "--process-per-site",  # a new page of a window goes where the one before was drawn: see ``window``
]
SHORT_LIVED = "--js-flags=--no-opt --no-maglev"
"""No page of a test lives long enough for a faster translation of its code to pay."""


def program() -> str | None:
    """The path of a Chromium that is on the path, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def launched(*, for_tests: bool = False) -> Iterator[Browser]:
    """A headless browser; pages are made by the caller. ``for_tests`` is one that does the same with less work."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=WAIT_MS)

    path = (for_tests and shutil.which(SHELL)) or program()
    if path is None:
        raise RuntimeError("Chromium is not installed: install the package chromium (make test does it as root).")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=[*FLAGS, *[SHORT_LIVED] * for_tests])
        yield running
        running.close()


@contextmanager
def kept() -> Iterator[Callable[[], AbstractContextManager[Browser]]]:
    """A browser for tests that is started once, and what gives it to one module after the other.

    Playwright leaves its event loop running in the thread that began it. Between two modules that loop is put away, so
    that others can run theirs.
    """
    with launched(for_tests=True) as running:
        loop = asyncio.get_running_loop()

        @contextmanager
        def used() -> Iterator[Browser]:
            _set_running_loop(loop)
            try:
                yield running
            finally:
                _set_running_loop(None)

        _set_running_loop(None)
        try:
            yield used
        finally:
            _set_running_loop(loop)


LASTING = (
    "add_init_script",
    "add_locator_handler",
    "emulate_media",
    "expose_binding",
    "expose_function",
    "on",
    "once",
    "set_extra_http_headers",
)
"""What is set on a page for good: nothing takes it away."""


class _Window:
    """A browser context that one person after the other sits at.

    Most of what a page of Streamlit costs is its code, read and compiled. The process that has done so keeps it for as
    long as a page of the site is open; ``_stays`` is one, empty, and asks no server for anything. To draw a site on the
    page that was there before takes a third less than on a new one; so it stays, too, unless something was set on it
    for good.
    """

    def __init__(self, browser: Browser) -> None:
        self._context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        self._stays = self._context.new_page()
        self._stays.route("**/*", lambda route: route.fulfill(body="", content_type="text/html"))
        self._stays.goto("http://127.0.0.1/")
        self._session: CDPSession = self._context.new_cdp_session(self._stays)
        self._page: Page | None = None
        self._sites: set[str] = set()
        self._altered = False

    def page(self) -> Page:
        """The page that was left here, or a new one."""
        if self._page is None:
            self._page = self._context.new_page()
            self._page.on("framenavigated", lambda frame: self._sites.add(urlsplit(frame.url).netloc))
            for name in LASTING:
                setattr(self._page, name, self._noting(getattr(self._page, name)))
            self._page.set_default_timeout(WAIT_MS)
        self._sites.clear()
        self._altered = False
        return self._page

    def _noting(self, lasting: Callable[..., object]) -> Callable[..., object]:
        def noted(*given: object, **named: object) -> object:
            self._altered = True
            return lasting(*given, **named)

        return noted

    def tidied(self) -> bool:
        """Leave or close what is open, and forget what the next one could meet; False if that cannot be done.

        Files stay in the cache: code is called by its hash, and a picture goes only to the cookie that it came with.
        """
        page = self._page = self._page if self._can_stay() else None
        if page is not None:
            page.set_default_timeout(WAIT_MS)
            page.unroute_all()
            page.goto("about:blank")  # what a page says as it is left still goes with the cookies of its person
            page.mouse.move(0, 0)
            page.set_viewport_size({"width": 1280, "height": 800})
        for other in self._context.pages:
            if other not in (self._stays, page):
                other.close()
        self._context.set_offline(False)
        self._context.clear_cookies()
        self._context.clear_permissions()
        self._session.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
        # A clock that a test has set is one for all pages of the context, and for good.
        return bool(self._stays.evaluate("() => /native code/.test(Date.now.toString())"))

    def _can_stay(self) -> bool:
        """Whether the page can be as a new one; what a page stores for itself alone goes here."""
        if self._page is None or self._page.is_closed() or self._altered or len(self._sites - {""}) > 1:
            return False
        clear = "() => { try { sessionStorage.clear(); return true; } catch { return false; } }"
        return bool(self._page.evaluate(clear))

    def close(self) -> None:
        """Throw it away."""
        self._context.close()


_free: WeakKeyDictionary[Browser, list[_Window]] = WeakKeyDictionary()
"""Windows at which no one sits."""


@contextmanager
def window(browser: Browser, *, scheme: Literal["light", "dark"] = "light") -> Iterator[Page]:
    """A page without cookies or anything stored, 1280 x 800. Errors thrown on the page fail the test.

    The window may have been someone's before: nothing of theirs is left, but for code, which is fetched and compiled.
    """
    free = _free.setdefault(browser, [])
    chosen = free.pop() if free else _Window(browser)
    page = chosen.page()
    thrown: list[str] = []

    def note(error: Error) -> None:
        thrown.append(str(error))

    type(page).on(page, "pageerror", note)
    if scheme != "light":
        page.emulate_media(color_scheme=scheme)
    whole = False
    try:
        yield page
        whole = chosen.tidied()
    finally:
        if whole:
            page.remove_listener("pageerror", note)
            free.append(chosen)
        else:
            chosen.close()
    assert not thrown


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
    page.wait_for_function(WHOLE, arg={"since": since, "held": held_ms}, polling=40, timeout=3 * WAIT_MS)

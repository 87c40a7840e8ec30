"""People at their browsers: what they do with keyboard and mouse, as small steps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Locator, Page, expect

from db.engine import Store, open_store
from testkit.browser import WAIT_MS, settled, window
from testkit.serving import Server
from workflow.access import accounts, sign_in


class Desk:
    """One person's browser window."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page, self.server = page, server
        page.set_default_timeout(WAIT_MS)

    def open(self, path: str) -> None:
        """Go to a page of the app and wait until it is whole."""
        self.page.goto(f"{self.server.url}{path}")
        self.settled()

    def go(self, path: str) -> None:
        """Go from one page of the app to another one, which is not loaded anew: a third of the work of ``open``."""
        self.page.evaluate(
            """path => {
                window.left = document.title;
                history.pushState({}, '', path);
                dispatchEvent(new PopStateEvent('popstate'));
            }""",
            path,
        )
        self.page.wait_for_function("() => document.title !== window.left")
        self.settled()

    def settled(self, *, held_ms: int = 100) -> None:
        """Wait until the page is whole: what is pressed on half a page may be drawn away."""
        settled(self.page, held_ms=held_ms)

    @property
    def bench(self) -> Locator:
        """The working page, whatever it shows."""
        return self.page.locator(".ts[data-view]")

    def view(self) -> str:
        """What the working page shows: pool, task or nothing."""
        return self.bench.get_attribute("data-view") or ""

    def shown(self, field: str) -> str:
        """A field of the item on the working page."""
        return self.page.locator(f".shown[data-field={field}] .value").inner_text()

    def press(self, *keys: str) -> None:
        """Keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def fill(self, field: str, text: str) -> None:
        """Type into a field of the item form."""
        box = self.page.locator(f".field[data-field={field}] textarea").first
        box.click()
        self.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(text)

    def next_after(self, *keys: str) -> None:
        """Press the keys that end the task, and wait until the next page is painted and takes keys."""
        before = self.what()
        self.press(*keys)
        self.page.wait_for_function(
            """before => {
                const host = [...document.querySelectorAll('*')].map(node => node.shadowRoot).find(
                    root => root && root.querySelector('.ts[data-view]'));
                const ts = (host || document).querySelector('.ts[data-view]');
                return ts && `${ts.dataset.view} ${ts.querySelector('.body').innerText}` !== before.text
                    && ts.querySelector('.numbers').innerText !== before.numbers
                    && !ts.querySelector('[aria-busy=true]');
            }""",
            arg=before,
            polling=50,  # ms; else with every frame, and it lays out the page
        )

    def a_second_passes(self) -> None:
        """By the browser's clock: what is settled for good is not settled sooner after the one before."""
        self.page.evaluate("() => { const now = Date.now; Date.now = () => now() + 1000; }")

    def next_question_after(self, *keys: str) -> None:
        """Press the keys that put the item off, and wait until another one is painted and takes keys."""
        before = self.shown("question")
        self.press(*keys)
        expect(self.page.locator(".shown[data-field=question] .value")).not_to_have_text(before)
        expect(self.bench.locator("[aria-busy=true]")).to_have_count(0)

    def what(self) -> dict[str, str]:
        """The working page in words, to see that it has changed."""
        return {
            "text": f"{self.view()} {self.bench.locator('.body').inner_text()}",
            "numbers": self.bench.locator(".numbers").first.inner_text(),
        }

    def picture(self, path: Path | None) -> None:
        """A screenshot, if anyone wants one."""
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.page.wait_for_load_state("networkidle")
            expect(self.page.locator(".waiting")).to_have_count(0)  # pictures that are not drawn yet
            self.page.screenshot(path=path, animations="disabled")

    def looks(self, folder: Path | None, name: str) -> None:
        """Screenshots in a usual and in a wide window, light and dark, if anyone wants them."""
        if folder is None:
            return
        before = self.page.viewport_size
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            for width, height in ((1280, 800), (1920, 1080)):
                self.page.set_viewport_size({"width": width, "height": height})
                self.page.evaluate("() => new Promise(requestAnimationFrame)")
                self.picture(folder / f"{name}-{width}-{scheme}.png")
        self.page.emulate_media(color_scheme="null")
        if before is not None:
            self.page.set_viewport_size(before)


@contextmanager
def opened(server: Server) -> Iterator[Store]:
    """The server's database, next to the server."""
    store = open_store(server.database, server.home)
    yield store
    store.close()


@contextmanager
def at_desk(
    browser: Browser, server: Server, login: str, *, scheme: Literal["light", "dark"] = "light"
) -> Iterator[Desk]:
    """Someone is signed in, works, and closes the window. Errors on the page fail the test.

    The one-time link is used as its page would do it; no page is open yet, as each costs a second of work.
    """
    with window(browser, scheme=scheme) as page:
        reply = page.context.request.post(sign_in_link(server, login), max_redirects=0)
        assert reply.status == 303, reply.text()
        reply.dispose()
        yield Desk(page, server)


def sign_in_link(server: Server, login: str) -> str:
    """The address that signs someone in once."""
    with opened(server) as store:
        token = sign_in.make_sign_in_link(store, person=accounts.find_person(store, login=login))
    return f"{server.url}/link/{token}"


def full_record(page: Page) -> Locator:
    """Open the full record of the open item of the page Items; the dialog."""
    show = page.get_by_role("button", name="Show votes", exact=True)
    record = page.get_by_role("button", name="Full record")
    expect(show.or_(record).first).to_be_visible()
    if show.is_visible():
        show.click()
    record.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", name="Events")).to_be_visible()
    return dialog

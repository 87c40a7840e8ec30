"""The screenshots of the documentation, all of them of the demo project as `touchstone demo` makes it.

    .venv/bin/python tools/pictures.py [--out FOLDER] [NAME ...]

A picture is called as its file is, without the ending; no name: all of them. Runs of models and judges, and drawing on
a clip, are not in the demo: their pictures come from tests (docs/contributing.md says which).
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from domain.module_names import import_own  # noqa: E402
from examples.demo import PROJECT  # noqa: E402
from testkit.browser import launched, settled  # noqa: E402
from testkit.serving import Server, touchstone  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

    from app.screens import Screen

OUT = ROOT / "docs" / "img"
SIGN_IN = ROOT / "app" / "routes" / "pictures"
LEAD, SENIOR, AUTHOR, VERIFIER, GRADER = "demo-mara", "demo-noor", "demo-dina", "demo-hanna", "demo-jonas"
"""People of the demo who have no item in hand."""


def _as_it_is(page: Page) -> None:
    """The page as it is opened."""


def _writes(page: Page) -> None:
    """An author takes the first image, and asks something like what was asked of another one."""
    page.locator(".pool img").first.dblclick()
    page.locator(".field[data-field=question] textarea").fill("How many forks are on my table?")
    page.locator(".field[data-field=answer] textarea").fill("One.")
    page.get_by_text("Similar questions in this dimension").or_(
        page.get_by_text("already has this question")
    ).wait_for()


def _grades(page: Page) -> None:
    page.get_by_test_id("stMain").get_by_role("radio", name="Grading", exact=True).click()
    page.get_by_text("Two graders agree on").first.wait_for()
    page.locator("[data-part=dots]").wait_for()


def _opens_a_reason(page: Page) -> None:
    page.locator("[data-testid=stExpander] [data-testid=stExpander] summary").first.click()


def _changes_the_guideline(page: Page) -> None:
    box = page.get_by_role("textbox", name="Guideline in Markdown")
    box.fill(f"{box.input_value().rstrip()}\n\nA lid belongs to the pan that it lies on.\n")
    page.keyboard.press("Tab")
    page.get_by_role("tab", name="What changes").click()
    page.get_by_role("textbox", name="Summary for annotators").fill("A rule about lids.")
    page.locator(".ts-diff .new").last.wait_for()


def _opens_a_case(page: Page) -> None:
    page.get_by_test_id("stMain").locator("a[href*='item=']").first.click()
    page.locator("[data-part=pictures] img").first.wait_for()


@dataclass(frozen=True)
class Shot:
    """One picture."""

    name: str
    login: str
    path: str
    until: str
    """What is there when the page is whole, as a selector."""
    does: Callable[[Page], None] = _as_it_is
    scheme: Literal["light", "dark"] = "light"
    sign_in: bool = False
    """Whether the sign-in page shows the picture: small, as WebP, beside the code."""


TASK = ".ts[data-view=task]"
SHOTS = (
    Shot("verify", VERIFIER, "verify", TASK),
    Shot("author-pool", AUTHOR, "author", ".ts[data-view=pool]"),
    Shot("author", AUTHOR, "author", ".ts[data-view=pool]", _writes),
    Shot("adjudicate", SENIOR, "adjudicate", TASK),
    Shot("grade-light", GRADER, "grade", TASK),
    Shot("grade-dark", GRADER, "grade", TASK, scheme="dark"),
    Shot("overview", LEAD, "overview", ".ts-waiting"),
    Shot("agreement", LEAD, "agreement", "[data-part=dots]", _grades),
    Shot("calibration", LEAD, "calibration", "[data-part=judge-answer]"),
    Shot("results", LEAD, "results", "table"),
    Shot("cases", LEAD, "cases", "table", _opens_a_case),
    Shot(
        "adjudication-reasons",
        LEAD,
        "agreement?section=adjudication_reasons",
        "[data-part=summary]",
        _opens_a_reason,
    ),
    Shot("guideline", LEAD, "guideline", "textarea", _changes_the_guideline),
    Shot("release", LEAD, "release", "button:has-text('Create release')"),
    Shot("verifying-light", VERIFIER, "verify", TASK, sign_in=True),
    Shot("verifying-dark", VERIFIER, "verify", TASK, scheme="dark", sign_in=True),
)
SECONDS = 60
"""So long a page may take until what is waited for is on it."""


def take(browser: Browser, server: Server, token: str, shot: Shot, out: Path) -> None:
    """Take one picture, at the size in which the documentation or the sign-in page shows it."""
    size: ViewportSize = {"width": 1280, "height": 720} if shot.sign_in else {"width": 1280, "height": 800}
    context = browser.new_context(viewport=size, color_scheme=shot.scheme, reduced_motion="reduce")
    context.add_cookies([{"name": "touchstone_session", "value": token, "url": server.url}])
    page = context.new_page()
    page.set_default_timeout(1000 * SECONDS)
    page.goto(f"{server.url}/{shot.path}{'&' if '?' in shot.path else '?'}project={PROJECT}")
    page.locator(shot.until).first.wait_for()
    settled(page, held_ms=400)
    shot.does(page)
    settled(page, held_ms=400)
    page.wait_for_load_state("networkidle")
    page.wait_for_function("() => !document.querySelector('.waiting')")
    picture = page.screenshot(animations="disabled")
    context.close()
    if shot.sign_in:
        place = SIGN_IN / f"{shot.name}.webp"
        Image.open(io.BytesIO(picture)).convert("RGB").save(place, quality=78, method=6)
    else:
        place = out / f"{shot.name}.png"
        place.write_bytes(picture)
    print(place)


def tabs_by_room() -> dict[str, list[Screen]]:
    """Return the pages with a tab, by the room of leads, in the order of the menu."""
    import_own("app.views")
    from app.screens import SCREENS, Room

    tabs = [screen for screen in SCREENS.values() if screen.room is not None and screen.tab and screen.stage is None]
    return {room.value: [screen for screen in tabs if screen.room is room] for room in Room}


def take_tabs(browser: Browser, server: Server, token: str) -> None:
    """Take a picture of each tab as the demo's lead sees it, and write docs/pages.md with all of them."""
    folder = OUT / "pages"
    folder.mkdir(exist_ok=True)
    lines = ["# All pages", "", "Each page as the lead of the demo sees it. Press `M` in the app to open one.", ""]
    for room, tabs in tabs_by_room().items():
        lines += [f"## {room}", ""]
        for screen in tabs:
            context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
            context.add_cookies([{"name": "touchstone_session", "value": token, "url": server.url}])
            page = context.new_page()
            page.goto(f"{server.url}/{screen.path}?project={PROJECT}")
            page.locator("h1, [role=heading]").first.wait_for()
            settled(page, held_ms=1200)
            page.wait_for_function("() => !document.querySelector('.waiting')")
            picture = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
            context.close()
            place = folder / f"{screen.path}.webp"
            picture.save(place, quality=60, method=6)
            title = screen.title if len(tabs) > 1 else room
            lines += [f"### {title}", "", f"![{room}: {screen.title}](img/pages/{place.name})", ""]
            print(place)
    (OUT.parent / "pages.md").write_text("\n".join(lines), encoding="utf-8")


def main() -> int:
    """Make the demo, serve it, and take the pictures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(shot.name for shot in SHOTS))
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--tabs", action="store_true", help="only docs/pages.md with a picture of each tab")
    given = parser.parse_args()
    if odd := set(given.names) - {shot.name for shot in SHOTS}:
        parser.error(f"there is no picture {', '.join(sorted(odd))}")
    given.out.mkdir(parents=True, exist_ok=True)
    from db.engine import open_store
    from workflow.access import accounts, sign_in

    with tempfile.TemporaryDirectory(prefix="touchstone-pictures-") as folder:
        home = Path(folder) / "home"
        done = touchstone("demo", "--no-serve", home=home)
        if done.returncode:
            print(done.stderr, file=sys.stderr)
            return 1
        shots = [shot for shot in SHOTS if not given.tabs and (not given.names or shot.name in given.names)]
        with closing(open_store(None, home)) as store:
            tokens = {
                login: sign_in.start_session(store, person=accounts.find_person(store, login=login))
                for login in {LEAD, *(shot.login for shot in shots)}
            }
        server = Server(home).start()
        try:
            with launched() as browser:
                for shot in shots:
                    take(browser, server, tokens[shot.login], shot, given.out)
                if not given.names:
                    take_tabs(browser, server, tokens[LEAD])
        finally:
            server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())

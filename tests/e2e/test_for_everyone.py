"""Pages that everyone can use: nothing that axe calls moderate or serious on any page of anyone, and nothing out of
reach when the window is narrow or everything is twice as large.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from app.rooms import offered
from db.engine import open_store
from examples import demo
from testkit.paths import ROOT
from testkit.serving import Server
from tests.e2e.people import at_desk
from workflow.access import accounts, projects

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.thorough]

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
"""``python tools/web.py install`` brings it, as the first part of ``make test`` does."""
WHO = ("demo-mara", "demo-noor", "demo-ana", "demo-hanna", "demo-jonas")
"""A lead, a senior, and someone who writes, verifies and grades."""
DARK = """() => [document.body, ...document.querySelectorAll('.stApp')].some(
    (one) => /^rgb\\((\\d|[1-5]\\d),/.test(getComputedStyle(one).backgroundColor))"""
STILL = "() => !document.getAnimations().some((one) => one instanceof CSSTransition)"
"""Colours fade from light to dark: on their way they are neither."""
NARROW, ZOOMED = {"width": 390, "height": 844}, {"width": 640, "height": 400}
"""A telephone; and 1280 x 800 of which everything is shown twice as large."""


@pytest.fixture(scope="module")
def serving(demo_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("everyone") / "home"
    shutil.copytree(demo_template, home)
    server = Server(home).start()
    yield server
    server.stop()


def paths_of(server: Server, login: str) -> list[str]:
    """The pages that someone is offered in the demo."""
    store = open_store(None, server.home)
    try:
        person = accounts.find_person(store, login=login)
        (view,) = [view for view in projects.projects_of(store, person=person) if view.name == demo.PROJECT]
        return [screen.path for screen in offered(view)]
    finally:
        store.close()


def found(page: Page) -> list[Any]:
    """What axe finds moderate, serious or critical on a page: the rule and the elements."""
    return page.evaluate(
        """async () => (await axe.run(document, {resultTypes: ["violations"]})).violations
            .filter((one) => ["moderate", "serious", "critical"].includes(one.impact))
            .map((one) => [one.id, one.nodes.map((node) => [node.html.slice(0, 200), node.failureSummary])])"""
    )


def unfit(page: Page) -> dict[str, list[Any]]:
    """What axe finds on a page as it stands, in light and in dark."""
    page.set_viewport_size({"width": 1280, "height": 3000})  # what is scrolled away axe does not see
    if page.evaluate("() => !window.axe"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    wrong = {"light": found(page)}
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(DARK)
    page.wait_for_function(STILL)
    wrong["dark"] = found(page)
    page.emulate_media(color_scheme="light")
    return {name: each for name, each in wrong.items() if each}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("login", WHO)
def test_nothing_on_a_page_keeps_anyone_out(chromium: Browser, serving: Server, login: str) -> None:
    wrong = {}
    with at_desk(chromium, serving, login) as desk:
        page = desk.page
        for at, path in enumerate(paths_of(serving, login)):
            (desk.go if at else desk.open)(f"/{path}?project={demo.PROJECT}")
            expect(page.locator(".ts:visible, h1:visible").first).to_be_visible()
            wrong |= {f"{path or 'my work'}, {scheme}": each for scheme, each in unfit(page).items()}
    assert wrong == {}


@pytest.mark.parametrize("size", [NARROW, ZOOMED], ids=["390 pixels", "twice as large"])
def test_nothing_is_out_of_reach_in_a_narrow_window(chromium: Browser, serving: Server, size: Any) -> None:
    """No page is wider than the window; a table that is scrolls by itself."""
    for login, path, part in (
        ("demo-hanna", "verify", ".choice"),
        ("demo-jonas", "grade", ".choice"),
        ("demo-noor", "adjudicate", ".choice"),
        ("demo-hanna", "", "button"),
        ("demo-mara", "overview", ".ts-table"),
        ("demo-mara", "cases", ".ts-cases"),
        ("demo-mara", "pipelines", ".ts-table"),
        ("demo-mara", "new_project", ".ts-triage"),
    ):
        with at_desk(chromium, serving, login) as desk:
            desk.page.set_viewport_size(size)
            desk.open(f"/{path}?project={demo.PROJECT}")
            expect(desk.page.locator(part).first).to_be_visible()
            wide = desk.page.evaluate(
                """() => {
                  const wide = [];
                  const look = (root) => {
                    for (const one of root.querySelectorAll("*")) {
                      const box = one.getBoundingClientRect();
                      if (box.width && box.right > innerWidth + 1 && !one.closest('[data-testid="stHtml"]'))
                        wide.push(one.outerHTML.slice(0, 120));
                      if (one.shadowRoot) look(one.shadowRoot);
                    }
                  };
                  look(document);
                  for (const one of document.querySelectorAll('[data-testid="stHtml"]'))
                    if (one.getBoundingClientRect().right > innerWidth + 1
                      || (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== "auto"))
                      wide.push(one.outerHTML.slice(0, 120));
                  return wide;
                }"""
            )
            assert wide == [], f"{path or 'my work'} of {login}"

"""The working pages and the lead's in Firefox: what is pressed there is stored, and no script of ours fails."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.screens import SCREENS
from examples import demo
from testkit import firefox
from testkit.firefox import Firefox
from testkit.serving import Server
from tests.e2e.people import opened, sign_in_link
from workflow.access import accounts
from workflow.annotate import own_submissions

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.thorough,
    pytest.mark.skipif(firefox.program() is None, reason=f"there is no Firefox: install {firefox.PACKAGE}"),
]


@pytest.fixture(scope="module")
def serving(demo_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("firefox") / "home"
    shutil.copytree(demo_template, home)
    server = Server(home).start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    with firefox.launched(tmp_path_factory.mktemp("profile")) as running:
        yield running


def said(server: Server, login: str) -> tuple[int, str]:
    """How much someone has submitted, and what it was last, as their own page tells it."""
    with opened(server) as store:
        found = own_submissions.find(
            store, person=accounts.find_person(store, login=login), project=demo.PROJECT, limit=1
        )
        return found.n, " | ".join(line.text for row in found.rows for line in row.said)


def submits(window: Firefox, server: Server, login: str, *keys: str) -> str:
    """What someone has submitted by these keys."""
    before, _ = said(server, login)
    window.keys(*keys)
    window.waits(lambda: said(server, login)[0] == before + 1, f"submission of {login} by {keys}")
    return said(server, login)[1]


def sits_down(window: Firefox, server: Server, login: str, path: str) -> None:
    window.sign_in(sign_in_link(server, login))
    window.open(f"{server.url}/{path}?project={demo.PROJECT}")
    if SCREENS[path].stage is not None:  # its script comes after the page, and hears no key before
        window.waits(lambda: window.count(".ts[data-view]"), f"working page {path}")


def test_people_work_there_by_keys(window: Firefox, serving: Server) -> None:
    sits_down(window, serving, "demo-hanna", "verify")
    assert submits(window, serving, "demo-hanna", "1") == "Fits"
    window.settled()
    assert submits(window, serving, "demo-hanna", "2", "1") == "Does not fit · The answer is wrong"

    sits_down(window, serving, "demo-jonas", "grade")
    assert submits(window, serving, "demo-jonas", "3") == "Right"

    sits_down(window, serving, "demo-ana", "author")
    window.types(".field[data-field=question] textarea", " Which cup?")  # behind what the draft says so far
    window.types(".field[data-field=answer] textarea", "The blue one.")
    assert submits(window, serving, "demo-ana", "Control+Enter") == "Which fruit lies Which cup? | The blue one."

    sits_down(window, serving, "demo-noor", "adjudicate")
    assert submits(window, serving, "demo-noor", "2", "1") == "Reject | The answer is wrong"
    assert window.thrown() == []


def test_a_lead_sees_the_dashboard_and_finds_items_there(window: Firefox, serving: Server) -> None:
    sits_down(window, serving, "demo-mara", "overview")
    window.waits(lambda: window.count(".ts-days i"), "a chart that is drawn")
    window.keys("m", *"items", "Enter")
    window.waits(lambda: window.count("table tbody tr") >= 20, "a page of items")
    assert window.thrown() == []

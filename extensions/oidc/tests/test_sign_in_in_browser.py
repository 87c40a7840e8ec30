"""A person signs in through a real local provider, in a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from oidc_provider_mock import User, run_server_in_thread
from playwright.sync_api import Page, expect

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db.engine import open_store
from testkit.browser import settled, window
from testkit.serving import Server, touchstone
from workflow.access import accounts, memberships, projects, sessions

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning:authlib"),  # of the provider
]

PEOPLE = [
    User(sub="anna", claims={"preferred_username": "anna", "name": "Anna Berg", "groups": ["team"]}),
    User(sub="eve", claims={"preferred_username": "eve", "name": "Eve", "groups": ["strangers"]}),
]


@pytest.fixture
def server(home: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server whose provider has Anna and Eve. The mapping knows the team of one of them."""
    shutil.copyfile(sqlite_template, home / "touchstone.db")
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")  # the provider is on this machine
    with run_server_in_thread(user_claims=PEOPLE) as provider:
        running = Server(
            home,
            TOUCHSTONE_OIDC_ISSUER=f"http://localhost:{provider.server_port}",
            TOUCHSTONE_OIDC_CLIENT_ID="touchstone",
            TOUCHSTONE_OIDC_CLIENT_SECRET="hush-hush",
            TOUCHSTONE_OIDC_ROLES="team=tiny:annotator",
            TOUCHSTONE_OIDC_LABEL="Sign in with Lab ID",
            TOUCHSTONE_OIDC_ACCOUNTS="mapped",
        ).start()
        yield running
        running.stop()


def _at_provider(page: Page, server: Server, path: str) -> None:
    page.goto(server.url + path)
    page.get_by_role("link", name="Sign in with Lab ID").click()
    expect(page.get_by_role("heading", name="Authorize Client")).to_be_visible()


def test_in_and_out_through_the_provider(browser_page: Page, server: Server) -> None:
    store = open_store(None, server.home)
    projects.create_project(store, name="tiny", loaded=load_schema(shipped()["demo"]), title="Tiny")
    page = browser_page

    _at_provider(page, server, "/login")
    page.get_by_role("button", name="Deny").click()
    expect(page.get_by_role("alert")).to_contain_text("You canceled the sign-in")
    page.get_by_role("link", name="Back to the sign-in page").click()
    page.get_by_role("link", name="Sign in with Lab ID").click()
    page.get_by_role("button", name="eve", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("ask an admin to link your account to the identity eve")

    _at_provider(page, server, "/my_work?project=tiny")
    page.get_by_role("button", name="anna", exact=True).click()
    expect(page).to_have_url(f"{server.url}/my_work?project=tiny")
    settled(page)
    expect(page.get_by_role("link", name="Anna Berg")).to_be_visible()
    assert [each.role for each in memberships.list_members(store, person=None, project="tiny")] == ["annotator"]

    page.get_by_role("link", name="Anna Berg").click()
    expect(page.get_by_role("heading", name="Your sessions")).to_be_visible()
    expect(page.get_by_role("row", name="Chrome on Linux")).to_contain_text("this session")
    with window(page.context.browser) as other:  # type: ignore[arg-type]
        _at_provider(other, server, "/login")
        other.get_by_role("button", name="anna", exact=True).click()
        settled(other)
        page.reload()
        page.get_by_role("button", name="End", exact=True).click()
        expect(page.get_by_role("row", name="Chrome on Linux")).to_have_count(1)
        other.goto(server.url)
        expect(other).to_have_url(f"{server.url}/login")

    page.goto(f"{server.url}/logout")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="End Session")).to_be_visible()
    page.get_by_role("button", name="End session").click()
    expect(page).to_have_url(f"{server.url}/login")
    assert sessions.list_sessions(store, by=None, login="anna") == []
    assert "hush-hush" not in server.output()
    store.close()


def test_the_commands_say_what_is_set_up_and_link_accounts(server: Server) -> None:
    store = open_store(None, server.home)
    accounts.create_person(store, login="ana", name="Ana")
    more = {name: value for name, value in server._more.items()}
    checked = touchstone("identity", "check", home=server.home, **more)
    assert f"The provider {more['TOUCHSTONE_OIDC_ISSUER']} answers." in checked.stdout
    assert "groups=team: tiny:annotator  (there is no project 'tiny')" in checked.stdout
    linked = touchstone("identity", "link", "ana", "248289", home=server.home, **more)
    assert "Ana can sign in as 248289" in linked.stdout
    assert "ana                      248289" in touchstone("identity", "list", home=server.home, **more).stdout
    checked_all = touchstone("check", home=server.home, **more)
    for done in (checked, linked, checked_all):
        assert done.returncode == 0, done.stderr
        assert "hush-hush" not in done.stdout + done.stderr
    store.close()

"""The frame of the screens in a real browser: staying signed in, who sees what, and the frozen collector."""

from __future__ import annotations

import base64
import http.client
import json
import re
import secrets
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from db.engine import open_store
from domain.roles import Role
from testkit.forked import Forked
from testkit.serving import COMMAND, Server, environment
from tests.app.client import Client
from tests.e2e.people import at_desk, opened
from tests.paths import ROOT
from workflow.access import accounts, memberships, projects, sign_in

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[Server]:
    """One server: project ``tiny`` with Ana, an annotator, and Lea, its lead; project ``other`` without them."""
    from annotation_schemas import shipped
    from annotation_schemas.loader import load_schema

    home = tmp_path_factory.mktemp("frame") / "home"
    home.mkdir()
    shutil.copyfile(sqlite_template, home / "touchstone.db")
    store = open_store(None, home)
    loaded = load_schema(shipped()["demo"])
    for name in ("tiny", "other"):
        projects.create_project(store, name=name, loaded=loaded, title=f"Project {name}", made_up=True)
    for login, role in (("ana", Role.ANNOTATOR), ("lea", Role.LEAD)):
        accounts.create_person(store, login=login, name=login.title(), password=PASSWORD)
        memberships.set_member(store, by=None, project="tiny", login=login, role=role)
    store.close()
    server = Server(home).start()
    yield server
    server.stop()


def _health(server: Server) -> dict[str, object]:
    with urllib.request.urlopen(f"{server.url}/healthz", timeout=10) as reply:
        found: dict[str, object] = json.load(reply)
        return found


def _websocket_status(server: Server, **headers: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    wanted = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": base64.b64encode(secrets.token_bytes(16)).decode(),
    }
    try:
        connection.request("GET", "/_stcore/stream", headers={**wanted, **headers})
        return connection.getresponse().status
    finally:
        connection.close()


def test_the_websocket_says_nothing_to_anyone_without_a_session(running: Server) -> None:
    cookie = Client(running.url).sign_in("ana", PASSWORD).cookies["touchstone_session"]
    good = f"touchstone_session={cookie}"
    assert _websocket_status(running, Origin=running.url) == 403
    assert _websocket_status(running, Origin=running.url, Cookie="touchstone_session=forged") == 403
    assert _websocket_status(running, Origin="http://evil.example", Cookie=good) == 403
    assert _websocket_status(running, Origin=running.url, Cookie=good) == 101


@pytest.mark.browser
def test_someone_signs_in_stays_signed_in_over_a_reload_and_signs_out(running: Server, browser_page: Page) -> None:
    page = browser_page
    refused: list[str] = []
    page.on("console", lambda said: refused.append(said.text) if "Content Security Policy" in said.text else None)
    page.on("response", lambda reply: refused.append(reply.url) if reply.status >= 400 else None)
    page.goto(f"{running.url}/people?project=tiny")
    assert page.url.startswith(f"{running.url}/login")
    page.fill("input[name=login]", "lea")
    page.fill("input[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Invite someone")  # where one wanted to go
    page.reload()
    page.wait_for_selector("text=Invite someone")
    assert page.title() == "Members · People · Touchstone"
    page.click("text=Sign out")
    page.wait_for_url(f"{running.url}/login")
    page.goto(f"{running.url}/people?project=tiny")
    assert "/login" in page.url
    assert refused == []


@pytest.mark.browser
def test_a_session_that_ends_elsewhere_ends_on_the_open_page_too(running: Server, chromium: Browser) -> None:
    with at_desk(chromium, running, "lea") as desk:
        page = desk.page
        desk.open("/people?project=tiny")
        page.wait_for_selector("text=Invite someone")
        token = next(cookie["value"] for cookie in page.context.cookies() if cookie["name"] == "touchstone_session")
        store = open_store(None, running.home)
        sign_in.end_session(store, token=token)
        store.close()
        page.get_by_role("link", name="Settings").click()
        page.wait_for_selector("text=Your session has ended")


@pytest.mark.browser
def test_the_server_starts_in_any_folder_and_its_first_page_freezes_the_collector(
    tmp_path: Path, chromium: Browser
) -> None:
    """The long way: what is forked for other tests is frozen before it begins. No model package is loaded by it."""
    home = tmp_path / "home"
    server = Server(home)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    process = subprocess.Popen(
        [*COMMAND, "serve", "--port", str(server.port), "--no-worker"],
        cwd=elsewhere,
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert process.stdout is not None
        said = next(line for line in process.stdout if "Touchstone is running at" in line)
        assert server.url in said
        assert list(elsewhere.iterdir()) == []
        assert home.stat().st_mode & 0o777 == 0o700
        end = time.monotonic() + 120
        while not _answers(server):
            assert time.monotonic() < end, "it says where it is, and does not listen there"
            time.sleep(0.05)
        assert _health(server) == {
            "status": "ok",
            "database": "ok",
            "disk": "ok",
            "media": "ok",
            "frozen": False,
        }
        with opened(server) as store:
            accounts.create_person(store, login="lea", name="Lea")
        with at_desk(chromium, server, "lea") as desk:
            desk.open("/")
        end = time.monotonic() + 120
        while not _health(server)["frozen"] and time.monotonic() < end:
            time.sleep(0.05)
        assert _health(server)["frozen"] is True
        loaded = Path(f"/proc/{process.pid}/maps").read_text()
        assert "_pydantic_core" in loaded
        assert re.findall(r"\S*/(?:torch|transformers|sklearn|statsmodels|cv2)/\S*", loaded) == []
    finally:
        process.kill()
        process.wait(60)
        process.stdout.close()


def test_beyond_loopback_the_server_warns_and_answers_only_to_its_names(tmp_path: Path) -> None:
    server = Server(tmp_path / "home")
    out = tmp_path / "out"
    words = ["serve", "--host", "0.0.0.0", "--port", str(server.port), "--name", "annotate.example.org"]
    process = Forked(words, env=environment(server.home), cwd=ROOT, out=out, err=out)
    try:
        end = time.monotonic() + 120
        while not _answers(server):
            assert process.poll() is None, process.output()
            assert time.monotonic() < end, process.output()
            time.sleep(0.05)
        assert "HTTPS" in process.output()
        client = Client(server.url)
        names = {"annotate.example.org": 200, "127.0.0.1": 200, "evil.example": 421}
        assert {name: client.get("/login", Host=name).status for name in names} == names
    finally:
        process.kill()
        process.wait(60)


def _answers(server: Server) -> bool:
    try:
        _health(server)
    except OSError:
        return False
    return True

"""Several web processes behind HAProxy, on PostgreSQL: one is killed while people type, vote and upload.

Whoever was on it notices one reconnect, and nothing they typed, sent or uploaded is lost or stored twice.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from sqlalchemy import text

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db.engine import Store
from domain.roles import Role
from domain.states import Stage
from media.store import MediaStore
from testkit import postgres
from testkit.serving import Server, touchstone
from tests.app.homes import picture
from tests.e2e.people import Desk, at_desk, opened
from workflow.access import accounts, memberships, projects
from workflow.annotate import image_pool, submissions

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.postgres]

NOTE = " ".join(f"I looked {n} times and saw {n} things, more or less; see the corner." for n in range(1, 10))
HEAD, TAIL = NOTE[:200], NOTE[200:]
ITEMS = 4


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory, postgres_cluster: postgres.Cluster) -> Iterator[Server]:
    """Two web processes, and items that Vera may verify and Lena may import answers to."""
    folder = tmp_path_factory.mktemp("several")
    home = folder / "home"
    home.mkdir()
    server = Server(home, processes=2, TOUCHSTONE_DATABASE_URL=postgres_cluster.url(postgres_cluster.create()))
    with opened(server) as store:
        store.upgrade()
        _items(store, home, folder)
    yield server.start()
    server.stop()


def _items(store: Store, home: Path, folder: Path) -> None:
    projects.create_project(store, name="p", loaded=load_schema(shipped()["demo"]))
    for login, role, stage in (
        ("amy", Role.ANNOTATOR, Stage.AUTHORING),
        ("vera", Role.ANNOTATOR, Stage.VERIFICATION),
        ("lena", Role.LEAD, None),
    ):
        accounts.create_person(store, login=login, name=login.title())
        memberships.set_member(store, by=None, project="p", login=login, role=role, stages=[stage] if stage else None)
    amy = accounts.find_person(store, login="amy")
    for number in range(ITEMS):
        path = folder / f"{number}.png"
        path.write_bytes(picture(number))
        image_pool.add_to_pool(store, MediaStore(home / "media"), by=None, project="p", files=[(path.name, path)])
        image = image_pool.pool(store, person=amy, project="p").assets[0].id
        task = image_pool.pick(store, person=amy, project="p", dimension="assistance", assets=[image])
        submissions.submit(
            store, person=amy, task=task.id, key=str(number), values={"question": f"Why {number}?", "answer": "Tea."}
        )


def place(desk: Desk) -> str:
    """The web process that serves a browser, by its cookie."""
    return next(str(cookie["value"]) for cookie in desk.page.context.cookies() if cookie["name"] == "touchstone_server")


def _process(desk: Desk) -> int:
    until = time.monotonic() + 60
    while True:  # an earlier test may have killed it
        try:
            return desk.server.web_process(place(desk))
        except AssertionError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def test_a_killed_process_costs_no_word_and_no_vote(serving: Server, chromium: Browser) -> None:
    with at_desk(chromium, serving, "vera") as desk:
        desk.open("/verify?project=p")
        expect(desk.bench).to_have_attribute("data-view", "task")
        desk.page.evaluate("() => { window.notReloaded = true; }")
        before, item = place(desk), desk.shown("question")
        desk.press("n")
        box = desk.page.locator(".note textarea")
        desk.page.keyboard.insert_text(HEAD)
        os.kill(_process(desk), signal.SIGKILL)
        desk.page.keyboard.insert_text(TAIL)
        expect(desk.page.locator(".saved")).to_contain_text("draft saved")
        expect(box).to_have_value(NOTE)
        assert place(desk) != before, "the browser has moved to the other process"
        desk.press("Escape")
        held = _process(desk)
        os.kill(held, signal.SIGSTOP)  # it takes the vote and does not answer any more
        with desk.page.expect_request("**/api/submit"):
            desk.press("1")
        os.kill(held, signal.SIGKILL)
        expect(desk.page.locator(".shown[data-field=question] .value")).not_to_have_text(item)
        desk.a_second_passes()
        desk.next_after("1")
        expect(desk.page.locator(".banner")).to_be_hidden()
        assert desk.page.evaluate("() => window.notReloaded"), "nobody had to load the page again"
    with opened(serving) as store, store.read() as session:
        votes = session.connection().execute(
            text("SELECT answers->>'fits', note FROM annotation WHERE stage = 'verification' ORDER BY id")
        )
        assert [tuple(row) for row in votes] == [("yes", NOTE), ("yes", "")]


def test_an_uploaded_file_outlives_its_process(serving: Server, chromium: Browser, tmp_path: Path) -> None:
    with opened(serving) as store, store.read() as session:
        ids = session.connection().execute(text("SELECT external_id, public_id FROM item ORDER BY id"))
        lines = [{"item": row[0] or row[1], "model": "amber", "text": "I make tea."} for row in ids]
    assert len(lines) == ITEMS
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with at_desk(chromium, serving, "lena") as lead:
        lead.open("/import?project=p")
        lead.page.get_by_role("region", name="Drop a file here").locator("input[type=file]").set_input_files(file)
        button = lead.page.get_by_role("button", name=f"Import {ITEMS} answers", exact=True)
        expect(button).to_be_enabled()
        lead.settled()
        before = place(lead)
        with lead.page.expect_event("websocket"):
            os.kill(_process(lead), signal.SIGKILL)
        button.click()  # the other process reads the file first, and shows the preview once more
        lead.settled(held_ms=1000)
        assert place(lead) != before
        expect(button).to_be_enabled()
        button.click()
        expect(lead.page.get_by_text(f"{ITEMS} answers imported")).to_be_visible()
    assert touchstone("check", "p", home=serving.home, TOUCHSTONE_DATABASE_URL=str(serving.database)).returncode == 0

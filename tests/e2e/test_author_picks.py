"""What an author picks from lists of their own, with keys alone: kept as picked, hidden from who is asked the same."""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from domain.roles import Role
from domain.states import Stage
from media.store import MediaStore
from testkit.serving import Server, touchstone
from tests.app.homes import picture
from tests.e2e.people import Desk, at_desk, opened
from workflow.access import accounts, memberships
from workflow.annotate import image_pool

pytestmark = [pytest.mark.browser, pytest.mark.slow]

OBJECTS = ["a mug", "a spoon", "a kettle"]
STEPS = ["pour the tea", "boil water"]
RENAMED = "boil the water"


@pytest.fixture
def running(server: Server, tmp_path: Path) -> Server:
    """An empty project of the shipped schema, with one picture."""
    done = touchstone("project", "create", "p", "--schema", "questions", home=server.home)
    assert done.returncode == 0, done.stderr
    with opened(server) as store:
        for login, stage in (("ada", Stage.AUTHORING), ("vera", Stage.VERIFICATION)):
            accounts.create_person(store, login=login, name=login.title())
            memberships.set_member(store, by=None, project="p", login=login, role=Role.ANNOTATOR, stages=[stage])
        (tmp_path / "0.png").write_bytes(picture(0))
        media = MediaStore(server.home / "media")
        image_pool.add_to_pool(store, media, by=None, project="p", files=[("0.png", tmp_path / "0.png")])
    return server.start()


def _field(desk: Desk, name: str) -> Any:
    return desk.page.locator(f".field[data-field={name}]")


def _entry(desk: Desk, field: str, number: int) -> Any:
    return _field(desk, field).locator("textarea").nth(number)


def _picked(desk: Desk, field: str) -> list[str]:
    chosen: list[str] = _field(desk, field).locator(".choice.chosen .label").all_inner_texts()
    return chosen


def test_several_and_an_order_picked_by_keys(
    running: Server, chromium: Browser, tmp_path: Path, pictures: Path | None
) -> None:
    with at_desk(chromium, running, "ada") as desk:
        desk.open("/author?project=p")
        expect(desk.bench).to_have_attribute("data-view", "pool")
        desk.press("Enter")
        expect(desk.bench).to_have_attribute("data-view", "task")
        expect(_field(desk, "needed")).to_contain_text("first, then choose here")
        typing = desk.page.keyboard.insert_text
        typing("How do I make tea?")
        desk.press("Enter")
        expect(_entry(desk, "objects", 0)).to_be_focused()
        typing(OBJECTS[0])
        desk.press("Enter")
        typing(OBJECTS[1])
        desk.press("Tab", "Enter")  # the next stop adds an entry
        expect(_entry(desk, "objects", 2)).to_be_focused()
        typing(OBJECTS[2])
        desk.press("Enter")
        expect(_entry(desk, "steps", 0)).to_be_focused()
        typing(STEPS[0])
        desk.press("Enter")
        typing(STEPS[1])
        desk.press("Enter")  # on to what is picked
        expect(_field(desk, "needed").locator(".choice").first).to_be_focused()
        desk.press("3", "2", "1", "2")  # the spoon is picked and put back
        assert sorted(_picked(desk, "needed")) == sorted([OBJECTS[2], OBJECTS[0]])
        desk.press("Tab", "Tab", "Tab")
        expect(_field(desk, "right_order").locator(".choice").first).to_be_focused()
        desk.press("2")
        assert _picked(desk, "right_order") == [f"1. {STEPS[1]}"]
        desk.press("Control+Enter")
        expect(_field(desk, "right_order").locator(".error")).to_have_text("Give every entry a position.")
        desk.press("1")
        expect(_field(desk, "right_order").locator(".choice .label")).to_have_text([f"2. {STEPS[0]}", f"1. {STEPS[1]}"])
        _entry(desk, "steps", 1).focus()  # what is written differently now is in no order any more
        desk.press("ControlOrMeta+a")
        typing(RENAMED)
        expect(_field(desk, "right_order").locator(".error")).to_contain_text("is not one of")
        desk.press("Enter", "Tab", "Tab", "Tab")
        desk.press("1", "2", "1")  # taken out, and put behind the new one
        labels = [f"2. {STEPS[0]}", f"1. {RENAMED}"]
        expect(_field(desk, "right_order").locator(".choice .label")).to_have_text(labels)
        expect(desk.page.locator(".saved")).to_contain_text("draft saved")
        desk.picture(pictures / "author-picks.png" if pictures else None)
        desk.page.reload()
        expect(desk.bench).to_have_attribute("data-view", "task")
        expect(_field(desk, "right_order").locator(".choice .label")).to_have_text(labels)
        desk.press("Control+Enter")
        expect(desk.bench).not_to_have_attribute("data-view", "task")
    with closing(sqlite3.connect(running.home / "touchstone.db")) as connection:
        (content,) = connection.execute("SELECT content FROM revision").fetchall()
    item = json.loads(content[0])
    assert item == {
        "question": "How do I make tea?",
        "objects": OBJECTS,
        "steps": [STEPS[0], RENAMED],
        "needed": [OBJECTS[2], OBJECTS[0]],
        "right_order": [RENAMED, STEPS[0]],
    }
    with at_desk(chromium, running, "vera") as desk:
        desk.open("/verify?project=p")
        expect(desk.bench).to_have_attribute("data-view", "task")
        expect(desk.page.locator(".shown[data-field=steps]")).to_have_count(1)
        for secret in ("needed", "right_order"):
            expect(desk.page.locator(f".shown[data-field={secret}]")).to_have_count(0)
        assert "right_order" not in desk.page.content()
        desk.press("Enter")  # none of the things is seen
        active = desk.page.locator(".criterion.active")
        expect(active).to_have_attribute("data-criterion", "first")
        desk.press("1")
        expect(active).to_have_attribute("data-criterion", "count")
        desk.press("2", "Enter")
        expect(active).to_have_attribute("data-criterion", "order")
        rows = desk.page.locator(".criterion[data-criterion=order] .orderrow")
        for step in item["right_order"]:
            desk.press(rows.filter(has_text=step).locator(".slot").inner_text())
        desk.press("Enter", "1", "1", "1")
        expect(active).to_have_attribute("data-criterion", "fits")
        desk.press("1", "Control+Enter")
        expect(desk.bench).to_have_attribute("data-view", "nothing")
    out = tmp_path / "ratings.csv"
    assert touchstone("item", "export", "p", "ratings", "--out", str(out), home=running.home).returncode == 0
    with out.open(newline="", encoding="utf-8") as file:
        votes = {row["criterion"]: row["value"] for row in csv.DictReader(file)}
    assert json.loads(votes["order"]) == item["right_order"]
    assert votes["fits"] == "yes"

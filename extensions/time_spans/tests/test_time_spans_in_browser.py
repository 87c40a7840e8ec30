"""When something happens in a clip, by keys: the frames that are seen are the frames that are kept."""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from domain.records import TaskView
from domain.roles import Role
from media.store import MediaStore
from testkit.pictures import video
from testkit.serving import Server, touchstone
from tests.e2e.people import at_desk, opened
from workflow.access import accounts, memberships
from workflow.annotate import image_pool

pytestmark = [pytest.mark.browser]

UNEVEN = [0.0, 0.02, 0.07, 0.38, 0.413, 0.433, 0.483, 0.793, 0.826, 0.846]
"""When each frame comes on screen: there is no frame rate."""
SCHEMA = """
name: timed
version: 1
title: Timed
dimensions: [{id: acts, title: Acts}]
item:
  assets: [{role: clip, kind: clip}]
  fields:
    - {name: question, kind: text}
    - {name: shown, kind: time_span, max_length: 2, title: Where it is seen}
    - {name: cut, kind: time_span, unit: frames, required: false}
stages:
  authoring: {}
  verification:
    raters: 1
    criteria:
      - {name: seconds, kind: time_span, prompt: When does it move, max: 2}
      - {name: frames, kind: time_span, unit: frames, prompt: In which frames}
      - {name: never, kind: time_span, prompt: When does it fly}
      - {name: good, kind: choice, options: ["yes", "no"], prompt: Good}
    keep: {rule: unanimous, criterion: good, value: "yes"}
"""


def written_by_keys(chromium: Browser, server: Server) -> None:
    """Ada writes the item: two spans in seconds, set in any order, and none in frames."""
    with at_desk(chromium, server, "ada") as desk:
        desk.open("/author?project=timed")
        part = {name: desk.page.locator(f".field[data-field={name}]") for name in ("question", "shown", "cut")}
        told = part["shown"].locator(".timespan")
        loop = desk.page.locator(".clipbar .round")
        expect(desk.page.locator(".clipbar .frames")).to_have_text(f"frame 1 of {len(UNEVEN)}")
        desk.fill("question", "What is done?")
        desk.press("Enter")
        expect(part["shown"].locator(".timespans")).to_be_focused()
        expect(loop.locator("kbd")).to_be_hidden()
        desk.press("End", ",", ",", "i", ".", "o")  # frames 8 and 9
        desk.press("Home", ".", ".", "i")
        desk.press("ControlOrMeta+Enter")
        expect(part["shown"].locator(".error")).to_have_text("Set the end, with O.")
        expect(desk.page.locator(".saved")).to_contain_text("saved")
        desk.page.reload()
        expect(told).to_have_text(["0.79 s to 0.85 s", "0.07 s to …"])
        expect(desk.page.locator(".clipbar .frames")).to_have_text(f"frame 1 of {len(UNEVEN)}")
        expect(loop.locator("kbd")).to_be_visible()
        part["shown"].get_by_role("button", name="0.07 s to …", exact=True).click()  # shows where it begins
        expect(desk.page.locator(".clipbar .frames")).to_have_text(f"frame 3 of {len(UNEVEN)}")
        desk.press("Home", "o")
        expect(part["shown"].locator(".error")).to_have_text("The end must be after the start.")
        desk.press(".", ".", ".", ".", "o", "Enter")
        expect(told).to_have_text(["0.07 s to 0.43 s", "0.79 s to 0.85 s"])
        expect(part["cut"].locator(".timespans")).to_be_focused()
        desk.press("i", "Backspace")  # it may be left out
        desk.press("ControlOrMeta+Enter")
        expect(desk.bench).to_have_attribute("data-view", "pool")
    with closing(sqlite3.connect(server.home / "touchstone.db")) as connection:
        (content,) = connection.execute("SELECT content FROM revision").fetchall()
    item = json.loads(content[0])
    assert "cut" not in item
    first, second = item["shown"]
    assert (first["start"], first["end"]) == (pytest.approx(0.07, abs=1e-3), pytest.approx(0.433, abs=1e-3))
    assert (second["start"], second["end"]) == (pytest.approx(0.793, abs=1e-3), pytest.approx(0.846, abs=1e-3))


def test_spans_are_set_frame_by_frame_and_while_the_clip_plays(
    server: Server, chromium: Browser, tmp_path: Path
) -> None:
    (tmp_path / "timed.yaml").write_text(SCHEMA, encoding="utf-8")
    done = touchstone("project", "create", "timed", "--schema", str(tmp_path / "timed.yaml"), home=server.home)
    assert done.returncode == 0, done.stderr
    clip = video(tmp_path / "clip.webm", UNEVEN)
    with opened(server) as store:
        for login in ("ada", "vera"):
            accounts.create_person(store, login=login, name=login.title())
            memberships.set_member(store, by=None, project="timed", login=login, role=Role.ANNOTATOR)
        media = MediaStore(server.home / "media")
        assert image_pool.add_to_pool(store, media, by=None, project="timed", files=[("clip.webm", clip)]).added == 1
        ada = accounts.find_person(store, login="ada")
        free = image_pool.pool(store, person=ada, project="timed").assets[0].id
        view = image_pool.pick(store, person=ada, project="timed", dimension="acts", assets=[free])
        assert isinstance(view, TaskView)
    server.start()
    written_by_keys(chromium, server)
    with at_desk(chromium, server, "vera") as desk:
        desk.open("/verify?project=timed")
        block = {
            name: desk.page.locator(f".criterion[data-criterion={name}]") for name in ("seconds", "frames", "never")
        }
        told = {name: part.locator(".timespan") for name, part in block.items()}
        counted = desk.page.locator(".clipbar .frames")
        expect(counted).to_have_text(f"frame 1 of {len(UNEVEN)}")
        assert desk.shown("shown").splitlines() == ["0.07 s to 0.43 s", "0.79 s to 0.85 s"]
        loop = desk.page.locator(".clipbar .round")
        expect(loop.locator("kbd")).to_be_hidden()  # O sets the end
        desk.press("o")
        expect(block["seconds"].locator(".error")).to_have_text("Set the start first, with I.")
        desk.press("Home", ".", ".", "i", "Enter")
        expect(block["seconds"].locator(".error")).to_have_text("Set the end, with O.")
        desk.press("Home", "o")
        expect(block["seconds"].locator(".error")).to_have_text("The end must be after the start.")
        desk.press(".", ".", ".", ".", "o")  # frames 3 to 5
        desk.press("End", "i", "o", "i")
        expect(block["seconds"].locator(".error")).to_have_text("Set at most 2 spans.")
        expect(told["seconds"]).to_have_count(2)
        desk.press("Backspace")
        expect(told["seconds"]).to_have_text(["0.07 s to 0.43 s"])
        expect(desk.page.locator(".saved")).to_contain_text("saved")
        desk.page.reload()
        expect(told["seconds"]).to_have_text(["0.07 s to 0.43 s"])
        expect(block["frames"]).to_have_class("criterion many active")
        expect(counted).to_have_text(f"frame 1 of {len(UNEVEN)}")
        desk.press(".", "i", ".", ".", "o")
        expect(told["frames"]).to_have_text(["frames 2 to 4"])
        desk.press("Space", "i", "Space", "End", "o")  # while it plays: the frame that is on screen at that moment
        expect(told["frames"]).to_have_count(1)
        expect(told["frames"]).not_to_contain_text("…")
        desk.press("Home", "i", ".", "o")
        expect(told["frames"]).to_have_text(["frames 1 to 2"])
        desk.press("Enter", "Enter")
        expect(block["never"].locator(".error")).to_have_text("Set the start with I and the end with O.")
        desk.press("0")
        expect(loop.locator("kbd")).to_be_visible()
        desk.press("o")
        expect(loop).to_have_attribute("aria-pressed", "false")
        desk.press("1")
        desk.press("ControlOrMeta+Enter")
        expect(desk.bench).to_have_attribute("data-view", "nothing")
    done = touchstone("item", "export", "timed", "ratings", "--out", str(tmp_path / "ratings.csv"), home=server.home)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "ratings.csv").open(newline="", encoding="utf-8") as file:
        found = {row["criterion"]: row["value"] for row in csv.DictReader(file)}
    # Frame 3 comes on screen at 0.07 s; frame 5 leaves it when frame 6 comes, at 0.433 s.
    (span,) = json.loads(found["seconds"])
    assert (span["start"], span["end"]) == (pytest.approx(0.07, abs=1e-3), pytest.approx(0.433, abs=1e-3))
    assert json.loads(found["frames"]) == [{"first": 1, "last": 2}]
    assert json.loads(found["never"]) == []

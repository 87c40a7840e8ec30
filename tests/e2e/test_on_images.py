"""What items put on their images in a real browser (arrows, and parts that are painted over); and the sheet on which
people look for faces, dragging where one was missed."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, expect

from annotation_schemas.loader import load_text
from app import privacy_sheet
from domain.privacy import Box
from domain.roles import Role
from media.store import MediaStore
from testkit.browser import window
from testkit.covered import AREA, SIZE, file
from testkit.serving import Server
from tests.e2e.people import at_desk, opened
from workflow.access import accounts, projects
from workflow.annotate import image_pool
from workflow.files.privacy_look import Seen

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SCHEMA = """
name: on_images
version: 1
title: On images
dimensions: [{id: colour, title: Colour, definition: "A colour."}]
item:
  assets: [{role: image, kind: image}]
  fields:
    - {name: question, kind: text}
    - {name: hidden, kind: blur}
    - {name: points, kind: arrows}
stages:
  authoring: {}
  verification:
    raters: 1
    criteria:
      - {name: fits, kind: choice, prompt: "Does it fit?", options: [{value: 1, label: Good}, {value: 0, label: Bad}]}
    keep: {rule: unanimous, criterion: fits, value: 1}
  adjudication: none
"""
ARROW = '[{"x": 0.9, "y": 0.9, "to_x": 0.5, "to_y": 0.5}]'


def test_an_author_sees_arrows_as_they_are_written_and_a_verifier_what_is_left(
    chromium: Browser, tmp_path: Path, sqlite_template: Path, pictures: Path | None
) -> None:
    home, path = tmp_path / "home", tmp_path / "a.png"
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    path.write_bytes(file())
    server = Server(home)
    with opened(server) as store:
        projects.create_project(store, name="p", loaded=load_text(SCHEMA, "", "on_images"))
        for login in ("ann", "vera"):
            accounts.create_person(store, login=login, name=login.capitalize())
            projects.set_member(store, by=None, project="p", login=login, role=Role.ANNOTATOR)
        media = MediaStore(server.home / "media")
        image_pool.add_to_pool(store, media, by=None, project="p", files=[("a.png", path)])
    server.start()
    try:
        _written_and_seen(server, chromium, pictures)
    finally:
        server.stop()


def _written_and_seen(server: Server, chromium: Browser, pictures: Path | None) -> None:
    with at_desk(chromium, server, "ann") as desk:
        desk.open("/author?project=p")
        expect(desk.bench).to_have_attribute("data-view", "pool")
        desk.press("Space", "Enter")
        expect(desk.bench).to_have_attribute("data-view", "task")
        desk.page.keyboard.insert_text("What is hidden?")
        desk.press("Enter", "a")  # a box of a fifth of the image in its middle
        boxes = desk.page.locator(".drawn .outline")
        expect(boxes).to_have_count(1)
        desk.press("Enter")
        desk.page.locator(".field[data-field=points] textarea").focus()
        arrow = desk.page.locator(".drawn polygon.arrow")
        expect(arrow).to_have_count(0)
        desk.page.keyboard.insert_text(ARROW)
        expect(arrow).to_have_count(1)
        desk.looks(pictures, "on-images-author")
        desk.press("Control+Enter")
        expect(desk.bench).to_have_attribute("data-view", "pool")
    with at_desk(chromium, server, "vera") as desk:
        desk.open("/verify?project=p")
        expect(desk.page.locator(".drawn polygon.arrow")).to_have_attribute("fill", "#e60000")
        covered = desk.page.locator(".drawn rect")
        expect(covered).to_have_attribute("fill", "#808080")
        place = covered.bounding_box()
        assert place is not None
        shot = Image.open(io.BytesIO(desk.page.screenshot())).convert("RGB")
        assert shot.getpixel((round(place["x"] + 6), round(place["y"] + 6))) == (128, 128, 128)
        desk.looks(pictures, "on-images-verifier")


def test_who_drags_over_a_picture_gets_the_line_for_the_table(
    chromium: Browser, tmp_path: Path, pictures: Path | None
) -> None:
    media = MediaStore(tmp_path / "media")
    stored = media.add(file())
    seen = Seen('<a>, "1".png', stored.sha256, (Box("face", 0.7, 0.7, 0.2, 0.2, "frontal"),), None)
    assert privacy_sheet.written(tmp_path / "look", media, iter([seen]), title="Kitchens") == 1
    with window(chromium) as page:
        page.goto((tmp_path / "look" / "index.html").as_uri())
        expect(page.get_by_text("people have to look at every picture")).to_be_visible()
        expect(page.locator("figcaption")).to_have_text('<a>, "1".png: 1 face (frontal)')
        image = page.locator("img")
        there = image.bounding_box()
        assert there is not None
        left, top, right, bottom = AREA
        scale = there["width"] / SIZE[0]
        page.mouse.move(there["x"] + left * scale, there["y"] + top * scale)
        page.mouse.down()
        page.mouse.move(there["x"] + right * scale, there["y"] + bottom * scale)
        page.mouse.up()
        line = page.locator("#lines").input_value()
        assert line.startswith(f'"<a>, ""1"".png",{stored.sha256},face,'), line
        assert line.endswith(",hand,yes\n")
        numbers = [float(part) for part in line.split(",")[-6:-2]]
        # 50 / 200, 20 / 100, 40 / 200, 40 / 100, to a pixel of the screen
        drawn = page.locator(".dragged").bounding_box()
        assert drawn is not None
        assert abs(drawn["width"] - (right - left) * scale) < 4
        assert all(abs(a - b) < 0.01 for a, b in zip(numbers, (0.25, 0.2, 0.2, 0.4), strict=True)), numbers
        if pictures is not None:
            page.screenshot(path=pictures / "privacy-sheet.png")

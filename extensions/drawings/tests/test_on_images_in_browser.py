"""What items put on their images in a real browser: arrows and masks that authors draw, parts that are painted over,
and that people see what models get."""

from __future__ import annotations

import io
import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, expect
from sqlalchemy import text

from annotation_schemas.loader import load_text
from domain.roles import Role
from media.store import MediaStore
from testkit.covered import file
from testkit.serving import Server
from tests.e2e.people import Desk, at_desk, opened
from tests.workflow.test_questions import asker, bring
from workflow.access import accounts, memberships, projects
from workflow.annotate import image_pool

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
    - {name: areas, kind: masks, required: false}
    - {name: gone, kind: masks, cover: inside, required: false, authored: false}
    - {name: left, kind: masks, cover: outside, required: false, authored: false}
stages:
  authoring: {}
  verification:
    raters: 1
    criteria:
      - {name: fits, kind: choice, prompt: "Does it fit?", options: [{value: 1, label: Good}, {value: 0, label: Bad}]}
    keep: {rule: unanimous, criterion: fits, value: 1}
  adjudication: none
"""
LOADED = load_text(SCHEMA, "", "on_images")
SQUARE = [[0.1, 0.1], [0.3, 0.1], [0.3, 0.3], [0.1, 0.3]]
CORNER = [[0.15, 0.15], [0.25, 0.15], [0.25, 0.25]]


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("on_images") / "home"
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    server = Server(home)
    with opened(server) as store:
        for login in ("ann", "vera"):
            accounts.create_person(store, login=login, name=login.capitalize())
    yield server.start()
    server.stop()


def test_an_author_draws_arrows_and_masks_and_a_verifier_sees_them(
    chromium: Browser, serving: Server, tmp_path: Path, pictures: Path | None
) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(file())
    with opened(serving) as store:
        projects.create_project(store, name="p", loaded=LOADED)
        for login in ("ann", "vera"):
            memberships.set_member(store, by=None, project="p", login=login, role=Role.ANNOTATOR)
        media = MediaStore(serving.home / "media")
        image_pool.add_to_pool(store, media, by=None, project="p", files=[("a.png", path)])
    with at_desk(chromium, serving, "ann") as desk:
        desk.open("/author?project=p")
        expect(desk.bench).to_have_attribute("data-view", "pool")
        desk.press("Space", "Enter")
        expect(desk.bench).to_have_attribute("data-view", "task")
        desk.page.keyboard.insert_text("What is hidden?")
        desk.press("Enter", "a")  # a box of a fifth of the image in its middle
        boxes = desk.page.locator(".drawn .outline")
        expect(boxes).to_have_count(1)
        desk.press("Enter")
        # An arrow from the keyboard: a fifth long, from 0.4 to 0.6; its head goes up by 0.1, all of it right by 0.05.
        expect(desk.page.locator(".field[data-field=points] .marker")).to_be_focused()
        desk.press("a", *["Alt+ArrowUp"] * 10, *["ArrowRight"] * 5, "Escape")
        _drag(desk, (0.9, 0.9), (0.7, 0.8))
        expect(desk.page.locator(".drawn polygon.arrow")).to_have_count(2)
        desk.press("Escape", "Enter")
        # A mask from the pointer, with a point taken back; its corner is moved; then a ring for a part elsewhere.
        areas = desk.page.locator(".field[data-field=areas]")
        expect(areas.locator(".marker")).to_be_focused()
        for point in ((0.2, 0.4), (0.4, 0.4), (0.4, 0.6), (0.9, 0.1)):
            _click(desk, point)
        desk.press("Escape", "Enter")
        expect(areas.locator(".marklist .where2")).to_have_text("3 points")
        _drag(desk, (0.4, 0.6), (0.4, 0.7))
        desk.press("r")
        for point in ((0.6, 0.6), (0.7, 0.6)):
            _click(desk, point)
        desk.press("Control+Enter")
        expect(areas.locator(".error")).to_have_text(
            "Mask 1 is not finished. Add points until the area has at least three."
        )
        _click(desk, (0.7, 0.7))
        _click(desk, (0.6, 0.6))  # where it began
        expect(areas.locator(".marklist .where2")).to_have_text("6 points, 2 rings")
        desk.press("Escape")
        # Another one by numbers alone.
        desk.press("a", "e")
        numbers = areas.get_by_label("Points of the mask in percent")
        expect(numbers).to_be_focused()
        expect(numbers).to_have_value("40,40 60,40 60,60 40,60")
        desk.press("ControlOrMeta+a")
        desk.page.keyboard.insert_text("10,10 30,10")
        expect(areas.locator(".markhint")).to_have_text("Add points until the area has at least three.")
        desk.press("ControlOrMeta+a")
        desk.page.keyboard.insert_text("10,10 30,10 30,30 10,30\n15,15 25,15 25,25")
        expect(areas.locator(".marklist .where2").last).to_have_text("7 points, 2 rings")
        desk.looks(pictures, "on-images-author")
        desk.press("Escape")
        expect(areas.locator(".marker")).to_be_focused()
        desk.press("Control+Enter")
        expect(desk.bench).to_have_attribute("data-view", "pool")
    with opened(serving) as store, store.read() as session:
        (content,) = session.connection().execute(text("SELECT content FROM revision")).scalars()
    kept = json.loads(content)
    across = {"x": 0.45, "y": 0.5, "to_x": 0.65, "to_y": 0.4}
    _close(kept["points"], [across, {"x": 0.9, "y": 0.9, "to_x": 0.7, "to_y": 0.8}])
    drawn, typed = kept["areas"]
    assert typed == {"rings": [SQUARE, CORNER]}
    wanted = [[[0.2, 0.4], [0.4, 0.4], [0.4, 0.7]], [[0.6, 0.6], [0.7, 0.6], [0.7, 0.7]]]
    assert [len(ring) for ring in drawn["rings"]] == [3, 3]
    assert np.allclose(drawn["rings"], wanted, atol=0.004), drawn
    with at_desk(chromium, serving, "vera") as desk:
        desk.open("/verify?project=p")
        arrows = desk.page.locator(".drawn polygon.arrow")
        expect(arrows).to_have_count(2)
        expect(arrows.first).to_have_attribute("fill", "#e60000")
        expect(desk.page.locator(".drawn path.tint")).to_have_count(2)
        expect(desk.page.locator(".drawn rect")).to_have_attribute("fill", "#808080")
        desk.looks(pictures, "on-images-verifier")


def _image(desk: Desk) -> tuple[float, float, float, float]:
    """Left, top, width and height of the image on the screen: it is twice as wide as high."""
    expect(desk.page.locator(".media img.view:not(.waiting)")).to_be_visible()
    box = desk.page.locator(".media img.view").bounding_box()
    assert box is not None
    wide = min(box["width"], 2 * box["height"])
    return box["x"] + (box["width"] - wide) / 2, box["y"] + (box["height"] - wide / 2) / 2, wide, wide / 2


def _to(desk: Desk, place: tuple[float, float]) -> None:
    left, top, wide, high = _image(desk)
    desk.page.mouse.move(left + place[0] * wide, top + place[1] * high, steps=3)


def _click(desk: Desk, place: tuple[float, float]) -> None:
    _to(desk, place)
    desk.page.mouse.down()
    desk.page.mouse.up()


def _drag(desk: Desk, start: tuple[float, float], end: tuple[float, float]) -> None:
    _to(desk, start)
    desk.page.mouse.down()
    _to(desk, end)
    desk.page.mouse.up()


def _close(found: list[dict[str, float]], wanted: list[dict[str, float]]) -> None:
    """To a pixel or two of the screen."""
    assert [each.keys() for each in found] == [each.keys() for each in wanted]
    for one, other in zip(found, wanted, strict=True):
        assert one == pytest.approx(other, abs=0.004)


def test_people_see_the_masks_that_models_get(
    chromium: Browser, serving: Server, tmp_path: Path, pictures: Path | None
) -> None:
    """The picture that a model is sent, and the screen, hold the same colour wherever no line is near: tints with a
    hole, where lines cross, of pixels; what is painted over; and what is left."""
    path = tmp_path / "plain.png"
    Image.new("RGB", (800, 400), (120, 130, 140)).save(path)
    star = [[0.5 + 0.2 * math.sin(0.8 * math.pi * n), 0.3 - 0.28 * math.cos(0.8 * math.pi * n)] for n in range(5)]
    fields = {
        "question": "What is hidden?",
        "hidden": [{"x": 0.05, "y": 0.05, "w": 0.1, "h": 0.1}],
        "points": [{"x": 0.95, "y": 0.9, "to_x": 0.85, "to_y": 0.8}],
        "areas": [
            {"rings": [_box(0.02, 0.3, 0.28, 0.9), _box(0.1, 0.5, 0.2, 0.7)]},
            {"rings": [star]},
            # of 8 x 4 pixels the lower three of the sixth column, and the last one of the seventh
            {"rle": {"size": [4, 8], "counts": [21, 3, 3, 1, 4]}},
        ],
        "gone": [{"rings": [[[0.35, 0.7], [0.6, 0.7], [0.35, 0.95]]]}],
        "left": [
            {"rings": [[[0, 0], [1, 0], [1, 1], [0.3, 1], [0, 0.7]]]},
            {"rings": [[[0, 0.5], [0.1, 0.5], [0, 1]]]},
        ],
    }
    with opened(serving) as store:
        media = MediaStore(serving.home / "media")
        ids = bring(store, media, LOADED, [("colour", fields, [("image", path)])], name="q")
        memberships.set_member(store, by=None, project="q", login="vera", role=Role.ANNOTATOR)
        (sent,) = asker(store, media, LOADED).ask(ids)[0].pictures
        model = np.asarray(Image.open(sent.path).convert("RGB")).astype(int)
    with at_desk(chromium, serving, "vera") as desk:
        desk.open("/verify?project=q")
        expect(desk.page.locator(".drawn path.tint")).to_have_count(3)
        left, top, wide, high = _image(desk)
        screen = np.asarray(Image.open(io.BytesIO(desk.page.screenshot())).convert("RGB")).astype(int)
        desk.looks(pictures, "on-images-masks")
    colours: Counter[tuple[int, ...]] = Counter()
    for y in range(12, 400, 8):
        for x in range(12, 800, 8):
            near = model[y - 12 : y + 13, x - 12 : x + 13].reshape(-1, 3)
            if (near == near[0]).all():  # no line and no edge in sight
                seen = screen[round(top + (y + 0.5) / 400 * high), round(left + (x + 0.5) / 800 * wide)]
                assert np.abs(seen - model[y, x]).max() <= 2, (x, y, seen, model[y, x])
                colours[tuple(model[y, x].tolist())] += 1
    # (2 x 230 + 3 x 120) / 5 = 164, (3 x 130) / 5 = 78, (3 x 140) / 5 = 84; over grey 168.8, 76.8 and 76.8
    assert set(colours) == {(120, 130, 140), (128, 128, 128), (164, 78, 84), (168, 76, 76)}
    assert min(colours.values()) >= 10, colours


def _box(left: float, top: float, right: float, bottom: float) -> list[list[float]]:
    return [[left, top], [right, top], [right, bottom], [left, bottom]]

"""Boxes and numbered points on images, in a real browser: drawn with keys and pointer, kept, voted on, exported."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw
from playwright.sync_api import Browser, expect

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from domain.roles import Role
from domain.states import Stage
from media.store import MediaStore
from testkit.kept_items import export_kept
from testkit.serving import Server, touchstone
from tests.e2e.people import Desk, at_desk, opened
from workflow.access import accounts, memberships, projects
from workflow.annotate import image_pool

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PROJECT = "tour"
UPRIGHT = (1500, 2000)
"""The picture as it is seen; the file holds it on its side, as cameras do, and is larger than the copy for pages."""
CUP = (0.2, 0.3, 0.25, 0.125)
"""Where the red cup is: x, y, w, h of the upright picture."""
PEOPLE = (
    ("ann", Role.ANNOTATOR, Stage.AUTHORING),
    ("vera", Role.ANNOTATOR, Stage.VERIFICATION),
    ("vic", Role.ANNOTATOR, Stage.VERIFICATION),
    ("sam", Role.SENIOR, Stage.ADJUDICATION),
)
STEP, FINE = 0.01, 0.001
"""What an arrow key moves, without and with Shift: one hundredth and one thousandth of the image."""
NEW = 0.2
"""A new box is a fifth of the image wide and high, in its middle."""


@pytest.fixture
def pictures(request: pytest.FixtureRequest) -> Path | None:
    """Where screenshots go, if ``--pictures`` says so."""
    folder = request.config.getoption("--pictures")
    return Path(folder) if folder else None


def lying(path: Path) -> Path:
    """A photograph of a red cup on a grey table, stored on its side with a note to turn it."""
    upright = Image.new("RGB", UPRIGHT, (120, 130, 140))
    x, y, w, h = CUP
    corners = (x * UPRIGHT[0], y * UPRIGHT[1], (x + w) * UPRIGHT[0] - 1, (y + h) * UPRIGHT[1] - 1)
    ImageDraw.Draw(upright).rectangle(corners, fill=(200, 30, 30))
    turned = upright.rotate(90, expand=True)
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned a quarter to the right
    turned.save(path, "JPEG", quality=95, exif=exif)
    assert turned.size == (UPRIGHT[1], UPRIGHT[0])
    return path


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[Server]:
    """One server for all tests here, with a writer, two verifiers and a senior."""
    home = tmp_path_factory.mktemp("marks") / "home"
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    server = Server(home)
    with opened(server) as store:
        for login, _, _ in PEOPLE:
            accounts.create_person(store, login=login, name=login.capitalize())
    yield server.start()
    server.stop()


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lying(tmp_path_factory.mktemp("picture") / "cup.jpg")


def begin(server: Server, cup: Path, project: str, schema: str, *, people: Any = PEOPLE, **part: Any) -> None:
    """A project of a shipped schema, in which people take part, with one picture in the pool."""
    with opened(server) as store:
        projects.create_project(store, name=project, loaded=load_schema(shipped()[schema]))
        for login, role, stage in people:
            memberships.set_member(store, by=None, project=project, login=login, role=role, stages=[stage], **part)
        media = MediaStore(server.home / "media")
        image_pool.add_to_pool(store, media, by=None, project=project, files=[("cup.jpg", cup)])


def close(found: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> None:
    """The same boxes or points, to one ten-thousandth of the image."""
    assert [set(entry) for entry in found] == [set(entry) for entry in wanted]
    for one, other in zip(found, wanted, strict=True):
        for name, value in other.items():
            assert one[name] == (pytest.approx(value, abs=1e-4) if isinstance(value, float) else value), (name, one)


def listed(desk: Desk, block: str) -> list[str]:
    """What the form lists as drawn, in words."""
    return desk.page.locator(f"{block} .marklist li .what").all_inner_texts()


def image_on_screen(desk: Desk) -> tuple[float, float, float, float]:
    """Left, top, width and height of the picture itself on the screen, from what the browser did with the image."""
    expect(desk.page.locator(".media img.view:not(.waiting)")).to_be_visible()
    box = desk.page.locator(".media img.view").evaluate(
        "image => { const r = image.getBoundingClientRect(); return [r.left, r.top, r.width, r.height,"
        " image.naturalWidth, image.naturalHeight]; }"
    )
    left, top, width, height, natural_width, natural_height = box
    assert natural_width / natural_height == pytest.approx(UPRIGHT[0] / UPRIGHT[1], rel=0.01), "upright"
    scale = min(width / natural_width, height / natural_height)
    wide, high = natural_width * scale, natural_height * scale
    return left + (width - wide) / 2, top + (height - high) / 2, wide, high


def drag(desk: Desk, start: tuple[float, float], end: tuple[float, float]) -> None:
    """From one point of the image to another, both in fractions, with the mouse."""
    left, top, wide, high = image_on_screen(desk)
    mouse = desk.page.mouse
    mouse.move(left + start[0] * wide, top + start[1] * high)
    mouse.down()
    mouse.move(left + (start[0] + end[0]) / 2 * wide, top + (start[1] + end[1]) / 2 * high)
    mouse.move(left + end[0] * wide, top + end[1] * high)
    mouse.up()


def test_boxes_and_marks_from_the_keyboard_to_the_export(
    serving: Server, cup: Path, chromium: Browser, tmp_path: Path, pictures: Path | None
) -> None:
    begin(serving, cup, PROJECT, "tour")
    with opened(serving) as store:
        projects.create_project(store, name="again", loaded=load_schema(shipped()["tour"]))

    def shot(name: str) -> Path | None:
        return pictures / f"{name}.png" if pictures else None

    # The author points at the cup with keys alone: a box, ten steps up and to the left, a little narrower.
    with at_desk(chromium, serving, "ann") as desk:
        desk.open(f"/author?project={PROJECT}")
        expect(desk.bench).to_have_attribute("data-view", "pool")
        desk.press("Enter")
        expect(desk.bench).to_have_attribute("data-view", "task")
        desk.page.keyboard.insert_text("What is in the box?")
        desk.press("Enter")
        desk.page.keyboard.insert_text("The cup.")
        desk.press("Enter")  # on to the boxes
        expect(desk.page.locator(".field[data-field=pointed] .marker")).to_be_focused()
        desk.press("a", *["ArrowLeft"] * 10, *["ArrowUp"] * 10, *["Alt+ArrowLeft"] * 4, "Enter")
        expect(desk.page.locator(".field[data-field=numbered] .marker")).to_be_focused()
        desk.press("a", *["ArrowRight"] * 7, "Enter")
        assert listed(desk, ".field[data-field=pointed]") == ["A"]
        desk.picture(shot("author-marks"))
        desk.next_after("Control+Enter")
    pointed = [{"label": "A", "x": 0.3, "y": 0.3, "w": NEW - 4 * STEP, "h": NEW}]
    numbered = [{"number": 1, "x": 0.57, "y": 0.5}]

    # Vera draws with keys alone, and reloads in the middle of it.
    objects = [
        {"label": "cup", "x": 0.4 - 0.15, "y": 0.4 + 3 * FINE, "w": NEW + 2 * STEP, "h": NEW},
        {"label": "plate", "x": 0.4, "y": 0.4 - 5 * STEP, "w": NEW, "h": NEW - 6 * FINE},
    ]
    spots = [{"number": 2, "x": 0.5, "y": 0.5 + 0.25}, {"number": 1, "x": 0.5 - 4 * FINE, "y": 0.5}]
    with at_desk(chromium, serving, "vera") as desk:
        desk.open(f"/verify?project={PROJECT}")
        expect(desk.bench).to_have_attribute("data-view", "task")
        expect(desk.page.locator(".media svg.drawn .outline")).to_have_count(1)  # what the item shows
        _is_drawn_where(desk, pointed[0])
        desk.press("a", *["ArrowLeft"] * 15, *["Shift+ArrowDown"] * 3, "e", *["ArrowRight"] * 2)
        desk.press("a", "2", "Escape", "Tab", "Tab")  # the second box, chosen again
        desk.press(*["ArrowUp"] * 5, *["Alt+Shift+ArrowUp"] * 6)
        desk.press("a", "3", "Delete")
        desk.looks(pictures, "kind-boxes")
        desk.press("Enter")
        desk.press("Escape")
        expect(desk.page.locator(".saved")).to_contain_text("draft saved")
        desk.page.reload()
        expect(desk.bench).to_have_attribute("data-view", "task")
        expect(desk.page.locator(".criterion[data-criterion=objects] .marklist li")).to_have_count(2)
        assert listed(desk, ".criterion[data-criterion=objects]") == ["Cup", "Plate"]
        expect(desk.page.locator(".criterion[data-criterion=spots]")).to_have_class("criterion many active")
        desk.press("a", *["ArrowDown"] * 25, "a", *["Shift+ArrowLeft"] * 4, "1")
        desk.looks(pictures, "kind-marks")
        desk.press("Enter")
        expect(desk.page.locator(".criterion[data-criterion=fits]")).to_have_class("criterion many active")
        desk.next_after("1")
        desk.press("u")  # taken back, what was drawn is there again, to the last digit as the export says
        expect(desk.bench).to_have_attribute("data-view", "task")
        assert listed(desk, ".criterion[data-criterion=objects]") == ["Cup", "Plate"]
        expect(desk.page.locator(".criterion[data-criterion=spots] .marklist li")).to_have_count(2)
        desk.press("Enter")
        expect(desk.page.locator(".criterion[data-criterion=spots].active")).to_be_visible()
        desk.press("Tab", "ArrowRight")  # one point is moved by a step
        spots[0]["x"] += STEP
        desk.next_after("Control+Enter")

    # Vic draws the cup with the pointer, in the dark theme: once as it is fitted, once enlarged.
    with at_desk(chromium, serving, "vic", scheme="dark") as desk:
        desk.open(f"/verify?project={PROJECT}")
        expect(desk.bench).to_have_attribute("data-view", "task")
        expect(desk.page.locator(".media svg.drawn .outline")).to_have_count(1)
        desk.page.get_by_role("separator", name="Media width").focus()
        desk.press(*["ArrowLeft"] * 5)  # the picture moves to the left
        x, y, w, h = CUP
        drag(desk, (x, y), (x + w, y + h))
        desk.press("Escape", "z")
        expect(desk.page.locator(".zoombar .factor")).to_be_visible()
        wide = desk.page.locator(".media img.view").evaluate("image => image.getBoundingClientRect().width")
        expect(desk.page.locator(".media img.view")).to_have_attribute("src", re.compile("/original$"))
        desk.page.mouse.wheel(0, -100)
        desk.page.wait_for_function(
            """before => {
                const host = [...document.querySelectorAll('*')].map(node => node.shadowRoot).find(
                    root => root && root.querySelector('.media img.view'));
                return (host || document).querySelector('.media img.view').getBoundingClientRect().width > before;
            }""",
            arg=wide,
        )
        desk.press("2")
        drag(desk, (x + 0.2, y + 0.1), (x + w + 0.2, y + h + 0.1))
        desk.picture(shot("verify-boxes-dark"))
        desk.press("Escape", "Escape", "ArrowDown")
        desk.press("a", "Enter")
        desk.next_after("2")

    # Sam, a senior, sees what each of them drew, without names, and keeps the item.
    with at_desk(chromium, serving, "sam") as desk:
        desk.open(f"/adjudicate?project={PROJECT}")
        expect(desk.bench).to_have_attribute("data-view", "task")
        outlines = desk.page.locator(".media svg.drawn .outline")
        expect(outlines).to_have_count(1 + 2 + 2)
        drawn = sorted(desk.page.locator(".media svg.drawn .tag").all_text_contents())
        letters = {text[0] for text in drawn if text.endswith("Cup")}
        assert letters == {"A", "B"}
        assert sorted(desk.page.locator(".votes td strong").all_inner_texts()) == sorted(
            ["2: Cup, Plate", "2: Cup, Plate", "2: 2, 1", "1: 1", "Fits", "Does not fit"]
        )
        desk.picture(shot("adjudicate-boxes"))
        desk.page.locator(".decisions .choice").first.click()
        desk.next_after("1")
    done = touchstone("item", "export", PROJECT, "ratings", "--out", str(tmp_path / "ratings.csv"), home=serving.home)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "ratings.csv").open(encoding="utf-8") as file:
        values = {(row["rater"], row["criterion"]): row["value"] for row in csv.DictReader(file)}
    vera, vic = sorted({rater for rater, _ in values})  # pseudonyms, in the order in which the people came
    assert {values[vera, "fits"], values[vic, "fits"]} == {"yes", "no"}
    close(json.loads(values[vera, "objects"]), objects)
    close(json.loads(values[vera, "spots"]), spots)
    assert json.loads(values[vic, "spots"]) == [{"number": 1, "x": 0.5, "y": 0.5}]
    red, plate = json.loads(values[vic, "objects"])
    assert [red["label"], plate["label"]] == ["cup", "plate"]
    for name, there, beside in zip("xywh", CUP, (x + 0.2, y + 0.1, w, h), strict=True):
        assert red[name] == pytest.approx(there, abs=0.003), "a pixel or two of the screen"
        assert plate[name] == pytest.approx(beside, abs=0.003), "and no more while it is enlarged"

    # Out as kept items and as ratings, and in again in another project: nothing is lost.
    out = tmp_path / "release"
    export_kept(serving.home, PROJECT, "egothink", out)
    (record,) = json.loads((out / "Tour/pointing/annotations.json").read_text())
    close(record["pointed"], pointed)
    close(record["numbered"], numbered)
    for arguments in (
        ("item", "import", "again", "egothink", str(out)),
        ("item", "import", "again", "ratings", str(tmp_path / "ratings.csv")),
        ("item", "export", "again", "ratings", "--out", str(tmp_path / "again.csv")),
        ("item", "export", "again", "egothink", "--out", str(tmp_path / "again")),
    ):
        done = touchstone(*arguments, home=serving.home)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    (same,) = json.loads((tmp_path / "again/Tour/pointing/annotations.json").read_text())
    assert (same["pointed"], same["numbered"]) == (record["pointed"], record["numbered"])
    with (tmp_path / "again.csv").open(encoding="utf-8") as file:
        back = {(row["rater"], row["criterion"]): row["value"] for row in csv.DictReader(file)}
    assert back.keys() == values.keys()
    assert all(back[key] == values[key] or json.loads(back[key]) == json.loads(values[key]) for key in values)


def test_after_a_tool_is_pressed_with_the_mouse_keys_go_on_with_what_is_drawn(
    serving: Server, cup: Path, chromium: Browser
) -> None:
    """Enter does what it always does, and does not press the tool again."""
    begin(serving, cup, "tools", "tour")
    with at_desk(chromium, serving, "ann") as desk:
        desk.open("/author?project=tools")
        expect(desk.bench).to_have_attribute("data-view", "pool")
        desk.press("Enter")
        expect(desk.page.locator(".field[data-field=question] textarea")).to_be_focused()
        desk.page.keyboard.insert_text("What is in the box?")
        desk.press("Enter")
        desk.page.keyboard.insert_text("The cup.")
        _tool(desk, ".field[data-field=pointed]", "new box")
        assert listed(desk, ".field[data-field=pointed]") == ["A"]
        desk.press("ArrowLeft", "Enter")
        expect(desk.page.locator(".field[data-field=numbered] .marker")).to_be_focused()
        _tool(desk, ".field[data-field=numbered]", "new mark")
        desk.press("Enter")
        assert [listed(desk, f".field[data-field={name}]") for name in ("pointed", "numbered")] == [["A"], ["mark 1"]]
        desk.next_after("Control+Enter")
    with at_desk(chromium, serving, "vera") as desk:
        desk.open("/verify?project=tools")
        objects, spots = (f".criterion[data-criterion={name}]" for name in ("objects", "spots"))
        expect(desk.page.locator(f"{objects}.active")).to_be_visible()
        _tool(desk, objects, "Plate")
        desk.press("a")
        assert listed(desk, objects) == ["Plate"]
        _tool(desk, objects, "Cup")
        assert listed(desk, objects) == ["Cup"]
        desk.press("Enter")
        expect(desk.page.locator(f"{spots}.active")).to_be_visible()
        _tool(desk, objects, "new box")  # of what is not being asked just now
        assert listed(desk, objects) == ["Cup", "Cup"]
        desk.page.locator(f"{objects} .marklist li").first.get_by_role("button", name="Remove").click()
        desk.press("Enter")
        expect(desk.page.locator(f"{spots}.active")).to_be_visible()
        assert listed(desk, objects) == ["Cup"]
        _tool(desk, spots, "new mark")
        desk.press("Enter")
        expect(desk.page.locator(".criterion[data-criterion=fits].active")).to_be_visible()
        assert listed(desk, spots) == ["mark 1"]


def _tool(desk: Desk, block: str, name: str) -> None:
    desk.page.locator(block).get_by_role("button", name=name).click()


def test_a_question_of_etp_bench_about_a_red_box(serving: Server, cup: Path, chromium: Browser, tmp_path: Path) -> None:
    """The published protocol: the author marks the object and picks what its aspect's form offers; everyone who answers
    sees it marked."""
    project, home = "etp", serving.home
    begin(serving, cup, project, "etp_bench", people=PEOPLE[:3], dimensions=["property"])
    with at_desk(chromium, serving, "ann") as desk:
        desk.open(f"/author?project={project}")
        expect(desk.bench).to_have_attribute("data-view", "pool")
        desk.press("Enter")
        expect(desk.page.locator(".field[data-field=task] textarea")).to_be_focused()
        desk.press("Tab")
        desk.page.keyboard.insert_text("What properties has it?")
        desk.press("Tab")
        expect(desk.page.locator(".field[data-field=red_boxes] .marker")).to_be_focused()
        desk.press("a", *["ArrowLeft"] * 12, *["Shift+ArrowUp"] * 7, "Enter")
        expect(desk.page.locator(".field[data-field=numbers] .marker")).to_be_focused()
        desk.press("a", "7", "Enter")  # number 7 in the middle
        form = desk.page.locator(".field[data-field=form] .choice")
        assert form.all_inner_texts() == ["1\nProperties from the list"], "no other form is offered for the aspect"
        desk.press("1")
        answer = desk.page.locator(".field[data-field=answer]")
        desk.fill("answer", "openable")
        expect(answer.get_by_role("checkbox", name="openable")).to_be_checked()
        answer.get_by_role("checkbox", name="grabbable").click()
        expect(answer.locator("textarea")).to_have_value("grabbable, openable")  # in the order of the list
        answer.get_by_role("checkbox", name="openable").click()
        expect(answer.locator("textarea")).to_have_value("grabbable")
        desk.next_after("Control+Enter")
    with at_desk(chromium, serving, "vera") as desk:
        desk.open(f"/verify?project={project}")
        expect(desk.bench).to_have_attribute("data-view", "task")
        drawn = {"x": 0.4 - 12 * STEP, "y": 0.4 - 7 * FINE, "w": NEW, "h": NEW}
        _is_drawn_where(desk, drawn)
        _has_room_of_its_own(desk)
        _is_drawn_where(desk, drawn)
        assert desk.page.locator(".media svg.drawn .tag").all_text_contents() == ["7"]
        assert desk.shown("answer") == "grabbable"
        desk.press(*["2"] * 9)  # what one finds oneself
        desk.next_after("1")
    done = touchstone("item", "export", project, "ratings", "--out", str(tmp_path / "ratings.csv"), home=home)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "ratings.csv").open(encoding="utf-8") as file:
        given = {row["criterion"]: row["value"] for row in csv.DictReader(file)}
    assert [each["value"] for each in json.loads(given.pop("properties"))] == ["no"] * 9
    assert given == {"fits": "yes"}


def _has_room_of_its_own(desk: Desk) -> None:
    """The bar is moved with mouse and keys, the text made larger; both are so after a reload."""
    page, bar = desk.page, desk.page.get_by_role("separator", name="Media width")
    expect(bar).to_have_attribute("aria-valuenow", "65")  # 65fr of 65fr + 35fr
    place = bar.bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + 5, 400)
    page.mouse.down()
    page.mouse.move(640, 400)  # half of the 1280 pixels that both have
    page.mouse.up()
    expect(bar).to_have_attribute("aria-valuenow", "50")
    bar.focus()
    desk.press(*["ArrowLeft"] * 3, "Shift+T", "t", "t")
    desk.open("/verify?project=etp")
    expect(bar).to_have_attribute("aria-valuenow", "44")  # three times two less
    size = page.locator(".shown[data-field=answer] .value").evaluate("each => each.currentCSSZoom")
    assert size == pytest.approx(1.15)  # the size after the usual one


def _is_drawn_where(desk: Desk, box: dict[str, Any]) -> None:
    left, top, wide, high = image_on_screen(desk)
    drawn = desk.page.locator(".media svg.drawn .outline").first.bounding_box()
    assert drawn is not None
    assert drawn["x"] == pytest.approx(left + box["x"] * wide, abs=2.5)
    assert drawn["y"] == pytest.approx(top + box["y"] * high, abs=2.5)
    assert drawn["width"] == pytest.approx(box["w"] * wide, abs=4)
    assert drawn["height"] == pytest.approx(box["h"] * high, abs=4)

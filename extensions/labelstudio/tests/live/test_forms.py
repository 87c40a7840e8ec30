"""Test pages in a real Label Studio: it accepts every included stage, and answers given there are read correctly."""

from __future__ import annotations

import functools
import http.server
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from annotation_schemas.model import PREDICTION, Schema
from domain.errors import NotAvailableError
from domain.records import AssetView, TaskView
from domain.states import Stage
from extensions.labelstudio import results
from extensions.labelstudio.labeling import data, labeling
from extensions.labelstudio.tests.live import server
from extensions.labelstudio.tests.test_labeling import CASES, LOADED, task
from extensions.labelstudio.tests.test_results import asking
from media import clips
from tools.label_studio import Account, LabelStudio

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HOSTILE = [
    "$question costs $5",
    '<b>bold</b><img src="x" onerror="window.broken = 1">',
    '"quoted", & more',
    "${1+1} {{idx}}",
    "true",
    "12",
]
PER_SECOND = 12.0


MIDDLE_OF = """word => {
  const nodes = document.createNodeIterator(document.body, NodeFilter.SHOW_TEXT);
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    const at = node.data.indexOf(word);
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + word.length);
    const box = range.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  }
}"""
"""Returns the position of a word on the page."""


class _CrossOriginHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files that a page of another origin may show."""

    def end_headers(self) -> None:
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def media(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[AssetView], str]]:
    """Yield addresses of a picture of 640 x 480 and of a clip of 24 frames in two seconds."""
    folder = tmp_path_factory.mktemp("media")
    Image.new("RGB", (640, 480), "#88aacc").save(folder / "picture.png")
    pictures = [Image.new("RGB", (160, 120), (10 * at, 40, 90)) for at in range(24)]
    clips.write(pictures, out=folder / "clip.webm", frames_per_second=PER_SECOND)
    serving = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(_CrossOriginHandler, directory=str(folder))
    )
    threading.Thread(target=serving.serve_forever, daemon=True).start()
    where = f"http://127.0.0.1:{serving.server_address[1]}"
    yield lambda asset: f"{where}/{'clip.webm' if asset.kind == 'clip' else 'picture.png'}"
    serving.shutdown()
    serving.server_close()


def put(
    account: Account,
    schema: Schema,
    view: TaskView,
    media: Callable[[AssetView], str],
    drafts: Sequence[Mapping[str, Any]] = (),
) -> tuple[int, int]:
    """Create a project with one task in the same way as a push. Return their numbers."""
    xml = labeling(schema, view.stage, view.dimension)
    shown = data(schema, view.stage, view, media, key="a key", says="Look again: $about", rate=lambda asset: PER_SECOND)
    project = server.project(account, f"{schema.name} {view.stage}", xml)
    predicted = [{"model_version": "draft", "result": [dict(each) for each in drafts]}] if drafts else []
    server.put(account, project, [{"data": shown, "predictions": predicted}])
    (made,) = server.tasks(account, project)
    assert made["data"] == shown
    return project, int(made["id"])


# ---- over Label Studio's API -----------------------------------------------------------------------------------------


def test_every_shipped_page_is_taken(label_studio: LabelStudio) -> None:
    taken = set()
    for name, stage, dimension in CASES:
        schema = LOADED[name]
        try:
            xml = labeling(schema, stage, dimension)
        except NotAvailableError:
            continue
        if xml not in taken:
            put(label_studio.admin, schema, task(schema, stage, dimension), lambda asset: "/static/none.png")
            taken.add(xml)
    assert (
        len(taken) == 25
    )  # demo 4, egoplan 1, egothink 3, etp 6, jury 2, panel 3, pca 3, questions 1, quorum 1, tour 3


ANSWERS: Mapping[str, tuple[Stage, str, Mapping[str, Any], Mapping[str, Any]]] = {
    "questions": (
        Stage.VERIFICATION,
        "kitchen",
        {
            "seen": ["open", "wash"],
            "first": "close",
            "count": 3,
            "order": ["wash", "open", "close"],
            "properties": [{"name": each, "value": "yes"} for each in ("openable", "sliceable", "breakable")],
            "fits": "no",
            "why": "It costs $5.",
        },
        {},
    ),
    "tour": (
        Stage.VERIFICATION,
        "pointing",
        {
            "objects": [{"label": "cup", "x": 0.25, "y": 0.125, "w": 0.5, "h": 0.25}],
            "spots": [{"number": 2, "x": 0.75, "y": 0.5}],
            "fits": "yes",
        },
        {},
    ),
    "egoplan": (Stage.VERIFICATION, "next_action", {"choice": None}, {"choice": "several_fit"}),
    "demo": (Stage.VERIFICATION, "counting", {"fits": "no"}, {"fits": "in my own words"}),
    "jury": (Stage.ADJUDICATION, "kitchen", {"decision": "edit", "cause": "wrong_key", "fields": {"answer": "x"}}, {}),
    "pca_bench": (Stage.GRADING, "domestic_robot", {"perception": 1, "cognition": 0, "action": 1}, {}),
}


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_answers_that_are_sent_and_fetched_mean_the_same(name: str, label_studio: LabelStudio) -> None:
    stage, dimension, values, reasons = ANSWERS[name]
    schema = LOADED[name]
    view = task(schema, stage, dimension)
    result = results.write_result(schema, stage.value, dimension, values, reasons, "A note.", view.fields)
    project, number = put(label_studio.admin, schema, view, lambda asset: "/static/none.png", result)
    server.annotate(label_studio.admin, number, result)
    (found,) = server.tasks(label_studio.admin, project)
    for kind in ("annotations", "predictions"):
        (one,) = found[kind]
        read = results.read_result(schema, stage.value, dimension, one["result"], view.fields)
        assert (read.values, read.reasons, read.note, read.problems) == (values, reasons, "A note.", ())


# ---- in Label Studio's screens ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def screens(chromium: Browser, label_studio: LabelStudio) -> Page:
    """Return a page on which the admin is signed in. Each test goes to a task of its own."""
    page = chromium.new_page(viewport={"width": 1500, "height": 1400})
    admin = label_studio.admin
    page.goto(f"{label_studio.url}/user/login/")
    page.fill("input[name=email]", admin.email)
    page.fill("input[name=password]", admin.password)
    page.click("button[type=submit]")
    page.wait_for_url(lambda url: "login" not in url)
    return page


def opened(page: Page, account: Account, project: int, number: int) -> None:
    page.goto(f"{account.address}/projects/{project}/data?task={number}&labeling=1")
    page.get_by_role("button", name="Submit").first.wait_for()
    page.get_by_text("Look again: $about").wait_for()


def submitted(page: Page, account: Account, number: int) -> list[dict[str, Any]]:
    """Submit, and return the result that the server stored."""
    with page.expect_response(lambda reply: "/annotations" in reply.url and reply.request.method == "POST"):
        page.get_by_role("button", name="Submit").first.click()
    (made,) = account.call("GET", f"/api/tasks/{number}")["annotations"]
    return list(made["result"])


@pytest.mark.browser
def test_every_kind_of_question_is_answered_on_one_page(
    screens: Page, label_studio: LabelStudio, media: Callable[[AssetView], str]
) -> None:
    schema, admin = LOADED["questions"], label_studio.admin
    view = task(schema, Stage.VERIFICATION, "kitchen")
    fields = {"question": HOSTILE[1], "objects": HOSTILE, "steps": ["3", "1", "2", "open $about"]}
    view = replace(view, fields=fields)
    project, number = put(admin, schema, view, media)
    opened(screens, admin, project, number)
    shown = screens.locator("body").inner_text()
    for text in HOSTILE:
        assert text in shown.replace("\N{WORD JOINER}", "")
    assert screens.evaluate("window.broken") is None
    screens.locator('input[name="12"]').nth(0).check()
    screens.locator('input[name="true"]').nth(0).check()
    screens.locator('input[name="true"]').nth(1).check()
    screens.locator("input[type=number]").fill("3")
    last = screens.locator("[data-ranker-id]").last
    last.focus()
    for key in ("Space", "ArrowUp", "Space"):
        screens.keyboard.press(key)
        screens.wait_for_timeout(400)  # the entry moves with an animation
    for place in range(3):
        screens.locator('input[name="yes"]').nth(place).check()
    why = screens.locator('textarea[name="why"]')
    assert not why.is_visible()
    screens.locator('input[name="It cannot"]').check()
    why.fill("It costs $5.\nReally.")
    screens.locator(f'textarea[name="{results.NOTE}"]').fill(" A note. ")
    read = results.read_result(schema, "verification", "kitchen", submitted(screens, admin, number), fields)
    assert read.problems == ()
    assert read.values == {
        "seen": ["true", "12"],
        "first": "true",
        "count": 3,
        "order": ["3", "1", "open $about", "2"],
        "properties": [{"name": each, "value": "yes"} for each in ("openable", "sliceable", "breakable")],
        "fits": "no",
        "why": "It costs $5.\nReally.",
    }
    assert read.note == "A note."


@pytest.mark.browser
def test_a_question_about_a_clip_is_skipped_with_its_cause(
    screens: Page, label_studio: LabelStudio, media: Callable[[AssetView], str]
) -> None:
    schema, admin = LOADED["egoplan"], label_studio.admin
    view = task(schema, Stage.VERIFICATION, "next_action")
    project, number = put(admin, schema, view, media)
    opened(screens, admin, project, number)
    # the browser gets 1.95 s, because nothing says how long the last frame stays: 23 at 12 a second, 46 at its own 24
    screens.wait_for_function(r"/\b1\s+of\s+2[34]\b/.test(document.body.innerText)")
    cause = screens.locator('input[name="The goal is ambiguous"]')
    assert not cause.is_visible()
    screens.locator('input[name="Skip"]').check()
    screens.get_by_role("button", name="Submit").first.click()
    screens.get_by_text("Choose an answer to every question").wait_for()
    screens.get_by_role("button", name=re.compile("OK", re.IGNORECASE)).click()
    cause.check()
    read = results.read_result(schema, "verification", "next_action", submitted(screens, admin, number), view.fields)
    assert (read.values, read.reasons, read.problems) == ({"choice": None}, {"choice": "goal_ambiguous"}, ())


@pytest.mark.browser
def test_a_reason_of_an_answer_that_was_taken_back_is_gone(
    screens: Page, label_studio: LabelStudio, media: Callable[[AssetView], str]
) -> None:
    schema, admin = LOADED["demo"], label_studio.admin
    view = task(schema, Stage.VERIFICATION, "counting")
    project, number = put(admin, schema, view, media)
    opened(screens, admin, project, number)
    screens.locator('input[name="Does not fit"]').check()
    screens.locator('input[name="Another reason"]').check()
    screens.locator('textarea[name="fits-words-2"]').fill("left over")
    screens.locator('input[name="Fits"]').check()
    read = results.read_result(schema, "verification", "counting", submitted(screens, admin, number), view.fields)
    assert (read.values, read.reasons, read.problems) == ({"fits": "yes"}, {}, ())


@pytest.mark.browser
def test_boxes_and_marks_are_where_they_were_drawn(
    screens: Page, label_studio: LabelStudio, media: Callable[[AssetView], str]
) -> None:
    schema, admin = LOADED["tour"], label_studio.admin
    assets = [AssetView(id=f"i{at}", role="image", kind="image") for at in (1, 2)]
    view = replace(task(schema, Stage.VERIFICATION, "pointing"), assets=assets)
    project, number = put(admin, schema, view, media)
    opened(screens, admin, project, number)
    canvas = screens.locator("canvas").first
    canvas.wait_for()
    screens.wait_for_timeout(1000)  # the picture is scaled after it has loaded
    place = canvas.bounding_box()
    assert place is not None

    def at(x: float, y: float) -> tuple[float, float]:
        return place["x"] + x * place["width"], place["y"] + y * place["height"]

    screens.get_by_text("Plate", exact=True).first.click()
    screens.mouse.move(*at(0.25, 0.25))
    screens.mouse.down()
    screens.mouse.move(*at(0.4, 0.4), steps=4)
    screens.mouse.move(*at(0.5, 0.75), steps=4)
    screens.mouse.up()
    screens.keyboard.press("Escape")
    screens.keyboard.press("6")  # the second number, as it says next to it
    screens.mouse.click(*at(0.75, 0.5))
    screens.locator('input[name="Fits"]').check()
    result = submitted(screens, admin, number)
    read = results.read_result(schema, "verification", "pointing", result, view.fields)
    assert read.problems == ()
    (box,) = read.values["objects"]
    (mark,) = read.values["spots"]
    pixel = 2 / place["height"]
    assert box.pop("label") == "plate"
    assert box == pytest.approx({"x": 0.25, "y": 0.25, "w": 0.25, "h": 0.5}, abs=pixel)
    assert (mark["number"], mark["x"], mark["y"]) == (2, pytest.approx(0.75, abs=pixel), pytest.approx(0.5, abs=pixel))
    # a returned draft is drawn at the same place, to a ten thousandth
    again = results.write_result(
        schema, "verification", "pointing", read.values | {"objects": [{"label": "plate", **box}]}
    )
    sent = {each["from_name"]: each["value"] for each in again}
    was = {each["from_name"]: each["value"] for each in result}
    for name in ("x", "y", "width", "height"):
        assert abs(sent["objects"][name] - was["objects"][name]) <= 0.01  # percent
    assert json.dumps(again)


@pytest.mark.browser
def test_stars_passages_and_boxes_without_labels(
    screens: Page, label_studio: LabelStudio, media: Callable[[AssetView], str]
) -> None:
    asked = [
        {"name": "stars", "kind": "scale", "values": [1, 2, 3, 4, 5]},
        {"name": "words", "kind": "spans", "options": ["wrong", "$odd"]},
        {"name": "place", "kind": "boxes", "role": "image"},
        {"name": "count", "kind": "number", "skip": {"label": "Skip", "reasons": ["tired", "unclear"]}},
    ]
    schema, admin = asking(*asked, stage="grading", fields=()), label_studio.admin
    text = "😀 a red cup\non the <b>table</b>\n\nlast 😀 words"
    view = TaskView(
        id="t",
        project="p",
        stage=Stage.GRADING,
        dimension="d",
        item="i",
        revision=1,
        fields={},
        assets=[AssetView(id="i1", role="image", kind="image")],
        lease_until=datetime(2026, 1, 1, tzinfo=UTC),
        answer=text,
    )
    fields = {PREDICTION: text}
    draft = {"words": [{"start": 4, "end": 7, "tag": "$odd"}]}
    project, number = put(
        admin, schema, view, media, results.write_result(schema, "grading", "d", draft, item_fields=fields)
    )
    opened(screens, admin, project, number)
    screens.locator(".ant-rate-star").nth(3).click()
    screens.locator('input[name="Unclear"]').check()
    for word in ("table", "words"):
        screens.get_by_text("Wrong", exact=True).first.click()
        screens.mouse.dblclick(*screens.evaluate(MIDDLE_OF, word))
        screens.wait_for_timeout(300)
        screens.keyboard.press("Escape")
    canvas = screens.locator("canvas").first
    place = canvas.bounding_box()
    assert place is not None
    screens.locator('[aria-label^="rectangle"]').first.click()
    screens.mouse.move(place["x"] + 0.5 * place["width"], place["y"] + 0.5 * place["height"])
    screens.mouse.down()
    screens.mouse.move(place["x"] + 0.6 * place["width"], place["y"] + 0.6 * place["height"], steps=4)
    screens.mouse.move(place["x"] + 0.75 * place["width"], place["y"] + 0.75 * place["height"], steps=4)
    screens.mouse.up()
    read = results.read_result(schema, "grading", "d", submitted(screens, admin, number), fields)
    assert read.problems == ()
    (box,) = read.values.pop("place")
    assert box == pytest.approx({"x": 0.5, "y": 0.5, "w": 0.25, "h": 0.25}, abs=2 / place["height"])
    assert read.values == {
        "stars": 4,
        "words": [{"start": 4, "end": 7, "tag": "$odd"}]
        + [{"start": text.index(word), "end": text.index(word) + 5, "tag": "wrong"} for word in ("table", "words")],
        "count": None,
    }
    assert read.reasons == {"count": "unclear"}

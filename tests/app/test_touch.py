"""Whole items on a telephone, by taps only: pictures, questions, forms and the button that submits them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from domain.states import Stage
from testkit import compared_world
from testkit.factories import make_items, make_predictions
from testkit.missing_extensions import needs
from testkit.stage_work import open_work
from tests.app.test_workbench import Place, _fill_pool, _write, asked, next_question, place, until

__all__ = ["place"]

pytestmark = pytest.mark.browser

SMALLEST = 44
"""The least side of what a finger taps, in pixels."""

TARGETS = """() => {
    const shown = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('[inert]');
    const host = [...document.querySelectorAll('*')].map(node => node.shadowRoot).find(
        root => root && root.querySelector('.ts[data-view]'));
    return [...host.querySelectorAll('button, a, summary, [role=radio]')].filter(shown)
        .map(one => [one.innerText, one.getBoundingClientRect()])
        .filter(([, box]) => Math.min(box.width, box.height) < SMALLEST)
        .map(([words, box]) => `${words} ${box.width} x ${box.height}`);
}""".replace("SMALLEST", str(SMALLEST))


@pytest.fixture
def phone(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, device_scale_factor=2
    )
    page = context.new_page()
    page.set_default_timeout(20_000)
    yield page
    context.close()


def fits(page: Page, pictures: Path | None, name: str) -> None:
    """Nothing scrolls sideways, everything to tap is large enough, and the button that submits is in sight."""
    if pictures is not None:
        page.screenshot(path=pictures / f"touch-{name}.png")
    for each in ("html", ".ts", ".ts .form", ".ts .scroll", ".ts .line"):
        assert page.locator(each).first.evaluate("one => one.scrollWidth - one.clientWidth") <= 0, each
    assert page.evaluate(TARGETS) == []
    box = page.locator(".submit").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 844


def test_verify_with_a_reason_a_larger_picture_and_an_edit(
    place: Place, phone: Page, tmp_path: Path, pictures: Path | None
) -> None:
    project = place.project(load_schema(shipped()["demo"]))
    author = place.person(project)
    _fill_pool(place, project, tmp_path, 2)
    for n in range(2):
        _write(
            place,
            project,
            author,
            question=f"What do I hold in my right hand, and what is next to it? {n}",
            answer="A cup.",
        )
    person = place.person(project)
    place.open(phone, "verify", project=project, person=person)
    fits(phone, pictures, "verify")
    first = str(asked(phone).inner_text())
    image = phone.locator(".media img.view")
    until(lambda: image.evaluate("image => image.naturalWidth"))
    frame = phone.locator(".media .viewport")
    frame.tap()
    factor = phone.locator(".zoombar")
    expect(factor).to_be_visible()
    frame.tap()
    expect(factor).to_be_hidden()
    pinch(phone)
    expect(factor).to_be_visible()
    frame.tap()
    phone.locator(".choice", has_text="Does not fit").tap()
    expect(phone.locator(".why .choice").first).to_be_visible()
    fits(phone, pictures, "reasons")
    phone.locator(".why .small").first.tap()  # back
    expect(phone.locator(".why .choice")).to_have_count(0)
    phone.locator(".choice", has_text=re.compile("^.?Fits")).tap()
    next_question(phone, first)
    actions = phone.get_by_role("button", name="Actions")
    actions.tap()
    fits(phone, pictures, "actions")
    phone.locator(".tool", has_text="edit last").tap()
    expect(asked(phone)).to_have_text(first)
    fits(phone, pictures, "edit")
    phone.get_by_role("button", name="Keep my answer").tap()
    next_question(phone, first)
    actions.tap()
    phone.locator(".tool", has_text="guideline").tap()
    expect(phone.locator(".guide")).to_be_visible()
    fits(phone, pictures, "guideline")
    phone.locator(".guide .small").first.tap()
    actions.tap()
    phone.locator(".tool", has_text="keys").tap()
    expect(phone.locator(".sheet")).to_be_visible()
    phone.locator(".sheet .small", has_text="close").tap()
    actions.tap()
    phone.locator(".tool", has_text="note").tap()
    phone.locator(".note textarea").fill("By hand.")
    phone.locator(".choice", has_text=re.compile("^.?Fits")).tap()
    expect(phone.locator(".nothing")).to_be_visible()
    assert [(vote.answers, vote.note) for vote in place.votes(person)] == [
        ({"fits": "yes"}, ""),
        ({"fits": "yes"}, "By hand."),
    ]


def pinch(page: Page) -> None:
    """Two fingers on the picture move apart."""
    session = page.context.new_cdp_session(page)
    for kind, way in (("touchStart", 20), ("touchMove", 50), ("touchMove", 80), ("touchEnd", None)):
        points = [] if way is None else [{"x": 195 - way, "y": 200, "id": 1}, {"x": 195 + way, "y": 200, "id": 2}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def test_grade(place: Place, phone: Page, pictures: Path | None) -> None:
    project = place.project()
    made = make_items(place.store, 1, project=project)
    make_predictions(place.store, made, models=["m"], project=project)
    person = place.person(project)
    place.open(phone, "grade", project=project, person=person)
    expect(phone.locator(".shown.answer .value")).to_be_visible()
    fits(phone, pictures, "grade")
    phone.locator(".choice").nth(1).tap()
    expect(phone.locator(".nothing")).to_be_visible()
    (grade,) = place.votes(person)
    assert grade.stage is Stage.GRADING


@needs("stages", "comparison")
def test_compare(place: Place, phone: Page, pictures: Path | None) -> None:
    project = place.project(compared_world.schema())
    made = make_items(place.store, 1, project=project)
    for says in ("a says so. ", "b says so. "):
        compared_world.answer(place.store, made, says[0], lambda _, says=says: says * 30, project=project)  # type: ignore[misc]
    open_work(place.store, Stage.COMPARISON, project=project)
    person = place.person(project)
    place.open(phone, "compare", project=project, person=person)
    expect(phone.locator(".shown.answer .value")).to_have_count(2)
    fits(phone, pictures, "compare")
    phone.locator("[data-criterion=better] .choice").first.tap()
    phone.locator(".submit").tap()
    expect(phone.locator(".nothing")).to_be_visible()
    (vote,) = place.votes(person)
    assert vote.answers["better"] == "left"

"""The forms of the page as its modules make them, without a server: what is kept of what someone does on them."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from annotation_schemas import drawing
from app.workbench.assets import TYPES, sources

pytestmark = pytest.mark.browser

HOST = """
    const { MediaPane } = await import('/media/pane.js');
    const host = { media: new MediaPane(), change() {}, submit() {}, blur() {}, unseen: () => false };
"""
FIELD = {
    "title": "Steps",
    "help": None,
    "required": True,
    "field": None,
    "options": [],
    "distinct": False,
    "options_title": None,
    "length": None,
    "min": None,
    "max": None,
    "authored": True,
}
BOXES = {
    "name": "where",
    "kind": "boxes",
    "prompt": "Where is it?",
    "help": None,
    "field": None,
    "options": [],
    "aspects": [],
    "dimensions": None,
    "required": True,
    "show_if": {},
    "skip": None,
    "min": 0,
    "max": None,
    "role": None,
    "drawing": drawing.for_page(),
}
CLIP = {"id": "c", "role": "clip", "title": "Clip", "kind": "clip", "missing": True, "width": None, "height": None}


@pytest.fixture
def modules(browser_page: Page) -> Page:
    """A page on which the modules of the working page can be imported."""

    def serve(route: Route) -> None:
        path = route.request.url.removeprefix("http://page.test/")
        if path in sources():
            route.fulfill(body=sources()[path], content_type=TYPES[PurePath(path).suffix])
        else:
            route.fulfill(body="<!doctype html><title>forms</title>", content_type="text/html")

    browser_page.route("http://page.test/**", serve)
    browser_page.goto("http://page.test/")
    return browser_page


def run(page: Page, code: str, given: Any = None) -> Any:
    return page.evaluate(f"async (given) => {{ {code} }}", given)


def test_an_entry_that_an_adjudicator_changes_in_a_list_is_sent(modules: Page) -> None:
    # The item's own list stays as it came: what is written is told from it by comparing the two.
    run(
        modules,
        HOST
        + """
        const { AdjudicateForm } = await import('/forms/adjudicate.js');
        window.form = new AdjudicateForm(host);
        document.body.append(form.root);
        form.open({ criteria: [], options: {}, votes: [], history: [], reasons: [], edit: true, ...given });
        form.decide('edit');
        """,
        {
            "fields": [
                {**FIELD, "name": "steps", "kind": "text_list"},
                {**FIELD, "name": "question", "kind": "text", "title": "Question"},
            ],
            "values": {"steps": ["fill the pan", "boil the egg"], "question": "What comes first?"},
        },
    )
    assert run(modules, "return form.check()") is False
    expect(modules.get_by_text("You have not changed anything.")).to_be_visible()
    modules.get_by_label("Steps, entry 2").fill("boil the eggs")
    assert run(modules, "return form.check()") is True
    sent = run(modules, "return form.read()")["values"]
    assert sent == {"decision": "edit", "cause": None, "fields": {"steps": ["fill the pan", "boil the eggs"]}}


def test_keys_draw_for_the_first_criterion_also_where_the_item_may_be_edited_below(modules: Page) -> None:
    found = run(
        modules,
        HOST
        + """
        const { Forms } = await import('/page/forms.js');
        const task = { fields: {}, options: {}, plans: {}, answer: 'On the table.', dimension: 'one' };
        const fixed = { stage: { name: 'refinement' }, fields: [], criteria: [given], adjudication: null };
        const forms = new Forms(host);
        forms.open(fixed, task, {}, []);
        const first = host.media.editor;
        forms.open(fixed, task, { values: { where: [{ x: 0.1, y: 0.1, w: 0.2, h: 0.2 }] } }, []);
        return [first?.spec.name, host.media.drawers.size, [...host.media.drawers][0]?.list.length];
        """,
        BOXES,
    )
    assert found == ["where", 1, 1]


def test_keys_before_the_first_page_and_on_media_of_unknown_size_do_nothing(modules: Page) -> None:
    # The database is away, so nothing is there yet; what a key throws would fail the test (``browser_page``).
    run(
        modules,
        """
        const { default: mount } = await import('/workbench.js');
        const place = document.body.appendChild(document.createElement('main'));
        const data = { away: 'The database does not answer.' };
        const parentElement = place.attachShadow({ mode: 'open' });
        window.drop = await mount({ data, parentElement, setTriggerValue() {} });
        """,
    )
    expect(modules.get_by_text("This page opens when the server answers again.")).to_be_visible()
    for key in ("g", "u", "Enter", "m", "?", "1", "Escape"):
        modules.keyboard.press(key)
    run(modules, "drop()")
    zoomed = run(
        modules,
        HOST + "host.media.show([given], null); host.media.key({ key: 'z' }); return host.media.zoomed;",
        CLIP,
    )
    assert zoomed is False

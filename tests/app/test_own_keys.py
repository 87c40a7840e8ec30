"""A person's own keys in a stage: chosen on the page, refused where they are taken, and there on another computer."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from domain.errors import InvalidInputError
from domain.states import Stage
from testkit.factories import make_items
from tests.app.test_workbench import Place, asked, next_question, place
from workflow.access import own_settings

__all__ = ["place"]

pytestmark = pytest.mark.browser


def choose(page: Page, action: str, key: str) -> None:
    """Press the button of an action in the dialog, then its new key."""
    page.locator(f".keyeditor [data-action='{action}']").click()
    page.keyboard.press(key)


def test_own_keys_vote_skip_and_open_the_guideline_on_every_computer(
    place: Place, chromium: Browser, browser_page: Page
) -> None:
    project = place.project()
    make_items(place.store, 4, project=project)
    person = place.person(project)
    place.open(browser_page, "verify", project=project, person=person)
    page = browser_page
    slots = page.locator(".ts .choice .slot")
    expect(slots).to_have_text(["1", "2", "3"])
    page.keyboard.press("?")
    page.get_by_role("button", name="Change keys").click()
    choose(page, "1", "y")
    choose(page, "2", "g")  # taken by the guideline
    conflict = page.locator(".keyeditor .error")
    expect(conflict).to_have_text("“G” is also the key for “guideline”. Give “choice 2” or “guideline” another key.")
    expect(page.get_by_role("button", name="Save keys")).to_be_disabled()
    choose(page, "g", "h")
    expect(conflict).to_have_count(0)
    choose(page, "n", "o")
    expect(conflict).to_have_text("“O” is always the key for “repeat, or stop at the end”. Choose another key.")
    choose(page, "n", "n")
    choose(page, "Skip", "F5")
    expect(page.locator(".sheet > .error")).to_contain_text("Browsers and screen readers use this key.")
    choose(page, "Skip", "s")
    page.get_by_role("button", name="Save keys").click()
    expect(page.get_by_role("button", name="Change keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(slots).to_have_text(["Y", "G", "S"])
    expect(page.locator(".tool kbd").first).to_have_text("H")
    first = str(asked(page).inner_text())
    page.keyboard.press("1")  # has no meaning now
    page.keyboard.press("h")
    expect(page.locator(".guide")).to_be_visible()
    page.keyboard.press("h")
    page.keyboard.press("g")
    second = next_question(page, first)
    other = chromium.new_context()
    try:
        away = other.new_page()
        place.open(away, "verify", project=project, person=person)
        expect(away.locator(".ts .choice .slot")).to_have_text(["Y", "G", "S"])
        away.keyboard.press("y")
        third = next_question(away, second)
        away.keyboard.press("s")
        expect(away.locator(".why .choice .slot").first).to_have_text("Y")
        away.keyboard.press("y")
        next_question(away, third)
        assert [vote.answers["choice"] for vote in place.votes(person)] == ["blue", "red", None]
        away.keyboard.press("?")
        away.get_by_role("button", name="Change keys").click()
        away.get_by_role("button", name="Reset").click()
        away.get_by_role("button", name="Save keys").click()
        expect(away.locator(".ts .choice .slot")).to_have_text(["1", "2", "3"])
    finally:
        other.close()
    assert own_settings.keys_of(place.store, person=person, stage=Stage.VERIFICATION) == {}


@pytest.mark.parametrize("keys", [{"1": "Tab"}, {"1": " "}, {"1": "x", "2": "x"}, {"1": 3}, {"": "x"}])
def test_keys_that_no_one_could_use_are_not_stored(place: Place, keys: dict[str, str]) -> None:
    person = place.person(place.project())
    with pytest.raises(InvalidInputError):
        own_settings.set_keys(place.store, person=person, stage=Stage.GRADING, keys=keys)
    assert own_settings.keys_of(place.store, person=person, stage=Stage.GRADING) == {}

"""Rules of wording on the page: said in pauses, in no one's way, and refused where the schema says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Route, expect

from annotation_schemas.loader import load_text
from db import item_revisions, projects
from domain.states import Stage
from testkit.factories import make_items, make_person, make_pool, make_predictions, make_project
from testkit.missing_extensions import needs
from testkit.serving import Server
from testkit.stage_work import open_work
from tests.e2e.people import Desk, at_desk, opened
from tests.e2e.test_for_everyone import AXE, found

pytestmark = [pytest.mark.browser, pytest.mark.slow, needs("stages", "refinement")]

SCHEMA = """
name: worded
version: 1
title: Worded
source: {format: jsonl}
dimensions: [{id: colour, title: Colour}]
item:
  assets: [{role: image, kind: image, min: 0}]
  fields:
    - name: question
      kind: text
      language: en-GB
      wording: {words: {most: 6}, forbidden: [obviously], ends_with: "?", stops: [ends_with]}
    - {name: options, kind: text_list, wording: {no_rewording: true}}
    - {name: answer, kind: option_of, field: options, wording: {not_in: [question]}}
stages:
  authoring: {}
  refinement:
    criteria: [{name: other, kind: choice, prompt: "Another one?", options: ["yes", "no"]}]
    until: one_right_answer
    done: {other: "no"}
"""
GOOD = {"question": "What is it?", "options": ["a cup", "a pan"], "answer": "a cup"}
LONG, OPEN = "Suggestion: The text has 7 words. Write at most 6.", "Cannot be submitted: End the text with “?”."
OBVIOUS = "Suggestion: Remove “obviously”."


@pytest.fixture
def running(server: Server, sqlite_template: Path) -> Server:
    """Someone who writes and refines, a free image, and an answer to look at."""
    (server.home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    with opened(server) as store:
        make_project(store, loaded=load_text(SCHEMA, "", "worded"))
        make_person(store, "ann", stages=[Stage.AUTHORING, Stage.REFINEMENT])
        make_pool(store, 1)
        make_predictions(store, make_items(store, 1, fields=GOOD), models=["m"])
        open_work(store, Stage.REFINEMENT, models=["m"])
    return server.start()


def said(desk: Desk, field: str) -> Locator:
    """The lines below a field, as they are read out."""
    return desk.page.locator(f".field[data-field={field}]").get_by_role("status").locator("p")


def box(desk: Desk, field: str, at: int = 0) -> Locator:
    return desk.page.locator(f".field[data-field={field}] textarea").nth(at)


def test_what_is_said_while_someone_writes_and_refines(running: Server, chromium: Browser) -> None:
    held: list[Route] = []

    def first_is_slow(route: Route) -> None:
        held.append(route)
        if len(held) > 1:
            route.continue_()

    with at_desk(chromium, running, "ann") as desk:
        page = desk.page
        page.route("**/api/wording", first_is_slow)
        desk.open("/author?project=p")
        expect(desk.bench).to_have_attribute("data-view", "pool")
        desk.press("Enter")
        expect(box(desk, "question")).to_be_focused()
        expect(box(desk, "question")).to_have_attribute("lang", "en-GB")
        with page.expect_request("**/api/wording"):
            page.keyboard.insert_text("Obviously a cup is this")
        page.keyboard.insert_text(" one here")  # without an end: it is still to come
        expect(said(desk, "question")).to_have_text([LONG, OBVIOUS])
        with page.expect_response("**/api/wording"):
            held[0].continue_()  # of the first five words, too late
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        expect(said(desk, "question")).to_have_text([LONG, OBVIOUS])
        expect(box(desk, "question")).to_be_focused()

        desk.press("Enter")
        page.keyboard.insert_text("a cup")
        expect(said(desk, "question")).to_have_text([LONG, OBVIOUS, OPEN])
        expect(box(desk, "options")).to_be_focused()
        desk.press("Tab", "Tab", "Enter")  # past the second one, which stays empty: adds a third
        page.keyboard.insert_text("The cups.")
        expect(said(desk, "options")).to_have_text(
            ["Suggestion: Entries 1 and 3 have the same meaning. Change or remove entries."]
        )
        desk.press("Enter", "1")
        expect(said(desk, "answer")).to_have_text(
            ["Suggestion: “a cup” also appears in Question. Use different words."]
        )
        page.evaluate(AXE.read_text(encoding="utf-8"))
        assert found(page) == []

        desk.press("ControlOrMeta+Enter")
        error = page.locator(".field[data-field=question] .error")
        expect(error).to_have_text("Question: End the text with “?”.")
        expect(said(desk, "question")).to_have_text([LONG, OBVIOUS])  # and not once more
        desk.fill("question", "Obviously a cup is this one here?")
        desk.press("ControlOrMeta+Enter", "ControlOrMeta+Enter")
        expect(desk.bench).to_have_attribute("data-view", "pool")

        desk.go("/refine?project=p")
        expect(desk.bench).to_have_attribute("data-view", "task")
        desk.press("e", "2")
        desk.fill("question", "Obviously what")
        expect(said(desk, "question")).to_have_text([OBVIOUS])
        desk.press("Tab")
        expect(said(desk, "question")).to_have_text([OBVIOUS, OPEN])
    with opened(running) as store, store.read() as session:
        project = projects.by_name(session, name="p")
        assert project is not None
        content = item_revisions.current_content(session, project_id=project.id).values()
    assert sorted(each["question"] for each in content) == ["Obviously a cup is this one here?", GOOD["question"]]

"""Leads send items back from the page Shortcuts and by its command, each with its reason."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.jobs import figure_requests
from app.services import resources
from db.engine import Store
from domain.records import Person
from domain.roles import Role
from extensions.shortcuts.tests.rooms import Rooms
from testkit.factories import make_person, make_pool
from testkit.missing_extensions import needs
from tests.app.screens import drawn, part, rows, words
from tests.app.test_send_back_pages import back as reasons_of
from tests.app.test_send_back_pages import pressed
from tests.workflow.shortcut_world import LETTERS, always_b, reader, served, spec_of
from tests.workflow.test_questions import png
from workflow.annotate import image_pool, submissions
from workflow.runs import attempt_keeper

pytestmark = pytest.mark.thorough


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figure_requests, "_memory", figure_requests._Memory())
    monkeypatch.setattr(figure_requests, "_begin", lambda *given: None)  # the classifier has nothing to do with it
    monkeypatch.setattr(attempt_keeper, "LOOK_SECONDS", 0.05)


TOLD = "1 of 2 models answers this item correctly without images, in every order of its options."
ARGUED = "The handle is on the other side.\nThe answer is "


def arguing(number: int, options: list[str], sees: bool) -> str:
    """Knows every item with its picture, but names the same wrong option of item 7 wherever it stands, and says why."""
    return ARGUED + LETTERS[options.index("wrong 7 y" if number == 7 else f"right {number}")] + "."


def rooms(store: Store, home: Path) -> Person:
    """Items out of a file, and two that someone here has written: one that texts alone tell, one that is argued
    about."""
    made = Rooms(store, home)
    make_person(store, "lea", role=Role.LEAD)
    ann = make_person(store, "ann")
    sha256 = made.media.add(png(home)).sha256
    for image, number in zip(make_pool(store, 2, sha256=sha256), (1, 7), strict=True):
        view = image_pool.pick(store, person=ann, project="p", dimension="colour", assets=[image])
        options = [f"right {number}", *(f"wrong {number} {name}" for name in "xyz")]
        values = {"question": f"Number {number}?", "options": options, "answer": options[0]}
        submissions.submit(store, person=ann, task=view.id, key=f"w-{number}", values=values)
    for name, mind, blind in (("reader", reader, True), ("b", always_b, True), ("strong", arguing, False)):
        with served(mind) as server:
            made.ask(spec_of(server, name), text_only=blind, orders=4)
    return ann


@pytest.mark.usefixtures("desk")
def test_what_models_flag_goes_back_with_words_that_stand_there_already(store: Store, home: Path) -> None:
    ann = rooms(store, home)
    page = drawn(store, home, "shortcuts", "lea", project="p", show="models-items")
    key = "shortcuts.models.back.p"
    page.checkbox(key=f"{key}.on.0").check().run()
    (box,) = page.text_area
    assert box.value == TOLD
    assert {row["Why"] for row in rows(page, "Will not change")} == {
        "The item was imported from a file, so the item has no author."
    }
    assert part(page, "preview") == "1 item will be sent back, and 3 will not."
    page.selectbox(key="shortcuts.models.list.p").select("for a second look").run()
    page.multiselect(key="shortcuts.models.chosen.p").select("reader").run()
    page.multiselect(key="shortcuts.models.strong.p").select("strong").run()
    wrote = "The handle is on the other side."
    assert f'<div class="ts-said framed">{wrote}' in words(page)
    page.checkbox(key=f"{key}.on.0").check().run()
    first, second = page.text_area
    assert first.value == TOLD
    assert str(second.value).startswith(
        f"A model gives another answer with images, in all 4 orders of options: “wrong 7 y”. It wrote: {wrote}"
    )
    first.input("  ").run()
    page.text_area[1].input("Is it the other side?").run()
    assert part(page, "preview") == "1 item will be sent back, and 5 will not."
    page.text_area[1].input("Is it the other side, or not?")
    page = pressed(pressed(page, "Send back 1 item"), "Yes, send back 1 item")
    assert "Done: 1 item sent back." in words(page)
    assert not page.text_area, "the list is closed after that"
    assert reasons_of(store, ann) == {"Number 7?": "Is it the other side, or not?"}


@needs("commands", "bulk")
@pytest.mark.usefixtures("desk")
def test_the_commands_do_the_same_by_way_of_a_file(store: Store, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = rooms(store, home)
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", store.engine.url.render_as_string(hide_password=False))
    resources.cache_clear()

    def said(*given: str) -> str:
        done = CliRunner().invoke(cli, [*given])
        return done.stdout if done.exit_code == 0 else f"{done.exception}"

    file = home / "reasons.csv"
    models = ("shortcuts", "p", "--models", "--model", "reader", "--strong", "strong")
    told = said(*models, "--reasons", str(file))
    assert "    strong wrote: The handle is on the other side. The answer is " in told
    second = json.loads(said(*models, "--json"))["second_look"]["items"]
    others = [each["others"][0] for each in second if "others" in each]
    assert [(each["model"], each["answers"]) for each in others] == [("strong", ["wrong 7 y"])] * 2
    assert all(each["wrote"]["text"].startswith("The handle") for each in others)
    listed = list(csv.DictReader(io.StringIO(file.read_text())))
    assert len(listed) == 6
    send = ("item", "return", "p", "--reasons", str(file), "--as", "lea")
    assert (
        said(*send).splitlines()[-1]
        == "Preview: items that would change: 2. Items that would not change: 4. To apply the change, add --yes."
    )
    assert "Choose the items with either --items or --reasons." in said(*send, "--items", str(file))
    assert "Only" in said(*send[:-1], "ann")
    assert said(*send, "--yes").splitlines()[-1] == "Items changed: 2. Items not changed: 4."
    assert reasons_of(store, ann)["Number 1?"] == TOLD
    file.write_text("item\nx\n")
    assert "the header must contain each column exactly once: item and reason" in said(*send)
    resources.cache_clear()

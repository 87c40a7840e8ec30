"""The page *Schema*: a lead edits the schema, sees what a change would do, makes it, and takes it back."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from sqlmodel import select

from app.jobs import figure_requests
from db.engine import Store
from db.tables import ItemRow, SchemaChangeRow
from domain.states import ItemState
from extensions.schema_migration import change_jobs
from extensions.schema_migration.pages import schema as schema_page
from tests.app.screens import words
from tests.app.test_lead_screens import Show, first_home, home, show, store, vote, write_item
from workflow.jobs import desk

__all__ = ["first_home", "home", "show", "store"]  # fixtures


@pytest.fixture(autouse=True)
def in_a_box(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page without an editor of an extension: the schema is a text in a box."""
    monkeypatch.setattr(schema_page, "schema_editor", lambda: None)


def state_of(store: Store, item: str) -> ItemState:
    with store.read() as session:
        return session.exec(select(ItemRow.state).where(ItemRow.public_id == item)).one()


@pytest.mark.thorough
def test_a_schema_is_changed_by_deciding_looking_and_pressing_once_and_taken_back(store: Store, show: Show) -> None:
    """Two raters become three: the kept item is decided once more if the lead says so, and kept again afterwards."""
    item = write_item(store)
    vote(store, "bo", "yes")
    vote(store, "chi", "yes")
    test = show("schema", "lea")
    assert "Nothing has changed yet." in words(test)
    assert "The project uses its first schema" in words(test)
    text = test.text_area[0].value.replace("    raters: 2", "    raters: 3")
    test.text_area[0].set_value(text).run()
    test.button(key="schema.look").click().run()
    assert "Increase `version`." in words(test)
    test.text_area[0].set_value(text.replace("\nversion: 1\n", "\nversion: 2\n")).run()
    test.button(key="schema.look").click().run()
    assert "choose what happens to stored votes" in words(test)
    assert not [button for button in test.button if button.key == "schema.take"]
    way = next(box for box in test.selectbox if str(box.key).startswith("schema.way."))
    assert way.options == [
        "Decided items with too few votes open again until each item has enough votes",
        "Stored values stay, even if the values no longer fit the schema",
    ]
    way.select_index(0).run()
    assert "Press “See effects” again." in words(test)
    test.button(key="schema.look").click().run()
    page = words(test)
    assert re.search(r"<td>kept</td><td[^>]*>1</td><td[^>]*>0</td>", page)
    assert re.search(r"<td>in verification</td><td[^>]*>0</td><td[^>]*>1</td>", page)
    assert state_of(store, item) is ItemState.KEPT, "nothing has happened yet"
    test.button(key="schema.take").click().run()

    assert "Version 2 is in force. Changed results: 1 item." in words(test)
    assert state_of(store, item) is ItemState.IN_VERIFICATION
    assert "more votes: stages.verification.raters" in words(test)
    test.button(key="schema.undo").click().run()
    test.button(key="schema.back.yes").click().run()
    assert "Change 1 was undone. Version 1 is in force. Changed results: 1 item." in words(test)
    assert state_of(store, item) is ItemState.KEPT


@pytest.mark.slow
def test_a_large_schema_change_is_looked_at_and_made_elsewhere_and_one_that_was_interrupted_is_taken_back(
    store: Store, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is small here: a look and a change go to processes of their own; two presses begin once."""
    monkeypatch.setattr(figure_requests, "SMALL", 0)
    monkeypatch.setattr(change_jobs, "HERE", 0)
    write_item(store)
    test = show("schema", "lea")
    text = test.text_area[0].value.replace("\nversion: 1\n", "\nversion: 2\n")
    test.text_area[0].set_value(text.replace("\ntitle: ", "\ntitle: New ", 1)).run()
    test.button(key="schema.look").click().run()
    assert "being computed and will appear on this page" in words(test)
    until(lambda: any(button.key == "schema.take" for button in test.run().button))
    test.button(key="schema.take").click().run()
    assert "People keep working, and you can leave this page." in words(test)
    until(lambda: not desk.list_jobs(store, kinds=["schema"], only_open=True))
    assert "Version 2 is in force. Changed results: 0 items." in words(test.run())

    with store.write() as session:  # as a server that ended in the middle leaves it
        session.exec(select(SchemaChangeRow)).one().finished_at = None
    test = show("schema", "lea")
    assert "A schema change is not finished." in words(test)
    test.button(key="schema.interrupted").click().run()
    until(lambda: not desk.list_jobs(store, kinds=["schema"], only_open=True))
    assert "Change 1 was undone. Version 1 is in force." in words(test.run())


def until(holds: Callable[[], bool]) -> None:
    for _ in range(2400):  # the process has the lowest priority, and tests run beside it
        if holds():
            return
        time.sleep(0.1)
    raise AssertionError("it never came")


@pytest.mark.thorough
def test_a_schema_that_does_not_fit_is_told_by_its_lines(show: Show) -> None:
    test = show("schema", "lea")
    text = test.text_area[0].value
    line = text[: text.index("kind: scale")].count("\n") + 1
    test.text_area[0].set_value(text.replace("kind: scale", "kind: scales", 1)).run()
    page = words(test)
    assert "The form has errors. Fix these lines first." in page
    assert f"<td>{line}</td>" in page.replace(' class="number"', "")
    assert "`scales` is not a known value; did you mean `scale`?" in page
    assert not [button for button in test.button if button.key == "schema.look"]

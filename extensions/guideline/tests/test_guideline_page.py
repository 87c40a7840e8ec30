"""The page Guideline without a browser: a new version needs a sentence, and undoes no one else's."""

from __future__ import annotations

from db.engine import Store
from extensions.guideline import versions
from tests.app.screens import words
from tests.app.test_lead_screens import Show, first_home, home, show, store

__all__ = ["first_home", "home", "show", "store"]  # fixtures


def test_a_new_guideline_needs_a_sentence_and_is_told(store: Store, show: Show) -> None:
    test = show("guideline", "lea")
    before = test.text_area[0].value
    assert "Change the text to make a new version." in words(test)
    test.text_area[0].set_value(f"{before}\nLids count.").run()
    test.button(key="guideline.save").click().run()
    assert "Describe the change in one sentence" in words(test)
    assert len(versions.versions(store, by=None, project="tiny")) == 1
    test.text_input(key="guideline.why").set_value("Lids.")
    test.button(key="guideline.save").click().run()
    assert "Version 2 is published." in words(test)
    first, second = versions.versions(store, by=None, project="tiny")
    assert (first.text, second.text, second.why, second.by) == (before, f"{before}\nLids count.", "Lids.", "lea")


def test_a_guideline_written_meanwhile_is_not_written_over(store: Store, show: Show) -> None:
    test = show("guideline", "lea")
    mine = f"{test.text_area[0].value}\nMine."
    test.text_area[0].set_value(mine).run()
    versions.publish_version(store, by=None, project="tiny", text="Theirs.", why="A better one.")
    test.text_input(key="guideline.why").set_value("Mine.")
    test.button(key="guideline.save").click().run()
    assert "Version 2 was published while you were writing" in words(test)
    assert test.text_area[0].value == mine, "nothing that was typed is lost"
    assert len(versions.versions(store, by=None, project="tiny")) == 2
    test.button(key="guideline.seen").click().run()
    test.button(key="guideline.save").click().run()
    assert [version.text for version in versions.versions(store, by=None, project="tiny")][1:] == ["Theirs.", mine]

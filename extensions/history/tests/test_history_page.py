"""An open item and the table of items name stages, raters and counted items in words."""

from __future__ import annotations

from pathlib import Path

from sqlmodel import col, select

from db.engine import Store, open_store
from db.tables import PersonRow
from tests.app.screens import drawn, text, words
from tests.app.test_lead_screens import Show, first_home, home, show, store, vote, write_item
from tests.app.test_names_on_pages import make_three_stages

__all__ = ["first_home", "home", "show", "store"]  # fixtures


def test_a_stage_is_called_by_its_title(tmp_path: Path) -> None:
    store = open_store(None, tmp_path)
    store.upgrade()
    task = make_three_stages(store)
    page = drawn(store, tmp_path, "items", "lea", project="p", item=task.item)
    (offered,) = [box for box in page.selectbox if box.label == "Answers differ in"]
    assert "Content" in offered.options
    for label in ("Show votes", "Full record"):
        for button in [button for button in page.button if button.label == label]:
            button.click().run()
    assert "<td>Content</td>" in words(page)
    shown = text(words(page))
    assert "set the state to in Content (" in shown
    assert "verification_2" not in shown
    store.close()


def test_a_list_says_whose_answers_and_which_items_it_is_about(store: Store, show: Show) -> None:
    with store.write() as session:  # two people of one name
        for row in session.exec(select(PersonRow).where(col(PersonRow.login).in_(["bo", "chi"]))):
            row.name = "Robin"
    for value in ("yes", "yes", "no"):
        write_item(store)
        vote(store, "bo", "yes")
        vote(store, "chi", value, "wrong_answer" if value == "no" else None)
    asked = {"differ_in": "verification", "raters": ["bo", "chi"], "criterion": "fits"}
    every, kept = (words(show("items", "lea", **asked, items=items)) for items in ("all", "kept"))
    assert "Counted items: All" in every
    assert "Counted items: Kept only" in kept
    assert "Robin (bo) and Robin (chi) disagree about fits in Verification" in every

"""The page History names stages, raters and the items that were counted in words."""

from __future__ import annotations

from pathlib import Path

from sqlmodel import col, select

from db.engine import Store, open_store
from db.tables import PersonRow
from tests.app.screens import drawn, words
from tests.app.test_lead_screens import Show, first_home, home, show, store, vote, write_item
from tests.app.test_names_on_pages import make_three_stages

__all__ = ["first_home", "home", "show", "store"]  # fixtures


def test_a_stage_is_called_by_its_title(tmp_path: Path) -> None:
    store = open_store(None, tmp_path)
    store.upgrade()
    task = make_three_stages(store)
    text = words(drawn(store, tmp_path, "history", "lea", project="p", item=task.item))
    assert "<td>Content</td>" in text
    assert "set the state to in Content (" in text
    found = drawn(store, tmp_path, "history", "lea", project="p")
    assert "Content" in found.selectbox(key="history.differ").options
    assert "verification_2" not in text + words(found)
    store.close()


def test_a_list_says_whose_answers_and_which_items_it_is_about(store: Store, show: Show) -> None:
    with store.write() as session:  # two people of one name
        for row in session.exec(select(PersonRow).where(col(PersonRow.login).in_(["bo", "chi"]))):
            row.name = "Robin"
    for value in ("yes", "yes", "no"):
        write_item(store)
        vote(store, "bo", "yes")
        vote(store, "chi", value, "wrong_answer" if value == "no" else None)
    asked = {"differ": "verification", "raters": "bo", "criterion": "fits"}
    every, kept = (words(show("history", "lea", **asked, items=items)) for items in ("all", "kept"))
    assert "Among all items, as they were counted." in every
    assert "Among the kept items, as they were counted." in kept
    said = words(show("history", "lea", **{**asked, "raters": ["bo", "chi"]}))
    assert "Only where the answers of Robin (bo) and Robin (chi) differ about fits." in said

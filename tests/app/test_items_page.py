"""The page Items: the address is the list, and what is done to the chosen items is done once."""

from __future__ import annotations

from pathlib import Path

import pytest

from db.engine import Store
from domain.roles import Role
from testkit.factories import make_items, make_person, make_project
from tests.app.screens import drawn, part, words

pytestmark = pytest.mark.thorough


def test_what_the_address_asks_is_counted_and_all_that_fit_are_assigned_once(store: Store, tmp_path: Path) -> None:
    make_project(store)
    make_items(store, 30)
    make_items(store, 2, dimension="shape", fields={"question": "<b>Tee</b>", "options": ["a", "b"], "answer": "a"})
    make_person(store, "lea", role=Role.LEAD)
    make_person(store, "ana")
    page = drawn(store, tmp_path, "items", "lea", project="p", text="<B>tee", sort="-votes")
    assert part(page, "count") == "2 items"
    assert "<b>Tee" not in words(page)
    (every,) = page.toggle
    every.set_value(True).run()
    page.multiselect(key="items.to").set_value(["ana"]).run()
    assert part(page, "preview") == "2 items would change, 0 would not."
    next(each for each in page.button if each.label == "Change 2 items").click().run()
    yes = next(each for each in page.button if each.label.startswith("Yes"))
    yes.click().run()
    assert "Done: 2 items changed." in words(page)
    assert part(page, "preview") == "0 items would change, 2 would not."
    assert "They have it in hand already." in words(page)
    assert (
        part(drawn(store, tmp_path, "items", "lea", project="p", page="2", size="25"), "count")
        == "26 to 32 of 32 items"
    )


def test_a_wrong_address_and_a_wrong_role_get_a_sentence(store: Store, tmp_path: Path) -> None:
    make_project(store)
    make_items(store, 1)
    make_person(store, "lea", role=Role.LEAD)
    make_person(store, "sam", role=Role.SENIOR)
    make_person(store, "ana")
    assert "state=gone is not known here" in words(drawn(store, tmp_path, "items", "lea", project="p", state="gone"))
    assert "Only a lead may list items by votes" in words(
        drawn(store, tmp_path, "items", "sam", project="p", votes="1")
    )
    assert "for the seniors and leads" in words(drawn(store, tmp_path, "items", "ana", project="p"))
    elsewhere = words(drawn(store, tmp_path, "items", "lea", project="p", state="in_verification_2"))
    assert "No item fits" in elsewhere, "a state that this schema does not have is in no way wrong"

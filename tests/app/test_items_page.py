"""The page Items: the address is the list, and what is done to the chosen items is done once."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlmodel import select
from streamlit.testing.v1 import AppTest

from app.items import saved
from db import events
from db.engine import Store
from db.tables import ItemRow
from domain.errors import ConflictError, NotAllowedError, NotFoundError
from domain.item_filter import ItemFilter, ItemList
from domain.records import Person
from domain.roles import Role
from domain.states import ItemState
from testkit.factories import make_items, make_person, make_project
from tests.app.screens import drawn, part, words
from workflow.access import accounts
from workflow.access.projects import access_to
from workflow.lead import item_list, item_views

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
    _change(page, store, "lea")
    page.multiselect(key="items.to").set_value(["ana"]).run()
    assert part(page, "preview") == "2 items will change, 0 will not."
    _press(page, "Change 2 items")
    assert "2 items changed." in words(page)
    assert 'data-part="preview"' not in words(page), "no list of what the same would not change once more"
    _change(page, store, "lea")
    page.multiselect(key="items.to").set_value(["ana"]).run()
    assert part(page, "preview") == "0 items will change, 2 will not."
    assert "This person already has the item." in words(page)
    assert part(drawn(store, tmp_path, "items", "lea", project="p", page="2", size="25"), "shown") == "26 to 32"


def _press(page: AppTest, label: str) -> None:
    next(each for each in page.button if each.label == label).click().run()


def _change(page: AppTest, store: Store, login: str, *ticked: str) -> None:
    """Open the dialog with the actions while these items are ticked in the browser."""
    _press(page, "Change items")
    assert "Reading your selection" in words(page), "earlier ticks may be outdated"
    _says(page, accounts.find_person(store, login=login), *ticked)


def _says(page: AppTest, lead: Person, *names: str) -> None:
    """Have the browser of someone say what is ticked there."""
    kept = f"touchstone.ticks.{lead.id}.p"
    page.session_state[f"{kept}.said"] = {"asked": page.session_state[f"{kept}.asked"], "ticked": list(names)}
    page.run()


def test_what_is_ticked_is_done_once_and_never_to_items_that_changed_or_went(store: Store, tmp_path: Path) -> None:
    make_project(store)
    make_items(store, 28)
    lea = make_person(store, "lea", role=Role.LEAD)
    every = item_list.names(store, person=lea, project="p", wanted=ItemFilter())
    seen, moved, hostile = every[3], every[27], '<b>"gone"'
    page = drawn(store, tmp_path, "items", "lea", project="p", state="in_verification", size="25")
    assert f'aria-label="Select {every[0]}: ' in words(page)
    _change(page, store, "lea")
    assert [each.options for each in page.radio] == [["All 28 items that match the filter"]]
    _says(page, lea, moved, hostile, seen)
    assert page.radio[0].value == "ticked"
    told = "1 of 3 selected items does not match this list and is excluded: &lt;b&gt;&quot;gone&quot;."
    assert told in words(page)
    _press(page, "Deselect 1 item")
    assert page.session_state[f"touchstone.ticks.{lea.id}.p.drop"] == (hostile,)
    page.selectbox(key="items.what").set_value("prioritise").run()
    page.number_input(key="items.priority").set_value(3).run()
    assert "Priorities have no effect yet" in words(page)
    assert part(page, "preview") == "2 items will change, 0 will not."
    with store.write() as session:
        (row,) = session.exec(select(ItemRow).where(ItemRow.external_id == moved)).all()
        row.state = ItemState.KEPT
    _press(page, "Change 2 items")
    told = words(page)
    assert (
        "The list has changed since you opened the page, so nothing was done. Check the list, then try again. No "
        f"longer in the list: {moved}."
    ) in told
    assert _priorities(store) == dict.fromkeys(every, 0)
    page.number_input(key="items.priority").set_value(7)  # typed last, and pressed with no run between
    _press(page, "Change 1 item")
    assert "1 item changed." in words(page)
    assert _priorities(store) == {**dict.fromkeys(every, 0), seen: 7}
    _change(page, store, "lea", moved, hostile, seen)
    page.selectbox(key="items.what").set_value("export").run()
    page.selectbox(key="items.format").set_value("jsonl").run()
    for _ in range(2):  # pressed twice
        page.button(key="items.ready.prepare").click().run()
    assert "Ready: 1 item in 2 files. Partial export: 1 of the project&#x27;s 28 items" in words(page)
    _, made = page.session_state["items.ready"]
    assert made["name"] == "p-jsonl-chosen-1-of-28.zip"
    assert [each["id"] for each in made["manifest"]["items"]] == [seen]
    page.selectbox(key="items.format").set_value("csv").run()
    assert "Ready:" not in words(page), "what was made of another choice is not offered"
    none = item_list.picked(store, person=lea, project="p", wanted=ItemFilter(ids=(seen,)), ticked=(moved,))
    assert (none.names, none.gone) == ((), (moved,)), "nothing both ticked and asked for is not everything"


def _priorities(store: Store) -> dict[str, int]:
    with store.read() as session:
        return dict(session.exec(select(ItemRow.external_id, ItemRow.priority)).all())


def test_a_wrong_address_and_a_wrong_role_get_a_sentence(store: Store, tmp_path: Path) -> None:
    make_project(store)
    make_items(store, 1)
    make_person(store, "lea", role=Role.LEAD)
    make_person(store, "sam", role=Role.SENIOR)
    make_person(store, "ana")
    assert "state=gone is unknown" in words(drawn(store, tmp_path, "items", "lea", project="p", state="gone"))
    assert "Only leads may list items by votes" in words(drawn(store, tmp_path, "items", "sam", project="p", votes="1"))
    assert "Only seniors and leads can see the items of" in words(drawn(store, tmp_path, "items", "ana", project="p"))
    elsewhere = words(drawn(store, tmp_path, "items", "lea", project="p", state="in_verification_2"))
    assert "No items match" in elsewhere, "a state that this schema does not have is in no way wrong"


def test_a_list_is_saved_shared_renamed_and_deleted_under_any_name(store: Store, tmp_path: Path) -> None:
    make_project(store)
    make_items(store, 3)
    lea, sam, eve = (make_person(store, login, role=Role.LEAD) for login in ("lea", "sam", "eve"))
    released = _newest(store)
    hostile = '<b onclick="x">&amp; “quoted” 😀 `code`\nnext\x00'
    name = '<b onclick="x">&amp; “quoted” 😀 `code` next'
    asked = ItemList.parse({"text": ["1"], "sort": ["-votes"], "columns": ["id,field.question"], "page": ["7"]})

    def page(login: str, **query: str) -> AppTest:
        return drawn(store, tmp_path, "items", login, project="p", **query)

    def views(of: Person) -> dict[str, bool]:
        return {each.name: each.shared for each in item_views.views(store, person=of, project="p")}

    def press(page: AppTest, label: str) -> None:
        next(each for each in page.button if each.label == label).click().run()

    first = page("lea", **{name: value[0] for name, value in asked.asked().items()})
    for given, told in (
        ("  ", "Enter a name for the view."),
        ("n" * 5_000, "The limit for names is 80 characters, but this name has 5,000"),
    ):
        first.text_input(key="items.view.p.name").set_value(given)
        press(first, "Save view")
        assert told in words(first)
        assert not views(lea)
    first.text_input(key="items.view.p.name").set_value(hostile)
    for _ in range(2):  # pressed twice
        press(first, "Save view")
    assert (views(lea), views(sam), views(eve)) == ({name: False}, {}, {})
    assert "<b onclick" not in words(first)
    (own,) = item_views.views(store, person=lea, project="p")
    assert own.list() == asked.at(page=1)
    assert part(page("lea", view=own.id), "count") == "1 item", "the link opens the list, without its page"
    assert "This saved view was deleted or belongs to another person" in words(page("sam", view=own.id))

    shared = item_views.save(store, person=lea, project="p", name=name, asked=ItemList(), shared=True)
    gone = ItemList.parse({"where": ["colour=red"]})
    with pytest.raises(ConflictError, match="Another view has the name"):
        item_views.save(store, person=sam, project="p", name=name.upper(), asked=gone, shared=True)
    outdated = item_views.save(store, person=sam, project="p", name="old", asked=gone)
    opened = words(page("sam", view=outdated.id))
    assert "Items have no field &#x27;colour&#x27;" in opened
    assert saved.OUTDATED in opened

    both = [each.shared for each in item_views.views(store, person=lea, project="p")]
    assert sorted(both) == [False, True], "one's own and everyone's may have the same name"
    assert views(sam) == {name: True, "old": False}
    with pytest.raises(NotFoundError, match="This view was deleted"):
        item_views.rename(store, person=sam, project="p", id=own.id, name="mine now")
    last = page("sam")
    last.selectbox(key="items.view.p.which").set_value(shared.id).run()
    last.text_input(key=f"items.view.p.new.{shared.id}").set_value("For all")
    press(last, "Rename")
    assert views(eve) == {"For all": True}
    press(last, "Delete")
    press(last, "Delete view")
    assert "View “For all” is deleted." in words(last)
    assert views(eve) == {}
    assert _newest(store) == released, "what is saved changes no figure and no date of a release"

    make_person(store, "ida", role=Role.SENIOR)
    ida = accounts.find_person(store, login="ida")
    for n, asks in enumerate(({"gold": ["yes"]}, {"sort": ["author"]}, {"state": ["kept"]})):
        item_views.save(store, person=lea, project="p", name=f"v{n}", asked=ItemList.parse(asks), shared=True)
    assert views(ida) == {"v2": True}, "what only leads may ask is offered to leads alone"
    (kept,) = item_views.views(store, person=ida, project="p")
    with pytest.raises(NotAllowedError, match="Only leads can save a view for everyone"):
        item_views.save(store, person=ida, project="p", name="w", asked=ItemList(), shared=True)
    with pytest.raises(NotAllowedError, match="Only leads and the owner may change a shared view"):
        item_views.delete(store, person=ida, project="p", id=kept.id)


def _newest(store: Store) -> tuple[object, int]:
    """The date of a release made now, and what figures are computed for."""
    with store.read() as session:
        id = access_to(session, person=None, project="p").project_id
        return events.last_at(session, project_id=id), events.newest(session, project_id=id)

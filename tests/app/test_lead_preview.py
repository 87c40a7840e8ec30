"""A lead who only looks at a working page takes nothing and loses nothing; a button takes an item."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import select, text
from streamlit.testing.v1 import AppTest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema, load_text
from db import items
from db.engine import Store
from db.tables import metadata
from domain.records import Person
from domain.roles import Role
from domain.states import Stage
from media.store import MediaStore
from testkit.factories import BLIND, SETTLING, make_items, make_person, make_pool, make_predictions, make_project, vote
from testkit.missing_extensions import needs
from tests.app.homes import picture
from tests.app.screens import drawn, part, words
from workflow.access import accounts
from workflow.access.projects import access_to
from workflow.access.visibility import visibility_of
from workflow.annotate import image_pool, looking

pytestmark = pytest.mark.thorough

GRADED = BLIND.replace("RATERS", "2").replace("PER_SOURCE", "2").replace("ADJUDICATION", SETTLING)
PAGES = {"verify": Stage.VERIFICATION, "grade": Stage.GRADING, "adjudicate": Stage.ADJUDICATION}


def rows(store: Store) -> dict[str, list[str]]:
    """Everything that the database holds: claims, leases, the ledger of what was sent, who looked, the log."""
    with store.read() as session:
        return {
            name: sorted(str(tuple(row)) for row in session.connection().execute(select(table)))
            for name, table in metadata.tables.items()
        }


def blind(store: Store, person: Person) -> list[str]:
    """Why someone may not see each item's votes; empty where they may."""
    with store.read() as session:
        access = access_to(session, person=person, project="p")
        found = items.of_project(session, project_id=access.project_id)
        return [visibility_of(session, access=access, person=person, item=item).blind for item in found]


@pytest.fixture
def working(store: Store) -> Store:
    """Items that wait in each of the three stages: one to verify, one with votes that differ, one with an answer."""
    make_project(store, loaded=load_text(GRADED, "Be exact.", "blind"))
    ids = make_items(store, 3)
    ann, bob = (make_person(store, login, stages=[Stage.VERIFICATION]) for login in ("ann", "bob"))
    for person, choices in ((ann, ("red", "red")), (bob, ("blue", "blue"))):
        for choice in choices:
            vote(store, person, choice)
    make_predictions(store, ids[:1], models=["amber"])
    make_person(store, "lea", role=Role.LEAD)
    accounts.create_person(store, login="root", name="Root", is_admin=True)
    return store


def in_hand(store: Store, person: Person) -> list[Stage]:
    return [stage for stage in PAGES.values() if looking.has_in_hand(store, person=person, project="p", stage=stage)]


def press(page: AppTest) -> AppTest:
    """Press the button that takes an item."""
    (button,) = [each for each in page.button if each.label == "Take an item"]
    return button.click().run()


@pytest.mark.parametrize("login", ["lea", "root"])
@pytest.mark.parametrize("name", PAGES)
def test_looking_changes_nothing_and_the_button_takes_an_item(
    name: str, login: str, working: Store, home: Path
) -> None:
    stage, person = PAGES[name], accounts.find_person(working, login=login)
    before, could = rows(working), blind(working, person)
    page = drawn(working, home, name, login, project="p")
    assert "This preview shows the page that" in words(page)
    assert "Question" not in words(page), "nothing of a real item"
    assert "To work on an item yourself, take the item" in part(page, "waits")
    page.run()
    assert rows(working) == before
    assert blind(working, person) == could
    assert in_hand(working, person) == []
    page = press(page)
    assert not page.exception
    assert in_hand(working, person) == [stage]
    assert not [each for each in page.button if each.label == "Take an item"]
    again = drawn(working, home, name, login, project="p")  # a reload: what is in hand comes at once
    assert not [each for each in again.button if each.label == "Take an item"]
    with working.write() as session:
        session.connection().execute(
            text("UPDATE task SET lease_until = '2020-01-01 00:00:00.000000' WHERE state = 'claimed'")
        )
    before = rows(working)
    later = drawn(working, home, name, login, project="p")  # looking does not lengthen a lease that is over
    assert [each for each in later.button if each.label == "Take an item"]
    assert rows(working) == before


def test_a_lead_sees_the_form_of_authoring_before_the_images(working: Store, home: Path) -> None:
    page = drawn(working, home, "author", "lea", project="p")
    assert "with a made-up item" in words(page)
    assert part(page, "waits").endswith("but the pool has no free image. Add images")
    (button,) = [each for each in page.button if each.label == "Write an item"]
    assert button.disabled
    make_pool(working, 1)
    page = drawn(working, home, "author", "lea", project="p")
    assert part(page, "waits").startswith("To choose an image from the pool")
    (button,) = [each for each in page.button if each.label == "Write an item"]
    button.click().run()
    assert "This preview" not in words(page)


@pytest.mark.parametrize("login", ["ann", "sam"])
def test_annotators_and_seniors_get_an_item_at_once(login: str, working: Store, home: Path) -> None:
    make_person(working, "sam", role=Role.SENIOR)
    name = "verify" if login == "ann" else "adjudicate"
    page = drawn(working, home, name, login, project="p")
    assert not page.button
    assert in_hand(working, accounts.find_person(working, login=login)) == [PAGES[name]]


def test_where_nothing_waits_the_page_says_so_before_the_press(store: Store, home: Path) -> None:
    make_project(store, loaded=load_text(GRADED, "Be exact.", "blind"))
    make_person(store, "lea", role=Role.LEAD)
    page = drawn(store, home, "verify", "lea", project="p")
    assert part(page, "waits").startswith("No items to verify yet")
    assert not press(page).exception


@needs("pages", "triage")
def test_looking_at_triage_takes_no_frame(store: Store, home: Path, tmp_path: Path) -> None:
    make_project(store, loaded=load_schema(shipped()["egothink"]))
    lea = make_person(store, "lea", role=Role.LEAD)
    path = tmp_path / "0.png"
    path.write_bytes(picture(0))
    image_pool.add_to_pool(store, MediaStore(home / "media"), by=None, project="p", files=[("0.png", path)])
    before = rows(store)
    page = drawn(store, home, "triage", "lea", project="p")
    assert "This preview shows the page that" in words(page)
    assert rows(store) == before
    page = press(page)
    assert 'data-view="triage"' in words(page)
    assert looking.has_in_hand(store, person=lea, project="p", stage=Stage.TRIAGE)

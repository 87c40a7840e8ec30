"""A page is one file: what docs/contributing.md shows is in the menu and at its address without another edit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from app import rooms, shell
from app.rooms import RoomFacts
from app.screens import SCREENS, Room
from app.services import Services
from db.engine import Store
from domain.roles import Role
from domain.settings import Settings
from domain.states import Stage
from testkit.missing_extensions import needs, needs_every
from tests.app.homes import Home, make_home
from tests.paths import ROOT
from tests.planting import plant_page
from workflow.access import accounts, projects


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Home:
    return make_home(tmp_path_factory.mktemp("pages"), sqlite_template, pictures=1)


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    store = home.store()
    yield store
    store.close()
    st.cache_resource.clear()


@pytest.fixture
def extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant_page(tmp_path, monkeypatch)
    monkeypatch.setattr(rooms, "_finders", {})
    monkeypatch.setattr(rooms, "_offered", {})


def people_tabs(store: Store, login: str) -> list[str]:
    person = accounts.find_person(store, login=login)
    view = next(each for each in projects.projects_of(store, person=person) if each.name == "tiny")
    return [screen.title for screen in rooms.tabs_of(view, Room.PEOPLE, RoomFacts())]


def services_of(home: Home, store: Store, login: str) -> Services:
    return Services(store, home.media(), Settings(home.path, ""), accounts.find_person(store, login=login), "csrf")


@needs("pages", "scorecard")
@pytest.mark.usefixtures("extra")
def test_a_new_page_is_offered_at_its_place_to_those_whose_role_is_enough(store: Store) -> None:
    assert SCREENS["dimensions"].path == "dimensions"
    assert people_tabs(store, "lea") == ["Members", "Scorecard", "Dimensions"]
    assert people_tabs(store, "ana") == []


@pytest.mark.usefixtures("extra")
def test_the_app_has_a_new_page_in_its_menu(home: Home, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The script that Streamlit runs for every page, for someone who has signed in."""
    services = services_of(home, store, "lea")
    monkeypatch.setattr(shell, "resources", lambda: None)
    monkeypatch.setattr(shell, "_session", lambda shared: SimpleNamespace(person=services.person))
    monkeypatch.setattr(shell, "_services", lambda shared, session: services)
    test = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=120)
    test.query_params["project"] = "tiny"
    test.run()
    assert not test.exception
    (menu,) = [json.loads(each.proto.json) for each in test.sidebar.get("bidi_component")]
    assert menu["here"] == "Overview"  # where leads begin
    assert [entry["title"] for entry in menu["entries"]][:3] == ["Overview", "Items", "People"]
    links = {place["title"]: (place["href"], place["group"]) for place in menu["finder"]}
    assert links["Dimensions"] == ("/dimensions?project=tiny", "People")
    assert links["Overview"] == ("/overview?project=tiny", "Overview")


@pytest.mark.usefixtures("extra")
def test_a_new_page_is_drawn_in_the_frame_of_all(home: Home, store: Store) -> None:
    def screen(name, services):  # type: ignore[no-untyped-def]
        from app import shell
        from app.screens import SCREENS

        shell._draw(SCREENS[name], services)

    def words(login: str) -> str:
        test = AppTest.from_function(screen, args=("dimensions", services_of(home, store, login)), default_timeout=120)
        test.query_params["project"] = "tiny"
        test.run()
        assert not test.exception
        return "\n".join(element.proto.body for element in test.main.get("html"))

    assert "What they are called, and which group each is in." in words("lea")
    assert "This page is for leads of" in words("ana")


def test_the_menu_has_twelve_entries_at_most(store: Store) -> None:
    """Whatever a shipped schema has, for everyone, once all content is there."""
    view = projects.projects_of(store, person=accounts.find_person(store, login="lea"))[0]
    for path in shipped().values():
        for role in Role:
            mine = replace(view, schema=load_schema(path), role=role, stages=None)
            found = [place["title"] for place in rooms.entries(mine, RoomFacts())]
            assert len(found) <= 12, (path, role, found)
            assert len(found) == len(set(found))
    few = rooms.entries(replace(view, role=Role.ANNOTATOR, stages=(Stage.VERIFICATION, Stage.GRADING)), RoomFacts())
    names = ["My work", "verify", "grade", "Notices"]
    assert [place["name"] for place in few] == [name for name in names if name != "Notices" or "notices" in SCREENS]


@needs_every("pages")
def test_tabs_after_the_sixth_are_under_more_except_the_current_one(store: Store) -> None:
    view = projects.projects_of(store, person=accounts.find_person(store, login="lea"))[0]

    def row(current: str) -> tuple[list[str], list[str]]:
        head = rooms.head_of(view, SCREENS[current], RoomFacts())
        assert head is not None
        shown, _, more = head.tabs.partition("<details>")
        return re.findall(r">([\w ]+)</a>", shown), re.findall(r">([\w ]+)</a>", more)

    first = ["Form", "Preview", "Guideline", "Targets and dates", "Project"]
    assert row("schema") == ([*first, "Audit log"], ["Label Studio", "More tools"])
    assert row("label_studio") == ([*first, "Label Studio"], ["Audit log", "More tools"])


def test_a_page_without_content_has_a_tab_while_it_is_open_and_says_what_is_missing(store: Store) -> None:
    view = projects.projects_of(store, person=accounts.find_person(store, login="lea"))[0]
    facts = RoomFacts(waiting=frozenset({"results", "agreement"}))
    assert "Scores" not in [screen.title for screen in rooms.tabs_of(view, Room.RESULTS, facts)]
    head = rooms.head_of(view, SCREENS["results"], facts)
    assert head is not None
    assert head.waits == "No answer has a score yet. Run a model, or import answers."
    assert re.findall(r">([\w ]+)</a>", head.tabs)[0] == "Scores"
    assert "Agreement" not in head.tabs


def test_every_page_has_a_place_of_its_own() -> None:
    assert len({screen.place for screen in SCREENS.values()}) == len(SCREENS)

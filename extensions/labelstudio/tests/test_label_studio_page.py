"""Test the page Label Studio without a server: outcomes in numbers and words, and refusals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import streamlit as st
from sqlmodel import select
from streamlit.testing.v1 import AppTest

from app.services import Services
from db.engine import Store
from db.tables import BridgeAnswerRow, BridgeProjectRow, BridgeRow, BridgeTaskRow, TaskRow
from domain.bridge import BridgeOutcome, BridgeState
from domain.records import TaskView
from domain.settings import Settings
from domain.states import Stage
from extensions.labelstudio.exchange import bridge
from tests.app.homes import Home, make_home
from workflow.access import accounts
from workflow.annotate import claims, image_pool, submissions

ADDRESS = "http://labels.test"
NOW = datetime.now(UTC)


@pytest.fixture
def home(tmp_path: Path, sqlite_template: Path) -> Home:
    return make_home(tmp_path, sqlite_template, pictures=1)


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    store = home.store()
    bridge.connect(store, by=None, project="tiny", address=ADDRESS, stages=(Stage.VERIFICATION,))
    yield store
    store.close()
    st.cache_resource.clear()


def drawn(home: Home, store: Store) -> AppTest:
    def screen(services):  # type: ignore[no-untyped-def]
        from app import shell

        with shell.guard(services):
            shell.draw_view("label_studio", services)

    lea = accounts.find_person(store, login="lea")
    services = Services(store, home.media(), Settings(home.path, ""), lea, "csrf")
    page = AppTest.from_function(screen, args=(services,), default_timeout=120)
    page.query_params["project"] = "tiny"
    return page.run()


def words(page: AppTest) -> str:
    assert not page.exception
    return "\n".join(element.proto.body for element in page.get("html"))


def email_of(page: AppTest, name: str) -> object:
    return next(box for box in page.text_input if box.label == f"Email address of {name}")


def press(page: AppTest, label: str) -> None:
    next(button for button in page.button if button.label == label).click().run()


def test_every_outcome_is_counted_and_what_does_not_count_is_explained(home: Home, store: Store) -> None:
    ana, bo = (accounts.find_person(store, login=login) for login in ("ana", "bo"))
    image = image_pool.pool(store, person=ana, project="tiny").assets[0].id
    task = image_pool.pick(store, person=ana, project="tiny", dimension="counting", assets=[image])
    submissions.submit(store, person=ana, task=task.id, key="w", values={"question": "How many?", "answer": "Two."})
    view = claims.next_task(store, person=bo, project="tiny", stage=Stage.VERIFICATION)
    assert isinstance(view, TaskView)
    bridge.map_person(store, by=None, project="tiny", address=ADDRESS, login="bo", email="bo@example.org")
    with store.write() as session:
        row = session.exec(select(BridgeRow)).one()
        slot = session.exec(select(TaskRow).where(TaskRow.public_id == view.id)).one()
        place = BridgeProjectRow(
            bridge_id=row.id,
            person_id=bo.id,
            stage=Stage.VERIFICATION,
            labeling_hash="h",
            outside_user=1,
            strangers=11,
            created_at=NOW,
        )
        session.add(place)
        session.flush()
        out = BridgeTaskRow(
            bridge_project_id=place.id,
            task_id=slot.id,
            person_id=bo.id,
            state=BridgeState.OUT,
            created_at=NOW,
        )
        session.add(out)
        session.flush()
        for n, outcome in enumerate(BridgeOutcome, start=2):  # two are stored, three superseded, and so on
            session.add_all(
                BridgeAnswerRow(
                    bridge_id=row.id,
                    bridge_task_id=out.id,
                    person_id=bo.id,
                    outside_annotation=each,
                    updated="then",
                    outcome=outcome,
                    created_at=NOW,
                )
                for each in range(n)
            )
    page = words(drawn(home, store))
    line = next(row for row in re.findall("<tr>.*?</tr>", page) if "<td" in row and "Bo" in row)
    assert re.findall('<td class="number">([0-9]+)</td>', line) == ["1", "2", "4", "6", "8"]
    for told in (
        "3 stored answers were changed",
        "4 answers were invalid",
        "5 answers came from other people",
        "6 answers were late",
    ):
        assert told in line
    for told in (
        "7 tasks were answered twice",
        "9 tasks or answers were deleted",
        "11 tasks in this person&#x27;s Label Studio projects",
    ):
        assert told in line
    assert "waiting in Label Studio" not in line
    assert "Touchstone has stored" not in line


def test_what_is_refused_is_told_next_to_its_button_and_the_rest_is_kept(home: Home, store: Store) -> None:
    page = drawn(home, store)
    email_of(page, "Bo").input("bo@example.org")  # type: ignore[attr-defined]
    email_of(page, "Chi").input("BO@example.org")  # type: ignore[attr-defined]
    press(page, "Save people")
    assert "already belongs to" in words(page)
    assert [person.email for person in bridge.status(store, by=None, project="tiny")[0].people] == ["bo@example.org"]
    email_of(page, "Chi").input("chi@example.org")  # type: ignore[attr-defined]
    press(page, "Save people")
    assert "already belongs to" not in words(page)
    assert "Saved 1 change" in words(page)
    assert len(bridge.status(store, by=None, project="tiny")[0].people) == 2


def test_the_page_says_what_to_do_next(home: Home, store: Store) -> None:
    page = words(drawn(home, store))
    assert "No accounts are matched yet" in page
    bridge.map_person(store, by=None, project="tiny", address=ADDRESS, login="bo", email="bo@example.org")
    page = words(drawn(home, store))
    assert "No tasks have been sent yet. Push tasks, or start the synchronization." in page
    assert "Verification · 3 tasks per person, reserved for 8 hours · fetched never · sent never" in page

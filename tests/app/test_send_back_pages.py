"""Leads send items back with a reason. The author reads it on pages of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlmodel import select
from streamlit.testing.v1 import AppTest

from db.engine import Store
from db.tables import ItemRow
from domain.records import Person
from domain.roles import Role
from testkit.factories import make_person, make_pool, make_project
from tests.app.screens import drawn, part, words
from tests.workflow.test_authoring import write
from workflow.annotate import own_submissions
from workflow.lead import bulk
from workflow.lead.bulk_plans import Action, BulkSelection
from workflow.lead.send_back import Reasons

pytestmark = pytest.mark.thorough

WHY = "The key stands in the question."


def back(store: Store, person: Person) -> dict[str, str]:
    found = own_submissions.sent_back_to(store, person=person, project="p")
    return {each.row.words: each.why for each in found}


def pressed(page: AppTest, label: str) -> AppTest:
    (button,) = [button for button in page.button if button.label == label]
    return button.click().run()


def test_a_lead_says_why_and_the_author_reads_it(store: Store, home: Path) -> None:
    make_project(store)
    lea = make_person(store, "lea", role=Role.LEAD)
    ann = make_person(store, "ann")
    for at, image in enumerate(make_pool(store, 2), 1):
        write(store, ann, image, at)
    given = {"by": lea, "project": "p", "action": Action.SEND_BACK, "chosen": BulkSelection(every=True)}
    given["reasons"] = Reasons(WHY)
    assert bulk.do(store, token=bulk.preview(store, **given).token, **given) == 2
    assert back(store, ann) == {"Question 1?": WHY, "Question 2?": WHY}
    page = drawn(store, home, "items", "lea", project="p", with_author="yes")
    assert part(page, "count") == "2 items"
    (box,) = [box for box in page.selectbox if box.label == "With its author"]
    assert box.value is True
    box.select_index(2)  # no
    page = pressed(page, "Apply filters")
    assert "No items match." in words(page)
    assert page.query_params["with_author"] == "no"
    assert part(drawn(store, home, "my_work", "ann"), "sent-back") == "2 of your items were sent back to you"
    page = drawn(store, home, "my_submissions", "ann", project="p")
    assert words(page).count(f"Sent back: {WHY}") == 2
    key, *_ = [str(button.key) for button in page.button if ".back." in str(button.key)]
    page.button(key=key).click().run()
    assert not page.exception
    with store.read() as session:
        assert {row.current_revision for row in session.exec(select(ItemRow))} == {2}

"""The page *Qualify*: what asks before it is done, and what a person reads after a try."""

from __future__ import annotations

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db.engine import Store
from domain.qualification import Standing
from domain.roles import Role
from extensions.qualification import sets, tries
from testkit.factories import Clock, claimed, make_items
from testkit.missing_extensions import needs
from tests.app.screens import words
from tests.app.test_lead_screens import Show, first_home, home, person, show, store
from workflow.access import memberships, projects
from workflow.annotate import submissions

__all__ = ["first_home", "home", "show", "store"]


@pytest.mark.thorough
def test_what_stops_everyone_and_what_leaves_a_list_asks_first(store: Store, show: Show) -> None:
    projects.create_project(store, name="panel", loaded=load_schema(shipped()["panel"]))
    memberships.set_member(store, by=None, project="panel", login="lea", role=Role.LEAD)
    make_items(store, 5, project="panel", dimension="near", fields={"question": "?", "answer": "!"})

    def number() -> int:
        newest = sets.newest_set(store, person=None, project="panel")
        return newest.number if newest else 0

    test = show("qualify", "lea", project="panel", stage="verification")
    test.button(key="qualify.make").click().run()
    assert number() == 1  # no one has passed anything: it is made at once
    test.checkbox(key="qualify.requalify").set_value(True)
    test.button(key="qualify.make").click().run()
    assert number() == 1
    assert "You cannot undo this change, but you can make another set. You can exempt people below." in words(test)
    assert "Make set 2" in test.button(key="qualify.sure.yes").label
    test.button(key="qualify.sure.no").click().run()
    assert number() == 1
    test.button(key="qualify.make").click().run()
    test.button(key="qualify.sure.yes").click().run()
    assert number() == 2
    test.checkbox(key="qualify.requalify").set_value(False)
    test.button(key="qualify.make").click().run()
    assert number() == 2, "from now on people answer other items, so it asks as well"
    assert "People who passed another set keep their access" in words(test)
    test.button(key="qualify.sure.yes").click().run()
    assert number() == 3


@needs("pages", "guideline")
def test_a_guideline_that_asks_everyone_again_asks_first(store: Store, show: Show) -> None:
    projects.create_project(store, name="panel", loaded=load_schema(shipped()["panel"]))
    memberships.set_member(store, by=None, project="panel", login="lea", role=Role.LEAD)
    test = show("guideline", "lea", project="panel")
    test.text_area[0].set_value("Count handles.").run()
    test.text_input(key="guideline.why").set_value("Handles.")
    test.checkbox(key="guideline.requalify").set_value(True)
    test.button(key="guideline.save").click().run()
    assert "Version 1 is published." in words(show("guideline", "lea", project="panel"))
    assert "You cannot undo this action, but you can exempt people on the Qualification page." in words(test)
    test.button(key="guideline.sure.yes").click().run()
    assert "Version 2 is published." in words(test)


@pytest.mark.thorough
def test_who_took_a_set_reads_how_it_went_and_what_comes_next(store: Store, show: Show) -> None:
    store.clock = clock = Clock()
    projects.create_project(store, name="panel", loaded=load_schema(shipped()["panel"]))
    for login in ("bo", "chi", "sen"):
        role = Role.SENIOR if login == "sen" else Role.ANNOTATOR
        memberships.set_member(store, by=None, project="panel", login=login, role=role)
    make_items(store, 4, project="panel", dimension="near", fields={"question": "?", "answer": "!"})
    sets.make_set(store, by=None, project="panel")

    def take(login: str, verdict: str) -> None:
        who = person(store, login)
        tries.begin(store, person=who, project="panel")
        for _ in range(4):
            task = claimed(store, who, project="panel")
            why = {"verdict": "wrong_answer"} if verdict == "no" else {}
            submissions.submit(store, person=who, task=task.id, key=task.id, values={"verdict": verdict}, reasons=why)
        for each in tries.tries(store, person=None, project="panel"):
            if each.state is Standing.HANDED_IN and each.person == login != "sen":
                tries.review(store, by=person(store, "sen"), qualification=each.id, signs=True)

    def told(login: str) -> str:
        test = show("qualify", login, project="panel", stage="verification")
        assert not [button for button in test.button if button.key == "qualify.begin"]
        return words(test)

    take("sen", "yes")
    for tried, follows in (("1", "You can try again after "), ("2", "You have used 2 of 2 tries. Ask a project lead")):
        take("bo", "no")
        page = told("bo")
        assert "Not passed: 0 of 4 answers are right. You need 50%." in page
        assert follows in page
        assert page.count('data-part="result"') == page.count("answer: verdict no") == 4
        assert ("seniors:" in page) == (tried == "2"), "he may answer the same items again, until no try is left"
        clock.advance(hours=25)
    assert "You have used 2 of 2 tries" in told("bo")
    take("chi", "yes")
    page = show("qualify", "chi", project="panel", stage="verification")
    assert "Passed: 4 of 4 right." in words(page)
    assert words(page).count("seniors: yes") == 4
    assert not [button for button in page.button if button.key == "qualify.begin"], "there is nothing to begin"
    clock.advance(hours=1)
    sets.make_set(store, by=None, project="panel", n=4, requalify=True)
    assert show("qualify", "chi", project="panel", stage="verification").button(key="qualify.begin")

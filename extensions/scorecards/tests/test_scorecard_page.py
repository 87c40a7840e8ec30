"""The page *Scorecard*: where the dashboard leads, and what it calls a stage."""

from __future__ import annotations

from pathlib import Path

from annotation_schemas.loader import load_text
from db.engine import Store
from domain.roles import Role
from domain.states import Stage
from testkit.factories import claimed, make_items, make_people, make_person, make_project, vote
from tests.app.screens import drawn, words
from tests.app.test_names_on_pages import THREE
from workflow.access import projects
from workflow.annotate import submissions


def test_the_dashboard_leads_to_the_scorecard_of_a_person(store: Store, home: Path) -> None:
    make_project(store)
    make_items(store, 2)
    make_person(store, "lea", role=Role.LEAD)
    for person in make_people(store, "ann", "ben", stages=[Stage.VERIFICATION]):
        vote(store, person)
    dashboard = words(drawn(store, home, "dashboard", "lea", project="p"))
    assert 'href="/scorecard?project=p&amp;person=ben"' in dashboard
    _, whose = drawn(store, home, "scorecard", "lea", project="p", person="ben").selectbox
    assert (whose.label, whose.options[whose.index or 0]) == ("Whose", "Ben (ben), Verification")


def test_a_stage_is_called_by_its_title(store: Store, home: Path) -> None:
    make_project(store, loaded=load_text(THREE, "Be exact.", "rounds"))
    make_items(store, 1)
    for person in make_people(store, "ann", "bob"):
        task = claimed(store, person)
        submissions.submit(store, person=person, task=task.id, key=task.id, values={"answerable": "yes"})
    make_person(store, "lea", role=Role.LEAD)
    sue = make_person(store, "sue", role=Role.SENIOR)
    projects.set_member(store, by=None, project="p", login="sue", role=Role.SENIOR, stages=[Stage.VERIFICATION_2])
    task = claimed(store, sue, Stage.VERIFICATION_2)
    submissions.submit(store, person=sue, task=task.id, key=task.id, values={"right": "yes"})
    page = drawn(store, home, "scorecard", "lea", project="p")
    assert words(page).count("<td>Content</td>") == 2, "the table and the pay sheet"
    assert "verification_2" not in words(page)
    assert list(page.selectbox(key="scorecard.who.None").options)[-1] == "Sue (sue), Content"

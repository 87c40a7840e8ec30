"""People are shown by name on pages, told apart where two have the same one; no one learns more than before."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlmodel import select
from streamlit.testing.v1 import AppTest

from annotation_schemas.loader import load_text
from app import shell
from app.services import Services
from db import files
from db.engine import Store, open_store
from db.tables import PersonRow
from domain.records import Person, TaskView
from domain.roles import Role
from domain.settings import Settings
from domain.states import RatersAre, Stage
from media.store import MediaStore
from testkit.factories import claimed, make_items, make_people, make_person, make_predictions, make_project
from tests.app.screens import drawn, words
from tests.paths import ROOT
from tests.workflow.test_further_verification import THREE
from workflow.access import memberships, projects
from workflow.annotate import submissions
from workflow.results.ratings_from_files import import_ratings

SCORES = {"qx-ann": [0, 0.5, 1, 0.5, 0, 0.5], "qx-bob": [0, 0.5, 1, 1, 0, 0], "Robin": [0, 1, 1, 0.5, 0, 0]}


def rename(store: Store, name: str, *logins: str) -> None:
    with store.write() as session:
        for row in session.exec(select(PersonRow)):
            row.name = name if row.login in logins else row.name


def graded(tmp_path: Path, *, shapes: int = 0) -> tuple[Store, list[Person]]:
    """Two people who are both called Robin grade six answers, and so does a machine out of a file that is, too."""
    store = open_store(None, tmp_path)
    store.upgrade()
    make_project(store)
    items = make_items(store, len(SCORES["Robin"]) - shapes)
    items += make_items(store, shapes, dimension="shape") if shapes else []
    make_predictions(store, items, models=["m"])
    people = make_people(store, "qx-ann", "qx-bob")
    rename(store, "Robin", "qx-ann", "qx-bob")
    for person in people:
        for score in SCORES[person.login]:
            task = claimed(store, person, Stage.GRADING)
            submissions.submit(store, person=person, task=task.id, key=task.id, values={"score": score})
    file = tmp_path / "machine.csv"
    with store.read() as session:
        names = [name for _, name, _ in files.item_ids(session, project_id=1)]
    lines = [f"{name} · m,Robin,score,{score}" for name, score in zip(names, SCORES["Robin"], strict=True)]
    file.write_text("\n".join(["unit,rater,criterion,value", *lines]), encoding="utf-8")
    import_ratings(store, by=None, project="p", path=file, refuse=lambda bad: None, raters=RatersAre.MACHINES)
    return store, people


def make_three_stages(store: Store) -> TaskView:
    """Make a project of three stages with work in two, and return the last task."""
    make_project(store, loaded=load_text(THREE, "Be exact.", "rounds"))
    make_items(store, 1)
    for person in make_people(store, "ann", "bob"):
        task = claimed(store, person)
        submissions.submit(store, person=person, task=task.id, key=task.id, values={"answerable": "yes"})
    make_person(store, "lea", role=Role.LEAD)
    sue = make_person(store, "sue", role=Role.SENIOR)
    memberships.set_member(store, by=None, project="p", login="sue", role=Role.SENIOR, stages=[Stage.VERIFICATION_2])
    task = claimed(store, sue, Stage.VERIFICATION_2)
    submissions.submit(store, person=sue, task=task.id, key=task.id, values={"right": "yes"})
    return task


def test_pages_for_leads_call_a_stage_by_its_title(tmp_path: Path) -> None:
    store = open_store(None, tmp_path)
    store.upgrade()
    make_three_stages(store)

    def seen(page: str, **query: str) -> tuple[AppTest, str]:
        shown = drawn(store, tmp_path, page, "lea", project="p", **query)
        text = words(shown)
        assert "verification_2" not in text
        return shown, text

    _, text = seen("people")
    assert '<div class="ts" data-part="stages">Content</div>' in text


def test_two_projects_of_one_title_stay_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store(None, tmp_path)
    store.upgrade()
    for name in ("p", "q"):
        make_project(store, name=name)
    lea = make_person(store, "lea", role=Role.LEAD)
    memberships.set_member(store, by=None, project="q", login="lea", role=Role.LEAD)
    mine = projects.projects_of(store, person=lea)
    assert len({view.title for view in mine}) == 1

    services = Services(store, MediaStore(tmp_path / "media"), Settings(tmp_path, ""), lea, "csrf")
    monkeypatch.setattr(shell, "resources", lambda: None)
    monkeypatch.setattr(shell, "_session", lambda shared: SimpleNamespace(person=lea))
    monkeypatch.setattr(shell, "_services", lambda shared, session: services)
    page = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=120).run()
    first, second = (view.name for view in mine)
    assert page.query_params["project"] == first
    options = page.sidebar.selectbox[0].options
    assert len(set(options)) == 4, "a browser says which title was chosen, and no more"
    assert (options[0], options[-1]) == ("New project", "All projects")
    page.sidebar.selectbox[0].select_index(2).run()
    assert page.query_params["project"] == second
    store.close()

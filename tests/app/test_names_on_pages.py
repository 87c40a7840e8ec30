"""People are shown by name on pages, told apart where two have the same one; no one learns more than before."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

from sqlmodel import select
from streamlit.testing.v1 import AppTest

from annotation_schemas.loader import load_text
from app.calibration.report_files import files_of
from app.views.calibration import titles_of
from db import files
from db.engine import Store, open_store
from db.tables import PersonRow
from domain.records import Person, TaskView
from domain.roles import Role
from domain.states import Cut, RatersAre, Stage
from testkit.factories import BLIND, claimed, make_items, make_people, make_person, make_predictions, make_project
from testkit.missing_extensions import needs
from tests.app.screens import drawn, words
from tests.workflow.test_further_verification import THREE
from workflow.access import memberships, projects
from workflow.annotate import submissions
from workflow.results.ratings import raters_called, raters_of
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


@needs("readers", "ratings")
def test_calibration_names_people_told_apart_and_leads_to_their_answers(tmp_path: Path) -> None:
    store, _ = graded(tmp_path)
    raters = raters_of(store, person=None, project="p", stage=Stage.GRADING)
    assert raters_called(store, raters) == {"qx-ann": "Robin (qx-ann)", "qx-bob": "Robin (qx-bob)"}
    rename(store, "Bob B.", "qx-bob")
    rename(store, "Ann A.", "qx-ann")
    made = files_of(
        store,
        project="p",
        stage=Stage.GRADING,
        people=["qx-ann", "qx-bob"],
        judges=["Robin"],
        pool=False,
        items=None,
        by=Cut.WHOLE,
        statistics=None,
        titles={},
    )
    whole = made["first"] + "".join(part for _, _, parts in made["sections"] for part in parts if isinstance(part, str))
    page = re.sub(r'href="[^"]*"', "", whole)
    assert "Ann A." in page
    assert "Bob B." in page
    assert "qx-" not in page
    assert "raters=qx-ann" in whole, "the ways to the items are by login"
    with zipfile.ZipFile(io.BytesIO(made["zip"])) as packed:
        tables = [packed.read(name).decode() for name in packed.namelist() if name.endswith((".csv", ".json"))]
        assert any("Ann A." in text for text in tables)
    store.close()


@needs("readers", "ratings")
def test_calibration_calls_dimensions_by_their_titles(tmp_path: Path) -> None:
    """On the page and in its files; the ways to the items are by id, which addresses hold."""
    store, _ = graded(tmp_path, shapes=3)
    (view,) = projects.all_projects(store)
    made = files_of(
        store,
        project="p",
        stage=Stage.GRADING,
        people=["qx-ann", "qx-bob"],
        judges=["Robin"],
        pool=False,
        items=None,
        by=Cut.DIMENSION,
        statistics=None,
        titles=titles_of(view.schema.schema_),
    )
    page = made["first"] + "".join(part for _, _, parts in made["sections"] for part in parts if isinstance(part, str))
    assert "Colour" in page
    assert {"Colour", "Shape"} <= set(re.findall(r"<td[^>]*>(\w+)", page))
    assert {"colour", "shape"} == set(re.findall(r'href="[^"]*dimension=(\w+)', page))
    words = re.sub(r"<[^>]*>", " ", page)
    assert re.findall(r"\b(?:colour|shape)\b(?!/)", words) == [], "an id stands in an item's name alone"
    store.close()


def test_two_dimensions_of_one_title_stay_two() -> None:
    text = BLIND.replace("RATERS", "2").replace("PER_SOURCE", "2").replace("ADJUDICATION", "none")
    schema = load_text(text.replace("title: Shape", "title: Colour"), "Be exact.", "blind").schema_
    assert titles_of(schema) == {"colour": "Colour (colour)", "shape": "Colour (shape)"}


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


def test_two_projects_of_one_title_stay_two(tmp_path: Path) -> None:
    store = open_store(None, tmp_path)
    store.upgrade()
    for name in ("p", "q"):
        make_project(store, name=name)
    lea = make_person(store, "lea", role=Role.LEAD)
    memberships.set_member(store, by=None, project="q", login="lea", role=Role.LEAD)
    mine = projects.projects_of(store, person=lea)
    assert len({view.title for view in mine}) == 1

    def screen(mine):  # type: ignore[no-untyped-def]
        import streamlit as st

        from app import sidebar

        st.text(sidebar._choose_project(mine).name)

    page = AppTest.from_function(screen, args=(mine,), default_timeout=120).run()
    first, second = (view.name for view in mine)
    assert page.text[0].value == first
    assert len(set(page.selectbox[0].options)) == 2, "a browser says which title was chosen, and no more"
    page.selectbox[0].select_index(1).run()
    assert page.text[0].value == second
    store.close()

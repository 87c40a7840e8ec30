"""The report and its page call people and dimensions by their names."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

from annotation_schemas.loader import load_text
from domain.states import Cut, Stage
from extensions.calibration.pages.calibration import titles_of
from extensions.calibration.report_files import files_of
from testkit.factories import BLIND
from testkit.missing_extensions import needs
from tests.app.test_names_on_pages import graded, rename
from workflow.access import projects
from workflow.results.ratings import raters_called, raters_of


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

"""A calibration report of many judges, models and dimensions is written whole."""

from __future__ import annotations

import io
from dataclasses import replace
from itertools import pairwise

import pytest
from pypdf import PdfReader

from domain.records import About, Rating
from reports import card, pdf
from reports.calibration import calibration
from reports.charts import Poly, Word, sheets
from reports.content import Dots, Heat, Mark, Ruling, Rulings, Section, Source, Table
from reports.study import Study

pytestmark = pytest.mark.thorough

HERE = Source("made.csv", "0" * 64, "file")


def study(judges: int, models: int, dimensions: int) -> Study:
    rows, about = [], {}
    for place in range(dimensions * models * 2):
        question, model = divmod(place, models)
        unit = f"u{place:04}"
        about[unit] = About(item=f"q{question}", model=f"model{model:02}", length=20.0 + place % 7)
        right = (place * 7 + question) % 3 / 2
        for rater, name in enumerate(("ann", "bob", *(f"judge{each}" for each in range(judges)))):
            value = right if (place + rater * 5) % 6 else 0.5
            rows.append(Rating(unit, name, "score", value, f"dimension {question % dimensions:02}"))
    return Study(rows, ("ann", "bob"), tuple(f"judge{each}" for each in range(judges)), about=about)


@pytest.mark.parametrize(("judges", "models", "dimensions"), [(2, 21, 12), (5, 5, 2), (5, 30, 12)])
def test_the_paper_version_names_every_model_and_judge(judges: int, models: int, dimensions: int) -> None:
    report = calibration(study(judges, models, dimensions), HERE)
    text = "".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf.document(report))).pages)
    assert [name for name in (f"model{each:02}" for each in range(models)) if name not in text] == []
    assert [name for name in (f"judge{each}" for each in range(judges)) if name not in text] == []
    assert len(PdfReader(io.BytesIO(card.document(report))).pages) == 1


def test_a_tall_chart_continues_on_the_next_sheet_with_the_same_axis_and_colors() -> None:
    lines = tuple((f"row {at}", (Mark("a" if at < 50 else "b", at / 100),)) for at in range(100))
    found = sheets(Dots("k", "title", "axis", lines), 600)
    assert len(found) > 1
    assert all(each.height <= 600 for each in found)
    words = [{shape.text for shape in each.shapes if isinstance(shape, Word)} for each in found]
    assert sorted(word for each in words for word in each if word.startswith("row ")) == sorted(
        label for label, _ in lines
    )
    axes = [sorted(each - {label for label, _ in lines}) for each in words]
    assert all(one == next_ for one, next_ in pairwise(axes))
    last = [shape for shape in found[-1].shapes if isinstance(shape, Poly) and shape.title]
    assert last == [], "the series b is drawn as discs, as in the legend"


def test_many_marks_under_one_label_and_many_rows_of_a_heat_map_are_cut() -> None:
    marks = tuple(Mark(f"series {at % 5}", 0.5) for at in range(200))
    assert all(each.height <= 900 for each in sheets(Dots("k", "t", "axis", (("all", marks),)), 900))
    names = tuple(f"value {at}" for at in range(90))
    heat = Heat("h", "t", "down", "across", names, ("x", "y"), tuple((at, 1) for at in range(90)))
    found = sheets(heat, 700)
    assert all(each.height <= 700 for each in found)
    assert (
        sum(f"{name}" in {s.text for s in each.shapes if isinstance(s, Word)} for each in found for name in names) == 90
    )


def test_a_row_or_verdict_longer_than_a_page_is_split() -> None:
    cells = tuple("word " * 100 for _ in range(30))
    why = tuple("A long reason that fills its line to the end of the page and beyond. " * 3 for _ in range(60))
    section = Section(
        1,
        "wide",
        "Wide",
        "A wide table.",
        (
            Table("wide", "Wide", tuple(f"column {at}" for at in range(30)), (cells,)),
            Rulings(("rule",), (Ruling("judge", "score", None, "no", "No.", why),)),
        ),
    )
    report = calibration(study(1, 2, 1), HERE)
    text = "".join(
        page.extract_text() for page in PdfReader(io.BytesIO(pdf.document(replace(report, sections=(section,))))).pages
    )
    assert text.count("A long reason") == 180

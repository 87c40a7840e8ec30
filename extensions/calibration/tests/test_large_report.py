"""A calibration report of many judges, models and dimensions is written whole."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from pypdf import PdfReader

from domain.errors import TouchstoneError
from domain.records import Rating, UnitFacts
from extensions.calibration.report import card, files, pdf, report_html
from extensions.calibration.report.calibration import calibration
from extensions.calibration.report.charts import Heat
from extensions.calibration.report.rulings import Ruling, Rulings
from extensions.calibration.report.study import Study
from extensions.calibration.report.whole import RatingSource
from reports.charts import TALLEST, Dots
from reports.content import Mark, ReportTable, Section
from reports.rendering import svg
from tests.reports.test_charts import data, texts

pytestmark = pytest.mark.thorough

HERE = RatingSource("made.csv", "0" * 64, "file")


def study(judges: int, models: int, dimensions: int) -> Study:
    rows, about = [], {}
    for place in range(dimensions * models * 2):
        question, model = divmod(place, models)
        unit = f"u{place:04}"
        about[unit] = UnitFacts(item=f"q{question}", model=f"model{model:02}", length=20.0 + place % 7)
        right = (place * 7 + question) % 3 / 2
        for rater, name in enumerate(("ann", "bob", *(f"judge{each}" for each in range(judges)))):
            value = right if (place + rater * 5) % 6 else 0.5
            rows.append(Rating(unit, name, "score", value, f"dimension {question % dimensions:02}"))
    return Study(rows, ("ann", "bob"), tuple(f"judge{each}" for each in range(judges)), about=about)


@pytest.mark.parametrize(
    ("judges", "models", "dimensions"), [(2, 21, 12), (5, 5, 2), pytest.param(5, 30, 12, marks=pytest.mark.slow)]
)
def test_charts_name_every_model_judge_and_dimension_and_fit_a_printed_page(
    judges: int, models: int, dimensions: int
) -> None:
    page = report_html.page(calibration(study(judges, models, dimensions), HERE))
    words = [unescape(word) for word in re.findall(r"<text[^>]*>([^<]*)</text>", page)]
    for kind, n, digits in (("model", models, 2), ("judge", judges, 1), ("dimension ", dimensions, 2)):
        names = [f"{kind}{at:0{digits}}" for at in range(n)]
        assert [name for name in names if not any(name in word for word in words)] == []
    heights = [float(height) for height in re.findall(r'<svg [^>]*viewBox="0 0 [\d.]+ ([\d.]+)"', page)]
    assert max(heights) <= TALLEST


@pytest.mark.browser
@pytest.mark.slow
def test_the_largest_report_is_printed_whole_and_its_card_on_one_page(tmp_path: Path) -> None:
    files.write(calibration(study(5, 30, 12), HERE), tmp_path, paper=True)
    text = "".join(page.extract_text() for page in PdfReader(tmp_path / "report.pdf").pages)
    assert [name for name in (f"model{each:02}" for each in range(30)) if name not in text] == []
    assert [name for name in (f"judge{each}" for each in range(5)) if name not in text] == []
    assert "more rows are in tables/scores.csv" in text
    assert len(PdfReader(tmp_path / "card.pdf").pages) == 1


def test_a_tall_chart_continues_in_the_next_part_with_the_same_axis_and_colors() -> None:
    lines = tuple((f"row {at}", (Mark("a" if at < 50 else "b", at / 100),)) for at in range(100))
    found = Dots("k", "title", "axis", lines).parts()
    assert len(found) > 1
    assert [part.key for part in found] == ["k", *(f"k-{at}" for at in range(1, len(found)))]
    assert all(part.height <= TALLEST for part in found)
    assert [row[0] for part in found for row in part.rows] == [label for label, _ in lines]
    encodings = [part.layers[-1]["encoding"] for part in found]
    assert all(each["x"] == encodings[0]["x"] and each["color"] == encodings[0]["color"] for each in encodings)
    assert {"row 99", "a", "b"} <= set(texts(svg(found[-1]))), "the legend has both series"


def test_many_marks_under_one_label_and_many_rows_of_a_heat_map_are_cut() -> None:
    marks = tuple(Mark(f"series {at % 5}", 0.5) for at in range(200))
    found = Dots("k", "t", "axis", (("all", marks),)).parts()
    assert all(part.height <= TALLEST for part in found)
    assert sum(len(data(part, "point")) for part in found) == 200
    names = tuple(f"value {at}" for at in range(90))
    heat = Heat("h", "t", "down", "across", names, ("x", "y"), tuple((at, 1) for at in range(90)))
    cut = heat.parts()
    assert all(part.height <= TALLEST for part in cut)
    assert [cell["down"] for part in cut for cell in data(part, "rect") if cell["across"] == "x"] == [*names]


@pytest.mark.browser
@pytest.mark.slow
def test_a_row_or_verdict_longer_than_a_page_is_split() -> None:
    cells = tuple("word " * 100 for _ in range(30))
    why = tuple("A long reason that fills its line to the end of the page and beyond. " * 3 for _ in range(60))
    section = Section(
        1,
        "wide",
        "Wide",
        "A wide table.",
        (
            ReportTable("wide", "Wide", tuple(f"column {at}" for at in range(30)), (cells,)),
            Rulings(("rule",), (Ruling("judge", "score", None, "no", "No.", why),)),
        ),
    )
    report = replace(calibration(study(1, 2, 1), HERE), sections=(section,))
    made = PdfReader(io.BytesIO(pdf.printed(report_html.page(report))))
    text = " ".join(" ".join(page.extract_text() for page in made.pages).split())
    assert text.count("A long reason") == 180
    assert "word" in text


def test_without_a_browser_pdf_is_refused_and_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        TouchstoneError, match=r"found no browser that can print PDF files.* Install Chromium.* print report\.html"
    ):
        pdf.printed(card.page(calibration(study(1, 2, 1), HERE)))

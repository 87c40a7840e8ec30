"""What is not readable stands next to every number of a table: its counts and bounds, in all forms."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from app.services import resources
from extensions.paper_tables import drawn_tables, paper_tables
from tests.app.test_losses_shown import (
    RIGHT,
    RIGHT_UNREAD,
    WRONG,
    answers,
    benchmark,
    graded,
    home,
    ratings,
    replies,
    said,
)

__all__ = ["home"]  # a fixture

pytestmark = pytest.mark.thorough

LAYOUT = """
tables:
  - {name: key, title: Accuracy, source: key, percent: true, digits: 2, corner: Model, rows: [{each: [model]}],
     columns: [{title: Mean}]}
  - {name: people, title: People, source: people, criterion: score, digits: 4, corner: Model, rows: [{each: [model]}],
     columns: [{title: Mean}]}
  - {name: annotators, title: Annotators, source: agreement, between: [people], unit: answer, criterion: score,
     digits: 4, rows: [{title: Annotators}], columns: [{title: Equal, statistic: percent_agreement}]}
"""


@pytest.fixture
def laid_out(home: Path) -> Path:
    (home / "layout.yaml").write_text(LAYOUT, encoding="utf-8")
    return home


def test_a_table_says_how_many_answers_it_counts_as_wrong(laid_out: Path) -> None:
    """159 of 300 answers are right (53.00); 13 of these are in words that no rule reads, so that 48.67 is printed."""
    names = benchmark(laid_out, 300)
    texts = [RIGHT] * 146 + [RIGHT_UNREAD] * 13 + [WRONG] * 141
    answers(laid_out, [(name, "m", text) for name, text in zip(names, texts, strict=True)])
    shown = ["tables", "p", "--layout", str(laid_out / "layout.yaml"), "--table", "key"]
    text, _ = said(*shown)
    assert "  m      48.67" in text
    warning = "Warning: 13 of 300 answers not readable (4.3 %): 13 format violation: states none, or not one."
    assert warning in text
    assert "They count as wrong (report: unreadable)." in text
    bounds = "The mean lies between 0.487 (all at their worst) and 0.530 (all at their best)."
    assert bounds in text
    made = json.loads(said(*shown, "--format", "json")[0])["tables"][0]
    (cell,) = made["rows"][0]["cells"]
    assert (cell["printed"], cell["unread"], cell["n"]) == ("48.67", 13, 300)
    assert (cell["if_rest_lowest"], cell["if_rest_highest"]) == (146 / 300, 159 / 300)
    said(*shown, "--out", str(laid_out / "out"))
    rows = list(csv.DictReader(io.StringIO((laid_out / "out" / "key-losses.csv").read_text(encoding="utf-8"))))
    of_model = next(row for row in rows if (row["by"], row["group"]) == ("model", "m"))
    assert (of_model["not_readable"], of_model["asked"]) == ("13", "300")
    assert float(of_model["if_all_highest"]) == pytest.approx(0.53)
    assert bounds in rows[0]["warning"]
    commented = said(*shown, "--format", "csv")[0]
    assert f"# {warning}" in commented
    assert commented.endswith("Model,Mean\nm,48.67\n")
    assert "13 format violation" in said(*shown, "--format", "markdown")[0]
    (table,) = paper_tables.of_project(resources().store, project="p", items=None).tables[:1]
    page = drawn_tables.html(table)
    assert '<p class="warning">' in page
    assert bounds in page
    assert "13 not readable, 0.4867 to 0.5300" in page


def test_annotators_leave_out_grades_of_empty_answers_as_every_table_does(laid_out: Path) -> None:
    """Two people grade 10 answers; 2 of these are empty, and there the two disagree. Of the other 8 they agree on 6."""
    names = benchmark(laid_out, 10)
    answers(laid_out, [(name, "m", "" if at < 2 else RIGHT) for at, name in enumerate(names)])
    ann = [1] * 10
    ben = [0, 0, 0, 0, *[1] * 6]
    ratings(laid_out, [(name, "m", "ann", value) for name, value in zip(names, ann, strict=True)])
    ratings(laid_out, [(name, "m", "ben", value) for name, value in zip(names, ben, strict=True)])
    made = json.loads(said("tables", "p", "--layout", str(laid_out / "layout.yaml"), "--format", "json")[0])["tables"]
    tables = {table["name"]: table for table in made}
    (people,) = tables["people"]["rows"][0]["cells"]
    assert (people["printed"], people["n"]) == ("0.8750", 8)  # 2 answers have 0.5, 6 have 1
    (equal,) = tables["annotators"]["rows"][0]["cells"]
    assert (equal["printed"], equal["n"]) == ("0.7500", 8)
    told = "4 imported grades are left out: their answers are empty, missing or replaced."
    assert told in tables["annotators"]["loss_notes"]
    asked = ["agreement", "p", "--stage", "grading", "--unit", "prediction", "--statistic", "percent_agreement"]
    (of_command,) = json.loads(said(*asked, "--json")[0])
    assert (of_command["value"], of_command["n_units"]) == (0.75, 8)
    assert told in said(*asked)[0]


def test_a_table_of_judges_says_what_they_lost(laid_out: Path) -> None:
    """The judge says what people say: 30 of 60 are right for a, 45 of 60 for b. Six zeros about a are not readable."""
    names = graded(laid_out, 60, "a", "b")
    truth = {(name, "a"): int(at < 30) for at, name in enumerate(names)}
    truth |= {(name, "b"): int(at < 45) for at, name in enumerate(names)}
    for who in ("ann", "ben"):
        ratings(laid_out, [(name, model, who, value) for (name, model), value in truth.items()])
    lost = {(name, "a") for name in names[30:36]}
    rows = [(*each, "A bare 0 without verdict" if each in lost else f"[[{value}]]") for each, value in truth.items()]
    replies(laid_out, rows)
    text = said("tables", "p", "--table", "judges")[0]
    assert "big-1, score: 6 of 120 replies not readable (5.0 %): 6 unparseable." in text
    assert "The mean lies between 0.625 (all at their worst) and 0.675 (all at their best)." in text
    assert "Not readable by model: a 6 of 60 (mean 0.500 to 0.600)." in text

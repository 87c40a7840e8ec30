"""What is not readable stands next to the numbers of tables: the same counts and bounds in text, files and HTML."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from app.services import resources
from extensions.paper_tables import drawn_tables, paper_tables
from tests.app.test_losses_shown import (
    BOUNDS,
    LEFT_OUT,
    LOST_BY_MODEL,
    UNREAD,
    empty_answers,
    home,
    is_told,
    lost_zeros,
    said,
    wrong_answers,
)

__all__ = ["home"]

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
def layout(home: Path) -> str:
    path = home / "layout.yaml"
    path.write_text(LAYOUT, encoding="utf-8")
    return str(path)


def test_a_table_says_how_many_answers_it_counts_as_wrong(home: Path, layout: str) -> None:
    """159 of 300 answers are right (53.00); 13 of these are in words that no rule reads, so that 48.67 is printed."""
    wrong_answers(home)
    shown = ["table", "export", "p", "--layout", layout, "--table", "key"]
    text, _ = said(*shown)
    assert "  m      48.67" in text
    assert UNREAD in text
    assert "They count as wrong (report: unreadable)." in text
    assert BOUNDS in text
    made = json.loads(said(*shown, "--format", "json")[0])["tables"][0]
    (cell,) = made["rows"][0]["cells"]
    assert (cell["printed"], cell["unread"], cell["n"]) == ("48.67", 13, 300)
    assert (cell["if_rest_lowest"], cell["if_rest_highest"]) == (146 / 300, 159 / 300)
    said(*shown, "--out", str(home / "out"))
    rows = list(csv.DictReader(io.StringIO((home / "out" / "key-losses.csv").read_text(encoding="utf-8"))))
    of_model = next(row for row in rows if (row["by"], row["group"]) == ("model", "m"))
    assert (of_model["not_readable"], of_model["asked"]) == ("13", "300")
    assert float(of_model["if_all_highest"]) == pytest.approx(0.53)
    assert BOUNDS in rows[0]["warning"]
    commented = said(*shown, "--format", "csv")[0]
    assert f"# {UNREAD}" in commented
    assert commented.endswith("Model,Mean\nm,48.67\n")
    assert "13 (format violation" in said(*shown, "--format", "markdown")[0]
    (table,) = paper_tables.of_project(resources().store, project="p", items=None).tables[:1]
    page = drawn_tables.html(table)
    assert '<p class="warning">' in page
    assert BOUNDS in page
    assert "13 not readable, 0.4867 to 0.5300" in page


def test_annotators_leave_out_grades_of_empty_answers_in_tables(home: Path, layout: str) -> None:
    empty_answers(home)
    made = json.loads(said("table", "export", "p", "--layout", layout, "--format", "json")[0])["tables"]
    tables = {table["name"]: table for table in made}
    (people,) = tables["people"]["rows"][0]["cells"]
    assert (people["printed"], people["n"]) == ("0.8750", 8)  # 2 answers have 0.5, 6 have 1
    (equal,) = tables["annotators"]["rows"][0]["cells"]
    assert (equal["printed"], equal["n"]) == ("0.7500", 8)
    assert LEFT_OUT in tables["annotators"]["loss_notes"]


def test_a_judge_that_loses_zeros_is_told_of_in_tables(home: Path) -> None:
    lost_zeros(home)
    text = said("table", "export", "p", "--table", "judges")[0]
    is_told(text)
    assert LOST_BY_MODEL in text

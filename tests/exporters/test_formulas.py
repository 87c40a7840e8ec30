"""No text of people or files is a formula in a table that people open, and a ratings file comes back as it went."""

from __future__ import annotations

import ast
import csv
import io
from pathlib import Path

import pytest

from app.jobs.imports import stayed_out_csv
from domain import csv_text
from domain.records import BadRow, Rating
from exporters.tables import ratings_csv
from importers.readers import ratings_reader
from testkit.missing_extensions import needs
from tests.paths import ROOT

pytestmark = pytest.mark.thorough

TEXTS = [
    '=HYPERLINK("http://evil")',
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "'=1",
    "''@x",
    "-",
    "'quoted'",
    "plain",
]
NUMBERS = ["-1", "-0.5", "+3", "-1e-05", "-.5", "-inf"]


@needs("readers", "ratings")
@pytest.mark.parametrize("text", TEXTS)
def test_no_text_is_a_formula_and_each_comes_back(text: str, tmp_path: Path) -> None:
    out = io.StringIO(newline="")
    csv_text.Writer(out).writerow([text])
    [[cell]] = csv.reader(io.StringIO(out.getvalue(), newline=""))
    assert cell[:1] not in ("=", "+", "-", "@", "\t", "\r")
    assert csv_text.unmarked(cell) == text
    path = tmp_path / "ratings.csv"
    path.write_bytes(ratings_csv([Rating(unit="u", rater="r", criterion="words", value=text)]))
    [value] = [rating.value for rating, _ in ratings_reader()(path, missing=()).rows]
    assert value == text.strip()  # as with any file: blanks around a value are no part of it


@pytest.mark.parametrize("number", NUMBERS)
def test_numbers_stay_numbers(number: str) -> None:
    assert csv_text.cell(number) == number


def test_every_table_is_written_by_the_one_writer() -> None:
    """Elsewhere no one makes a writer of Python's own."""
    known = {"domain/csv_text.py"}
    found = {
        path.relative_to(ROOT).as_posix()
        for room in ("agreement", "app", "db", "domain", "examples", "exporters", "importers", "reports", "workflow")
        for path in (ROOT / room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ("writer", "DictWriter", "to_csv")
        if isinstance(node.value, ast.Name) and node.value.id in ("csv", "pandas", "pd")
    }
    assert found == known


def test_no_table_is_put_together_by_hand() -> None:
    """Lines with tabs between values, by file: those of commands that print to the terminal."""
    known = {"app/commands/items.py"}
    found = {
        path.relative_to(ROOT).as_posix()
        for room in ("agreement", "app", "db", "exporters", "importers", "reports", "workflow")
        for path in (ROOT / room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for part in (
            node.values
            if isinstance(node, ast.JoinedStr)
            else [node.func.value]
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "join"
            else []
        )
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and "\t" in part.value
    }
    assert found == known


def test_rows_that_stayed_out_are_a_table_like_any_other() -> None:
    bad = BadRow(path="a,b.csv", row=3, reason="what --skip-bad lets stay out", raw='=1+1,"x\ty"\n2')
    head, row = csv.reader(io.StringIO(stayed_out_csv([bad]), newline=""))
    assert head == ["file", "row", "item", "why", "text"]
    assert row[:2] == ["a,b.csv", "3"]
    assert "--" not in row[3], "the words of the page"
    assert row[4] == "'" + bad.raw

"""Replies that are not readable are told of in the report, on its card, in its tables and on its page."""

from __future__ import annotations

import csv
import html
import io
from pathlib import Path

import pytest

from app.services import resources
from domain.states import Cut, Stage
from extensions.calibration import report_files
from testkit.missing_extensions import needs
from tests.app.test_losses_shown import is_told, lost_zeros, said

pytestmark = pytest.mark.thorough


def first_screen_of() -> str:
    """Return what the page Calibration shows above its folded sections."""
    store = resources().store
    about = {"project": "p", "stage": Stage.GRADING, "people": ["ann", "ben"], "judges": ["big-1"]}
    made = report_files.files_of(store, **about, pool=False, items=None, by=Cut.WHOLE, statistics=None, titles={})
    return str(made["first"])


@needs("readers", "ratings")
def test_a_judge_that_loses_zeros_is_told_of_everywhere(of_commands: Path) -> None:
    lost_zeros(of_commands)
    out = of_commands / "report"
    _, aside = said(
        *("calibrate", "--project", "p", "--stage", "grading", "--out", str(out), "--human", "ann", "--human", "ben"),
        *("--judge", "big-1"),
    )
    is_told(aside)
    is_told(html.unescape((out / "report.html").read_text(encoding="utf-8")))
    is_told(html.unescape((out / "card.html").read_text(encoding="utf-8")))
    is_told(html.unescape(first_screen_of()))
    (rows,) = [list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8")))) for path in out.rglob("*losses.csv")]
    zero = next(row for row in rows if (row["by"], row["group"]) == ("people's grade", "0"))
    assert (zero["asked"], zero["not readable"]) == ("45", "6")
    is_told(rows[0]["warning"])

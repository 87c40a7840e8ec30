"""Charts of the report: matrices of counts, shares side by side, and lines."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from extensions.calibration.report.charts import Bars, Heat, LineChart, Point
from reports.rendering import svg
from tests.reports.test_charts import HOSTILE, data, texts

HEAT = Heat("h", "Heat", "people", HOSTILE, ("yes", "no"), ("yes", "no"), ((3, 1), (0, 4)))
BARS = Bars("b", "Bars", "share", ("yes", HOSTILE), (("ann", (0.25, 0.75)), ("gpt", (0.5, 0.5))), people=1)
LINES = LineChart("l", "Lines", "n", "width", (("gpt", (Point(10, 0.4, 0.3, 0.5), Point(1000, 0.1))),), log_x=True)


@pytest.mark.parametrize("chart", [HEAT, BARS, LINES])
def test_long_titles_of_axes_leave_the_marks_their_room(chart: Heat | Bars | LineChart) -> None:
    """Vega takes the room of a title from the marks, down to nothing."""
    long = {name: "title " * 60 for name in ("down", "across", "axis", "up") if hasattr(chart, name)}

    def height(drawn: str) -> float:
        found = re.search(r'<path class="background" d="M0,0h[\d.]+v([\d.]+)h', drawn)
        assert found is not None
        return float(found[1])

    assert height(svg(replace(chart, **long).spec())) > 0.8 * height(svg(chart.spec()))


def test_heat_is_the_share_of_the_row_and_each_cell_has_its_count() -> None:
    cells = data(HEAT.spec(), "rect")
    assert [(cell["shown"], cell["share"]) for cell in cells] == [("3", 0.75), ("1", 0.25), ("0", 0.0), ("4", 1.0)]
    assert {"3", "1", "0", "4", "yes4 in all"} <= set(texts(svg(HEAT.spec()))), "the total stands below the name"


def test_bars_stand_side_by_side_with_their_shares() -> None:
    found = {(bar["series"], bar["label"]): bar["share"] for bar in data(BARS.spec(), "bar")}
    assert found == {("ann", "yes"): 0.25, ("ann", HOSTILE): 0.75, ("gpt", "yes"): 0.5, ("gpt", HOSTILE): 0.5}
    assert {"25%", "75%", "50%", "ann", "gpt"} <= set(texts(svg(BARS.spec())))


def test_lines_go_through_their_points() -> None:
    chart = LINES.spec()
    assert [(each["x"], each["value"]) for each in data(chart, "line")] == [(10, 0.4), (1000, 0.1)]
    assert [(each["low"], each["high"]) for each in data(chart, "rule")] == [(0.3, 0.5)]
    assert {"10", "100", "1,000"} <= set(texts(svg(chart)))


EMPTY = [
    Heat("h", "", "", "", (), (), ()),
    Heat("h", "", "", "", ("a",), ("a",), ((0,),)),
    Bars("b", "", "", (), ()),
    Bars("b", "", "", ("a",), (("r", (0.0,)),)),
    LineChart("l", "", "", "", ()),
    LineChart("l", "", "", "", (("s", (Point(0, 0),)),), diagonal=True),
    LineChart("l", "", "", "", (("s", (Point(5, 1e-9),)),), log_x=True),
]


@pytest.mark.parametrize(
    "chart", [HEAT, BARS, LINES, *EMPTY], ids=lambda chart: f"{type(chart).__name__}-{chart.title or 'empty'}"
)
def test_svg_is_well_formed_and_the_same_each_time(chart: Heat | Bars | LineChart) -> None:
    drawn = svg(chart.spec())
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert drawn == svg(chart.spec())


@pytest.mark.parametrize(
    ("chart", "told"),
    [(HEAT, "people yes: yes 3, no 1"), (BARS, "ann: yes 25.0%"), (LINES, "10 gives 0.4")],
)
def test_the_numbers_are_there_in_words(chart: Heat | Bars | LineChart, told: str) -> None:
    (description,) = [each.text for each in ElementTree.fromstring(svg(chart.spec())) if each.tag.endswith("desc")]
    assert told in (description or "")

"""Charts of reports: the values in their Vega-Lite, and their SVG as a reader has it."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from reports.charts import chart_of, parts_of
from reports.content import Bars, Chart, Dots, Heat, LineChart, Mark, Point
from reports.rendering import figure, svg, svg_files
from reports.vega import ChartSpec

HOSTILE = "<b>\"&'\u2028 </text> 名前 مرحبا"

DOTS = Dots(
    "d",
    "Dots",
    "kappa",
    (("one", (Mark("people", 0.8, 0.7, 0.9), Mark(HOSTILE, 0.4, 0.3, 0.5))), ("two", (Mark("people", None),))),
)
HEAT = Heat("h", "Heat", "people", HOSTILE, ("yes", "no"), ("yes", "no"), ((3, 1), (0, 4)))
BARS = Bars("b", "Bars", "share", ("yes", HOSTILE), (("ann", (0.25, 0.75)), ("gpt", (0.5, 0.5))), people=1)
LINES = LineChart("l", "Lines", "n", "width", (("gpt", (Point(10, 0.4, 0.3, 0.5), Point(1000, 0.1))),), log_x=True)
CHARTS: list[Chart] = [DOTS, HEAT, BARS, LINES]
EMPTY: list[Chart] = [
    Dots("d", "", "", ()),
    Dots("d", "", "", (("x", (Mark("a", 0.5, 0.5, 0.5),)),)),
    Heat("h", "", "", "", (), (), ()),
    Heat("h", "", "", "", ("a",), ("a",), ((0,),)),
    Bars("b", "", "", (), ()),
    Bars("b", "", "", ("a",), (("r", (0.0,)),)),
    LineChart("l", "", "", "", ()),
    LineChart("l", "", "", "", (("s", (Point(0, 0),)),), diagonal=True),
    LineChart("l", "", "", "", (("s", (Point(5, 1e-9),)),), log_x=True),
]


def data(chart: ChartSpec, mark: str) -> list[dict[str, Any]]:
    """The data of a chart's last layer of marks of this type."""
    *_, found = [layer["data"]["values"] for layer in chart.layers if layer["mark"]["type"] == mark]
    return list(found)


def texts(drawn: str) -> list[str]:
    """The words that are drawn in an SVG."""
    return ["".join(each.itertext()) for each in ElementTree.fromstring(drawn).iter() if each.tag.endswith("}text")]


@pytest.mark.parametrize(
    "chart", [*CHARTS, *EMPTY], ids=lambda chart: f"{type(chart).__name__}-{chart.title or 'empty'}"
)
def test_svg_is_well_formed_and_the_same_each_time(chart: Chart) -> None:
    drawn = svg(chart_of(chart))
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert drawn == svg(chart_of(chart))


@pytest.mark.parametrize(
    ("chart", "told"),
    [
        (DOTS, "people: 0.800, 95 % interval 0.700 to 0.900"),
        (HEAT, "people yes: yes 3, no 1"),
        (BARS, "ann: yes 25.0%"),
        (LINES, "10 gives 0.4"),
    ],
)
def test_the_numbers_are_there_in_words(chart: Chart, told: str) -> None:
    tree = ElementTree.fromstring(svg(chart_of(chart)))
    (description,) = [each.text for each in tree if each.tag.endswith("desc")]
    assert told in (description or "")
    assert tree.get("role") == "img"


def test_names_in_any_script_are_drawn_as_text() -> None:
    assert "two" in texts(svg(chart_of(DOTS)))
    assert any(each.startswith("<b>") for each in texts(svg(chart_of(DOTS))))
    long = Dots("d", "", "", ((f"{HOSTILE} " * 30, (Mark("a", 0.5),)),))
    assert any(each.startswith("<b>") and each.endswith("…") for each in texts(svg(chart_of(long))))


@pytest.mark.parametrize("chart", [HEAT, BARS, LINES])
def test_long_titles_of_axes_leave_the_marks_their_room(chart: Chart) -> None:
    """Vega takes the room of a title from the marks, down to nothing."""
    long = {name: "title " * 60 for name in ("down", "across", "axis", "up") if hasattr(chart, name)}

    def height(drawn: str) -> float:
        found = re.search(r'<path class="background" d="M0,0h[\d.]+v([\d.]+)h', drawn)
        assert found is not None
        return float(found[1])

    assert height(svg(chart_of(replace(chart, **long)))) > 0.8 * height(svg(chart_of(chart)))


def test_a_value_has_its_interval_and_a_row_without_values_says_so() -> None:
    chart = chart_of(DOTS)
    people, hostile = data(chart, "point")
    assert (people["label"], people["series"], people["value"], people["low"], people["high"]) == (
        *("one", "people"),
        *(0.8, 0.7, 0.9),
    )
    assert hostile["y"] > people["y"], "marks of a row stand below each other"
    assert [each["series"] for each in data(chart, "rule")] == ["people", HOSTILE]
    assert "undefined; the table says why" in texts(svg(chart))
    assert list(chart.rows[-1]) == ["two", "people", None, None, None]


def test_heat_is_the_share_of_the_row_and_each_cell_has_its_count() -> None:
    cells = data(chart_of(HEAT), "rect")
    assert [(cell["shown"], cell["share"]) for cell in cells] == [("3", 0.75), ("1", 0.25), ("0", 0.0), ("4", 1.0)]
    assert {"3", "1", "0", "4", "yes4 in all"} <= set(texts(svg(chart_of(HEAT)))), "the total stands below the name"


def test_bars_stand_side_by_side_with_their_shares() -> None:
    found = {(bar["series"], bar["label"]): bar["share"] for bar in data(chart_of(BARS), "bar")}
    assert found == {("ann", "yes"): 0.25, ("ann", HOSTILE): 0.75, ("gpt", "yes"): 0.5, ("gpt", HOSTILE): 0.5}
    assert {"25%", "75%", "50%", "ann", "gpt"} <= set(texts(svg(chart_of(BARS))))


def test_lines_go_through_their_points() -> None:
    chart = chart_of(LINES)
    assert [(each["x"], each["value"]) for each in data(chart, "line")] == [(10, 0.4), (1000, 0.1)]
    assert [(each["low"], each["high"]) for each in data(chart, "rule")] == [(0.3, 0.5)]
    assert {"10", "100", "1,000"} <= set(texts(svg(chart)))


def test_charts_on_one_page_share_no_id_and_take_the_colors_of_the_page() -> None:
    page = "".join(figure(parts_of(chart)) for chart in CHARTS)
    ids = [part.partition('"')[0] for part in page.split(' id="')[1:]]
    assert len(ids) == len(set(ids)) >= 2 * len(CHARTS)
    assert 'fill="var(--muted)"' in page


@pytest.mark.slow
def test_files_carry_their_own_colors_and_the_caller_loads_no_converter() -> None:
    code = (
        "import sys; from reports.rendering import svg_files; from tests.reports.test_charts import DOTS; "
        "from reports.charts import chart_of; found = svg_files([chart_of(DOTS)]); "
        "print('vl_convert' in sys.modules, *found)"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.split() == ["False", "d.svg", "d-dark.svg"]
    light, dark = (content.decode() for content in svg_files([chart_of(DOTS)]).values())
    assert "var(" not in light + dark
    assert 'fill="#ffffff"' in light
    assert 'fill="#11171b"' in dark
    assert texts(light) == texts(dark)

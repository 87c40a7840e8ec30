"""Charts of reports: the values in their Vega-Lite, and their SVG as a reader has it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any
from xml.etree import ElementTree

import pytest

from reports.charts import Dots
from reports.content import Mark
from reports.rendering import figure, svg, svg_files
from reports.vega import ChartSpec

HOSTILE = "<b>\"&'\u2028 </text> 名前 مرحبا"

DOTS = Dots(
    "d",
    "Dots",
    "kappa",
    (("one", (Mark("people", 0.8, 0.7, 0.9), Mark(HOSTILE, 0.4, 0.3, 0.5))), ("two", (Mark("people", None),))),
)
CHARTS = [DOTS]
EMPTY = [
    Dots("d", "", "", ()),
    Dots("d", "", "", (("x", (Mark("a", 0.5, 0.5, 0.5),)),)),
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
def test_svg_is_well_formed_and_the_same_each_time(chart: Dots) -> None:
    drawn = svg(chart.spec())
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert drawn == svg(chart.spec())


@pytest.mark.parametrize(
    ("chart", "told"),
    [
        (DOTS, "people: 0.800, 95 % interval 0.700 to 0.900"),
    ],
)
def test_the_numbers_are_there_in_words(chart: Dots, told: str) -> None:
    tree = ElementTree.fromstring(svg(chart.spec()))
    (description,) = [each.text for each in tree if each.tag.endswith("desc")]
    assert told in (description or "")
    assert tree.get("role") == "img"


def test_names_in_any_script_are_drawn_as_text() -> None:
    assert "two" in texts(svg(DOTS.spec()))
    assert any(each.startswith("<b>") for each in texts(svg(DOTS.spec())))
    long = Dots("d", "", "", ((f"{HOSTILE} " * 30, (Mark("a", 0.5),)),))
    assert any(each.startswith("<b>") and each.endswith("…") for each in texts(svg(long.spec())))


def test_a_value_has_its_interval_and_a_row_without_values_says_so() -> None:
    chart = DOTS.spec()
    people, hostile = data(chart, "point")
    assert (people["label"], people["series"], people["value"], people["low"], people["high"]) == (
        *("one", "people"),
        *(0.8, 0.7, 0.9),
    )
    assert hostile["y"] > people["y"], "marks of a row stand below each other"
    assert [each["series"] for each in data(chart, "rule")] == ["people", HOSTILE]
    assert "undefined; see the table" in texts(svg(chart))
    assert list(chart.rows[-1]) == ["two", "people", None, None, None]


def test_charts_on_one_page_share_no_id_and_take_the_colors_of_the_page() -> None:
    page = "".join(figure(chart.parts()) for chart in CHARTS)
    ids = [part.partition('"')[0] for part in page.split(' id="')[1:]]
    assert len(ids) == len(set(ids)) >= 2 * len(CHARTS)
    assert 'fill="var(--muted)"' in page


@pytest.mark.slow
def test_files_carry_their_own_colors_and_the_caller_loads_no_converter() -> None:
    code = (
        "import sys; from reports.rendering import svg_files; from tests.reports.test_charts import DOTS; "
        "found = svg_files([DOTS.spec()]); "
        "print('vl_convert' in sys.modules, *found)"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.split() == ["False", "d.svg", "d-dark.svg"]
    light, dark = (content.decode() for content in svg_files([DOTS.spec()]).values())
    assert "var(" not in light + dark
    assert 'fill="#ffffff"' in light
    assert 'fill="#11171b"' in dark
    assert texts(light) == texts(dark)

"""Charts as shapes: where things are drawn, and that the numbers can be read without seeing them."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from reports.charts import Disc, Drawing, Line, Poly, Rect, Word, cut, drawn, svg, ticks
from reports.content import Bars, Chart, Dots, Heat, Lines, Mark, Point

HOSTILE = "<b>\"&'\u2028"

DOTS = Dots(
    "d",
    "Dots",
    "kappa",
    (("one", (Mark("people", 0.8, 0.7, 0.9), Mark(HOSTILE, 0.4, 0.3, 0.5))), ("two", (Mark("people", None),))),
)
HEAT = Heat("h", "Heat", "people", HOSTILE, ("yes", "no"), ("yes", "no"), ((3, 1), (0, 4)))
BARS = Bars("b", "Bars", "share", ("yes", HOSTILE), (("ann", (0.25, 0.75)), ("gpt", (0.5, 0.5))), people=1)
LINES = Lines("l", "Lines", "n", "width", (("gpt", (Point(10, 0.4, 0.3, 0.5), Point(1000, 0.1))),), log_x=True)
CHARTS: list[Chart] = [DOTS, HEAT, BARS, LINES]
EMPTY: list[Chart] = [
    Dots("d", "", "", ()),
    Dots("d", "", "", (("x", (Mark("a", 0.5, 0.5, 0.5),)),)),
    Heat("h", "", "", "", (), (), ()),
    Heat("h", "", "", "", ("a",), ("a",), ((0,),)),
    Bars("b", "", "", (), ()),
    Bars("b", "", "", ("a",), (("r", (0.0,)),)),
    Lines("l", "", "", "", ()),
    Lines("l", "", "", "", (("s", (Point(0, 0),)),), diagonal=True),
    Lines("l", "", "", "", (("s", (Point(5, 1e-9),)),), log_x=True),
]


@pytest.mark.parametrize(
    "chart", [*CHARTS, *EMPTY], ids=lambda chart: f"{type(chart).__name__}-{chart.title or 'empty'}"
)
def test_svg_is_well_formed_and_stays_on_its_sheet(chart: Chart) -> None:
    tree = ElementTree.fromstring(svg(chart))
    assert tree.tag.endswith("svg")
    drawing = drawn(chart)
    for shape in drawing.shapes:
        for x, y in places(shape):
            assert -1 <= x <= drawing.width + 1, shape
            assert -1 <= y <= drawing.height + 1, shape


def places(shape: object) -> list[tuple[float, float]]:
    if isinstance(shape, Rect):
        return [(shape.x, shape.y), (shape.x + shape.width, shape.y + shape.height)]
    if isinstance(shape, Line):
        return [(shape.x1, shape.y1), (shape.x2, shape.y2)]
    if isinstance(shape, Poly):
        return list(shape.points)
    assert isinstance(shape, Disc | Word)
    return [(shape.x, shape.y)]


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
    tree = ElementTree.fromstring(svg(chart))
    (description,) = [each.text for each in tree if each.tag.endswith("desc")]
    assert description is not None
    assert told in description
    assert tree.get("role") == "img"


def middle(drawing: Drawing, paint: str) -> float:
    (found,) = [each for each in drawing.shapes if isinstance(each, Disc) and each.paint == paint and each.title]
    return found.x


def test_a_value_lies_where_its_axis_says() -> None:
    """On the axis from 0.2 to 1, by hand: 0.4 lies a quarter of the way."""
    drawing = drawn(DOTS)
    steps = {each.text: each.x for each in drawing.shapes if isinstance(each, Word) and each.paint == "muted"}
    assert {"0.2", "1"} <= set(steps)
    assert middle(drawing, "s1") == pytest.approx(steps["0.2"] + (steps["1"] - steps["0.2"]) / 4)


def test_heat_is_the_share_of_the_row() -> None:
    paints = [each.paint for each in drawn(HEAT).shapes if isinstance(each, Rect)]
    assert paints == ["heat:0.750", "heat:0.250", "heat:0.000", "heat:1.000"]


def test_bars_are_as_high_as_their_values() -> None:
    ann_yes, gpt_yes, ann_no, _ = [each.height for each in drawn(BARS).shapes if isinstance(each, Rect) and each.title]
    assert gpt_yes == pytest.approx(2 * ann_yes)
    assert ann_no == pytest.approx(3 * ann_yes)


@pytest.mark.parametrize(
    ("low", "high", "steps"),
    [(0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]), (-0.3, 0.1, [-0.3, -0.2, -0.1, 0, 0.1]), (5, 5, [5, 6, 7, 8, 9, 10])],
)
def test_ticks(low: float, high: float, steps: list[float]) -> None:
    found = ticks(low, high)
    assert found[0] <= low
    assert found[-1] >= high
    if low != high:
        assert found == pytest.approx(steps)


def test_long_names_are_cut() -> None:
    assert cut("a" * 100, 70) == "a" * 9 + "…"

"""Charts of tables: where values are drawn, and that they can be read without being seen, on light and dark paper."""

from __future__ import annotations

import math
import re
from typing import Any
from xml.etree import ElementTree

import pytest

from reports.charts import Disc, Line, Poly, Rect, Word
from reports.table_charts import TableChart, Value, drawn, svg, svg_file, titles
from tests.reports.test_charts import HOSTILE, places

ROWS = ("alpha", HOSTILE)
COLUMNS = ("north", "east", "south", "west")
VALUES = (
    (Value(50, 40, 60, "50.0"), Value(100, shown="100.0"), Value(25, shown="25.0"), Value(0, shown="0.0")),
    (Value(20, shown="20.0"), Value(None), Value(75, 70, 80, "75.0"), Value(10, shown="10.0")),
)


def chart(kind: Any, rows: Any = ROWS, columns: Any = COLUMNS, values: Any = VALUES) -> TableChart:
    return TableChart(f"t-{kind}", kind, "T", rows, columns, values, (0, 100))


@pytest.mark.parametrize("kind", ["radar", "bars", "heat"])
@pytest.mark.parametrize("rows", [2, 30])
def test_a_chart_is_well_formed_says_its_numbers_and_stays_on_its_sheet(kind: str, rows: int) -> None:
    many = chart(kind, [f"model {at}" for at in range(rows)], values=[VALUES[at % 2] for at in range(rows)])
    drawing = drawn(many)
    tree = ElementTree.fromstring(svg(many))
    described = next(each.text for each in tree if each.tag.endswith("desc"))
    assert "model 0: north 50.0, east 100.0, south 25.0, west 0.0; model 1: north 20.0, east no number" in (
        described or ""
    )
    for shape in drawing.shapes:
        for x, y in places(shape):
            assert -1 <= x <= drawing.width + 1, shape
            assert -1 <= y <= drawing.height + 1, shape


def test_a_radar_has_its_columns_around_and_a_value_as_far_out_as_it_is_large() -> None:
    shapes = drawn(chart("radar")).shapes
    spokes = [each for each in shapes if isinstance(each, Line)]
    assert len(spokes) == len(COLUMNS)
    middle, up, radius = spokes[0].x1, spokes[0].y1, spokes[0].y1 - spokes[0].y2
    (line,) = [each for each in shapes if isinstance(each, Poly) and each.paint == "s0" and not each.filled]
    # 50 to the north, 100 to the east, 25 to the south, 0 to the west, and back
    wanted = [(0, -0.5), (1, 0), (0, 0.25), (0, 0), (0, -0.5)]
    found = [((x - middle) / radius, (y - up) / radius) for x, y in line.points]
    assert all(math.dist(one, other) < 1e-9 for one, other in zip(found, wanted, strict=True))
    assert not [each for each in shapes if isinstance(each, Poly) and each.paint == "s1" and each.opacity == 0.08]
    assert len([each for each in shapes if isinstance(each, Disc) and "north" not in each.title and each.title]) == 2
    more = [
        each.text
        for each in drawn(chart("radar", [*"abcdefgh"], values=[VALUES[0]] * 8)).shapes
        if isinstance(each, Word)
    ]
    assert "The first 6 rows of the table; it has 2 more." in more


def test_bars_are_as_long_as_their_values_and_carry_their_limits() -> None:
    shapes = drawn(chart("bars")).shapes
    bars = {each.title.partition(":")[0]: each for each in shapes if isinstance(each, Rect) and each.title}
    assert set(bars) == {f"{row}, {column}" for row in ROWS for column in COLUMNS} - {f"{HOSTILE}, east"}
    scale = bars["alpha, east"].width / 100
    assert bars["alpha, north"].width == pytest.approx(50 * scale)
    limits = next(each for each in shapes if isinstance(each, Line) and "alpha, north" in each.title)
    start = bars["alpha, north"].x
    assert ((limits.x1 - start) / scale, (limits.x2 - start) / scale) == (pytest.approx(40), pytest.approx(60))
    assert bars["alpha, north"].paint != bars[f"{HOSTILE}, north"].paint
    alone = drawn(chart("bars", columns=("all",), values=[line[:1] for line in VALUES])).shapes
    assert {each.paint for each in alone if isinstance(each, Rect)} == {"s1"}, "rows are told apart by their names"


def test_a_heat_map_is_darker_where_values_are_larger() -> None:
    cells = [each for each in drawn(chart("heat")).shapes if isinstance(each, Rect)]
    assert [each.paint for each in cells] == [
        f"heat:{share:.3f}" for share in (0.5, 1, 0.25, 0, 0.2, 0, 0.75, 0.1)
    ]  # fmt: skip
    assert cells[0].title == "alpha, north: 50.0, 95 % interval 40 to 60"


@pytest.mark.parametrize(("columns", "upwards"), [(COLUMNS, False), (("n", "e" * 60, "s", "w"), True)])
def test_names_of_columns_stand_all_the_same_way(columns: tuple[str, ...], upwards: bool) -> None:
    heads = [each for each in drawn(chart("heat", columns=columns)).shapes if isinstance(each, Word) and each.title]
    assert [each.upwards for each in heads if each.title in columns] == [upwards] * 4


@pytest.mark.parametrize("kind", ["radar", "bars", "heat"])
def test_a_file_has_its_colours_in_it(kind: str) -> None:
    light, dark = (svg_file(chart(kind), dark=dark).decode() for dark in (False, True))
    for text in (light, dark):
        ElementTree.fromstring(text.encode())
        assert not re.findall(r"var\(|color-mix|url\(|http(?!://www\.w3\.org/2000/svg)", text)
    papers = [re.search(r'<rect width="[\d.]+" height="[\d.]+" fill="(#\w+)"/>', text) for text in (light, dark)]
    assert [found[1] for found in papers if found] == ["#ffffff", "#11171b"]
    # half way between #4aa6bd and #ffffff
    assert kind != "heat" or 'fill="#a4d2de"' in light


def test_a_group_stands_before_a_title_that_is_there_twice() -> None:
    assert titles([("Traffic", "P"), ("Game", "P"), ("Game", "Mean")]) == ("Traffic P", "Game P", "Mean")

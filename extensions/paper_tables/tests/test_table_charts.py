"""Charts of tables: the values in their Vega-Lite, and the words that a reader sees."""

from __future__ import annotations

import math
from typing import Any

import pytest

from extensions.paper_tables.table_charts import TableChart, Value, chart_of, titles
from reports.rendering import svg
from reports.vega import ACCENT
from tests.reports.test_charts import HOSTILE, data, texts

ROWS = ("alpha", HOSTILE)
COLUMNS = ("north", "east", "south", "west")
VALUES = (
    (Value(50, 40, 60, "50.0"), Value(100, shown="100.0"), Value(25, shown="25.0"), Value(0, shown="0.0")),
    (Value(20, shown="20.0"), Value(None), Value(75, 70, 80, "75.0"), Value(10, shown="10.0")),
)


def chart(kind: Any, rows: Any = ROWS, columns: Any = COLUMNS, values: Any = VALUES) -> TableChart:
    return TableChart(f"t-{kind}", kind, "T", tuple(rows), columns, values, (0, 100))


@pytest.mark.parametrize("kind", ["radar", "bars", "heat"])
@pytest.mark.parametrize("rows", [2, 30])
def test_a_chart_says_its_numbers(kind: str, rows: int) -> None:
    many = chart(kind, [f"model {at}" for at in range(rows)], values=[VALUES[at % 2] for at in range(rows)])
    drawn = svg(chart_of(many))
    assert "model 0: north 50.0, east 100.0, south 25.0, west 0.0; model 1: north 20.0, east no number" in drawn
    assert {"model 0", "model 1"} <= set(texts(drawn))


def test_a_radar_has_its_columns_around_and_a_value_as_far_out_as_it_is_large() -> None:
    drawn = chart_of(chart("radar"))
    line = next(layer for layer in drawn.layers if layer["mark"].get("strokeWidth") == 2)["data"]["values"]
    # 50 to the north, 100 to the east, 25 to the south, 0 to the west, and back; the other row has no line
    wanted = [(0, 0.5), (1, 0), (0, -0.25), (0, 0), (0, 0.5)]
    around = sorted(line, key=lambda corner: corner["order"])
    assert {corner["series"] for corner in line} == {"alpha"}
    for corner, place in zip(around, wanted, strict=True):
        assert math.dist((corner["x"], corner["y"]), place) < 1e-9
    assert len([point for point in data(drawn, "point") if point["series"] == HOSTILE]) == 3
    assert {*COLUMNS, "25", "100"} <= set(texts(svg(drawn)))
    assert chart_of(chart("radar", "abcdefgh", values=[VALUES[0]] * 8)).about == (
        "The first 6 rows of the table. Rows not shown: 2."
    )


def test_bars_are_as_long_as_their_values_and_carry_their_limits() -> None:
    drawn = chart_of(chart("bars"))
    bars = {(bar["series"], bar["label"]): bar["value"] for bar in data(drawn, "bar")}
    assert bars[HOSTILE, "south"] == 75
    assert len(bars) == 2 * len(COLUMNS) - 1, "one cell has no number"
    assert [(each["label"], each["low"], each["high"]) for each in data(drawn, "rule")] == [
        ("north", 40, 60),
        ("south", 70, 80),
    ]
    assert {"50.0", "75.0"} <= set(texts(svg(drawn)))
    alone = chart_of(chart("bars", columns=("all",), values=[line[:1] for line in VALUES]))
    assert alone.layers[0]["encoding"]["color"] == {"value": ACCENT}, "rows are told apart by their names"


def test_a_heat_map_is_darker_where_values_are_larger() -> None:
    cells = data(chart_of(chart("heat")), "rect")
    assert [cell["share"] for cell in cells] == [0.5, 1, 0.25, 0, 0.2, 0, 0.75, 0.1]
    assert (cells[0]["series"], cells[0]["label"], cells[0]["told"]) == (
        *("alpha", "north"),
        "50.0, 95 % interval 40 to 60",
    )


@pytest.mark.parametrize(("columns", "angle"), [(COLUMNS, 0), (("n", "e" * 60, "s", "w"), -90)])
def test_names_of_columns_stand_all_the_same_way(columns: tuple[str, ...], angle: int) -> None:
    drawn = chart_of(chart("heat", columns=columns))
    assert drawn.layers[0]["encoding"]["x"]["axis"]["labelAngle"] == angle
    assert columns[0] in texts(svg(drawn))


def test_a_group_stands_before_a_title_that_is_there_twice() -> None:
    assert titles([("Traffic", "P"), ("Game", "P"), ("Game", "Mean")]) == ("Traffic P", "Game P", "Mean")

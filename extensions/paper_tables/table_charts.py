"""Charts of a table of numbers: columns around a radar, rows as bars with intervals, or a heat map."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from reports import vega
from reports.vega import AROUND, COLORS, GREY, QUIET, ChartSpec, color, layer, names_axis, quantity, shape

MOST_AROUND = len(COLORS) - 1
"""Number of rows of a table with their own line on a radar."""
LEAST_AROUND = 3
"""Smallest number of columns of a radar."""
_RADAR = (560, 460)
"""The width and the height of a radar, in pixels."""
_FAR = (1.65, 1.3)
"""The horizontal and the vertical end of a radar's area. The outermost ring has the radius 1."""
_CELL = (70, 26)


@dataclass(frozen=True)
class Value:
    """A number of the table, or None."""

    value: float | None
    low: float | None = None
    high: float | None = None
    shown: str = ""
    """The number as the table prints it."""


@dataclass(frozen=True)
class TableChart:
    """A table for drawing."""

    key: str
    """The chart's name on the page and in files."""
    kind: Literal["radar", "bars", "heat"]
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]
    """The value for each column, by row, in the units of the table."""
    ends: tuple[float, float] | None = None
    """The lowest and the highest possible number. None: those of the values."""

    @property
    def span(self) -> tuple[float, float]:
        """Return the range of the numbers: the ends of the scale, or the range of the values and 0."""
        known = [
            value for line in self.values for at in line for value in (at.value, at.low, at.high) if value is not None
        ]
        low, high = min([*known, 0.0]), max([*known, 0.0])
        if self.ends is not None:
            low, high = self.ends
        return (low, high) if low < high else (low, low + 1.0)


def chart_of(chart: TableChart) -> ChartSpec:
    """Return the chart as Vega-Lite."""
    about, layers, height, width = {"radar": _radar, "bars": _bars, "heat": _heat}[chart.kind](chart)
    words = "; ".join(
        f"{row}: "
        + ", ".join(f"{column} {at.shown or 'no number'}" for column, at in zip(chart.columns, line, strict=True))
        for row, line in zip(chart.rows, chart.values, strict=True)
    )
    rows = [[row, *(at.value for at in line)] for row, line in zip(chart.rows, chart.values, strict=True)]
    return ChartSpec(chart.key, chart.title, about, layers, ["Row", *chart.columns], rows, height, width, words)


_Drawn = tuple[str, list[dict[str, Any]], int, int | None]
"""About the chart, its layers, height and width."""


def _cells(chart: TableChart) -> Iterator[dict[str, Any]]:
    """Return every cell of the table as data of a chart."""
    for row, (name, line) in enumerate(zip(chart.rows, chart.values, strict=True)):
        for column, at in enumerate(line):
            limits = "" if at.low is None or at.high is None else f", 95 % interval {at.low:g} to {at.high:g}"
            words = f"{at.shown or 'no number'}{limits}"
            names = {"series": name, "label": chart.columns[column], "told": words, "shown": at.shown}
            yield {"row": row, "column": column, "value": at.value, "low": at.low, "high": at.high, **names}


_TIP = [{"field": "series", "title": "row"}, {"field": "label", "title": "column"}, {"field": "told", "title": "value"}]


def _radar(chart: TableChart) -> _Drawn:
    rows = chart.rows[:MOST_AROUND]
    low, high = chart.span
    around = len(chart.columns)

    def place(column: int, distance: float) -> dict[str, float]:
        angle = 2 * math.pi * column / around
        return {"x": distance * math.sin(angle), "y": distance * math.cos(angle)}

    x = quantity("x", None, scale={"domain": [-_FAR[0], _FAR[0]]}) | {"axis": None}
    y = quantity("y", None, scale={"domain": [-_FAR[1], _FAR[1]]}) | {"axis": None}
    order = {"field": "order", "type": "quantitative"}
    rings = [low + (high - low) * step / 4 for step in range(1, 5)]
    ring = [
        {"ring": at, "order": column, **place(column, (value - low) / (high - low))}
        for at, value in enumerate(rings)
        for column in range(around + 1)
    ]
    spokes = [{"spoke": at, "order": end, **place(at, end)} for at in range(around) for end in (0, 1)]
    scale = [{**place(0, (value - low) / (high - low)), "words": f"{value:g}"} for value in rings]
    cells = [
        {**cell, **place(cell["column"], (cell["value"] - low) / (high - low)), "order": cell["column"]}
        for cell in _cells(chart)
        if cell["row"] < len(rows) and cell["value"] is not None
    ]
    whole = [row for row in range(len(rows)) if all(at.value is not None for at in chart.values[row])]
    corners = [cell for cell in cells if cell["row"] in whole]
    corners += [{**cell, "order": around} for cell in corners if cell["column"] == 0]
    signs = vega.legend(rows, width=_RADAR[0])
    named = {"field": "series", "type": "nominal", "legend": signs}
    colors = {**named, "scale": {"domain": [*rows], "range": [color(at + 1) for at in range(len(rows))]}}
    shapes = {**named, "scale": {"domain": [*rows], "range": [shape(at + 1) for at in range(len(rows))]}}
    grid = {"type": "line", "color": GREY, "opacity": 0.35, "strokeWidth": 1, "tooltip": None}
    line = {"type": "line", "strokeWidth": 2, "tooltip": None}
    point = {"type": "point", "filled": True, "size": 40, "opacity": 1}
    quiet = {"type": "text", "align": "left", "dx": 4, "fontSize": 10, "color": QUIET, "tooltip": None}
    layers = [
        layer(ring, grid, x=x, y=y, order=order, detail={"field": "ring"}),
        layer(spokes, grid, x=x, y=y, order=order, detail={"field": "spoke"}),
        layer(scale, quiet, x=x, y=y, text={"field": "words"}),
        layer(corners, line, x=x, y=y, order=order, color=colors),
        layer(cells, point, x=x, y=y, color=colors, shape=shapes, tooltip=_TIP),
    ]
    names = [{**place(at, 1.08), "name": name} for at, name in enumerate(chart.columns)]
    for align in ("left", "center", "right"):
        here = [name for name in names if _align(float(str(name["x"]))) == align]
        words = {"type": "text", "align": align, "limit": 150, "color": QUIET, "tooltip": None}
        if here:
            layers.append(layer(here, words, x=x, y=y, text={"field": "name"}))
    more = len(chart.rows) - len(rows)
    about = f"The first {len(rows)} rows of the table. Rows not shown: {more}." if more > 0 else ""
    return about, layers, _RADAR[1] + vega.legend_height(signs, rows), _RADAR[0]


def _align(x: float) -> str:
    return "center" if abs(x) < 0.2 else "left" if x > 0 else "right"


def _bars(chart: TableChart) -> _Drawn:
    cells = [cell for cell in _cells(chart) if cell["value"] is not None]
    alone = len(chart.columns) == 1
    """A table of one column has a bar for each row, and needs no colors to tell rows apart."""
    names = chart.rows if alone else chart.columns
    values = [
        {**cell, "at": cell["row"] if alone else cell["column"], "end": max(cell["value"], cell["high"] or 0)}
        for cell in cells
    ]
    y = names_axis(names, limit=270) | {"scale": {"domain": [*range(len(names))], "paddingInner": 0.25}}
    span = [*chart.span] if chart.ends is not None else vega.domain([*chart.span])
    x = quantity("value", None, scale={"domain": span, "nice": True})
    apart: dict[str, Any] = {"field": "row", "type": "ordinal", "scale": {"domain": [*range(len(chart.rows))]}}
    signs = vega.legend(chart.rows, names)
    series = {
        "field": "series",
        "type": "nominal",
        "scale": {"domain": [*chart.rows], "range": [color(at + 1) for at in range(len(chart.rows))]},
        "legend": signs,
    }
    sides: dict[str, Any] = {"y": y} if alone else {"y": y, "yOffset": apart}
    paint: dict[str, Any] = {"value": vega.ACCENT} if alone else series
    limited = [value for value in values if value["low"] is not None and value["high"] is not None]
    rule = {"type": "rule", "color": QUIET, "strokeWidth": 1.5, "tooltip": None}
    words = {"type": "text", "align": "left", "dx": 4, "fontSize": 10, "color": QUIET, "tooltip": None}
    layers = [
        layer(values, {"type": "bar"}, **sides, x=x, color=paint, tooltip=_TIP),
        layer(limited, rule, **sides, x={**x, "field": "low"}, x2={"field": "high"}),
        layer(values, words, **sides, x={**x, "field": "end"}, text={"field": "shown", "type": "nominal"}),
    ]
    thick = 22 if alone else 12 * len(chart.rows) + 10
    return "", layers, thick * len(names) + AROUND + (0 if alone else vega.legend_height(signs, chart.rows)), None


def _heat(chart: TableChart) -> _Drawn:
    low, high = chart.span
    cells = [
        {**cell, "share": 0.0 if cell["value"] is None else min(max((cell["value"] - low) / (high - low), 0.0), 1.0)}
        for cell in _cells(chart)
    ]
    longest = max((len(name) for name in chart.columns), default=0)
    width = max(_CELL[0], 640 // max(len(chart.columns), 1)) if len(chart.columns) > 8 else 80
    upright = longest * 7 > width
    turned: dict[str, Any] = {"labelAngle": -90, "labelAlign": "left"} if upright else {"labelAngle": 0}
    layers = vega.matrix(
        [(name, "") for name in chart.rows],
        [(name, "") for name in chart.columns],
        cells,
        titles=("", ""),
        cell_width=150 if upright else width,
        tooltip=_TIP,
        across=turned,
    )
    height = _CELL[1] * len(chart.rows) + (150 if upright else 50)
    return "Darker cells have larger values.", layers, height, None


def titles(names: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return one name for each column. The group is added only where a title alone is not unique."""
    alone = [title for _, title in names]
    return tuple(f"{group} {title}" if group and alone.count(title) > 1 else title for group, title in names)

"""Charts of the calibration report: matrices of counts, shares side by side, and lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from reports import vega
from reports.charts import TALLEST, grouped, mark_in_words, numbered, series_scale
from reports.content import ChartBlock, Mark
from reports.vega import GREY, QUIET, WIDTH, ChartSpec, color, layer, legend, quantity, shape
from reports.words import number


@dataclass(frozen=True)
class Heat(ChartBlock):
    """A table of counts. A cell's color is its share of the row."""

    json_type: ClassVar[str] = "heat"

    key: str
    title: str
    down: str
    across: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    def spec(self) -> ChartSpec:
        """Return the chart as Vega-Lite."""
        return _heat(self)

    def parts(self) -> list[ChartSpec]:
        """Return the matrix in parts of at most ``TALLEST`` pixels, cut between rows."""
        groups = grouped([_CELL[1]] * len(self.rows), TALLEST - _HEAT_AROUND[1])
        return numbered(
            self.key, [replace(self, rows=self.rows[group], counts=self.counts[group]).spec() for group in groups]
        )


@dataclass(frozen=True)
class Bars(ChartBlock):
    """Shares side by side, one group for each label."""

    json_type: ClassVar[str] = "bars"

    key: str
    title: str
    axis: str
    labels: tuple[str, ...]
    series: tuple[tuple[str, tuple[float, ...]], ...]
    people: int = 0
    """The number of series at the start that are people. They share a color."""

    def spec(self) -> ChartSpec:
        """Return the chart as Vega-Lite."""
        return _bars(self)


@dataclass(frozen=True)
class Point:
    """A point of a line, with its interval if it has one."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class LineChart(ChartBlock):
    """Lines over a horizontal axis."""

    json_type: ClassVar[str] = "lines"

    key: str
    title: str
    across: str
    up: str
    series: tuple[tuple[str, tuple[Point, ...]], ...]
    diagonal: bool = False
    """Whether to draw the line on which both axes are equal."""
    log_x: bool = False
    first: int = 1

    def spec(self) -> ChartSpec:
        """Return the chart as Vega-Lite."""
        return _lines(self)


_CELL = (76, 40)
"""The width and the height of a cell of a matrix, in pixels."""
_HEAT_AROUND = (240, 70)


def _heat(chart: Heat) -> ChartSpec:
    cells = []
    for row, counts in enumerate(chart.counts):
        total = sum(counts)
        for column, count in enumerate(counts):
            share = count / total if total else 0.0
            about = f"{count:,} of {total:,} ({share:.1%})"
            names = {"down": chart.rows[row], "across": chart.columns[column], "told": about}
            cells.append({"row": row, "column": column, "shown": f"{count:,}", "share": share, **names})
    totals = [sum(counts) for counts in chart.counts]
    layers = vega.matrix(
        [(name, f"{total:,} in all") for name, total in zip(chart.rows, totals, strict=True)],
        [(name, "") for name in chart.columns],
        cells,
        titles=(chart.down, chart.across),
        cell_width=_CELL[0],
        tooltip=[
            {"field": "down", "title": chart.down},
            {"field": "across", "title": chart.across},
            {"field": "told", "title": "count"},
        ],
    )
    words = "; ".join(
        f"{chart.down} {name}: "
        + ", ".join(f"{column} {count}" for column, count in zip(chart.columns, counts, strict=True))
        for name, counts in zip(chart.rows, chart.counts, strict=True)
    )
    width, height = (
        size * n + more
        for size, n, more in zip(_CELL, (len(chart.columns), len(chart.rows)), _HEAT_AROUND, strict=True)
    )
    return ChartSpec(
        chart.key,
        chart.title,
        "Darker cells have a larger share of their row.",
        layers,
        [f"{chart.down} \N{RIGHTWARDS ARROW} {chart.across}", *chart.columns, "In all"],
        [[name, *counts, total] for name, counts, total in zip(chart.rows, chart.counts, totals, strict=True)],
        height,
        min(width, WIDTH),
        words,
    )


def _bars(chart: Bars) -> ChartSpec:
    names = [name for name, _ in chart.series]
    values: list[dict[str, Any]] = [
        {"at": at, "label": label, "series": name, "place": place, "share": shares[at], "told": f"{shares[at]:.1%}"}
        for place, (name, shares) in enumerate(chart.series)
        for at, label in enumerate(chart.labels)
    ]
    x = vega.names_axis(chart.labels, limit=110, labelAngle=0)
    x["axis"]["labelOverlap"] = len(chart.labels) > 8
    y = quantity("share", chart.axis, scale={"zero": True, "nice": True}, format=".0%", tickCount=5, titleLimit=200)
    apart = {"field": "place", "type": "ordinal", "scale": {"domain": [*range(len(names))]}}
    signs = legend(names)
    colors = series_scale(names, [_bar_color(at, chart.people) for at in range(len(names))], signs)
    tip = [{"field": "label", "title": "value"}, {"field": "series"}, {"field": "told", "title": "share"}]
    layers = [layer(values, {"type": "bar"}, x=x, y=y, xOffset=apart, color=colors, tooltip=tip)]
    if len(chart.labels) * len(names) <= 20:
        words = {"type": "text", "baseline": "bottom", "dy": -3, "fontSize": 10, "color": QUIET, "tooltip": None}
        text = {"field": "share", "type": "quantitative", "format": ".0%"}
        layers.append(layer(values, words, x=x, y=y, xOffset=apart, text=text))
    sentences = [
        f"{name}: " + ", ".join(f"{label} {share:.1%}" for label, share in zip(chart.labels, shares, strict=True))
        for name, shares in chart.series
    ]
    rows: list[list[str | float]] = [[name, *shares] for name, shares in chart.series]
    height = vega.HEIGHT + vega.legend_height(signs, names)
    heads = ["Rater", *chart.labels]
    return ChartSpec(chart.key, chart.title, "", layers, heads, rows, height, words="; ".join(sentences))


def _bar_color(at: int, people: int) -> str:
    """Return the color of a bar: shades of one color for people, and one color for each judge."""
    if at >= people:
        return color(1 + at - people)
    light = at / people
    return "#" + "".join(f"{round(base + (210 - base) * 0.7 * light):02x}" for base in (0x59, 0x65, 0x6E))


def _lines(chart: LineChart) -> ChartSpec:
    names = [name for name, _ in chart.series]
    values: list[dict[str, Any]] = [
        {"series": name, "x": point.x, "value": point.y, "low": point.low, "high": point.high, "told": sentence}
        for name, points in chart.series
        for point in points
        for sentence in [mark_in_words(Mark(name, point.y, point.low, point.high))]
    ]
    xs = [value["x"] for value in values]
    ys = [value[name] for value in values for name in ("value", "low", "high")]
    across: Mapping[str, Any] = {"type": "log", "nice": False} if chart.log_x else {"nice": True, "zero": False}
    up: Mapping[str, Any] = {"nice": True, "zero": False}
    if chart.diagonal:
        both = vega.domain([*xs, *ys])
        across, up = {**across, "domain": both}, {**up, "domain": both}
    ticks: Mapping[str, Any] = {}
    if chart.log_x and xs:
        ticks = {"values": (steps := _steps(min(xs), max(xs)))}
        across = {**across, "domain": [steps[0], steps[-1]]}
    x = quantity("x", chart.across, scale=across, format=",~g", titleLimit=600, **ticks)
    y = quantity("value", chart.up, scale=up, titleLimit=240)
    signs = legend(names)
    colors = series_scale(names, [color(chart.first + at) for at in range(len(names))], signs)
    shapes = series_scale(names, [shape(chart.first + at) for at in range(len(names))], signs)
    tip = [{"field": "x", "title": chart.across, "format": ",~g"}, {"field": "told", "title": "value"}]
    rule = {"type": "rule", "strokeWidth": 1.6, "tooltip": None}
    limited = [value for value in values if value["low"] is not None and value["high"] is not None]
    point = {"type": "point", "filled": True, "size": 45, "opacity": 1}
    layers = [
        layer(limited, rule, x=x, y={**y, "field": "low"}, y2={"field": "high"}, color=colors),
        layer(values, {"type": "line", "strokeWidth": 1.6, "tooltip": None}, x=x, y=y, color=colors),
        layer(values, point, x=x, y=y, color=colors, shape=shapes, tooltip=tip),
    ]
    if chart.diagonal:
        ends = [{"x": end, "value": end} for end in both]
        layers.insert(0, layer(ends, {"type": "line", "color": GREY, "strokeDash": [4, 4], "tooltip": None}, x=x, y=y))
    words = "; ".join(
        f"{name}: " + ", ".join(f"{point.x:g} gives {number(point.y)}" for point in points)
        for name, points in chart.series
    )
    heads = ["Series", chart.across, chart.up, "From", "To"]
    rows = [[value[name] for name in ("series", "x", "value", "low", "high")] for value in values]
    height = 320 + vega.legend_height(signs, names)
    return ChartSpec(chart.key, chart.title, "", layers, heads, rows, height, words=words)


def _steps(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 times powers of ten around the range.

    >>> _steps(12, 300)
    [10.0, 20.0, 50.0, 100.0, 200.0, 500.0]
    """
    steps = [base * 10.0**power for power in range(-3, 9) for base in (1, 2, 5)]
    first = max([at for at, step in enumerate(steps) if step <= low * 1.0001], default=0)
    last = min([at for at, step in enumerate(steps) if step >= high * 0.9999], default=len(steps) - 1)
    return steps[first : max(last, first + 1) + 1]

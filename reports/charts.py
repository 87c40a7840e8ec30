"""The chart of values with intervals, and what charts of reports share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from reports import vega
from reports.content import ChartBlock, Mark
from reports.vega import AROUND, GREY, QUIET, WIDTH, ChartSpec, color, layer, legend, quantity, shape
from reports.words import number as written

TALLEST = 900
"""The height of a chart in a report, in pixels: it fits a printed page below its heading. A taller one is cut."""
_MARK, _GAP = 15, 11
"""The height of a mark in a row, and of the gap between rows."""
_MOST_MARKS = 30
"""Marks in one row of a part of a chart; more continue in the next row under the same label."""


@dataclass(frozen=True)
class Dots(ChartBlock):
    """Values with intervals, one line for each label, for comparison with a reference."""

    json_type: ClassVar[str] = "dots"

    key: str
    title: str
    axis: str
    lines: tuple[tuple[str, tuple[Mark, ...]], ...]
    zero: bool = False
    """Whether to draw a line at zero."""
    within: tuple[float, float] | None = None
    first: int = 0
    """The index of the first series: 0 is that of people, judges begin with 1."""

    def spec(self) -> ChartSpec:
        """Return the chart as Vega-Lite."""
        return _dots(self, self)

    def parts(self) -> list[ChartSpec]:
        """Return the chart in parts of at most ``TALLEST`` pixels, which share their axis, series and colors."""
        lines = [
            (label, marks[start : start + _MOST_MARKS])
            for label, marks in self.lines
            for start in range(0, max(len(marks), 1), _MOST_MARKS)
        ]
        room = TALLEST - AROUND - _legend(self)[1]
        groups = grouped([_height(marks) for _, marks in lines], room)
        charts = [_dots(replace(self, lines=tuple(lines[group])), self) for group in groups]
        return numbered(self.key, charts)

    def first_rows(self, room: int) -> tuple[ChartSpec, int]:
        """Return the chart with the first rows that fit into ``room`` pixels, and the number of rows left out."""
        first = grouped([_height(marks) for _, marks in self.lines], room)[0]
        part = replace(self, lines=self.lines[first])
        return part.spec(), len(self.lines) - len(part.lines)


def numbered(key: str, parts: Sequence[ChartSpec]) -> list[ChartSpec]:
    """Return the parts of a chart, each with a key of its own."""
    return [replace(part, key=f"{key}-{at}") if at else part for at, part in enumerate(parts)]


def grouped(heights: Sequence[int], room: int) -> list[slice]:
    """Return slices of rows that each fit into ``room`` pixels. A row that is higher than that gets its own slice."""
    slices, start, filled = [], 0, 0
    for place, height in enumerate(heights):
        if place > start and filled + height > room:
            slices.append(slice(start, place))
            start, filled = place, 0
        filled += height
    return [*slices, slice(start, len(heights))]


def _series(chart: Dots) -> list[str]:
    return list(dict.fromkeys(mark.series for _, marks in chart.lines for mark in marks))


def _legend(chart: Dots) -> tuple[dict[str, Any], int]:
    """Return the legend of a chart and its height."""
    names = _series(chart)
    legend_spec = legend(names, [label for label, _ in chart.lines])
    return legend_spec, vega.legend_height(legend_spec, names)


def _height(marks: Sequence[Mark]) -> int:
    return max(len(marks), 1) * _MARK + _GAP


def mark_in_words(mark: Mark) -> str:
    """Return a mark in words."""
    if mark.value is None:
        return f"{mark.series}: undefined"
    limits = ""
    if mark.low is not None and mark.high is not None:
        limits = f", 95 % interval {written(mark.low)} to {written(mark.high)}"
    return f"{mark.series}: {written(mark.value)}{limits}"


def _dots(chart: Dots, whole: Dots) -> ChartSpec:
    """Draw the lines of a chart. Axis, legend and colors are those of ``whole``, which contains the chart."""
    names = _series(whole)
    values: list[dict[str, Any]] = []
    middles, edges, empty, top = [], [], [], 0
    for label, marks in chart.lines:
        for place, mark in enumerate(marks):
            about = {"label": label, "series": mark.series, "told": mark_in_words(mark)}
            middle = top + _GAP / 2 + _MARK * (place + 0.5)
            values.append({**about, "y": middle, "value": mark.value, "low": mark.low, "high": mark.high})
        middles.append(top + _height(marks) / 2)
        if all(mark.value is None for mark in marks):
            empty.append({"y": middles[-1], "words": "undefined; see the table"})
        top += _height(marks)
        edges.append({"y": top})
    axis = {
        "values": middles,
        "labelExpr": f"{json.dumps([label for label, _ in chart.lines])}[indexof({middles}, datum.value)]",
        "labelLimit": 270,
        "labelOverlap": False,
        "grid": False,
        "ticks": False,
        "domain": False,
    }
    y = quantity("y", None, scale={"domain": [0, max(top, 1)], "reverse": True, "nice": False}, **axis)
    shown = [number for _, marks in whole.lines for mark in marks for number in (mark.value, mark.low, mark.high)]
    more = [*(whole.within or ()), *([0.0] if whole.zero else [])]
    x = quantity("value", chart.axis, scale={"domain": vega.domain(shown, *more), "nice": True, "zero": False})
    x["axis"] |= {"titleLimit": WIDTH - 40}
    signs, high = _legend(whole)
    colors = series_scale(names, [color(chart.first + at) for at in range(len(names))], signs)
    shapes = series_scale(names, [shape(chart.first + at) for at in range(len(names))], signs)
    known = [value for value in values if value["value"] is not None]
    limited = [value for value in known if value["low"] is not None and value["high"] is not None]
    tip = [{"field": "label", "title": "row"}, {"field": "told", "title": "value"}]
    rule = {"type": "rule", "strokeWidth": 2, "tooltip": None}
    grey = {"type": "rule", "color": GREY, "tooltip": None}
    point = {"type": "point", "filled": True, "size": 60, "opacity": 1}
    words = {"type": "text", "align": "left", "color": QUIET, "tooltip": None}
    layers = [
        layer(edges, {**grey, "opacity": 0.25}, y=y),
        *([layer([{"value": 0}], grey, x=x)] if chart.zero else []),
        layer(limited, rule, y=y, x={**x, "field": "low"}, x2={"field": "high"}, color=colors),
        layer(known, point, y=y, x=x, color=colors, shape=shapes, tooltip=tip),
        *([layer(empty, words, y=y, x={"value": 8}, text={"field": "words"})] if empty else []),
    ]
    rows = [[value["label"], value["series"], value["value"], value["low"], value["high"]] for value in values]
    return ChartSpec(
        chart.key,
        chart.title,
        "",
        layers if values else layers[:1],
        ["Row", "Series", "Value", "From", "To"],
        rows,
        top + AROUND + high,
        words="; ".join(f"{label}: {', '.join(map(mark_in_words, marks))}" for label, marks in chart.lines),
    )


def series_scale(names: Sequence[str], values: Sequence[str], signs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the color or the shape of each series, with its legend."""
    scale = {"domain": [*names], "range": [*values]}
    return {"field": "series", "type": "nominal", "scale": scale, "legend": signs}

"""The charts of reports: values with intervals, matrices of counts, shares side by side, and lines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from reports import vega
from reports.content import Bars, Chart, Dots, Heat, LineChart, Mark
from reports.vega import AROUND, GREY, QUIET, WIDTH, ChartSpec, color, layer, legend, quantity, shape
from reports.words import number as written

TALLEST = 900
"""The height of a chart in a report, in pixels: it fits a printed page below its heading. A taller one is cut."""
_MARK, _GAP = 15, 11
"""The height of a mark in a row, and of the gap between rows."""
_MOST_MARKS = 30
"""Marks in one row of a part of a chart; more continue in the next row under the same label."""


def chart_of(chart: Chart) -> ChartSpec:
    """Return the chart as Vega-Lite."""
    if isinstance(chart, Dots):
        return _dots(chart, chart)
    if isinstance(chart, Heat):
        return _heat(chart)
    if isinstance(chart, Bars):
        return _bars(chart)
    return _lines(chart)


def parts_of(chart: Chart) -> list[ChartSpec]:
    """Return the chart in parts of at most ``TALLEST`` pixels, which share their axis, series and colors.

    Dots and matrices are cut between rows. Other charts do not grow with the number of rows and stay whole.
    """
    if isinstance(chart, Dots):
        lines = [
            (label, marks[start : start + _MOST_MARKS])
            for label, marks in chart.lines
            for start in range(0, max(len(marks), 1), _MOST_MARKS)
        ]
        room = TALLEST - AROUND - _legend(chart)[1]
        groups = _grouped([_height(marks) for _, marks in lines], room)
        found = [_dots(replace(chart, lines=tuple(lines[group])), chart) for group in groups]
    elif isinstance(chart, Heat):
        groups = _grouped([_CELL[1]] * len(chart.rows), TALLEST - _HEAT_AROUND[1])
        found = [_heat(replace(chart, rows=chart.rows[group], counts=chart.counts[group])) for group in groups]
    else:
        return [chart_of(chart)]
    return [replace(part, key=f"{chart.key}-{at}") if at else part for at, part in enumerate(found)]


def first_rows(chart: Dots, room: int) -> tuple[ChartSpec, int]:
    """Return the chart with the first rows that fit into ``room`` pixels, and the number of rows left out."""
    first = _grouped([_height(marks) for _, marks in chart.lines], room)[0]
    part = replace(chart, lines=chart.lines[first])
    return _dots(part, part), len(chart.lines) - len(part.lines)


def _grouped(heights: Sequence[int], room: int) -> list[slice]:
    """Return slices of rows that each fit into ``room`` pixels. A row that is higher than that gets its own slice."""
    found, start, filled = [], 0, 0
    for place, height in enumerate(heights):
        if place > start and filled + height > room:
            found.append(slice(start, place))
            start, filled = place, 0
        filled += height
    return [*found, slice(start, len(heights))]


# ---- values with intervals ------------------------------------------------------------------------------------------


def _series(chart: Dots) -> list[str]:
    return list(dict.fromkeys(mark.series for _, marks in chart.lines for mark in marks))


def _legend(chart: Dots) -> tuple[dict[str, Any], int]:
    """Return the legend of a chart and its height."""
    names = _series(chart)
    found = legend(names, [label for label, _ in chart.lines])
    return found, vega.legend_height(found, names)


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
            empty.append({"y": middles[-1], "words": "undefined; the table says why"})
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
    shown = [each for _, marks in whole.lines for mark in marks for each in (mark.value, mark.low, mark.high)]
    more = [*(whole.within or ()), *([0.0] if whole.zero else [])]
    x = quantity("value", chart.axis, scale={"domain": vega.domain(shown, *more), "nice": True, "zero": False})
    x["axis"] |= {"titleLimit": WIDTH - 40}
    signs, high = _legend(whole)
    colors = _scale(names, [color(chart.first + at) for at in range(len(names))], signs)
    shapes = _scale(names, [shape(chart.first + at) for at in range(len(names))], signs)
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


def _scale(names: Sequence[str], values: Sequence[str], signs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the color or the shape of each series, with its legend."""
    scale = {"domain": [*names], "range": [*values]}
    return {"field": "series", "type": "nominal", "scale": scale, "legend": signs}


# ---- counts and shares ----------------------------------------------------------------------------------------------


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
        "The darker a cell, the more of its row.",
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
    colors = _scale(names, [_bar_color(at, chart.people) for at in range(len(names))], signs)
    tip = [{"field": "label", "title": "value"}, {"field": "series"}, {"field": "told", "title": "share"}]
    layers = [layer(values, {"type": "bar"}, x=x, y=y, xOffset=apart, color=colors, tooltip=tip)]
    if len(chart.labels) * len(names) <= 20:
        words = {"type": "text", "baseline": "bottom", "dy": -3, "fontSize": 10, "color": QUIET, "tooltip": None}
        text = {"field": "share", "type": "quantitative", "format": ".0%"}
        layers.append(layer(values, words, x=x, y=y, xOffset=apart, text=text))
    told = [
        f"{name}: " + ", ".join(f"{label} {share:.1%}" for label, share in zip(chart.labels, shares, strict=True))
        for name, shares in chart.series
    ]
    rows: list[list[str | float]] = [[name, *shares] for name, shares in chart.series]
    height = vega.HEIGHT + vega.legend_height(signs, names)
    heads = ["Rater", *chart.labels]
    return ChartSpec(chart.key, chart.title, "", layers, heads, rows, height, words="; ".join(told))


def _bar_color(at: int, people: int) -> str:
    """Return the color of a bar: shades of one color for people, and one color for each judge."""
    if at >= people:
        return color(1 + at - people)
    light = at / people
    return "#" + "".join(f"{round(base + (210 - base) * 0.7 * light):02x}" for base in (0x59, 0x65, 0x6E))


# ---- lines ----------------------------------------------------------------------------------------------------------


def _lines(chart: LineChart) -> ChartSpec:
    names = [name for name, _ in chart.series]
    values: list[dict[str, Any]] = [
        {"series": name, "x": point.x, "value": point.y, "low": point.low, "high": point.high, "told": told}
        for name, points in chart.series
        for point in points
        for told in [mark_in_words(Mark(name, point.y, point.low, point.high))]
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
    colors = _scale(names, [color(chart.first + at) for at in range(len(names))], signs)
    shapes = _scale(names, [shape(chart.first + at) for at in range(len(names))], signs)
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
        f"{name}: " + ", ".join(f"{point.x:g} gives {written(point.y)}" for point in points)
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
    first = max([at for at, each in enumerate(steps) if each <= low * 1.0001], default=0)
    last = min([at for at, each in enumerate(steps) if each >= high * 0.9999], default=len(steps) - 1)
    return steps[first : max(last, first + 1) + 1]

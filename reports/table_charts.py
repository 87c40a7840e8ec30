"""Charts of a table of numbers: columns around a radar, rows as bars with intervals, or all of it in colours."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Literal

from reports.charts import (
    SERIES,
    WIDTH,
    Drawing,
    Line,
    Poly,
    Rect,
    Shape,
    Word,
    axis_across,
    cut,
    element,
    legend,
    scale,
    sign,
    ticks,
)

MOST_AROUND = SERIES
"""So many rows of a table have a line of their own on a radar."""
LEAST_AROUND = 3
"""A radar has at least so many columns."""
_SMALL = 11.0
_LETTER = 0.58


@dataclass(frozen=True)
class Value:
    """A number of the table; None where it has none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    shown: str = ""
    """As the table prints it."""


@dataclass(frozen=True)
class TableChart:
    """A table as it is drawn."""

    key: str
    """Its name on the page and in files."""
    kind: Literal["radar", "bars", "heat"]
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]
    """Of each row a value for each column, in the units of the table."""
    ends: tuple[float, float] | None = None
    """The lowest and the highest number that there can be; None: as the numbers have it."""

    @property
    def span(self) -> tuple[float, float]:
        """From where to where the numbers go: the ends of the scale, or else what is there, and 0."""
        known = [
            each for line in self.values for at in line for each in (at.value, at.low, at.high) if each is not None
        ]
        low, high = min([*known, 0.0]), max([*known, 0.0])
        if self.ends is not None:
            low, high = self.ends
        return (low, high) if low < high else (low, low + 1.0)


def drawn(chart: TableChart) -> Drawing:
    """The shapes of a chart, and what they show in words."""
    shapes, width, height = {"radar": _radar, "bars": _bars, "heat": _heat}[chart.kind](chart)
    words = "; ".join(
        f"{row}: "
        + ", ".join(f"{column} {at.shown or 'no number'}" for column, at in zip(chart.columns, line, strict=True))
        for row, line in zip(chart.rows, chart.values, strict=True)
    )
    return Drawing(width, height, tuple(shapes), chart.title, words)


def svg(chart: TableChart) -> str:
    """The chart as an ``<svg>`` element in the colours of the page."""
    return element(drawn(chart), chart.key)


def svg_file(chart: TableChart, *, dark: bool = False) -> bytes:
    """The chart as a file of its own, on light or on dark paper, with every colour written out."""
    return drawing_file(drawn(chart), chart.key, dark=dark)


def drawing_file(drawing: Drawing, name: str, *, dark: bool = False) -> bytes:
    """A drawing as a file of its own, as ``svg_file`` is; its ids begin with ``name``."""
    colours = _colours(dark)
    inner = element(drawing, name)

    def mixed(found: re.Match[str]) -> str:
        share, (over, under) = float(found[1]) / 100, (colours["heat"], colours["paper"])
        parts = [
            round(share * int(over[at : at + 2], 16) + (1 - share) * int(under[at : at + 2], 16)) for at in (1, 3, 5)
        ]
        return "#" + "".join(f"{part:02x}" for part in parts)

    inner = re.sub(r"color-mix\(in srgb, var\(-{2}heat\) (\d+)%, var\(-{2}paper\)\)", mixed, inner)
    inner = re.sub(r"var\(-{2}(\w+)\)", lambda found: colours[found[1]], inner)
    start = inner.index(">") + 1
    head = inner[: start - 1] + f' width="{drawing.width:g}" height="{drawing.height:g}" font-family="sans-serif">'
    paper = f'<rect width="{drawing.width:g}" height="{drawing.height:g}" fill="{colours["paper"]}"/>'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}{paper}{inner[start:]}\n'.encode()


@cache
def _colours(dark: bool) -> dict[str, str]:
    """The colours of reports by name, on light or on dark paper."""
    style = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")
    return {name: pair[dark] for name, *pair in re.findall(r"-{2}(\w+): light-dark\((#\w{6}), (#\w{6})\)", style)}


# ---- the three kinds -------------------------------------------------------------------------------------------------


def _tip(row: str, column: str, at: Value) -> str:
    limits = "" if at.low is None or at.high is None else f", 95 % interval {at.low:.3g} to {at.high:.3g}"
    return f"{row}, {column}: {at.shown or 'no number'}{limits}"


def _radar(chart: TableChart) -> tuple[list[Shape], float, float]:
    rows = chart.rows[:MOST_AROUND]
    signs, tall = legend(rows, 16, 20)
    low, high = chart.span
    steps = ticks(low, high, 5)
    around, radius = len(chart.columns), 170.0
    middle, up = WIDTH / 2, tall + 40 + radius
    far = scale(steps[0], steps[-1], 0.0, radius)

    def place(number: int, distance: float) -> tuple[float, float]:
        angle = 2 * math.pi * number / around
        return middle + distance * math.sin(angle), up - distance * math.cos(angle)

    shapes: list[Shape] = list(signs)
    for step in steps[1:]:
        ring = [place(number, far(step)) for number in range(around)]
        shapes.append(Poly((*ring, ring[0]), "grid", width=0.8))
        shapes.append(Word(middle + 4, up - far(step) + 4, f"{step:g}", _SMALL, "muted"))
    for number, column in enumerate(chart.columns):
        x, y = place(number, radius)
        shapes.append(Line(middle, up, x, y, "grid", 0.8))
        side = math.sin(2 * math.pi * number / around)
        anchor: Literal["start", "middle", "end"] = "middle" if abs(side) < 0.2 else "start" if side > 0 else "end"
        x, y = place(number, radius + 14)
        room = WIDTH - x - 8 if anchor == "start" else x - 8 if anchor == "end" else 160.0
        shapes.append(Word(x, y + 4, cut(column, room, _SMALL), _SMALL, anchor=anchor, title=column))
    for series, (row, line) in enumerate(zip(rows, chart.values, strict=False)):
        points = [(number, place(number, far(at.value))) for number, at in enumerate(line) if at.value is not None]
        if len(points) == around:
            corners = tuple(point for _, point in points)
            shapes.append(Poly(corners, f"s{series}", filled=True, opacity=0.08))
            shapes.append(Poly((*corners, corners[0]), f"s{series}", width=1.8))
        for number, (x, y) in points:
            shapes += sign(series, x, y, _tip(row, chart.columns[number], line[number]), 3.6)
    bottom = up + radius + 34
    more = len(chart.rows) - len(rows)
    if more > 0:
        words = f"The first {len(rows)} rows of the table; it has {more} more."
        shapes.append(Word(20, bottom, words, _SMALL, "muted"))
        bottom += 16
    return shapes, WIDTH, bottom


def _bars(chart: TableChart) -> tuple[list[Shape], float, float]:
    alone = len(chart.columns) == 1
    """A table of one column has a bar for each row, and needs no colours to tell rows apart."""
    lines = (
        [(row, [(row, chart.columns[0], line[0])]) for row, line in zip(chart.rows, chart.values, strict=True)]
        if alone
        else [
            (column, [(row, column, line[at]) for row, line in zip(chart.rows, chart.values, strict=True)])
            for at, column in enumerate(chart.columns)
        ]
    )
    longest = max((len(label) for label, _ in lines), default=0)
    left, right = min(max(longest * 12 * _LETTER + 16, 60.0), 290.0), WIDTH - 60
    paints = [(f"s{1 + at % (SERIES - 1)}", 1.0 if at < SERIES - 1 else 0.55) for at in range(len(chart.rows))]
    signs, tall = ([], 0.0) if alone else legend(chart.rows, 16, left, paints=paints)
    low, high = chart.span
    steps = ticks(low, high)
    at_x = scale(steps[0], steps[-1], left, right)
    thick = 16.0 if alone else 11.0
    top = tall + 14
    heights = [len(bars) * thick + 10 for _, bars in lines]
    bottom = top + sum(heights)
    shapes: list[Shape] = [*signs, *axis_across(steps, at_x, top, bottom, "", left, right)]
    y = top
    for (label, bars), height in zip(lines, heights, strict=True):
        shapes.append(Word(left - 10, y + height / 2 + 4, cut(label, left - 16), anchor="end", title=label))
        for number, (row, column, at) in enumerate(bars):
            if at.value is not None:
                paint = paints[0] if alone else paints[number]
                shapes += _bar(at, y + 5 + number * thick, thick, at_x, paint, _tip(row, column, at))
        y += height
    return shapes, WIDTH, bottom + 34


def _bar(at: Value, y: float, thick: float, at_x: object, paint: tuple[str, float], title: str) -> Iterator[Shape]:
    assert callable(at_x)
    assert at.value is not None
    start, end = sorted((at_x(0.0), at_x(at.value)))
    yield Rect(start, y + 1, max(end - start, 1.0), thick - 2, *paint, title)
    edge = end
    if at.low is not None and at.high is not None:
        middle = y + thick / 2
        yield Line(at_x(at.low), middle, at_x(at.high), middle, "ink", 1.2, title=title)
        for x in (at_x(at.low), at_x(at.high)):
            yield Line(x, middle - 3, x, middle + 3, "ink", 1.2)
        edge = max(end, at_x(at.high))
    yield Word(edge + 5, y + thick / 2 + 3.5, at.shown, 10, "muted")


def _heat(chart: TableChart) -> tuple[list[Shape], float, float]:
    longest = max((len(name) for name in chart.rows), default=1)
    left = min(max(longest * 12 * _LETTER + 20, 90.0), 230.0)
    cell = min(max((WIDTH - left - 10) / max(len(chart.columns), 1), 40.0), 110.0)
    wide = max((len(name) * _SMALL * _LETTER for name in chart.columns), default=0.0)
    upwards = wide > cell - 4  # if one name has to be, all are
    high, top = 24.0, min(wide, 80.0) + 16 if upwards else 30.0
    low, most = chart.span
    shapes: list[Shape] = []
    for at, name in enumerate(chart.columns):
        x = left + cell * (at + 0.5)
        words = cut(name, 80 if upwards else cell, _SMALL)
        anchor: Literal["start", "middle"] = "start" if upwards else "middle"
        shapes.append(
            Word(x + (4 if upwards else 0), top - 8, words, _SMALL, anchor=anchor, upwards=upwards, title=name)
        )
    for row, (name, line) in enumerate(zip(chart.rows, chart.values, strict=True)):
        y = top + row * high
        shapes.append(Word(left - 10, y + high / 2 + 4, cut(name, left - 16), anchor="end", title=name))
        for at, value in enumerate(line):
            x, tip = left + at * cell, _tip(name, chart.columns[at], value)
            share = 0.0 if value.value is None else min(max((value.value - low) / (most - low), 0.0), 1.0)
            shapes.append(Rect(x + 1, y + 1, cell - 2, high - 2, f"heat:{share:.3f}", title=tip))
            shapes.append(Word(x + cell / 2, y + high / 2 + 4, value.shown, 10, "ink", "middle"))
    return shapes, max(left + cell * len(chart.columns) + 10, WIDTH), top + high * len(chart.rows) + 8


def figure(chart: TableChart) -> str:
    """The chart with its title, as a part of a page."""
    return f"<figure><figcaption>{escape(chart.title)}</figcaption>{svg(chart)}</figure>"


def titles(names: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Group and title of each column as one name; the group only where a title alone is not enough."""
    alone = [title for _, title in names]
    return tuple(f"{group} {title}" if group and alone.count(title) > 1 else title for group, title in names)

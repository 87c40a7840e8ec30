"""Charts as shapes: one drawing for the browser, the PDF and the app.

:func:`drawn` lays a chart out as rectangles, lines, polygons, discs and words, in points from the top left; colours are
names that the page gives a meaning to. :func:`svg` writes the shapes; ``reports.pdf`` draws the same ones on paper.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Literal

from reports.content import Bars, Chart, Dots, Heat, Lines, Mark
from reports.words import number as told_number

WIDTH = 720.0
SERIES = 6
"""How many series have a colour and a sign of their own; more take them again."""

_SMALL, _SIZE = 11.0, 12.0
_WIDE = 0.58
"""The width of a letter in sizes of the font, on the safe side."""


@dataclass(frozen=True)
class Rect:
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    paint: str
    opacity: float = 1.0
    title: str = ""


@dataclass(frozen=True)
class Line:
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    paint: str
    width: float = 1.0
    dashed: bool = False
    title: str = ""


@dataclass(frozen=True)
class Poly:
    """A line through points, or the area inside them."""

    points: tuple[tuple[float, float], ...]
    paint: str
    filled: bool = False
    width: float = 2.0
    opacity: float = 1.0
    title: str = ""


@dataclass(frozen=True)
class Disc:
    """A filled circle."""

    x: float
    y: float
    radius: float
    paint: str
    title: str = ""


@dataclass(frozen=True)
class Word:
    """Text whose baseline starts, is centred, or ends at a point."""

    x: float
    y: float
    text: str
    size: float = _SIZE
    paint: str = "ink"
    anchor: Literal["start", "middle", "end"] = "start"
    bold: bool = False
    upwards: bool = False
    title: str = ""


Shape = Rect | Line | Poly | Disc | Word


@dataclass(frozen=True)
class Drawing:
    """Shapes on a sheet, and what they show in words."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str
    words: str


def drawn(chart: Chart) -> Drawing:
    """The shapes of a chart."""
    if isinstance(chart, Dots):
        return _dots(chart)
    if isinstance(chart, Heat):
        return _heat(chart)
    if isinstance(chart, Bars):
        return _bars(chart)
    return _lines(chart)


def sheets(chart: Chart, tallest: float) -> list[Drawing]:
    """Return the chart as drawings of at most this height, which share their axis, series and colors.

    Dots and heat maps are cut between rows. Other charts do not grow with the number of rows and stay whole.
    """
    if isinstance(chart, Dots):
        lines = [
            (label, marks[start : start + _MOST_MARKS])
            for label, marks in chart.lines
            for start in range(0, max(len(marks), 1), _MOST_MARKS)
        ]
        legend_rows = legend(_series(chart), 16, _dots_left(chart), chart.first)[1]
        groups = _grouped([_dots_row(marks) for _, marks in lines], tallest - legend_rows - 50)
        return [_dots(replace(chart, lines=tuple(lines[each])), whole=chart) for each in groups]
    if isinstance(chart, Heat):
        groups = _grouped([_heat_row(chart)] * len(chart.rows), tallest - _HEAT_TOP - 8)
        return [_heat(replace(chart, rows=chart.rows[each], counts=chart.counts[each]), chart) for each in groups]
    return [drawn(chart)]


def _grouped(heights: Sequence[float], room: float) -> list[slice]:
    """Return slices of rows that each fit into the room; a row that alone is higher has a slice of its own."""
    found, start, filled = [], 0, 0.0
    for place, height in enumerate(heights):
        if place > start and filled + height > room:
            found.append(slice(start, place))
            start, filled = place, 0.0
        filled += height
    return [*found, slice(start, len(heights))]


def svg(chart: Chart) -> str:
    """The chart as an ``<svg>`` element, its colours the page's custom properties ``--ink``, ``--s0`` and so on."""
    return element(drawn(chart), chart.key)


def element(drawing: Drawing, name: str) -> str:
    """A drawing as an ``<svg>`` element; its ids begin with ``name``, which is the drawing's own on its page."""
    key = escape(name, quote=True)
    inner = "".join(_element(shape) for shape in drawing.shapes)
    return (
        f'<svg class="chart" role="img" aria-labelledby="{key}-t {key}-d" viewBox="0 0 {drawing.width:g} '
        f'{drawing.height:g}" xmlns="http://www.w3.org/2000/svg"><title id="{key}-t">{escape(drawing.title)}</title>'
        f'<desc id="{key}-d">{escape(drawing.words)}</desc>{inner}</svg>'
    )


def _element(shape: Shape) -> str:
    title = f"<title>{escape(shape.title)}</title>" if shape.title else ""
    if isinstance(shape, Rect):
        place = f'x="{shape.x:.1f}" y="{shape.y:.1f}" width="{max(shape.width, 0):.1f}" height="{shape.height:.1f}"'
        return f'<rect {place} fill="{_css(shape.paint)}"{_faint(shape.opacity)}>{title}</rect>'
    if isinstance(shape, Line):
        place = f'x1="{shape.x1:.1f}" y1="{shape.y1:.1f}" x2="{shape.x2:.1f}" y2="{shape.y2:.1f}"'
        dash = ' stroke-dasharray="4 4"' if shape.dashed else ""
        return f'<line {place} stroke="{_css(shape.paint)}" stroke-width="{shape.width:g}"{dash}>{title}</line>'
    if isinstance(shape, Poly):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.points)
        if shape.filled:
            return f'<polygon points="{points}" fill="{_css(shape.paint)}"{_faint(shape.opacity)}>{title}</polygon>'
        return (
            f'<polyline points="{points}" fill="none" stroke="{_css(shape.paint)}" stroke-width="{shape.width:g}">'
            f"{title}</polyline>"
        )
    if isinstance(shape, Disc):
        place = f'cx="{shape.x:.1f}" cy="{shape.y:.1f}" r="{shape.radius:g}"'
        return f'<circle {place} fill="{_css(shape.paint)}">{title}</circle>'
    turn = f' transform="rotate(-90 {shape.x:.1f} {shape.y:.1f})"' if shape.upwards else ""
    weight = ' font-weight="600"' if shape.bold else ""
    return (
        f'<text x="{shape.x:.1f}" y="{shape.y:.1f}" font-size="{shape.size:g}" fill="{_css(shape.paint)}" '
        f'text-anchor="{shape.anchor}"{weight}{turn}>{escape(shape.text)}{title}</text>'
    )


def _css(paint: str) -> str:
    """``heat:0.4`` is a mixture of the page's two ends of the heat scale; any other name is a custom property."""
    name, _, amount = paint.partition(":")
    if name == "heat":
        return f"color-mix(in srgb, var(--heat) {float(amount) * 100:.0f}%, var(--paper))"
    return f"var(--{name})"


def _faint(opacity: float) -> str:
    return "" if opacity == 1.0 else f' fill-opacity="{opacity:g}"'


# ---- parts of a chart -----------------------------------------------------------------------------------------------


def number(value: float) -> str:
    """A number on an axis or in a tooltip: as many digits as help."""
    if value == 0:
        return "0"
    if not 1e-4 <= abs(value) < 1e7:
        return f"{value:.3g}".replace("-", "\N{MINUS SIGN}")
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    text = f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "\N{MINUS SIGN}")


def mark_in_words(mark: Mark) -> str:
    """A mark in words."""
    if mark.value is None:
        return f"{mark.series}: undefined"
    limits = ""
    if mark.low is not None and mark.high is not None:
        limits = f", 95 % interval {told_number(mark.low)} to {told_number(mark.high)}"
    return f"{mark.series}: {told_number(mark.value)}{limits}"


def ticks(low: float, high: float, wanted: int = 6) -> list[float]:
    """Round numbers that cover the range.

    >>> ticks(0.1, 0.87)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    span = high - low or abs(high) or 1.0
    rough = span / max(wanted - 1, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * each for each in (1, 2, 2.5, 5, 10) if power * each >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(place * step, 12) for place in range(first, last + 1)]


def cut(text: str, width: float, size: float = _SIZE) -> str:
    """The text, shortened with an ellipsis to what fits."""
    most = max(int(width / (size * _WIDE)), 2)
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def legend(
    names: Sequence[str], y: float, left: float, first: int = 0, paints: Sequence[tuple[str, float]] | None = None
) -> tuple[list[Shape], float]:
    """Signs and names next to each other, in as many lines as it takes, and how high that is."""
    shapes: list[Shape] = []
    x, top = left, y
    for place, name in enumerate(names):
        words = cut(name, 260, _SMALL)
        width = 16 + len(words) * _SMALL * _WIDE + 18
        if x > left and x + width > WIDTH - 8:
            x, top = left, top + 18
        if paints is None:
            shapes += sign(first + place, x + 5, top - 4, "")
        else:
            shapes.append(Rect(x, top - 9, 10, 10, *paints[place]))
        shapes.append(Word(x + 15, top, words, _SMALL, title=name))
        x += width
    return shapes, top - y + 18


def sign(series: int, x: float, y: float, title: str, radius: float = 4.5) -> Iterator[Shape]:
    """The sign of a series: its form tells as much as its colour."""
    paint, r = f"s{series % SERIES}", radius
    form = series % 4
    if form == 0:
        yield Poly(((x, y - r - 1), (x + r + 1, y), (x, y + r + 1), (x - r - 1, y)), paint, filled=True, title=title)
    elif form == 1:
        yield Disc(x, y, r, paint, title)
    elif form == 2:
        yield Rect(x - r + 0.5, y - r + 0.5, 2 * r - 1, 2 * r - 1, paint, title=title)
    else:
        yield Poly(((x, y - r - 1), (x + r + 0.5, y + r - 0.5), (x - r - 0.5, y + r - 0.5)), paint, True, title=title)


# ---- the charts -----------------------------------------------------------------------------------------------------


_MOST_MARKS = 30
"""Marks in one row of a sheet; more continue in the next row under the same label."""


def _series(chart: Dots) -> list[str]:
    return list(dict.fromkeys(mark.series for _, marks in chart.lines for mark in marks))


def _dots_left(chart: Dots) -> float:
    longest = max((len(label) for label, _ in chart.lines), default=0)
    return min(max(longest * _SIZE * _WIDE + 16, 60.0), 290.0)


def _dots_row(marks: Sequence[Mark]) -> float:
    return max(len(marks), 1) * 15.0 + 11


def _dots(chart: Dots, whole: Dots | None = None) -> Drawing:
    """Draw the lines of a chart; axis, legend and colors are those of the ``whole`` that it is a part of."""
    whole = whole or chart
    names = _series(whole)
    shown = [
        each
        for _, marks in whole.lines
        for mark in marks
        for each in (mark.value, mark.low, mark.high)
        if each is not None
    ]
    if chart.zero or not shown:
        shown = [*shown, 0.0]
    low, high = min(shown), max(shown)
    if chart.within is not None:
        low, high = min(low, chart.within[0]), max(high, chart.within[1])
    steps = ticks(low, high)
    left = _dots_left(whole)
    right = WIDTH - 24
    at = scale(steps[0], steps[-1], left, right)
    shapes, tall = legend(names, 16, left, chart.first)
    top = tall + 10
    heights = [_dots_row(marks) for _, marks in chart.lines]
    bottom = top + sum(heights)
    shapes += axis_across(steps, at, top, bottom, chart.axis, left, right)
    if chart.zero and steps[0] <= 0 <= steps[-1]:
        shapes.append(Line(at(0), top, at(0), bottom, "muted", 1.2))
    y = top
    for (label, marks), height in zip(chart.lines, heights, strict=True):
        shapes.append(Line(left, y + height, right, y + height, "grid", 0.6))
        shapes.append(Word(left - 10, y + height / 2 + 4, cut(label, left - 16), anchor="end", title=label))
        if all(mark.value is None for mark in marks):
            shapes.append(Word(left + 8, y + height / 2 + 4, "undefined; the table says why", _SMALL, "muted"))
        for place, mark in enumerate(marks):
            shapes += _mark(
                mark,
                chart.first + names.index(mark.series),
                y + 13 + place * 15,
                at,
                title=f"{label}. {mark_in_words(mark)}",
            )
        y += height
    words = "; ".join(f"{label}: {', '.join(mark_in_words(mark) for mark in marks)}" for label, marks in chart.lines)
    return Drawing(WIDTH, bottom + 40, tuple(shapes), chart.title, words)


def _mark(mark: Mark, series: int, y: float, at: Callable[[float], float], *, title: str) -> Iterator[Shape]:
    if mark.value is None:
        return
    paint = f"s{series % SERIES}"
    if mark.low is not None and mark.high is not None:
        yield Line(at(mark.low), y, at(mark.high), y, paint, 2.2, title=title)
        for end in (mark.low, mark.high):
            yield Line(at(end), y - 3.5, at(end), y + 3.5, paint, 1.6)
    yield from sign(series, at(mark.value), y, title)


def axis_across(
    steps: Sequence[float],
    at: Callable[[float], float],
    top: float,
    bottom: float,
    name: str,
    left: float,
    right: float,
) -> Iterator[Shape]:
    """An axis below a chart, with a line up from each of its steps."""
    for step in steps:
        yield Line(at(step), top, at(step), bottom, "grid", 0.8)
        yield Word(at(step), bottom + 15, number(step), _SMALL, "muted", "middle")
    yield Word((left + right) / 2, bottom + 32, cut(name, right - left, _SMALL), _SMALL, "muted", "middle")


def _axis_up(
    steps: Sequence[float], at: Callable[[float], float], left: float, right: float, name: str
) -> Iterator[Shape]:
    for step in steps:
        yield Line(left, at(step), right, at(step), "grid", 0.8)
        yield Word(left - 8, at(step) + 4, number(step), _SMALL, "muted", "end")
    middle = (at(steps[0]) + at(steps[-1])) / 2
    yield Word(
        14, middle, cut(name, abs(at(steps[0]) - at(steps[-1])), _SMALL), _SMALL, "muted", "middle", upwards=True
    )


def scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    """Where a value lies, of which the lowest lies at ``start`` and the highest at ``end``."""
    span = high - low or 1.0

    def at(value: float) -> float:
        return start + (value - low) / span * (end - start)

    return at


_HEAT_TOP = 58.0


def _heat_row(chart: Heat) -> float:
    return 40.0 if len(chart.rows) < 9 else 30.0


def _heat(chart: Heat, whole: Heat | None = None) -> Drawing:
    """Draw the rows of a heat map; sizes are those of the ``whole`` that it is a part of."""
    whole = whole or chart
    longest = max((len(name) for name in (*whole.rows, chart.down)), default=1)
    left = min(max(longest * _SIZE * _WIDE + 44, 90.0), 230.0)
    cell = min(max((WIDTH - left - 90) / max(len(chart.columns), 1), 34.0), 110.0)
    high, top = _heat_row(whole), _HEAT_TOP
    width = left + cell * len(chart.columns)
    shapes: list[Shape] = [
        Word(left + cell * len(chart.columns) / 2, 18, chart.across, anchor="middle", bold=True),
        Word(14, top + high * len(chart.rows) / 2, chart.down, anchor="middle", bold=True, upwards=True),
        Word(width + 12, top - 10, "in all", _SMALL, "muted"),
    ]
    for at, name in enumerate(chart.columns):
        words = cut(name, cell, _SMALL)
        shapes.append(Word(left + cell * (at + 0.5), top - 10, words, _SMALL, anchor="middle", title=name))
    said_rows = []
    for row, (name, counts) in enumerate(zip(chart.rows, chart.counts, strict=True)):
        y, total = top + row * high, sum(counts)
        shapes.append(Word(left - 10, y + high / 2 + 4, cut(name, left - 44), anchor="end", title=name))
        shapes.append(Word(width + 12, y + high / 2 + 4, f"{total:,}", _SMALL, "muted"))
        for at, count in enumerate(counts):
            share = count / total if total else 0.0
            title = f"{chart.down} {name}, {chart.across} {chart.columns[at]}: {count:,} of {total:,} ({share:.1%})"
            x = left + at * cell
            shapes.append(Rect(x + 1, y + 1, cell - 2, high - 2, f"heat:{share:.3f}", title=title))
            if cell >= 52 and high >= 40:
                shapes.append(Word(x + cell / 2, y + high / 2 - 1, f"{share:.0%}", _SIZE, "ink", "middle", share > 0.5))
                shapes.append(Word(x + cell / 2, y + high / 2 + 13, f"{count:,}", 10, "ink", "middle"))
            else:
                shapes.append(Word(x + cell / 2, y + high / 2 + 4, f"{count:,}", 10, "ink", "middle"))
        pairs = ", ".join(f"{column} {count}" for column, count in zip(chart.columns, counts, strict=True))
        said_rows.append(f"{chart.down} {name}: {pairs}")
    return Drawing(
        max(width + 80, 300), top + high * len(chart.rows) + 8, tuple(shapes), chart.title, "; ".join(said_rows)
    )


def _bars(chart: Bars) -> Drawing:
    left, right, top = 62.0, WIDTH - 14, 40.0
    names = [name for name, _ in chart.series]
    most = max((value for _, values in chart.series for value in values), default=0.0)
    steps = ticks(0.0, most or 1.0, 5)
    paints = [_bar_paint(at, chart.people) for at in range(len(names))]
    signs, tall = legend(names, 16, left, paints=paints)
    top = tall + 10
    bottom = top + 170
    at = scale(steps[0], steps[-1], bottom, top)
    shapes: list[Shape] = [*signs, *_axis_up(steps, at, left, right, chart.axis)]
    group = (right - left) / max(len(chart.labels), 1)
    thick = min(group * 0.8 / max(len(names), 1), 44.0)
    every = max(math.ceil(max((len(label) for label in chart.labels), default=1) * _SMALL * _WIDE / group), 1)
    every = 1 if len(chart.labels) <= 8 else every
    for place, label in enumerate(chart.labels):
        middle = left + group * (place + 0.5)
        if place % every == 0:
            words = cut(label, group * every, _SMALL)
            shapes.append(Word(middle, bottom + 16, words, _SMALL, anchor="middle", title=label))
        for series, (name, values) in enumerate(chart.series):
            x = middle + (series - len(names) / 2) * thick
            title = f"{label}, {name}: {values[place]:.1%}"
            height = bottom - at(values[place])
            shapes.append(Rect(x + 1, at(values[place]), thick - 2, height, *paints[series], title))
            if thick >= 30:
                shapes.append(Word(x + thick / 2, at(values[place]) - 4, f"{values[place]:.0%}", 10, "muted", "middle"))
    shapes.append(Line(left, bottom, right, bottom, "muted", 1.0))
    words = "; ".join(
        f"{name}: " + ", ".join(f"{label} {value:.1%}" for label, value in zip(chart.labels, values, strict=True))
        for name, values in chart.series
    )
    return Drawing(WIDTH, bottom + 28, tuple(shapes), chart.title, words)


def _bar_paint(at: int, people: int) -> tuple[str, float]:
    """People are shades of one colour, judges have one each."""
    if at < people:
        return "s0", 1.0 - 0.6 * at / max(people, 1)
    return f"s{1 + (at - people) % (SERIES - 1)}", 1.0


def _lines(chart: Lines) -> Drawing:
    left, right = 62.0, WIDTH - 20
    points = [point for _, line in chart.series for point in line]
    signs, tall = legend([name for name, _ in chart.series], 16, left, chart.first)
    top = tall + 10
    bottom = top + 240
    ys = [each for point in points for each in (point.y, point.low, point.high) if each is not None] or [0.0, 1.0]
    xs = [point.x for point in points] or [0.0, 1.0]
    if chart.diagonal:
        xs = ys = [*xs, *ys]
    up = ticks(min(ys), max(ys))
    across = _log_ticks(min(xs), max(xs)) if chart.log_x else ticks(min(xs), max(xs))
    flat = scale(
        *((math.log(across[0]), math.log(across[-1])) if chart.log_x else (across[0], across[-1])), left, right
    )

    def at_x(value: float) -> float:
        return flat(math.log(value) if chart.log_x else value)

    at_y = scale(up[0], up[-1], bottom, top)
    shapes: list[Shape] = [*signs, *_axis_up(up, at_y, left, right, chart.up)]
    shapes += axis_across(across, at_x, top, bottom, chart.across, left, right)
    if chart.diagonal:
        start, end = max(across[0], up[0]), min(across[-1], up[-1])
        shapes.append(Line(at_x(start), at_y(start), at_x(end), at_y(end), "muted", 1.2, dashed=True))
    for series, (name, line) in enumerate(chart.series, chart.first):
        paint = f"s{series % SERIES}"
        shapes.append(Poly(tuple((at_x(each.x), at_y(each.y)) for each in line), paint, width=1.6))
        for each in line:
            mark = Mark(name, each.y, each.low, each.high)
            title = f"{chart.across} {number(each.x)}. {mark_in_words(mark)}"
            if each.low is not None and each.high is not None:
                shapes.append(
                    Line(at_x(each.x), at_y(each.low), at_x(each.x), at_y(each.high), paint, 1.6, title=title)
                )
            shapes += sign(series, at_x(each.x), at_y(each.y), title, 3.6 if len(line) < 25 else 2.0)
    words = "; ".join(
        f"{name}: " + ", ".join(f"{number(each.x)} gives {number(each.y)}" for each in line)
        for name, line in chart.series
    )
    return Drawing(WIDTH, bottom + 40, tuple(shapes), chart.title, words)


def _log_ticks(low: float, high: float) -> list[float]:
    """1, 2, 5 times powers of ten around the range."""
    steps = [base * 10.0**power for power in range(-3, 9) for base in (1, 2, 5)]
    first = max([at for at, each in enumerate(steps) if each <= low * 1.0001], default=0)
    last = min([at for at, each in enumerate(steps) if each >= high * 0.9999], default=len(steps) - 1)
    return steps[first : max(last, first + 1) + 1]

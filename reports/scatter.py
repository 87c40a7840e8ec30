"""A chart of points and the lines that were fitted to them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from reports.charts import (
    SERIES,
    WIDTH,
    Disc,
    Drawing,
    Line,
    Poly,
    Shape,
    Word,
    axis_across,
    legend,
    number,
    scale,
    ticks,
)

_SMALL = 11.0
_LARGEST = 12.0
"""The radius of a point that stands for the most units."""


@dataclass(frozen=True)
class Spot:
    """A place at which units stand."""

    x: float
    y: float
    n: int = 1
    """How many."""
    title: str = ""


@dataclass(frozen=True)
class Scatter:
    """Points over two axes, with lines."""

    title: str
    across: str
    up: str
    spots: tuple[Spot, ...]
    lines: tuple[tuple[str, tuple[tuple[float, float], ...]], ...] = ()
    """Name and points of each line."""


def together(points: Sequence[tuple[float, float]]) -> tuple[Spot, ...]:
    """Equal points as one spot, the largest first, so that no spot hides another."""
    counted: dict[tuple[float, float], int] = {}
    for point in points:
        counted[point] = counted.get(point, 0) + 1
    return tuple(Spot(x, y, n) for (x, y), n in sorted(counted.items(), key=lambda each: -each[1]))


def drawn(chart: Scatter) -> Drawing:
    """The shapes of a chart, and what they show in words."""
    left, right = 62.0, WIDTH - 20
    signs, tall = legend([name for name, _ in chart.lines], 16, left, 1)
    top = tall + 10
    bottom = top + 260
    xs = [spot.x for spot in chart.spots] or [0.0, 1.0]
    ys = [spot.y for spot in chart.spots] or [0.0, 1.0]
    across, up = ticks(min(xs), max(xs)), ticks(min([*ys, 0.0]), max([*ys, 1.0]))
    at_x, at_y = scale(across[0], across[-1], left, right), scale(up[0], up[-1], bottom, top)
    shapes: list[Shape] = list(signs)
    shapes += axis_across(across, at_x, top, bottom, chart.across, left, right)
    for step in up:
        shapes.append(Line(left, at_y(step), right, at_y(step), "grid", 0.8))
        shapes.append(Word(left - 8, at_y(step) + 4, number(step), _SMALL, "muted", "end"))
    shapes.append(Word(14, (top + bottom) / 2, chart.up, _SMALL, "muted", "middle", upwards=True))
    most = max([spot.n for spot in chart.spots], default=1)
    for spot in chart.spots:
        radius = 4.0 if most == 1 else max(2.5, _LARGEST * math.sqrt(spot.n / most))
        said = spot.title or (f"{spot.n:,} at this place" if spot.n > 1 else "")
        place = f"{chart.across} {number(spot.x)}, {chart.up} {number(spot.y)}"
        shapes.append(Disc(at_x(spot.x), at_y(spot.y), radius, "s0", f"{place}. {said}".rstrip(". ")))
    for series, (_, line) in enumerate(chart.lines, 1):
        inside = [(at_x(x), at_y(y)) for x, y in line if up[0] <= y <= up[-1]]
        shapes.append(Poly(tuple(inside), f"s{series % SERIES}", width=2.0))
    told = [(name, line[0], line[-1]) for name, line in chart.lines if line]
    words = "; ".join(
        f"{name} goes from {_short(first[1])} at {_short(first[0])} to {_short(last[1])} at {_short(last[0])}"
        for name, first, last in told
    )
    n = sum(spot.n for spot in chart.spots)
    return Drawing(WIDTH, bottom + 40, tuple(shapes), chart.title, f"{n:,} units. {words}")


def _short(value: float) -> str:
    return number(round(value, 6))

"""A chart of points and of the lines fitted to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from domain.english import with_noun
from reports import vega
from reports.vega import GREY, ChartSpec, color, layer, quantity

_LARGEST = 450
"""Area of the point with the most units, in square pixels."""


@dataclass(frozen=True)
class ScatterPoint:
    """A position with one or more units."""

    x: float
    y: float
    n: int = 1
    """Number of units."""


@dataclass(frozen=True)
class Scatter:
    """Points over two axes, with lines."""

    key: str
    title: str
    across: str
    up: str
    spots: tuple[ScatterPoint, ...]
    lines: tuple[tuple[str, tuple[tuple[float, float], ...]], ...] = ()
    """Name and points of each line."""


def together(points: Sequence[tuple[float, float]]) -> tuple[ScatterPoint, ...]:
    """Merge equal points into one spot. The largest spot comes first, so that no spot hides another."""
    counted: dict[tuple[float, float], int] = {}
    for point in points:
        counted[point] = counted.get(point, 0) + 1
    return tuple(ScatterPoint(x, y, n) for (x, y), n in sorted(counted.items(), key=lambda each: -each[1]))


def chart_of(chart: Scatter) -> ChartSpec:
    """Return the chart as Vega-Lite."""
    up = vega.domain([spot.y for spot in chart.spots], 0.0, 1.0)
    x = quantity("x", chart.across, scale={"zero": False, "nice": True}, titleLimit=600)
    y = quantity("y", chart.up, scale={"domain": up, "nice": True}, titleLimit=240)
    most = max([spot.n for spot in chart.spots], default=1)
    spots: list[dict[str, Any]] = [
        {"x": spot.x, "y": spot.y, "n": spot.n, "area": max(_LARGEST * spot.n / most, 20) if most > 1 else 50}
        for spot in chart.spots
    ]
    inside = [
        {"series": name, "x": at, "y": value}
        for name, line in chart.lines
        for at, value in line
        if up[0] <= value <= up[1]
    ]
    names = [name for name, _ in chart.lines]
    colors = {
        "field": "series",
        "type": "nominal",
        "scale": {"domain": names, "range": [color(at) for at in range(1, len(names) + 1)]},
        "legend": vega.legend(names),
    }
    area = {"field": "area", "type": "quantitative", "scale": None, "legend": None}
    point = {"type": "point", "filled": True, "color": GREY, "opacity": 1}
    tip = [{"field": "x", "title": chart.across}, {"field": "y", "title": chart.up}, {"field": "n", "title": "units"}]
    layers = [
        layer(spots, point, x=x, y=y, size=area, tooltip=tip),
        layer(inside, {"type": "line", "strokeWidth": 2, "tooltip": None}, x=x, y=y, color=colors),
    ]
    sentence = "; ".join(
        f"{name} goes from {_short(first[1])} at {_short(first[0])} to {_short(last[1])} at {_short(last[0])}"
        for name, (first, *_, last) in chart.lines
    )
    rows = [[spot.x, spot.y, spot.n] for spot in chart.spots]
    return ChartSpec(
        chart.key,
        chart.title,
        "Larger points represent more units." if most > 1 else "",
        layers,
        [chart.across, chart.up, "Units"],
        rows,
        340,
        words=f"{with_noun(sum(spot.n for spot in chart.spots), 'unit')}. {sentence}",
    )


def _short(value: float) -> str:
    return f"{round(value, 6) + 0:.3g}".replace("-", "\N{MINUS SIGN}")

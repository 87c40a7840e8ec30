"""The common description of charts in Vega-Lite, which pages draw in the browser and reports draw as SVG.

A chart's marks have fixed colors that are readable on light and on dark backgrounds. Texts, axes and grid lines use the
colors of the page. ``app.charts.page_chart`` shows a chart on a page; ``reports.rendering`` makes an SVG without a
browser.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

HEIGHT = 280
"""Height of a chart in pixels, if it does not grow with its rows."""
WIDTH = 720
"""The width of a chart in a report, in pixels."""
BAR, AROUND = 26, 90
"""The height of a row with its gap, and of the axis and legend around the rows, in pixels."""

ACCENT, GREY = "#2f7fb8", "#7d8a94"
WARNING = "#c4622d"
COLORS = (GREY, ACCENT, WARNING, "#1f8a64", "#8b6fc0", "#b58a1b", "#c2528b")
"""Colors of series. The first belongs to people; judges and models begin with the second."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
CELLS = ("#e9f1f8", "#1b5e94")
"""The lightest and the darkest cell of a heat map. They are opaque, so that a number reads the same on every page."""
INKS = ("#14181a", "#ffffff")
"""The colors of a number in a light and in a dark cell."""
QUIET = "#78828b"
"""The color of numbers next to marks. A report replaces it by its own color for muted text."""

_SEPARATORS = re.compile(r"\\{1,2}u202[89]")
"""Separators that Vega refuses in an expression, such as the name of an axis. They are matched in their JSON form."""


@dataclass(frozen=True)
class ChartSpec:
    """A chart in Vega-Lite, and the numbers that it shows."""

    key: str
    """The chart's name on its page and in files."""
    title: str
    """The chart's finding, as a sentence."""
    about: str
    """The unit, the number of units, and the meaning of colors and marks."""
    layers: Sequence[Mapping[str, Any]]
    """Layers of Vega-Lite, each with its data."""
    heads: Sequence[str]
    rows: Sequence[Sequence[str | int | float | None]]
    """The numbers, the most telling row first."""
    height: int = HEIGHT
    """Height in pixels."""
    width: int | None = None
    """Width in pixels. None: as wide as the page."""
    words: str = ""
    """The numbers in words, for readers who do not see the chart; empty: ``about`` describes it."""
    shares: Sequence[str] = ()
    """The heads of columns with shares, which pages show as percentages. Files have the numbers."""

    def spec(self) -> dict[str, Any]:
        """Return the chart as Vega-Lite, without its width. Line separators of Unicode become spaces."""
        described = " ".join(filter(None, (self.title, self.words or self.about)))
        whole = {"description": described, "height": self.height, "layer": [*self.layers]}
        chart: dict[str, Any] = json.loads(_SEPARATORS.sub(" ", json.dumps(whole)))
        return chart


# ---- parts of a chart -----------------------------------------------------------------------------------------------


def layer(values: Sequence[Mapping[str, Any]], mark: Mapping[str, Any], **encoding: Any) -> dict[str, Any]:
    """Return a layer with its own data."""
    return {"data": {"values": [dict(value) for value in values]}, "mark": dict(mark), "encoding": encoding}


def names_axis(names: Sequence[str], *, limit: int = 220, **axis: Any) -> dict[str, Any]:
    """Return the axis of rows with one name each. The data refers to a name's position, because names may be equal."""
    words = {"labelExpr": f"{json.dumps(names)}[datum.value]", "labelLimit": limit, "labelOverlap": False}
    return {"field": "at", "type": "ordinal", "title": None, "axis": {**words, "ticks": False, **axis}}


def quantity(field: str, title: str | None, *, scale: Mapping[str, Any] | None = None, **axis: Any) -> dict[str, Any]:
    """Return an axis of numbers."""
    ticks = {**({} if "values" in axis else {"tickCount": 8}), "labelOverlap": True, **axis}
    return {"field": field, "type": "quantitative", "title": title, "axis": ticks, "scale": dict(scale or {})}


def color(series: int) -> str:
    """Return the color of a series. After the last color, the first comes again."""
    return COLORS[series % len(COLORS)]


def shape(series: int) -> str:
    """Return the shape of a series. Colors and shapes repeat after different numbers, so that pairs stay distinct."""
    return SHAPES[series % len(SHAPES)]


def legend(names: Sequence[str], rows: Sequence[str] = (), *, width: int = WIDTH) -> dict[str, Any]:
    """Return a legend above a chart, with as many columns as fit next to the names of its ``rows``."""
    longest = min(max((len(name) for name in names), default=1) * 7 + 30, 290)
    beside = min(max((len(name) for name in rows), default=5) * 8, 270)
    return {
        "title": None,
        "orient": "top",
        "columns": max((width - beside) // longest, 1),
        "labelLimit": 260,
        "symbolOpacity": 1,
    }


def legend_height(legend: Mapping[str, Any], names: Sequence[str]) -> int:
    """Return the height of a legend, in pixels."""
    return -(-len(names) // int(legend["columns"])) * 22 + 18


def domain(values: Sequence[float | None], *more: float) -> list[float]:
    """Return the lowest and the highest number, slightly separated if they are equal."""
    known = [value for value in values if value is not None] + list(more)
    low, high = min(known, default=0.0), max(known, default=1.0)
    return [low, high] if low < high else [low - 0.5, high + 0.5]


def matrix(
    rows: Sequence[tuple[str, str]],
    columns: Sequence[tuple[str, str]],
    cells: Sequence[Mapping[str, Any]],
    *,
    titles: tuple[str, str],
    cell_width: int,
    tooltip: Sequence[Mapping[str, Any]],
    across: Mapping[str, Any] | None = None,
) -> list[dict[str, Any]]:
    """Return a matrix of cells with a number in each.

    Parameters
    ----------
    rows, columns
        The name of each, and a second line below it.
    cells
        For each cell its ``row`` and ``column`` as positions, ``shown`` as text, and ``share`` from 0 to 1 as its
        color.
    titles
        The titles of the two sides, down and across.
    across
        Settings of the axis of columns.
    """
    top: dict[str, Any] = {"orient": "top", "labelAngle": 0, "labelFlush": False, **(across or {})}
    x = _side("column", titles[1], columns, cell_width, titleLimit=max(cell_width * len(columns), 120), **top)
    y = _side("row", titles[0], rows, 220, titleLimit=max(24 * len(rows), 60))
    fill = {"field": "share", "type": "quantitative", "scale": {"domain": [0, 1], "range": [*CELLS]}, "legend": None}
    strong = {"test": "datum.share > 0.75", "value": INKS[1]}
    box = {"type": "rect", "stroke": GREY, "strokeWidth": 0.5}
    words = {"type": "text", "fontSize": 13, "tooltip": None}
    number = {"field": "shown", "type": "nominal"}
    return [
        layer(cells, box, x=x, y=y, color=fill, tooltip=[*tooltip]),
        layer(cells, words, x=x, y=y, text=number, color={"condition": strong, "value": INKS[0]}),
    ]


def _side(field: str, title: str, names: Sequence[tuple[str, str]], limit: int, **more: Any) -> dict[str, Any]:
    """Return one side of a matrix. Its names are given by position, because names may be equal."""
    words = json.dumps([[name, below] if below else name for name, below in names])
    axis = {"labelExpr": f"{words}[datum.value]", "labelLimit": limit - 8, "domain": False, "ticks": False, **more}
    scale = {"padding": 0, "domain": [*range(len(names))]}
    return {
        "field": field,
        "type": "ordinal",
        "title": title or None,
        "axis": {**axis, "labelOverlap": False},
        "scale": scale,
    }

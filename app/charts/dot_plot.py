"""A dot plot as a table: each row has a name, a dot with its interval on one shared axis, the numbers, and a link."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from app import markup
from app.markup import Markup

STYLE = """
.ts-dots { max-width: 62rem; margin: .2rem 0; overflow-x: auto; }
.ts-dots .ts-table :is(td, th) { border-bottom: 0; vertical-align: middle; padding: .12rem .9rem .12rem 0; }
.ts-dots .ts-table td:first-child { max-width: 20rem; overflow-wrap: break-word; }
.ts-dots .ts-table td.plot { width: 42%; min-width: 12rem; }
.ts-dots .ts-table td.numbers { white-space: nowrap; }
.ts-dots .ts-axis { position: relative; height: 1.3rem; font-size: .78rem;
  border-top: 1px solid color-mix(in srgb, currentColor 30%, transparent); }
.ts-dots .ts-axis span { position: absolute; transform: translateX(-50%); }
.ts-dots .ts-range.strong :is(b, u) { background: currentColor; }
"""


@dataclass(frozen=True)
class DotRow:
    """A row of the plot."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    about: str
    """The number of units, and what a reader must know about this row."""
    href: str = ""
    """The address of the items, answers or replies behind the number."""
    link: str = ""
    """The text of the link."""
    strong: bool = False
    """Whether the row is about everything together."""
    percent: int | None = None
    """For a share: how many decimal digits its percentage has. None: the value is no share."""


_STEPS = ((0.2, 0.1), (-0.4, 0.2), (-math.inf, 0.5))
"""From which beginning of an axis on its labels are how far apart."""


def axis_of(rows: Sequence[DotRow], *, at_most: float = 0.6) -> tuple[float, float]:
    """Return the ends of an axis up to 1 that shows all values and intervals.

    ``at_most``: the largest possible beginning.
    """
    drawn = [number for row in rows for number in (row.value, row.low) if number is not None]
    lowest = min([at_most, *drawn])
    step = next(step for first, step in _STEPS if lowest >= first)
    return max(-1.0, step * math.floor(round(lowest / step, 6))), 1.0


def dot_plot(
    rows: Sequence[DotRow],
    *,
    title: str,
    ends: tuple[float, float],
    marks: Sequence[float] = (),
    band: tuple[float, float] | None = None,
) -> Markup:
    """Return the plot.

    Parameters
    ----------
    title
        The head of the column of values, such as the name of a statistic.
    ends
        The ends of the axis.
    marks
        Numbers with a dashed line.
    band
        A range that is shaded behind all rows.
    """
    heads = [("", "name"), ("", "plot"), (title, "numbers"), ("", "")]
    body = [_row(row, ends, marks, band) for row in rows]
    shares = all(row.percent is not None for row in rows)
    axis = [markup.text(""), _axis(ends, shares=shares), markup.text(""), markup.text("")]
    return markup.tag("div", markup.table(heads, [*body, axis]), style="ts-dots", data_part="dots")


def _row(
    row: DotRow, ends: tuple[float, float], marks: Sequence[float], band: tuple[float, float] | None
) -> list[Markup]:
    name = markup.tag("b", markup.text(row.name)) if row.strong else markup.text(row.name)
    link = [
        markup.text(" · "),
        markup.tag("a", markup.text(row.link), href=row.href, target="_self"),
    ]
    return [
        name,
        markup.interval(row.value, row.low, row.high, ends=ends, marks=marks, band=band, strong=row.strong),
        markup.joined(
            [
                markup.text(number_words(row.value, row.percent)),
                markup.quiet(interval_words(row.low, row.high, row.percent)),
            ],
            " ",
        ),
        markup.tag("span", markup.quiet(row.about), *(link if row.href else []), style="ts-small"),
    ]


def number_words(value: float | None, percent: int | None = None) -> str:
    """Return a number as the plot shows it. ``percent``: the digits of a share's percentage."""
    if value is None:
        return "-"
    return markup.decimal(value) if percent is None else markup.percent(value, percent)


def interval_words(low: float | None, high: float | None, percent: int | None = None) -> str:
    """Return an interval as the plot and sentences show it; empty without one. ``percent`` as in ``number_words``."""
    if low is None or high is None:
        return ""
    if percent is None:
        return f"[{markup.decimal(low)}, {markup.decimal(high)}]"
    return f"[{100 * low:.{percent}f}, {100 * high:.{percent}f}]"


def _axis(ends: tuple[float, float], *, shares: bool) -> Markup:
    first, last = ends
    step = next(step for beginning, step in _STEPS if first >= beginning - 1e-6)
    ticks = [first + at * step for at in range(round((last - first) / step) + 1)]
    labels = "".join(
        f'<span style="left:{100 * (tick - first) / (last - first):.2f}%">{words}</span>'
        for tick in ticks
        for words in [f"{100 * tick:.0f} %" if shares else markup.decimal(tick, 1)]
    )
    return markup.tag("div", Markup(labels), style="ts-axis ts-quiet", aria_hidden="true")

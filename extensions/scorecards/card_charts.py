"""Charts of a person's pace and agreement with others, over days or weeks, next to everyone else's."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from app import markup
from extensions.scorecards.cards import MOST_DAYS, SMALL, Card, Period, Score
from reports.vega import ACCENT, GREY, ChartSpec

By = Literal["day", "week"]
HEIGHT = 240
"""Height of each chart, in pixels."""
MOST_OTHERS = 40
"""Number of other people drawn: those with the most tasks. The file has all of them."""


@dataclass(frozen=True)
class _Figure:
    """A figure that a chart shows."""

    key: str
    title: str
    about: str
    """The chart's description, with ``{by}`` for a day or a week."""
    format: str
    of: Callable[[Score], dict[str, Any] | None]
    """Returns a value, its text, its n, and its limits if it has any. None: not enough data."""
    from_zero: bool
    share: bool = False
    """Whether the values are shares, shown in percent."""


@dataclass(frozen=True)
class _PersonSeries:
    """A figure of one person over time."""

    card: Card
    points: Sequence[Mapping[str, Any]]


def _pace(score: Score) -> dict[str, Any] | None:
    if math.isnan(score.per_hour):
        return None
    return {"value": score.per_hour, "told": f"{score.per_hour:.1f}", "n": score.submissions}


def _peers(score: Score) -> dict[str, Any] | None:
    share = score.peers
    if share.n < SMALL:
        return None
    low, high = share.limits
    return {"value": share.value, "told": markup.percent(share.value), "n": share.n, "low": low, "high": high}


_FIGURES = (
    _Figure("pace", "Tasks per active hour", "Tasks per active hour by {by} (UTC), n = tasks.", ",~f", _pace, True),
    _Figure(
        "peers",
        "Share as peers",
        (
            f"Share of answers that equal another person's answer to the same question, by {{by}} (UTC); n = "
            f"pairs of answers. The chart omits each {{by}} with fewer than {SMALL} pairs. Band: 95 % limits."
        ),
        ".0%",
        _peers,
        False,
        True,
    ),
)


def charts_of(cards: Sequence[Card], chosen: Card, by: By) -> list[ChartSpec]:
    """Return the charts that have data for this person. ``cards`` are everyone's cards, of all stages."""
    same = [card for card in cards if card.stage is chosen.stage and card is not chosen]
    others = sorted(same, key=lambda card: -card.score.submissions)
    charts = [_chart(figure, [chosen, *others], by) for figure in _FIGURES]
    return [chart for chart in charts if chart is not None]


def _chart(figure: _Figure, cards: Sequence[Card], by: By) -> ChartSpec | None:
    """Return the chart of the first person's line over the others' lines. None if the first person has no data."""
    lines = [_PersonSeries(card, _points(card, by, figure)) for card in cards]
    (own, *rest) = lines
    if not own.points:
        return None
    drawn = [line for line in rest if line.points][:MOST_OTHERS]
    moments = sorted({point["at"] for line in (own, *drawn) for point in line.points})
    x = {
        "field": "at",
        "type": "temporal",
        "scale": {"type": "utc"},
        "axis": {"format": "%d %b %Y", "values": moments, "labelOverlap": True},
        "title": "Day (UTC)" if by == "day" else "Week from (UTC)",
    }
    y = {"field": "value", "type": "quantitative", "title": figure.title, "axis": {"format": figure.format}}
    y |= {"scale": {"zero": figure.from_zero, "nice": True}}
    tooltip = [
        {"field": "name", "title": "person"},
        {"field": "first", "title": "from" if by == "week" else "day"},
        {"field": "told", "title": figure.title.lower()},
        {"field": "n", "format": ","},
    ]
    encoding = {"x": x, "y": y, "tooltip": tooltip}
    layers: list[dict[str, Any]] = []
    if drawn:
        layers.append(
            {
                "data": {"values": [point for line in drawn for point in line.points]},
                "mark": {"type": "line", "color": GREY, "opacity": 0.55, "strokeWidth": 1, "point": _dot(GREY, 14)},
                "encoding": {**encoding, "detail": {"field": "login"}},
            }
        )
    if "low" in own.points[0]:
        layers.append(
            {
                "data": {"values": own.points},
                "mark": {"type": "area", "color": ACCENT, "opacity": 0.22, "tooltip": None},
                "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
            }
        )
    layers.append(
        {
            "data": {"values": own.points},
            "mark": {"type": "line", "color": ACCENT, "strokeWidth": 2.5, "point": _dot(ACCENT, 45)},
            "encoding": encoding,
        }
    )
    heads = ["Person", "Login", "Day" if by == "day" else "Week from", figure.title, "n"]
    heads += ["From", "To"] if "low" in own.points[0] else []
    return ChartSpec(
        figure.key,
        _finding(own, figure.title, by),
        f"{figure.about.format(by=by)} {_about(own.card, drawn, rest, by)}",
        layers,
        heads,
        [_row(line.card, point) for line in lines for point in reversed(line.points)],
        HEIGHT,
        shares=(figure.title, "From", "To") if figure.share else (),
    )


def _points(card: Card, by: By, figure: _Figure) -> list[dict[str, Any]]:
    periods: Sequence[Period] = card.days if by == "day" else card.weeks
    return [
        {"at": _moment(period.first), "first": str(period.first), "name": card.name, "login": card.login, **point}
        for period in periods
        if (point := figure.of(period.score)) is not None
    ]


def _row(card: Card, point: Mapping[str, Any]) -> list[str | int]:
    limits = [f"{point[name]:.3f}" for name in ("low", "high") if name in point]
    return [card.name, card.login, point["first"], f"{point['value']:.3f}", point["n"], *limits]


def _finding(own: _PersonSeries, title: str, by: By) -> str:
    first, last = own.points[0], own.points[-1]
    on, and_on = ("on", "on") if by == "day" else ("in the week from", "in the week from")
    sentence = f"{own.card.name}, {title[:1].lower()}{title[1:]}: {last['told']} {on} {last['first']}"
    return f"{sentence}." if first is last else f"{sentence}, {first['told']} {and_on} {first['first']}."


def _about(card: Card, drawn: Sequence[_PersonSeries], rest: Sequence[_PersonSeries], by: By) -> str:
    there = sum(1 for line in rest if line.points)
    caption = f"Blue: {card.name}."
    if drawn:
        most = f", the {len(drawn)} of {there} with the most tasks" if there > len(drawn) else ""
        caption += f" Gray: {markup.count(len(drawn), 'other')} in this stage{most}."
    if by == "day":
        caption += f" For each person, the chart shows at most the last {MOST_DAYS} days with work."
    return caption


def _dot(color: str, size: int) -> dict[str, Any]:
    return {"color": color, "size": size, "filled": True}


def _moment(day: date) -> str:
    return f"{day}T00:00:00Z"

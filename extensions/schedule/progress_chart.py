"""A chart of a project's items by state, day by day, with a forecast of when the rest may be done."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from annotation_schemas.model import Stages
from annotation_schemas.state_words import state_called
from app import markup
from domain.states import VERIFICATIONS, VOTED_ON, ItemState, Stage
from extensions.schedule.forecast import Forecast
from extensions.schedule.progress_over_time import Day
from reports.vega import GREY, ChartSpec

ORDER = (
    ItemState.KEPT,
    ItemState.REJECTED,
    ItemState.IN_ADJUDICATION,
    *(VOTED_ON[stage] for stage in reversed(VERIFICATIONS)),
    ItemState.UNVERIFIED,
)
"""The states from bottom to top. Settled states grow from the bottom."""


def progress_chart(days: Sequence[Day], forecasts: Sequence[Forecast], stages: Stages) -> ChartSpec:
    """Return a chart of the item counts by state at the end of each day, with the forecast of the last stage."""
    states = [state for state in ORDER if state in days[-1].counts]
    names = {state: state_called(stages, state) for state in states}
    last = max((one for one in forecasts if one.finish), key=lambda one: one.finish or (), default=None)
    scale = {"domain": [*names.values()], "range": [markup.OF_STATES[state] for state in states]}
    axis = {"format": "%d %b", "tickMinStep": 86_400_000, "labelOverlap": True}  # whole days, in milliseconds
    across = {"field": "day", "type": "temporal", "scale": {"type": "utc"}, "title": "Day (UTC)", "axis": axis}
    tomorrow = Day(days[-1].day + timedelta(days=1), days[-1].counts)  # the end of today's step
    layers: list[dict[str, Any]] = [
        {
            "data": {"values": [{"day": _moment(day.day), **day.counts} for day in [*days, tomorrow]]},
            "transform": [
                {"fold": [*states], "as": ["key", "items"]},
                {"calculate": f"{json.dumps(names)}[datum.key]", "as": "state"},
                {"calculate": f"indexof({json.dumps(states)}, datum.key)", "as": "order"},
            ],
            "mark": {"type": "area", "interpolate": "step-after", "stroke": "#ffffff", "strokeWidth": 0.6},
            "encoding": {
                "x": across,
                "y": {"field": "items", "type": "quantitative", "stack": "zero", "title": "Items"},
                "color": {
                    "field": "state",
                    "type": "nominal",
                    "scale": scale,
                    "legend": {
                        "title": None,
                        "orient": "top",
                        "columns": 2,  # more would be cut off in a narrow window
                        "labelLimit": 300,
                        "symbolStrokeWidth": 0,
                        "symbolType": "square",
                    },
                },
                "order": {"field": "order", "type": "quantitative"},
                "tooltip": [
                    {"field": "day", "type": "temporal", "format": "%Y-%m-%d", "timeUnit": "utcyearmonthdate"},
                    {"field": "state"},
                    {"field": "items", "format": ","},
                ],
            },
        }
    ]
    if last is not None and last.finish is not None:
        low, high = last.finish
        layers.append(
            {
                "data": {"values": [{"low": _moment(low), "high": _moment(high)}]},
                "mark": {"type": "rect", "color": GREY, "opacity": 0.35, "tooltip": None},
                "encoding": {
                    "x": {**across, "field": "low"},
                    "x2": {"field": "high"},
                },
            }
        )
    layers += _foreseen(days[-1], forecasts, across)
    rows: list[list[str | int]] = [
        [str(day.day), *(day.counts[state] for state in states), sum(day.counts.values())] for day in reversed(days[1:])
    ]
    heads = ["Day", *(name[:1].upper() + name[1:] for name in names.values()), "All"]
    return ChartSpec("progress", _finding(days), _about(days, last, stages), layers, heads, rows)


def _foreseen(today: Day, forecasts: Sequence[Forecast], across: dict[str, Any]) -> list[dict[str, Any]]:
    """Return two lines of the forecast, which end on the first and the last day on which all items may be settled.

    Empty if a stage that settles items has no forecast.
    """
    settling = [one for one in forecasts if one.stage in (*VERIFICATIONS, Stage.ADJUDICATION)]
    ends = [one.finish for one in settling if one.finish is not None]
    if not ends or len(ends) < len(settling):
        return []
    first, last = (max(bounds) for bounds in zip(*ends, strict=True))
    now, everything = _settled(today), sum(today.counts.values())
    return [
        {
            "data": {"values": [{"day": _moment(today.day), "items": now}, {"day": _moment(day), "items": everything}]},
            "mark": {"type": "line", "color": GREY, "strokeWidth": 2, "strokeDash": [5, 4], "tooltip": None},
            "encoding": {"x": across, "y": {"field": "items", "type": "quantitative"}},
        }
        for day in sorted({first, last})
    ]


def _finding(days: Sequence[Day]) -> str:
    now, before = (_settled(day) for day in (days[-1], days[max(-8, -len(days))]))
    n = sum(days[-1].counts.values())
    if not now:
        return f"None of {markup.count(n, 'item')} is settled yet."
    more = f"{abs(now - before):,} {'more' if now >= before else 'fewer'}"
    since = markup.count(min(7, len(days) - 1), "day")
    return f"{now:,} of {markup.count(n, 'item')} ({100 * now / n:.0f} %) are settled, {more} than {since} ago."


def _settled(day: Day) -> int:
    return day.counts.get(ItemState.KEPT, 0) + day.counts.get(ItemState.REJECTED, 0)


def _about(days: Sequence[Day], last: Forecast | None, stages: Stages) -> str:
    sentence = (
        f"Items by state at the end of each day (UTC), including today so far; n = {sum(days[-1].counts.values()):,}."
    )
    if last is None or last.finish is None:
        return sentence
    low, high = last.finish
    return f"{sentence} Gray: {stages.title_of(last.stage)}, the last stage, may end between {low} and {high}."


def _moment(day: date) -> str:
    return f"{day}T00:00:00Z"

"""A chart of models by dimension, or by another slice: a row for each slice, a mark for each model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from app import markup
from reports.vega import COLORS, GREY, SHAPES, ChartSpec, names_axis
from workflow.results.leaderboard import SlicedScores
from workflow.results.leaderboard_lines import LeaderboardLine
from workflow.results.slices import DIMENSION, GROUP

COLOURS = COLORS[1:]
MOST_CHOSEN = len(COLOURS)
"""Number of models with their own color and sign."""
MOST_SLICES = 40
"""Number of slices drawn, from the first one. The file has all of them."""
_ROW, _OF_EACH, _AROUND = 18, 11, 90
"""Heights in pixels: a row without models, each chosen model in a row, and the space around all rows."""


def with_numbers(cut: SlicedScores) -> list[str]:
    """Return the models that have a number in any slice, the highest means first."""
    return [
        model
        for model in cut.models
        if any(cut.cells[model, at].found.defined for at in range(len(cut.slicing.labels)))
    ]


def slices_chart(cut: SlicedScores, chosen: Sequence[str]) -> ChartSpec:
    """Return a chart with a tick for each model. Models in ``chosen`` have a sign and an interval instead."""
    places = range(min(len(cut.slicing.labels), MOST_SLICES))
    names = [f"{cut.slicing.title(at)} · {_n(cut, at)}" for at in places]
    points = [_told(cut, model, at) for at in places for model in cut.models if cut.cells[model, at].found.defined]
    ticks = [point for point in points if point["model"] not in chosen]
    marks = [{**point, "place": chosen.index(point["model"])} for point in points if point["model"] in chosen]
    limits = [mark for mark in marks if mark["low"] is not None]
    y = names_axis(names, grid=True, tickBand="extent")
    y["scale"] = {"type": "band", "domain": [*places], "paddingInner": 0.2}
    x = {
        "field": "value",
        "type": "quantitative",
        "title": "Mean over answers",
        "scale": {"zero": False, "nice": True},
        "axis": {"tickCount": 8},
    }
    tooltip = [
        {"field": "model"},
        {"field": "slice", "title": cut.slicing.way.title.lower()},
        {"field": "told", "title": "mean"},
        {"field": "limits", "title": "95 % interval"},
        {"field": "n", "format": ","},
    ]
    apart = {"field": "place", "type": "ordinal", "scale": {"domain": [*range(len(chosen))]}}
    layers: list[dict[str, Any]] = [
        {
            "data": {"values": ticks},
            "mark": {"type": "tick", "color": GREY, "thickness": 2, "size": 16, "opacity": 0.8},
            "encoding": {"y": y, "x": x, "tooltip": tooltip},
        },
        {
            "data": {"values": limits},
            "mark": {"type": "rule", "strokeWidth": 1.5, "tooltip": None},
            "encoding": {
                "y": y,
                "yOffset": apart,
                "x": {**x, "field": "low"},
                "x2": {"field": "high"},
                "color": _scale(chosen, COLOURS),
            },
        },
        {
            "data": {"values": marks},
            "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1},
            "encoding": {
                "y": y,
                "yOffset": apart,
                "x": x,
                "color": _scale(chosen, COLOURS),
                "shape": _scale(chosen, SHAPES),
                "tooltip": tooltip,
            },
        },
    ]
    heads = [cut.slicing.way.title, "Model", "Mean", "From", "To", "n"]
    rows = [
        [cut.slicing.title(at), model, *_numbers(cut.cells[model, at])]
        for at in range(len(cut.slicing.labels))
        for model in cut.models
    ]
    return ChartSpec(
        "slices",
        _finding(cut),
        _about(cut, chosen),
        [layer for layer in layers if layer["data"]["values"]],
        heads,
        rows,
        len(places) * (_ROW + _OF_EACH * len(chosen)) + _AROUND + 20 * len(chosen),
    )


def _told(cut: SlicedScores, model: str, at: int) -> dict[str, Any]:
    mean = cut.cells[model, at].found
    known = not math.isnan(mean.low)
    return {
        "at": at,
        "slice": cut.slicing.title(at),
        "model": model,
        "value": mean.value,
        "told": f"{mean.value:.3f}",
        "low": mean.low if known else None,
        "high": mean.high if known else None,
        "limits": f"{mean.low:.3f} to {mean.high:.3f}" if known else "none",
        "n": mean.n_units,
    }


def _numbers(line: LeaderboardLine) -> list[str | int | None]:
    mean = line.found
    known = [None if math.isnan(number) else f"{number:.3f}" for number in (mean.value, mean.low, mean.high)]
    return [*(known if mean.defined else [None] * 3), mean.n_units]


def _scale(chosen: Sequence[str], values: Sequence[str]) -> dict[str, Any]:
    legend = {"title": None, "orient": "top", "columns": 1, "labelLimit": 180}
    return {
        "field": "model",
        "type": "nominal",
        "scale": {"domain": [*chosen], "range": [*values[: len(chosen)]]},
        "legend": legend,
    }


def _n(cut: SlicedScores, at: int) -> str:
    numbers = {cut.cells[model, at].found.n_units for model in with_numbers(cut)}
    least, most = min(numbers, default=0), max(numbers, default=0)
    return f"n {least:,}" if least == most else f"n {least:,} to {most:,}"


def _finding(cut: SlicedScores) -> str:
    """Return who has the highest number most often; for a single model, where it is highest and lowest."""
    slices = range(len(cut.slicing.labels))
    known = {key: line.found.value for key, line in cut.cells.items() if line.found.defined}
    best = {at: max((known[model, at] for model in cut.models if (model, at) in known), default=None) for at in slices}
    there = [at for at in slices if best[at] is not None]
    way = cut.slicing.way.title.lower()
    if not there:
        return f"No {way} has a score."
    if len(cut.models) == 1:
        (model,) = cut.models
        low, high = (pick(there, key=lambda at: known[model, at]) for pick in (min, max))
        return (
            f"{model}: from {known[model, low]:.2f} ({cut.slicing.title(low)}) to"
            f" {known[model, high]:.2f} ({cut.slicing.title(high)})."
        )
    times = {model: sum(known.get((model, at)) == best[at] for at in there) for model in cut.models}
    first = max(cut.models, key=lambda model: times[model])
    rest = sum(times[model] == times[first] for model in cut.models) - 1
    slices_are = f"{way}s" if cut.slicing.way in (DIMENSION, GROUP) else "slices"
    others = f", tied with {markup.count(rest, 'other model')}" if rest else ""
    return f"{first} is highest in {times[first]} of {len(there)} {slices_are}{others}."


def _about(cut: SlicedScores, chosen: Sequence[str]) -> str:
    n = sum(cut.cells[model, at].found.n_units for model in cut.models for at in range(len(cut.slicing.labels)))
    caption = f"{cut.title}, n = {n:,}."
    if chosen:
        caption += " The chosen models are in color, with 95 % intervals."
    if len(with_numbers(cut)) > len(chosen):
        caption += " Gray: the others." if chosen else " Each line is a model."
    if len(cut.slicing.labels) > MOST_SLICES:
        caption += f" The chart shows {MOST_SLICES} of {len(cut.slicing.labels):,} slices."
    return caption

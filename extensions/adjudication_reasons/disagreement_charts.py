"""Bar charts of the disagreement between people, and of the reasons they give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app import markup
from extensions.adjudication_reasons.disagreement import DisagreementCount, Reason, ReasonSource
from reports.vega import ACCENT, AROUND, BAR, COLORS, GREY, WARNING, ChartSpec, names_axis

OF_GIVEN = {ReasonSource.VOTE: WARNING, ReasonSource.SKIP: GREY, ReasonSource.SENIOR: COLORS[4]}
MOST = 30
"""Number of reasons in the chart. The file has all of them."""


def dimensions_chart(found: Sequence[DisagreementCount], titles: Mapping[str, str]) -> ChartSpec:
    """Return a chart of the share of items on which votes differ: a bar with its limits for each dimension.

    ``found`` is not empty.
    """
    lines = sorted(found, key=lambda each: -each.differ / each.items)
    names = [titles.get(line.dimension, line.dimension) for line in lines]
    values = [
        {
            "at": at,
            "name": name,
            "items": line.items,
            "differ": line.differ,
            "share": line.differ / line.items,
            "low": line.limits[0],
            "high": line.limits[1],
        }
        for at, (line, name) in enumerate(zip(lines, names, strict=True))
    ]
    n, differ = (sum(getattr(line, name) for line in lines) for name in ("items", "differ"))
    x = {
        "field": "share",
        "type": "quantitative",
        "title": "Items on which votes differ",
        "axis": {"format": ".0%", "tickCount": 8},
        "scale": {"domain": [0, max(line.limits[1] for line in lines)], "nice": True},
    }
    tooltip = [
        {"field": "name", "title": "dimension"},
        {"field": "differ", "format": ","},
        {"field": "items", "format": ","},
        {"field": "share", "format": ".1%"},
        {"field": "low", "title": "from", "format": ".1%"},
        {"field": "high", "title": "to", "format": ".1%"},
    ]
    layers: list[dict[str, Any]] = [
        {
            "data": {"values": values},
            "mark": {"type": "bar", "color": ACCENT},
            "encoding": {"y": names_axis(names), "x": x, "tooltip": tooltip},
        },
        {
            "data": {"values": values},
            "mark": {"type": "rule", "color": GREY, "strokeWidth": 2, "tooltip": None},
            "encoding": {"y": names_axis(names), "x": {**x, "field": "low"}, "x2": {"field": "high"}},
        },
    ]
    most = (
        f" The largest share is in {names[0]} ({100 * lines[0].differ / lines[0].items:.0f} %)."
        if len(lines) > 1 and differ
        else ""
    )
    return ChartSpec(
        "disagreement",
        f"Votes differ on {differ:,} of {markup.count(n, 'item')} ({100 * differ / n:.0f} %).{most}",
        f"Items with at least two votes in one stage, n = {n:,}. Gray bars: 95 % limits of each share.",
        layers,
        ["Dimension", "Items", "Differ", "Share", "From", "To"],
        [
            [name, line.items, line.differ, *(f"{share:.3f}" for share in (line.differ / line.items, *line.limits))]
            for name, line in zip(names, lines, strict=True)
        ],
        BAR * len(lines) + AROUND,
    )


def reasons_chart(found: Sequence[Reason]) -> ChartSpec:
    """Return a chart of how often each reason is given, and for which kind of answer. ``found`` is not empty."""
    totals: dict[str, int] = {}
    for reason in found:
        totals[reason.label] = totals.get(reason.label, 0) + reason.n
    names = sorted(totals, key=lambda name: -totals[name])
    drawn = names[:MOST]
    n = sum(totals.values())
    there = [given for given in ReasonSource if any(reason.given is given for reason in found)]
    layer = {
        "data": {
            "values": [
                {"at": drawn.index(reason.label), "name": reason.label, "given": reason.given.value, "n": reason.n}
                for reason in found
                if reason.label in drawn
            ]
        },
        "mark": {"type": "bar"},
        "encoding": {
            "y": names_axis(drawn),
            "x": {
                "field": "n",
                "type": "quantitative",
                "title": "Times given",
                "axis": {"tickMinStep": 1, "tickCount": 8},
            },
            "color": {
                "field": "given",
                "type": "nominal",
                "scale": {
                    "domain": [source.value for source in there],
                    "range": [OF_GIVEN[source] for source in there],
                },
                "legend": {"title": None, "orient": "top", "columns": 1, "labelLimit": 300, "symbolType": "square"},
            },
            "tooltip": [{"field": "name", "title": "reason"}, {"field": "given"}, {"field": "n", "format": ","}],
        },
    }
    counts = {(reason.label, reason.given): reason.n for reason in found}
    more = f" The chart shows {MOST} of {len(names)} reasons." if len(names) > MOST else ""
    return ChartSpec(
        "reasons",
        f"The most frequent reason is {names[0]} ({totals[names[0]]:,} of {n:,}).",
        f"Reasons from votes that count and from decisions of senior annotators, n = {n:,}.{more}",
        [layer],
        ["Reason", *(source.value.capitalize() for source in there), "All"],
        [[name, *(counts.get((name, source), 0) for source in there), totals[name]] for name in names],
        BAR * len(drawn) + AROUND + 24 * len(there),
    )

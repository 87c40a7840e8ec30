"""The chart of the drafting report: the difference between the arms for each outcome."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from app.charts import page_chart
from extensions.drafting import report_text
from extensions.drafting.arm_report import DraftingReport, OutcomeComparison
from extensions.drafting.arms import Arm
from reports.vega import ACCENT, GREY, ChartSpec, names_axis

BAR, AROUND = 34, 70
"""The height of a row and of everything around the rows, in pixels."""


def show(found: DraftingReport, *, project: str) -> None:
    """Draw the outcomes that are fractions. The table has the others, too."""
    rows = [
        comparison
        for comparison in found.compared
        if comparison.outcome.share and not math.isnan(comparison.difference.value)
    ]
    if rows:
        page_chart.show(_chart(rows), project=project, table=False)  # it stands below


def _chart(rows: Sequence[OutcomeComparison]) -> ChartSpec:
    names = [row.outcome.name for row in rows]
    values: list[dict[str, Any]] = [
        {
            "at": at,
            "name": comparison.outcome.name,
            "difference": comparison.difference.value,
            "low": _known(comparison.difference.low),
            "high": _known(comparison.difference.high),
        }
        for at, comparison in enumerate(rows)
    ]
    x = {
        "field": "difference",
        "type": "quantitative",
        "title": "Difference, shown minus hidden (points)",
        "axis": {"format": "+.0%", "tickCount": 8},
        "scale": {"zero": True, "nice": True},
    }
    y = names_axis(names, limit=260)
    tooltip = [{"field": "name", "title": "of each item"}]
    tooltip += [{"field": name, "format": "+.1%"} for name in ("difference", "low", "high")]
    layers: list[dict[str, Any]] = [
        {
            "data": {"values": [{"none": 0}]},
            "mark": {"type": "rule", "color": GREY, "strokeDash": [5, 4], "strokeWidth": 1.5},
            "encoding": {"x": {**x, "field": "none"}},
        },
        {
            "data": {"values": [value for value in values if value["low"] is not None]},
            "mark": {"type": "rule", "color": GREY, "strokeWidth": 2},
            "encoding": {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}},
        },
        {
            "data": {"values": values},
            "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1, "color": ACCENT},
            "encoding": {"y": y, "x": x, "tooltip": tooltip},
        },
    ]
    first = rows[0]
    shown, hidden = (report_text.number(first.means[arm], share=True) for arm in Arm)
    limited = any(value["low"] is not None for value in values)
    return ChartSpec(
        "drafting",
        f"{first.outcome.name}: {shown} if authors saw the proposal, {hidden} otherwise.",
        f"n = {first.n[Arm.WITH]:,} and {first.n[Arm.WITHOUT]:,} items. "
        + ("Gray bars: 95 % limits, by source. " if limited else "The table says why limits are missing. ")
        + "Dashed: no difference.",
        layers,
        ["Of each item", "Shown", "Not shown", "Difference", "From", "To"],
        [
            [row.outcome.name, *(_written(value) for value in (*(row.means[arm] for arm in Arm), *_limits(row)))]
            for row in rows
        ],
        BAR * len(names) + AROUND,
    )


def _limits(each: OutcomeComparison) -> tuple[float, float, float]:
    return each.difference.value, each.difference.low, each.difference.high


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _written(value: float) -> str | None:
    return None if math.isnan(value) else f"{value:.4f}"

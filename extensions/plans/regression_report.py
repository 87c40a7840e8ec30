"""Show regressions of success on aspects: as HTML, and as files with charts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape

from agreement.regression_parts import INTERCEPT, Term
from agreement.statistic import Statistic
from extensions.plans import scatter
from extensions.plans.scatter import Scatter
from extensions.plans.success_regression import (
    MOST_LISTED,
    RegressionFit,
    as_csv,
    describe_count,
    describe_fit,
    influential,
    odds_ratio,
    p_value,
    title_of,
    units_csv,
)
from extensions.plans.success_units import JoinedUnits
from reports import rendering
from reports.charts import Dots
from reports.content import Mark
from reports.vega import ChartSpec

STEPS = 40
"""Number of segments of a drawn curve."""


def drawings(joined: JoinedUnits, found: Sequence[RegressionFit]) -> list[ChartSpec]:
    """Return the charts: the coefficients (``aspects``), and with a single aspect all units (``units``)."""
    fitted = [fit for fit in found if fit.found.terms]
    made = [_effects(joined, fitted)] if fitted and joined.aspects else []
    if fitted and len(joined.aspects) == 1:
        made.append(scatter.chart_of(_units(joined, fitted)))
    return made


def _effects(joined: JoinedUnits, fitted: Sequence[RegressionFit]) -> ChartSpec:
    names = {"linear": "Linear: coefficient", "logistic": "Logistic: average marginal effect"}
    lines = []
    for name, title in joined.aspects:
        marks = []
        for fit in fitted:
            term = fit.found.term(name)
            marks.append(_mark(names[fit.kind], term.coefficient if fit.kind == "linear" else term.effect))
        lines.append((title, tuple(marks)))
    axis = "Change in success per additional point of the score, with other aspects held fixed"
    return Dots("aspects", "Association of each aspect with success", axis, tuple(lines), zero=True).spec()


def _mark(series: str, found: Statistic | None) -> Mark:
    if found is None or not found.defined:
        return Mark(series, None)
    if math.isnan(found.low):
        return Mark(series, found.value)
    return Mark(series, found.value, found.low, found.high)


def _units(joined: JoinedUnits, fitted: Sequence[RegressionFit]) -> Scatter:
    (name, title), *_ = joined.aspects
    points = [(unit.scores[0], unit.success) for unit in joined.units if not math.isnan(unit.scores[0])]
    xs = [x for x, _ in points]
    low, high = min(xs), max(xs)
    lines = []
    for fit in fitted:
        a, b = (fit.found.term(term).coefficient.value for term in (INTERCEPT, name))
        at = [low + (high - low) * step / STEPS for step in range(STEPS + 1)]
        if fit.kind == "linear":
            lines.append(("Linear", tuple((x, a + b * x) for x in at)))
        else:
            lines.append(("Logistic", tuple((x, 1 / (1 + math.exp(-min(max(a + b * x, -700), 700)))) for x in at)))
    up = "Share of plans that succeed" if joined.by == "model" else "Success"
    return Scatter("units", f"Success and {title}", title, up, scatter.together(points), tuple(lines))


def files_of(joined: JoinedUnits, found: Sequence[RegressionFit]) -> dict[str, bytes]:
    """Return all numbers and the units as CSV, and the charts as SVG, light and dark."""
    files = {"regression.csv": as_csv(joined, found).encode(), "units.csv": units_csv(joined, found).encode()}
    return files | rendering.svg_files(drawings(joined, found))


def html(joined: JoinedUnits, found: Sequence[RegressionFit]) -> str:
    """Return the regressions without their charts as HTML in the style of reports."""
    return "".join(part for fit in found for part in _fit(joined, fit))


def _fit(joined: JoinedUnits, fit: RegressionFit) -> Iterator[str]:
    yield f'<section id="{fit.kind}"><h3 aria-level="2">{escape(fit.title)} <span class="sub">'
    yield f"{escape(describe_count(joined, fit))}</span></h3>"
    if fit.found.reason:
        yield f'<p class="missing">{escape(fit.found.reason)}</p>'
    else:
        yield from _table(joined, fit)
        yield "".join(f"<p>{escape(line)}</p>" for line in describe_fit(fit))
    yield "".join(f'<p class="note">{escape(note)}</p>' for note in fit.notes)
    moving = influential(joined, fit)
    if moving:
        influences = "; ".join(
            f"{unit.name} (Cook's distance {distance:.2f}, leverage {leverage:.2f})"
            for unit, leverage, distance in moving[:MOST_LISTED]
        )
        more = f" and {len(moving) - MOST_LISTED:,} more" if len(moving) > MOST_LISTED else ""
        yield f'<p class="note">Most influential units: {escape(influences)}{more}.</p>'
    yield "</section>"


def _table(joined: JoinedUnits, fit: RegressionFit) -> Iterator[str]:
    heads = ["Coefficient", "95 % interval", "Standard error", "p", "Variance inflation"]
    heads += ["Odds ratio", "Average marginal effect", "95 % interval"] if fit.kind == "logistic" else []
    wide = f'tabindex="0" role="region" aria-label="{escape(fit.title, quote=True)}"'
    yield f'<div class="scroll" {wide}><table><thead><tr><th>Aspect</th>'
    yield "".join(f'<th class="n" scope="col">{head}</th>' for head in heads)
    yield "</tr></thead><tbody>"
    for term in fit.found.terms:
        cells = "".join(f'<td class="n">{cell}</td>' for cell in _cells(term, fit))
        why = f' title="{escape(term.coefficient.reason, quote=True)}"' if term.coefficient.reason else ""
        yield f'<tr{why}><th scope="row">{escape(title_of(joined, term.name))}</th>{cells}</tr>'
    yield "</tbody></table></div>"


def _cells(term: Term, fit: RegressionFit) -> list[str]:
    at = term.coefficient
    cells = [f"{at.value:z.3f}", _limits(at), _known(at.se), escape(p_value(at.test)), _known(term.vif, 1)]
    if fit.kind == "logistic":
        effect = term.effect
        ratio = odds_ratio(at.value)
        shown = f"{ratio:.3g}" if effect is not None and ratio < 1e6 else "-"
        cells += [shown, "-" if effect is None else f"{effect.value:z.3f}", "-" if effect is None else _limits(effect)]
    return cells


def _limits(found: Statistic) -> str:
    return "-" if math.isnan(found.low) else f"{found.low:z.3f} to {found.high:z.3f}"


def _known(value: float, digits: int = 3) -> str:
    return "-" if math.isnan(value) else f"{value:.{digits}f}"

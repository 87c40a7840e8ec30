"""Regressions of success on aspects as they are looked at: as a page of HTML, and as files with their charts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape

from agreement.regression_parts import INTERCEPT, Term
from agreement.statistic import Statistic
from extensions.plans.success_regression import (
    MOST_LISTED,
    Fit,
    as_csv,
    counted,
    data_csv,
    influential,
    odds_ratio,
    p_value,
    quality,
    title_of,
)
from extensions.plans.success_units import Joined
from reports import charts, scatter
from reports.charts import Drawing, element
from reports.content import Dots, Mark
from reports.scatter import Scatter
from reports.table_charts import drawing_file

STEPS = 40
"""So many parts a curve is drawn in."""


def drawings(joined: Joined, found: Sequence[Fit]) -> dict[str, Drawing]:
    """The charts by the names of their files: what each aspect is worth, and of a single aspect all units."""
    fitted = [fit for fit in found if fit.found.terms]
    made = {"aspects": _effects(joined, fitted)} if fitted and joined.aspects else {}
    if fitted and len(joined.aspects) == 1:
        made["units"] = scatter.drawn(_units(joined, fitted))
    return made


def _effects(joined: Joined, fitted: Sequence[Fit]) -> Drawing:
    names = {"linear": "Linear: coefficient", "logistic": "Logistic: average marginal effect"}
    lines = []
    for name, title in joined.aspects:
        marks = []
        for fit in fitted:
            term = fit.found.term(name)
            marks.append(_mark(names[fit.kind], term.coefficient if fit.kind == "linear" else term.effect))
        lines.append((title, tuple(marks)))
    axis = "Share of success for one more of the score, the other aspects held fixed"
    return charts.drawn(Dots("regression-aspects", "What each aspect goes along with", axis, tuple(lines), zero=True))


def _mark(series: str, found: Statistic | None) -> Mark:
    if found is None or not found.defined:
        return Mark(series, None)
    if math.isnan(found.low):
        return Mark(series, found.value)
    return Mark(series, found.value, found.low, found.high)


def _units(joined: Joined, fitted: Sequence[Fit]) -> Scatter:
    (name, title), *_ = joined.aspects
    points = [(unit.scores[0], unit.success) for unit in joined.units if not math.isnan(unit.scores[0])]
    xs = [x for x, _ in points]
    low, high = min(xs), max(xs)
    lines = []
    for fit in fitted:
        a, b = (fit.found.term(each).coefficient.value for each in (INTERCEPT, name))
        at = [low + (high - low) * step / STEPS for step in range(STEPS + 1)]
        if fit.kind == "linear":
            lines.append(("Linear", tuple((x, a + b * x) for x in at)))
        else:
            lines.append(("Logistic", tuple((x, 1 / (1 + math.exp(-min(max(a + b * x, -700), 700)))) for x in at)))
    up = "Share of plans that succeed" if joined.by == "model" else "Success"
    return Scatter(f"Success and {title}", title, up, scatter.together(points), tuple(lines))


def files_of(joined: Joined, found: Sequence[Fit]) -> dict[str, bytes]:
    """All numbers and the joined units as CSV, and the charts, on light and on dark paper, as SVG."""
    files = {"regression.csv": as_csv(joined, found).encode(), "units.csv": data_csv(joined, found).encode()}
    for name, drawing in drawings(joined, found).items():
        files[f"{name}.svg"] = drawing_file(drawing, name)
        files[f"{name}-dark.svg"] = drawing_file(drawing, name, dark=True)
    return files


def html(joined: Joined, found: Sequence[Fit]) -> str:
    """The charts and regressions as a part of a page in the style of reports."""
    figures = [
        f"<figure><figcaption>{escape(drawing.title)}</figcaption>{element(drawing, f'regression-{name}')}</figure>"
        for name, drawing in drawings(joined, found).items()
    ]
    return "".join([*figures, *(part for fit in found for part in _fit(joined, fit))])


def _fit(joined: Joined, fit: Fit) -> Iterator[str]:
    yield f'<section id="{fit.kind}"><h3>{escape(fit.title)} <span class="sub">'
    yield f"{escape(counted(joined, fit))}</span></h3>"
    if fit.found.reason:
        yield f'<p class="missing">{escape(fit.found.reason)}</p>'
    else:
        yield from _table(joined, fit)
        yield "".join(f"<p>{escape(line)}</p>" for line in quality(fit))
    yield "".join(f'<p class="note">{escape(note)}</p>' for note in fit.notes)
    moving = influential(joined, fit)
    if moving:
        told = "; ".join(
            f"{unit.name} (Cook's distance {distance:.2f}, leverage {leverage:.2f})"
            for unit, leverage, distance in moving[:MOST_LISTED]
        )
        more = f" and {len(moving) - MOST_LISTED:,} more" if len(moving) > MOST_LISTED else ""
        yield f'<p class="note">These move the coefficients most: {escape(told)}{more}.</p>'
    yield "</section>"


def _table(joined: Joined, fit: Fit) -> Iterator[str]:
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


def _cells(term: Term, fit: Fit) -> list[str]:
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

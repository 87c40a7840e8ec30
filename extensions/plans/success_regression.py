"""Fit linear and logistic regressions of plans' success on scores in aspects, and describe them in words."""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from agreement.ratings import Floats
from agreement.regression import linear_regression
from agreement.regression_parts import INTERCEPT, NAMES, Errors, Regression, Term
from agreement.statistic import Statistic, Test, undefined
from domain import csv_text
from domain.english import with_noun
from domain.errors import InvalidInputError, Problem
from extensions.plans.logistic import logistic_regression
from extensions.plans.success_units import JoinedUnits, Unit

Kind = Literal["linear", "logistic"]
KINDS: Mapping[Kind, str] = {"linear": "Linear regression", "logistic": "Logistic regression"}
Cluster = Literal["model", "task", "none"]

HIGH_INFLATION = 10.0
HIGH_CONDITION = 30.0
"""From these values on, a note says that aspects are correlated (Belsley, Kuh & Welsch 1980)."""
FEW_EVENTS = 10
"""Minimum successes and failures per aspect for a stable logistic regression (Peduzzi et al. 1996)."""
FEW_CLUSTERS = 20
"""With fewer clusters, clustered standard errors are too small (Cameron & Miller 2015)."""
FAR = 0.5
"""Units with a larger Cook's distance are listed as influential (Cook & Weisberg 1982: 0.5 to 1)."""
MOST_LISTED = 5


@dataclass(frozen=True)
class RegressionFit:
    """A fitted regression with its notes."""

    kind: Kind
    errors: Errors
    cluster: Cluster
    """The units that standard errors take as correlated."""
    found: Regression
    notes: tuple[str, ...]
    """Caveats for readers, in sentences."""

    @property
    def title(self) -> str:
        """Return the title: the regression and its standard errors."""
        by = f" by {self.cluster}" if self.errors == "cluster" else ""
        return f"{KINDS[self.kind]}, {NAMES[self.errors]} standard errors{by}"


def fit_regressions(
    joined: JoinedUnits,
    *,
    kinds: Sequence[Kind] = ("linear", "logistic"),
    errors: Errors | None = None,
    cluster: Cluster | None = None,
) -> list[RegressionFit]:
    """Fit the regressions.

    By default, ``errors`` are clustered if there are clusters. Otherwise they are HC3, and classical for the logistic
    regression of plans. By default, plans of one task are a cluster, if a task has several.

    Raises
    ------
    InvalidInputError
        Units are models but the clusters are tasks, or clustered errors are requested without clusters.
    """
    if cluster == "task" and joined.by == "model":
        raise InvalidInputError(
            [Problem("cluster", "The units are models, which have no task. Choose other clusters.")]
        )
    return [_fit(joined, kind, errors, cluster) for kind in kinds]


def _fit(joined: JoinedUnits, kind: Kind, errors: Errors | None, cluster: Cluster | None) -> RegressionFit:
    units = joined.units
    by = cluster or _usual(joined)
    clusters = None if by == "none" else [getattr(unit, by) for unit in units]
    if errors == "cluster" and clusters is None:
        message = (
            "Clustered standard errors need clusters, but these units have no clusters. Choose other standard errors."
        )
        raise InvalidInputError([Problem("errors", message)])
    x = np.array([unit.scores for unit in units], dtype=float).reshape(len(units), len(joined.aspects))
    names = [name for name, _ in joined.aspects]
    models = kind == "logistic" and joined.by == "model"
    used: Errors = errors or ("cluster" if clusters else "hc3" if kind == "linear" or models else "classical")
    why = _no_logistic(joined) if kind == "logistic" else None
    if why:
        regression = _without(why, len(units))
    elif kind == "linear":
        success = [unit.success for unit in units]
        regression = linear_regression(success, x, names=names, errors=used, clusters=clusters)
    else:
        succeeded = [float(unit.succeeded or 0) for unit in units]
        trials = [unit.plans for unit in units] if models else None
        regression = logistic_regression(succeeded, x, trials=trials, names=names, errors=used, clusters=clusters)
    return RegressionFit(kind, used, by, regression, tuple(_notes(joined, regression, kind, used, by, x)))


def _usual(joined: JoinedUnits) -> Cluster:
    """Return the default clusters: plans of one task, if a task has several."""
    several = Counter(unit.task for unit in joined.units if unit.task)
    return "task" if several and max(several.values()) > 1 else "none"


def _no_logistic(joined: JoinedUnits) -> str | None:
    one = next((unit for unit in joined.units if unit.succeeded is None), None)
    if one is None:
        return None
    return (
        f"A logistic regression needs the success of each plan, but {one.name} has only the share {one.success:.3g}. "
        "Give the success of each plan."
    )


def _without(reason: str, n: int) -> Regression:
    return Regression((), undefined(reason, n_units=n, n_raters=1), math.nan, 0, n, 0, reason)


# ---- what stands against it -----------------------------------------------------------------------------------------


def _notes(joined: JoinedUnits, found: Regression, kind: Kind, errors: Errors, by: Cluster, x: Floats) -> Iterator[str]:
    if found.n_left_out:
        lacking = ", ".join(
            f"{title} {joined.lacking[name]:,}" for name, title in joined.aspects if joined.lacking[name]
        )
        yield (
            f"Left out because a score is missing: {count_units(joined, found.n_left_out)} (without a score: "
            f"{lacking})."
        )
    if not found.terms:
        return
    titles = dict(joined.aspects)
    inflated = [f"{titles[term.name]} {term.vif:.1f}" for term in found.terms[1:] if term.vif >= HIGH_INFLATION]
    if inflated or found.condition >= HIGH_CONDITION:
        which = f"; variance inflation of {', '.join(inflated)}" if inflated else ""
        yield (
            f"Aspects are correlated with each other (condition number {found.condition:.1f}{which}), so their "
            "coefficients are hard to separate."
        )
    complete = np.flatnonzero(~np.isnan(x).any(axis=1))
    kept = [joined.units[at] for at in complete]
    yield from _of_events(joined, kept) if kind == "logistic" else _of_shares(found, kept)
    if found.residual_df < len(joined.aspects):
        yield (
            f"{count_units(joined, found.n_units)} for {with_noun(len(joined.aspects), 'aspect')} leave few degrees "
            f"of freedom ({found.residual_df}). Intervals are wide, and R squared is too high."
        )
    if kind == "linear" and errors == "classical" and found.spread is not None and found.spread.p_value < 0.05:
        yield "Residuals have different spreads, so classical standard errors are misleading. Use HC3."
    if kind == "logistic" and errors == "classical" and found.spread is not None and found.spread.p_value < 0.05:
        yield "Models differ by more than their aspects explain, so classical standard errors are too small. Use HC3."
    n = len({getattr(unit, by) for unit in kept}) if errors == "cluster" else FEW_CLUSTERS
    if n < FEW_CLUSTERS:
        yield f"Standard errors from {n} {by}s are too small. Use at least {FEW_CLUSTERS} {by}s."


def _of_events(joined: JoinedUnits, kept: Sequence[Unit]) -> Iterator[str]:
    succeeded = sum(unit.succeeded or 0 for unit in kept)
    failed = sum(unit.plans for unit in kept) - succeeded
    if min(succeeded, failed) < FEW_EVENTS * len(joined.aspects):
        rarer = f"{succeeded:,} successes" if succeeded <= failed else f"{failed:,} failures"
        yield (
            f"{rarer} are fewer than {FEW_EVENTS} for each of {len(joined.aspects)} aspects, so coefficients tend to "
            "be too large."
        )


def _of_shares(found: Regression, kept: Sequence[Unit]) -> Iterator[str]:
    b = [term.coefficient.value for term in found.terms]
    fitted = [b[0] + math.fsum(x * y for x, y in zip(b[1:], unit.scores, strict=True)) for unit in kept]
    outside = sum(not 0 <= share <= 1 for share in fitted)
    if outside:
        yield f"Fitted shares of success below 0 or above 1: {outside:,} of {len(fitted):,}."


def influential(joined: JoinedUnits, fit: RegressionFit) -> list[tuple[Unit, float, float]]:
    """Return the units whose Cook's distance is above ``FAR``, with leverage and distance."""
    regression = fit.found
    if not regression.terms:
        return []
    there = [
        (unit, leverage, distance)
        for unit, leverage, distance in zip(joined.units, regression.leverage, regression.distance, strict=True)
        if distance > FAR
    ]
    return sorted(there, key=lambda each: -each[2])


# ---- in words -------------------------------------------------------------------------------------------------------


def describe_units(joined: JoinedUnits) -> list[str]:
    """Describe the joined data and the data left out, in sentences."""
    models = len({unit.model for unit in joined.units})
    aspects = ", ".join(title for _, title in joined.aspects) or "none"
    unit = "model" if joined.by == "model" else "plan"
    lines = [
        f"Success: {joined.success}. Scores: {joined.scores}. A unit is a {unit}"
        + (", with the scores of its task." if joined.by == "task" else ", with the share of its plans that succeed."),
        f"{with_noun(len(joined.units), 'unit')} of {with_noun(models, 'model')}; aspects: {aspects}.",
    ]
    others = [
        f"{name}{f', {criterion}' if criterion else ''} ({with_noun(n, 'answer')})"
        for name, criterion, n in joined.offered
    ]
    if len(others) > 1:
        lines.append(f"Sources of scores: {'; '.join(others)}.")
    return lines + [f"Left out, {words}: {n:,}." for words, n in joined.left_out.items()]


def count_units(joined: JoinedUnits, n: int) -> str:
    """Return a number of units in words."""
    return f"{n:,} {'plan' if joined.by == 'task' else 'model'}{'' if n == 1 else 's'}"


def describe_count(joined: JoinedUnits, fit: RegressionFit) -> str:
    """Return the number of units of a regression in words."""
    regression = fit.found
    plans = sum(unit.plans for unit in joined.units) if joined.by == "model" else 0
    text = count_units(joined, regression.n_units) + (f" with {with_noun(plans, 'plan')}" if plans else "")
    return f"{text}, {regression.n_left_out:,} left out" if regression.n_left_out else text


def test_in_words(test: Test) -> str:
    """Return a test as papers print it."""
    df = ", ".join(f"{number:g}" for number in test.df)
    name = {"chi2": "chi squared"}.get(test.name, test.name) + (f"({df})" if df else "")
    return f"{name} = {test.value:.2f}, p {'< 0.001' if test.p_value < 0.001 else f'= {test.p_value:.3f}'}"


def p_value(test: Test | None) -> str:
    """Return a p value as text."""
    if test is None:
        return "-"
    return "<0.001" if test.p_value < 0.001 else f"{test.p_value:.3f}"


def describe_fit(fit: RegressionFit) -> list[str]:
    """Describe the fit of a regression, in lines."""
    regression = fit.found
    r, linear = regression.r_squared, fit.kind == "linear"
    named = "R squared" if linear else "McFadden's R squared"
    lines = [f"{named}: undefined. {r.reason}"]
    if r.defined:
        test = f"; {test_in_words(r.test)}" if r.test else ""
        lines = [f"{named} {r.value:.3f}, adjusted {regression.adjusted_r_squared:.3f}{test}"]
    whole = test_in_words(regression.whole) if regression.whole else f"undefined. {_why_no_test(fit)}"
    lines.append(f"All aspects at once, {NAMES[fit.errors]} standard errors: {whole}")
    if regression.spread:
        asks = "Breusch-Pagan (equal spread of residuals)" if linear else "Pearson (models differ only by chance)"
        lines.append(f"{asks}: {test_in_words(regression.spread)}")
    return [*lines, f"Condition number {regression.condition:.1f}"]


# ---- files ----------------------------------------------------------------------------------------------------------

COLUMNS = (
    "regression", "errors", "part", "name", "title", "value", "low", "high", "se", "method", "test", "test_value",
    "df", "p_value", "odds_ratio", "odds_low", "odds_high", "effect", "effect_low", "effect_high", "effect_p_value",
    "vif", "n_units", "n_left_out", "reason",
)  # fmt: skip


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _number(found: Statistic) -> dict[str, Any]:
    return {
        "value": _known(found.value),
        "low": _known(found.low),
        "high": _known(found.high),
        "se": _known(found.se),
        "method": found.method,
        "reason": found.reason,
        **_test(found.test),
    }


def _test(test: Test | None) -> dict[str, Any]:
    if test is None:
        return {"test": None, "test_value": None, "df": None, "p_value": None}
    return {"test": test.name, "test_value": _known(test.value), "df": list(test.df), "p_value": _known(test.p_value)}


def _odds(term: Term, kind: Kind) -> dict[str, Any]:
    """Return the odds ratio and the marginal effect of a logistic coefficient."""
    if kind == "linear" or term.effect is None:
        return {}
    parts = {"odds_ratio": "value", "odds_low": "low", "odds_high": "high"}
    odds = {name: _known(odds_ratio(getattr(term.coefficient, part))) for name, part in parts.items()}
    effect = _number(term.effect)
    effect_parts = {"effect": "value", "effect_low": "low", "effect_high": "high", "effect_p_value": "p_value"}
    return odds | {name: effect[part] for name, part in effect_parts.items()}


def odds_ratio(value: float) -> float:
    """Return the odds ratio of a logistic coefficient."""
    return math.exp(value) if value < 700 else math.inf


def title_of(joined: JoinedUnits, name: str) -> str:
    """Return the title of a coefficient."""
    return "Intercept" if name == INTERCEPT else dict(joined.aspects)[name]


def rows(joined: JoinedUnits, fit: RegressionFit) -> list[dict[str, Any]]:
    """Return the numbers of a regression as rows: the coefficients, then the fit."""
    regression = fit.found
    about = {
        "regression": fit.kind,
        "errors": fit.errors,
        "n_units": regression.n_units,
        "n_left_out": regression.n_left_out,
    }
    table_rows = [
        {
            **about,
            "part": "coefficient",
            "name": term.name,
            "title": title_of(joined, term.name),
            **_number(term.coefficient),
            **_odds(term, fit.kind),
            "vif": _known(term.vif),
        }
        for term in regression.terms
    ]
    linear = fit.kind == "linear"
    r = "R squared" if linear else "McFadden's R squared"
    table_rows.append({**about, "part": "fit", "name": "r_squared", "title": r, **_number(regression.r_squared)})
    why = regression.reason or (None if math.isfinite(regression.adjusted_r_squared) else regression.r_squared.reason)
    no_spread = regression.reason or (None if regression.spread else "The residuals are all zero or all equal.")
    table_rows += [
        {**about, "part": "fit", "name": name, "title": title, "value": _known(value), **_test(test), "reason": reason}
        for name, title, value, test, reason in (
            ("adjusted_r_squared", f"{r}, adjusted", regression.adjusted_r_squared, None, why),
            ("whole", "All aspects at once (Wald)", math.nan, regression.whole, _why_no_test(fit)),
            *(
                [("spread", "Breusch-Pagan" if linear else "Pearson", math.nan, regression.spread, no_spread)]
                if linear or regression.spread
                else []
            ),
            ("condition", "Condition number", regression.condition, None, regression.reason),
        )
    ]
    return table_rows


def _why_no_test(fit: RegressionFit) -> str | None:
    if fit.found.reason or fit.found.whole is not None:
        return fit.found.reason
    return "The test needs more clusters than aspects, and standard errors above zero."


def as_csv(joined: JoinedUnits, found: Sequence[RegressionFit]) -> str:
    """Return all numbers as CSV, not rounded. Undefined numbers are empty and have a reason."""
    out = io.StringIO()
    writer = csv_text.DictWriter(out, COLUMNS)
    writer.writeheader()
    for row in (row for fit in found for row in rows(joined, fit)):
        df = " ".join(f"{number:g}" for number in row.get("df") or ())
        writer.writedict({**dict.fromkeys(COLUMNS), **row, "df": df or None})
    return out.getvalue()


def units_csv(joined: JoinedUnits, found: Sequence[RegressionFit]) -> str:
    """Return the units as CSV, with leverage and Cook's distance in each regression."""
    out = io.StringIO()
    fitted = [fit for fit in found if fit.found.terms]
    measures = [f"{what}_{fit.kind}" for fit in fitted for what in ("leverage", "distance")]
    aspects = [name for name, _ in joined.aspects]
    writer = csv_text.Writer(out)
    counts = [f"{name}_answers" for name in aspects]
    writer.writerow(["model", "task", "plan", "success", "plans", "succeeded", *aspects, *counts, *measures])
    for at, unit in enumerate(joined.units):
        scores = ["" if math.isnan(score) else score for score in unit.scores]
        own = [
            values[at] if math.isfinite(values[at]) else ""
            for fit in fitted
            for values in (fit.found.leverage, fit.found.distance)
        ]
        known = "" if unit.succeeded is None else unit.succeeded
        plans = unit.plans or ""
        writer.writerow([unit.model, unit.task, unit.plan, unit.success, plans, known, *scores, *unit.answers, *own])
    return out.getvalue()


def as_json(joined: JoinedUnits, found: Sequence[RegressionFit]) -> dict[str, Any]:
    """Return the numbers and their common facts as JSON values."""
    return {
        "unit": joined.by,
        "success": joined.success,
        "scores": joined.scores,
        "aspects": [{"name": name, "title": title} for name, title in joined.aspects],
        "units": len(joined.units),
        "lacking": joined.lacking,
        "left_out": dict(joined.left_out),
        "regressions": [
            {
                "regression": fit.kind,
                "errors": fit.errors,
                "cluster": fit.cluster if fit.errors == "cluster" else None,
                "reason": fit.found.reason,
                "n_units": fit.found.n_units,
                "n_left_out": fit.found.n_left_out,
                "numbers": rows(joined, fit),
                "influential": [
                    {"unit": unit.name, "leverage": _known(leverage), "distance": _known(distance)}
                    for unit, leverage, distance in influential(joined, fit)[:MOST_LISTED]
                ],
                "notes": list(fit.notes),
            }
            for fit in found
        ],
    }

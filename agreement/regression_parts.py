"""Parts shared by least squares and logistic regression: units, standard errors, tests and result."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from agreement.arrays import codes_of, numbers, same_length
from agreement.limits import t_quantile
from agreement.ratings import Floats, Ints
from agreement.statistic import Interval, Statistic, Test, estimated, no_interval, undefined
from domain.errors import RatingsError

Errors = Literal["classical", "hc3", "cluster"]
NAMES: Mapping[Errors, str] = {"classical": "classical", "hc3": "HC3", "cluster": "clustered"}
"""Standard errors as people call them."""

INTERCEPT = "intercept"


@dataclass(frozen=True)
class Term:
    """One coefficient of a regression."""

    name: str
    coefficient: Statistic
    """With limits and a test of zero, from the standard errors that were asked for."""
    se_classical: float
    se_hc3: float
    se_cluster: float
    """nan without clusters."""
    vif: float
    """How many times its variance grows because the other aspects go along with it; 1 if none does."""
    effect: Statistic | None = None
    """Of an aspect in a logistic regression: by how much the probability grows with it, in the mean over the units."""


@dataclass(frozen=True)
class Regression:
    """Result of a regression, with its diagnostics."""

    terms: tuple[Term, ...]
    """The intercept first; empty where the regression is undefined."""
    r_squared: Statistic
    """Least squares: the share of the outcome's variance, with the F test of all aspects at once. Logistic: McFadden's,
    with the likelihood ratio test. Both tests take units as independent."""
    adjusted_r_squared: float
    residual_df: int
    n_units: int
    n_left_out: int
    reason: str | None = None
    whole: Test | None = None
    """Wald's test that no aspect has an effect, by the standard errors that were asked for; None where they are
    undefined, or where there are no more clusters than aspects."""
    spread: Test | None = None
    """Least squares: Breusch and Pagan's test that residuals spread alike whatever the aspects are. Logistic, of units
    that were tried several times: Pearson's test that they differ no more than independent trials would."""
    condition: float = math.nan
    """The condition number of the aspects and the intercept, each at unit length. Above 30, coefficients say little."""
    leverage: tuple[float, ...] = ()
    """Leverage of each unit, from 0 to 1: its influence on its own fit; nan for units left out."""
    distance: tuple[float, ...] = ()
    """Cook's distance of each unit: the shift of all coefficients without it."""

    def term(self, name: str) -> Term:
        """Return the term of this name; raise ``KeyError`` for an unknown name."""
        return {term.name: term for term in self.terms}[name]


@dataclass(frozen=True, eq=False)
class Units:
    """The complete units of a regression."""

    y: Floats
    x: Floats
    """(units, aspects)."""
    names: tuple[str, ...]
    errors: Errors
    clusters: Ints | None
    kept: NDArray[np.bool_]
    """Values for all units, including those left out."""
    confidence: float
    trials: Floats
    """Number of trials of each unit; 1 by default."""

    @property
    def n(self) -> int:
        """How many there are."""
        return len(self.y)

    @property
    def k(self) -> int:
        """How many coefficients there are, with the intercept."""
        return self.x.shape[1] + 1

    @property
    def no_covariance(self) -> Floats:
        """Covariances of standard errors that are undefined: nan."""
        return np.full((self.k, self.k), math.nan)

    @property
    def n_left_out(self) -> int:
        """Units with a gap."""
        return int((~self.kept).sum())

    def undefined(self, reason: str) -> Regression:
        """No regression, and why."""
        counts = {"n_units": self.n, "n_raters": 1, "n_left_out": self.n_left_out}
        none = undefined(reason, **counts, confidence=self.confidence)
        return Regression((), none, math.nan, max(0, self.n - self.k), self.n, self.n_left_out, reason)

    def of_all(self, values: Floats) -> tuple[float, ...]:
        """Return a value for each unit; nan for units left out."""
        column = np.full(len(self.kept), math.nan)
        column[self.kept] = values
        return tuple(column.tolist())


def units_of(
    outcome: ArrayLike,
    aspects: ArrayLike,
    *,
    names: Sequence[str] | None,
    errors: Errors | None,
    usual: Errors,
    clusters: Sequence[Hashable] | None,
    confidence: float,
    trials: ArrayLike | None = None,
) -> Units:
    """The units without a gap. ``usual``: the standard errors where none are asked for and there are no clusters.

    Raises
    ------
    RatingsError
        Outcome, aspects, names and clusters do not fit each other, or no such standard errors exist.
    """
    y, x = numbers(outcome, "outcome"), numbers(aspects, "aspects", axes=2)
    m = np.ones(len(y)) if trials is None else numbers(trials, "trials")
    same_length(outcome=y, aspects=x, trials=m, clusters=clusters)
    named = tuple(names) if names is not None else tuple(f"x{at}" for at in range(1, x.shape[1] + 1))
    if len({INTERCEPT, *named}) != x.shape[1] + 1:
        raise RatingsError(f"The {x.shape[1]} aspects need {x.shape[1]} different names, not {', '.join(named)}.")
    asked = errors or (usual if clusters is None else "cluster")
    if asked not in NAMES:
        raise RatingsError(f'Standard errors must be "classical", "hc3" or "cluster", not {asked!r}.')
    if asked == "cluster" and clusters is None:
        raise RatingsError("Clustered standard errors need a cluster for each unit.")
    kept = ~np.isnan(y) & ~np.isnan(m) & ~np.isnan(x).any(axis=1)
    if ((m[kept] < 1) | (m[kept] % 1 != 0)).any():
        raise RatingsError("Trials must be whole numbers of 1 or more.")
    cluster = None if clusters is None else codes_of([clusters[at] for at in np.flatnonzero(kept)])[1]
    return Units(y[kept], x[kept], named, asked, cluster, kept, confidence, m[kept])


def not_solvable(units: Units) -> str | None:
    """Why these aspects have no coefficients, whatever the outcome; None: they have."""
    n, k, x = units.n, units.k, units.x
    if n <= k:
        return (
            f"{n} complete {'unit is' if n == 1 else 'units are'} too few for {k} coefficients. Add "
            "complete units, or remove aspects."
        )
    centred = x - x.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=0))
    for name, spread, largest in zip(units.names, size.tolist(), np.abs(x).max(axis=0).tolist(), strict=True):
        if spread <= 1e-12 * max(1.0, largest) * math.sqrt(n):
            return (
                f"{name} has the same value for all units, so the effect of this aspect cannot be separated from the "
                "intercept. Remove this aspect."
            )
    if k > 1 and np.linalg.matrix_rank(centred / size, tol=1e-10 * math.sqrt(n)) < k - 1:
        return (
            "One aspect depends completely on other aspects, so the effects cannot be separated. Remove one of "
            "these aspects."
        )
    return None


def inflation(x: Floats) -> list[float]:
    """nan for the intercept, then the variance inflation factor of each aspect."""
    correlation = np.atleast_2d(np.corrcoef(x, rowvar=False))
    return [math.nan, *np.diag(np.linalg.inv(correlation)).tolist()]


def condition_number(x: Floats) -> float:
    """The largest singular value over the smallest, of the intercept and the aspects at unit length."""
    design = np.column_stack([np.ones(len(x)), x])
    values = np.linalg.svd(design / np.sqrt((design**2).sum(axis=0)), compute_uv=False)
    return float(values[0] / values[-1])


def clustered(units: Units, shifts: Floats) -> Floats:
    """Return the covariance of the coefficients where units of a cluster are correlated; nan without two clusters.

    ``shifts`` is (units, coefficients): what each unit adds to the coefficients. statsmodels multiplies larger sums of
    scores instead, and rounding then makes variances of zero negative.
    """
    groups = 0 if units.clusters is None else int(units.clusters.max()) + 1
    if units.clusters is None or groups < 2:
        return units.no_covariance
    sums = np.zeros((groups, units.k))
    np.add.at(sums, units.clusters, shifts)
    covariance: Floats = sums.T @ sums * (groups / (groups - 1) * (units.n - 1) / (units.n - units.k))
    return covariance


def alone_in_no_aspect(leverage: Floats) -> bool:
    """Whether no unit decides a coefficient alone, so that each leverage is below 1 and HC3 is defined."""
    return bool((leverage <= 1 - 1e-12).all())


def degrees_of_freedom(units: Units, otherwise: float) -> float:
    """Of limits and tests: clusters less one where standard errors are clustered."""
    return float(units.clusters.max()) if units.errors == "cluster" and units.clusters is not None else otherwise


def coefficient_of(units: Units, value: float, se: float, df: float, *, exact: bool = False) -> Statistic:
    """A value with limits and a test of zero: by Student's t, or with ``df`` infinite by the normal distribution."""
    interval, test = _tested(units, value, se, df, exact)
    counts = {"n_units": units.n, "n_raters": 1, "n_left_out": units.n_left_out}
    return estimated(value, interval, **counts, confidence=units.confidence, test=test)


def _tested(units: Units, b: float, se: float, df: float, exact: bool) -> tuple[Interval, Test | None]:
    if math.isnan(se):
        why = (
            "there are fewer than two clusters." if units.errors == "cluster" else "an aspect occurs in only one unit."
        )
        return no_interval(why), None
    if exact or se == 0:
        return no_interval(
            "the aspects predict the outcome exactly, so the interval would have a misleading width of zero."
        ), None
    half = t_quantile(units.confidence, df) * se
    name = NAMES[units.errors]
    if math.isinf(df):
        interval = Interval(b - half, b + half, f"normal, {name} standard error", se=se)
        return interval, Test("z", b / se, (), float(2 * special.ndtr(-abs(b / se))))
    interval = Interval(b - half, b + half, f"t, {name} standard error, {df:g} degrees of freedom", se=se)
    return interval, Test("t", b / se, (df,), float(2 * special.stdtr(df, -abs(b / se))))


def wald(units: Units, b: Floats, covariance: Floats, df: float) -> Test | None:
    """The test that all coefficients but the intercept are zero: F, or with ``df`` infinite chi squared."""
    q = units.k - 1
    errors = np.sqrt(np.diag(covariance)[1:])
    if not 1 <= q <= df or not (np.isfinite(errors).all() and (errors > 0).all()):
        return None
    scaled = covariance[1:, 1:] / np.outer(errors, errors)
    if np.linalg.matrix_rank(scaled, hermitian=True) < q:
        return None
    z = b[1:] / errors
    value = float(z @ np.linalg.solve(scaled, z))
    if math.isinf(df):
        return Test("chi2", value, (float(q),), float(special.chdtrc(q, value)))
    return Test("F", value / q, (float(q), df), float(special.fdtrc(q, df, value / q)))

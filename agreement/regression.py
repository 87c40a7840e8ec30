"""Least squares: an outcome on several aspects, with standard errors that need not trust equal spread."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from agreement.arrays import codes_of, numbers, same_length
from agreement.limits import t_quantile
from agreement.ratings import Floats, Ints
from agreement.statistic import Interval, Statistic, Test, estimated, no_interval, undefined
from domain.errors import RatingsError

Errors = Literal["classical", "hc3", "cluster"]

INTERCEPT = "intercept"


@dataclass(frozen=True)
class Term:
    """One coefficient of a regression."""

    name: str
    coefficient: Statistic
    """With limits and a t test of zero, from the standard errors that were asked for."""
    se_classical: float
    se_hc3: float
    se_cluster: float
    """nan without clusters."""
    vif: float
    """How many times its variance grows because the other aspects go along with it; 1 if none does."""


@dataclass(frozen=True)
class Regression:
    """What least squares found."""

    terms: tuple[Term, ...]
    """The intercept first; empty where the regression is undefined."""
    r_squared: Statistic
    """Share of the outcome's variance, with the F test of all aspects at once."""
    adjusted_r_squared: float
    residual_df: int
    n_units: int
    n_left_out: int
    reason: str | None = None

    def term(self, name: str) -> Term:
        """The term of this name; ``KeyError`` if there is none."""
        return {term.name: term for term in self.terms}[name]


def linear_regression(
    outcome: ArrayLike,
    aspects: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    errors: Errors | None = None,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
) -> Regression:
    """An outcome explained by several aspects: how much it changes with each, the others held fixed.

    Parameters
    ----------
    outcome
        (n,) numbers; of zeros and ones it is a linear probability model.
    aspects
        (n, p) numbers. A row with a gap (nan) here or in the outcome is left out.
    names
        (p,) of the aspects.
    errors
        Standard errors behind limits and tests: "classical" (equal spread), "hc3" (any spread; the default, since an
        outcome of zeros and ones has unequal spread by nature), "cluster" (units of a cluster may go together; the
        default where clusters are given).

    Returns
    -------
    Regression
        ``terms`` in the order of the aspects after the intercept. With a ``reason`` and no terms if there are no more
        rows than coefficients, or if an aspect is constant or follows from the others.

    Notes
    -----
    b = (X'X)^-1 X'y. Classical s^2 (X'X)^-1; HC3 with residuals over 1 - h_i [1]_; clustered with the factor
    G/(G-1) (n-1)/(n-k) and G - 1 degrees of freedom [2]_, the others with n - k. Limits and tests by t. Checked against
    statsmodels 0.15 and R 4.2 in tests/agreement.

    References
    ----------
    .. [1] MacKinnon, J. G. & White, H. (1985). Journal of Econometrics 29, 305-325.
    .. [2] Cameron, A. C. & Miller, D. L. (2015). Journal of Human Resources 50, 317-372.

    Examples
    --------
    >>> found = linear_regression([1, 3, 5, 8], [[0], [1], [2], [3]], names=["steps"])
    >>> round(found.term("steps").coefficient.value, 3), round(found.r_squared.value, 3)
    (2.3, 0.989)
    """
    y, x = numbers(outcome, "outcome"), numbers(aspects, "aspects", axes=2)
    same_length(outcome=y, aspects=x, clusters=clusters)
    names = tuple(names) if names is not None else tuple(f"x{at}" for at in range(1, x.shape[1] + 1))
    if len({INTERCEPT, *names}) != x.shape[1] + 1:
        raise RatingsError(
            f"There are {x.shape[1]} aspects; they need as many different names, not {', '.join(names)}."
        )
    errors = errors or ("hc3" if clusters is None else "cluster")
    if errors not in ("classical", "hc3", "cluster"):
        raise RatingsError(f'Standard errors are "classical", "hc3" or "cluster", not {errors!r}.')
    if errors == "cluster" and clusters is None:
        raise RatingsError("Clustered standard errors need the cluster of each unit.")
    kept = ~np.isnan(y) & ~np.isnan(x).any(axis=1)
    n, left_out = int(kept.sum()), int((~kept).sum())
    cluster = None if clusters is None else codes_of([clusters[at] for at in np.flatnonzero(kept)])[1]
    y, x = y[kept], x[kept]
    k = x.shape[1] + 1
    problem = _not_solvable(x, names, n, k)
    if problem:
        none = undefined(problem, n_units=n, n_raters=1, n_left_out=left_out, confidence=confidence)
        return Regression((), none, math.nan, max(0, n - k), n, left_out, problem)
    design = np.column_stack([np.ones(n), x])
    scale = np.sqrt((design**2).sum(axis=0))
    q, r = np.linalg.qr(design / scale)
    half = np.linalg.inv(r)
    b = half @ (q.T @ y) / scale
    e = y - design @ b
    exact = float(e @ e) <= 1e-24 * float(y @ y)
    leverage = np.minimum((q**2).sum(axis=1), 1.0)
    inverse = half @ half.T / np.outer(scale, scale)
    solved = (q @ half.T) / scale  # (n, k): rows of X (X'X)^-1
    se = {"classical": np.sqrt(float(e @ e) / (n - k) * np.diag(inverse)), "hc3": _hc3(solved, e, leverage)}
    se["cluster"] = np.full(k, math.nan) if cluster is None else _clustered(solved, e, cluster)
    df = float(n - k) if errors != "cluster" or cluster is None else float(cluster.max())
    vif = _inflation(x)
    terms = []
    for at, name in enumerate((INTERCEPT, *names)):
        interval, test = _tested(float(b[at]), float(se[errors][at]), df, errors, confidence, exact)
        statistic = estimated(
            float(b[at]), interval, n_units=n, n_raters=1, n_left_out=left_out, confidence=confidence, test=test
        )
        classical, hc3, by_cluster = (float(se[kind][at]) for kind in ("classical", "hc3", "cluster"))
        terms.append(Term(name, statistic, classical, hc3, by_cluster, vif[at]))
    return Regression(tuple(terms), *_explained(y, e, n, k, left_out, confidence), n - k, n, left_out)


def _not_solvable(x: Floats, names: Sequence[str], n: int, k: int) -> str | None:
    if n <= k:
        return f"{n} complete units are too few for {k} coefficients."
    centred = x - x.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=0))
    for name, spread, largest in zip(names, size.tolist(), np.abs(x).max(axis=0).tolist(), strict=True):
        if spread <= 1e-12 * max(1.0, largest) * math.sqrt(n):
            return f"{name} has the same value everywhere, so its effect cannot be told from the intercept."
    if k > 1 and np.linalg.matrix_rank(centred / size, tol=1e-10 * math.sqrt(n)) < k - 1:
        return "One of the aspects follows from the others, so their effects cannot be told apart."
    return None


def _hc3(solved: Floats, residuals: Floats, leverage: Floats) -> Floats:
    rest = 1 - leverage
    if (rest < 1e-12).any():  # a unit that its own coefficient fits whatever it is
        return np.full(solved.shape[1], math.nan)
    weighted = solved * (residuals / rest)[:, None]
    found: Floats = np.sqrt((weighted**2).sum(axis=0))
    return found


def _clustered(solved: Floats, residuals: Floats, clusters: Ints) -> Floats:
    n, k = solved.shape
    groups = int(clusters.max()) + 1
    if groups < 2:
        return np.full(k, math.nan)
    scores = np.zeros((groups, k))
    np.add.at(scores, clusters, solved * residuals[:, None])
    found: Floats = np.sqrt((scores**2).sum(axis=0) * groups / (groups - 1) * (n - 1) / (n - k))
    return found


def _inflation(x: Floats) -> list[float]:
    """nan for the intercept, then the variance inflation factor of each aspect."""
    correlation = np.atleast_2d(np.corrcoef(x, rowvar=False))
    return [math.nan, *np.diag(np.linalg.inv(correlation)).tolist()]


def _tested(
    b: float, se: float, df: float, errors: Errors, confidence: float, exact: bool
) -> tuple[Interval, Test | None]:
    if math.isnan(se):
        why = "fewer than two clusters." if errors == "cluster" else "a unit has an aspect to itself."
        return no_interval(why), None
    if exact or se == 0:
        return no_interval("the aspects give the outcome exactly, and a width of zero would claim certainty."), None
    half = t_quantile(confidence, df) * se
    t = b / se
    name = {"classical": "classical", "hc3": "HC3", "cluster": "clustered"}[errors]
    interval = Interval(b - half, b + half, f"t, {name} standard error, {df:g} degrees of freedom", se=se)
    return interval, Test("t", t, (df,), float(2 * special.stdtr(df, -abs(t))))


def _explained(y: Floats, e: Floats, n: int, k: int, left_out: int, confidence: float) -> tuple[Statistic, float]:
    total, rest = float(((y - y.mean()) ** 2).sum()), float(e @ e)
    if total <= 1e-24 * max(1.0, float(y @ y)):
        none = undefined(
            "The outcome is the same everywhere.", n_units=n, n_raters=1, n_left_out=left_out, confidence=confidence
        )
        return none, math.nan
    value = 1 - rest / total
    test = None
    if k > 1 and rest > 1e-24 * total:
        f = (total - rest) / (k - 1) / (rest / (n - k))
        test = Test("F", f, (float(k - 1), float(n - k)), float(special.fdtrc(k - 1, n - k, f)))
    statistic = estimated(
        value,
        no_interval("R squared is a description of these units; its F test is given."),
        n_units=n,
        n_raters=1,
        n_left_out=left_out,
        confidence=confidence,
        test=test,
    )
    return statistic, 1 - (1 - value) * (n - 1) / (n - k)

"""Least squares: an outcome on several aspects, with standard errors that need not trust equal spread."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from agreement.ratings import Floats
from agreement.regression_parts import (
    INTERCEPT,
    Errors,
    Regression,
    Term,
    Units,
    coefficient_of,
    condition_number,
    covariances,
    degrees_of_freedom,
    inflation,
    not_solvable,
    units_of,
    wald,
)
from agreement.statistic import Statistic, Test, estimated, no_interval, undefined


def linear_regression(
    outcome: ArrayLike,
    aspects: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    errors: Errors | None = None,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
) -> Regression:
    """Explain an outcome by several aspects: its change with each aspect, the others held fixed.

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
        outcome of zeros and ones has unequal spread by nature), "cluster" (units of a cluster may be correlated; the
        default with clusters).

    Returns
    -------
    Regression
        ``terms`` in the order of the aspects after the intercept. With a ``reason`` and no terms if there are no more
        rows than coefficients, or if an aspect is constant or follows from the others. ``whole`` is F of all aspects by
        the standard errors that were asked for.

    Notes
    -----
    b = (X'X)^-1 X'y. Classical s^2 (X'X)^-1; HC3 with residuals over 1 - h_i [1]_; clustered with the factor G/(G-1)
    (n-1)/(n-k) and G - 1 degrees of freedom [2]_, the others with n - k. Limits and tests by t. ``spread`` is n R^2
    of the squared residuals on the aspects, chi squared with k - 1 degrees of freedom [3]_. ``distance`` is e_i^2 h_i
    / (k s^2 (1 - h_i)^2) [4]_, ``condition`` as in [5]_. Checked against statsmodels 0.15 and R 4.2 in
    tests/agreement.

    References
    ----------
    .. [1] MacKinnon, J. G. & White, H. (1985). Journal of Econometrics 29, 305-325.
    .. [2] Cameron, A. C. & Miller, D. L. (2015). Journal of Human Resources 50, 317-372.
    .. [3] Koenker, R. (1981). Journal of Econometrics 17, 107-112.
    .. [4] Cook, R. D. (1977). Technometrics 19, 15-18.
    .. [5] Belsley, D. A., Kuh, E. & Welsch, R. E. (1980). Regression Diagnostics. Wiley.

    Examples
    --------
    >>> found = linear_regression([1, 3, 5, 8], [[0], [1], [2], [3]], names=["steps"])
    >>> round(found.term("steps").coefficient.value, 3), round(found.r_squared.value, 3)
    (2.3, 0.989)
    """
    units = units_of(
        outcome, aspects, names=names, errors=errors, usual="hc3", clusters=clusters, confidence=confidence
    )
    problem = not_solvable(units)
    if problem:
        return units.undefined(problem)
    y, n, k = units.y, units.n, units.k
    design = np.column_stack([np.ones(n), units.x])
    scale = np.sqrt((design**2).sum(axis=0))
    q, r = np.linalg.qr(design / scale)
    half = np.linalg.inv(r)
    b = half @ (q.T @ y) / scale
    e = y - design @ b
    rest = float(e @ e)
    exact = rest <= 1e-24 * float(y @ y)
    leverage = np.minimum((q**2).sum(axis=1), 1.0)
    solved = (q @ half.T) / scale  # (n, k): rows of X (X'X)^-1
    classical = rest / (n - k) * (half @ half.T) / np.outer(scale, scale)
    found = covariances(units, classical, solved * e[:, None], leverage)
    se = {kind: np.sqrt(np.diag(covariance)) for kind, covariance in found.items()}
    df = degrees_of_freedom(units, float(n - k))
    terms = tuple(
        Term(
            name,
            coefficient_of(units, float(b[at]), float(se[units.errors][at]), df, exact=exact),
            float(se["classical"][at]),
            float(se["hc3"][at]),
            float(se["cluster"][at]),
            vif,
        )
        for at, (name, vif) in enumerate(zip((INTERCEPT, *units.names), inflation(units.x), strict=True))
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = e**2 * leverage / (k * rest / (n - k) * (1 - leverage) ** 2)
    return Regression(
        terms,
        *_explained(units, e),
        n - k,
        n,
        units.n_left_out,
        whole=None if exact else wald(units, b, found[units.errors], df),
        spread=None if exact else _spread(q, e),
        condition=condition_number(units.x),
        leverage=units.of_all(leverage),
        distance=units.of_all(np.full(n, math.nan) if exact else distance),
    )


def _spread(q: Floats, e: Floats) -> Test | None:
    """Test whether the aspects predict the squared residuals; ``q`` is an orthonormal basis of the design."""
    n, k = q.shape
    squares = e**2 / float(e @ e)
    total = float(((squares - squares.mean()) ** 2).sum())
    if k < 2 or total <= 1e-24:
        return None
    rest = squares - q @ (q.T @ squares)
    value = n * max(0.0, 1 - float(rest @ rest) / total)
    return Test("chi2", value, (k - 1.0,), float(special.chdtrc(k - 1, value)))


def _explained(units: Units, e: Floats) -> tuple[Statistic, float]:
    y, n, k = units.y, units.n, units.k
    counts = {"n_units": n, "n_raters": 1, "n_left_out": units.n_left_out}
    total, rest = float(((y - y.mean()) ** 2).sum()), float(e @ e)
    if total <= 1e-24 * max(1.0, float(y @ y)):
        return undefined("The outcome is the same everywhere.", **counts, confidence=units.confidence), math.nan
    value = 1 - rest / total
    test = None
    if k > 1 and rest > 1e-24 * total:
        f = (total - rest) / (k - 1) / (rest / (n - k))
        test = Test("F", f, (float(k - 1), float(n - k)), float(special.fdtrc(k - 1, n - k, f)))
    none = no_interval("R squared is a description of these units; its F test is given.")
    statistic = estimated(value, none, **counts, confidence=units.confidence, test=test)
    return statistic, 1 - (1 - value) * (n - 1) / (n - k)

"""Least squares: an outcome on several aspects, with standard errors that need not trust equal spread."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from agreement.ratings import Floats
from agreement.regression_parts import (
    INTERCEPT,
    Errors,
    Regression,
    Term,
    Units,
    alone_in_no_aspect,
    clustered,
    coefficient_of,
    condition_number,
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
    statsmodels fits b = (X'X)^-1 X'y. Classical s^2 (X'X)^-1; HC3 with residuals over 1 - h_i [1]_; clustered with
    the factor G/(G-1) (n-1)/(n-k) and G - 1 degrees of freedom [2]_, the others with n - k. Limits and tests by t.
    ``spread`` is n R^2 of the squared residuals on the aspects, chi squared with k - 1 degrees of freedom [3]_.
    ``distance`` is e_i^2 h_i / (k s^2 (1 - h_i)^2) [4]_, ``condition`` as in [5]_. Checked against R 4.2 and arithmetic
    in tests/agreement.

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
    from statsmodels.regression.linear_model import OLS  # two seconds and 60 MB: not in a process that serves pages

    y, n, k = units.y, units.n, units.k
    design = np.column_stack([np.ones(n), units.x])
    scale = np.sqrt((design**2).sum(axis=0))
    fit = OLS(y, design / scale).fit()
    exact = float(fit.ssr) <= 1e-24 * float(y @ y)
    influence = fit.get_influence()
    leverage = np.minimum(influence.hat_matrix_diag, 1.0)
    b = fit.params / scale
    hc3 = fit.cov_HC3 if alone_in_no_aspect(leverage) else units.no_covariance
    by_cluster = clustered(units, fit.model.pinv_wexog.T * fit.resid[:, None])
    scaled: dict[Errors, Floats] = {"classical": fit.cov_params(), "hc3": hc3, "cluster": by_cluster}
    covariances = {kind: covariance / np.outer(scale, scale) for kind, covariance in scaled.items()}
    se = {kind: np.sqrt(np.diag(covariance)) for kind, covariance in covariances.items()}
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
        distance = influence.cooks_distance[0]
    return Regression(
        terms,
        *_explained(units, fit),
        n - k,
        n,
        units.n_left_out,
        whole=None if exact else wald(units, b, covariances[units.errors], df),
        spread=None if exact else _spread(units, fit),
        condition=condition_number(units.x),
        leverage=units.of_all(leverage),
        distance=units.of_all(np.full(n, math.nan) if exact else distance),
    )


def _spread(units: Units, fit: Any) -> Test | None:
    """Test whether the aspects predict the squared residuals."""
    squares = fit.resid**2 / float(fit.ssr)
    if units.k < 2 or float(((squares - squares.mean()) ** 2).sum()) <= 1e-24:
        return None
    from statsmodels.stats.diagnostic import het_breuschpagan

    value, p, *_ = het_breuschpagan(fit.resid, fit.model.exog)
    return Test("chi2", float(value), (units.k - 1.0,), float(p))


def _explained(units: Units, fit: Any) -> tuple[Statistic, float]:
    y, n, k = units.y, units.n, units.k
    counts = {"n_units": n, "n_raters": 1, "n_left_out": units.n_left_out}
    total = float(((y - y.mean()) ** 2).sum())
    if total <= 1e-24 * max(1.0, float(y @ y)):
        return undefined("The outcome is the same for all units.", **counts, confidence=units.confidence), math.nan
    test = None
    if k > 1 and float(fit.ssr) > 1e-24 * total:
        test = Test("F", float(fit.fvalue), (float(k - 1), float(n - k)), float(fit.f_pvalue))
    none = no_interval("R squared describes only these units. Use the F test instead.")
    statistic = estimated(float(fit.rsquared), none, **counts, confidence=units.confidence, test=test)
    return statistic, float(fit.rsquared_adj)

"""Standard errors and degrees of freedom for few clusters, and lower limits that a rare failure cannot fool."""

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

_ROUNDING = 1e-10
LEVEL = 0.025
"""Level of a one-sided claim: the lower limit of a 95 % interval."""


@dataclass(frozen=True)
class LowerLimit:
    """A one-sided limit by Student's t, at any level."""

    center: float
    """Start of the limit, on the scale on which it is symmetric."""
    se: float
    df: float
    shape: Literal["difference", "correlation"] = "difference"
    """A correlation is limited on the scale of atanh."""

    @property
    def defined(self) -> bool:
        """Tell whether the data allow a limit."""
        return math.isfinite(self.center) and math.isfinite(self.se) and self.se > 0 and self.df > 0

    def at(self, level: float = LEVEL) -> float:
        """Return the limit that the true value lies below with this probability at most."""
        if not self.defined:
            return math.nan
        low = self.center - float(special.stdtrit(self.df, 1 - level)) * self.se
        return math.tanh(low) if self.shape == "correlation" else low

    def p_value(self, bound: float) -> float:
        """Return the p value of "the true value is not above ``bound``"; nan without a limit.

        >>> round(LowerLimit(0.1, 0.05, 10).p_value(0.0), 4)
        0.0367
        """
        if not self.defined:
            return math.nan
        at = math.atanh(bound) if self.shape == "correlation" else bound
        return float(special.stdtr(self.df, -(self.center - at) / self.se))


def lower_limit_of(
    found: Statistic, *, df: float = math.inf, shape: Literal["difference", "correlation"] = "difference"
) -> LowerLimit:
    """Return the one-sided limit that belongs to the lower limit of an interval."""
    if math.isnan(found.low):
        return LowerLimit(math.nan, math.nan, df, shape)
    edge = 1 - 1e-12
    value, low = found.value, found.low
    if shape == "correlation":
        value, low = (math.atanh(min(max(bound, -edge), edge)) for bound in (value, low))
    quantile = float(special.stdtrit(df, (1 + found.confidence) / 2))
    return LowerLimit(value, max((value - low) / quantile, 1e-12), df, shape)


def contrast(
    outcome: ArrayLike,
    aspect: ArrayLike | None = None,
    *,
    clusters: Sequence[Hashable] | Ints | None = None,
    confidence: float = 0.95,
) -> Statistic:
    """Return by how much the outcome changes with an aspect, with limits that hold with few clusters.

    Parameters
    ----------
    outcome
        (n,) numbers; nan is left out.
    aspect
        (n,) numbers, such as 0 and 1 for two groups; None: the mean of the outcome.
    clusters
        (n,) what each unit belongs to, as answers to one question; None: each unit is its own cluster.

    Returns
    -------
    Statistic
        The least squares slope (or the mean), with t limits and a test of 0. ``nan`` with a ``reason`` if the aspect is
        the same everywhere.

    Notes
    -----
    b = (X'X)^-1 X'y. The variance is CR2 with independent errors as the working model: the residuals of cluster g are
    multiplied by (I - H_gg)^-1/2 [1]_. The degrees of freedom are Satterthwaite's of the same model, (tr P)^2 /
    tr(P^2). P is the matrix of the products p_g'p_h, with p_g = (I - H)_g' (I - H_gg)^-1/2 X_g (X'X)^-1 c [2]_. With
    every unit a cluster that is HC2. Checked against dense matrices and by simulation in tests/agreement.

    References
    ----------
    .. [1] Bell, R. M. & McCaffrey, D. F. (2002). Survey Methodology 28, 169-181.
    .. [2] Pustejovsky, J. E. & Tipton, E. (2018). Journal of Business & Economic Statistics 36, 672-683.

    Examples
    --------
    >>> difference = contrast([0, 1, 1, 2], [0, 0, 1, 1])
    >>> difference.value, round(difference.se, 3), difference.test.df
    (1.0, 0.707, (2.0,))
    """
    y = numbers(outcome, "outcome")
    x = np.ones((len(y), 1)) if aspect is None else np.column_stack([np.ones(len(y)), numbers(aspect, "aspect")])
    same_length(outcome=y, aspect=x, clusters=clusters)
    kept = ~np.isnan(y) & ~np.isnan(x).any(axis=1)
    y, x = y[kept], x[kept]
    of = np.arange(len(y)) if clusters is None else codes_of(codes_of(clusters)[1][kept])[1]
    n, groups = len(y), int(of.max()) + 1 if len(of) else 0
    common = {"n_units": n, "n_raters": 2, "n_left_out": int((~kept).sum()), "confidence": confidence}
    if n <= x.shape[1] or (x.shape[1] > 1 and np.ptp(x[:, 1]) <= _ROUNDING * max(1.0, float(np.abs(x[:, 1]).max()))):
        reason = "There are too few units." if n <= x.shape[1] else "The value is the same for all units."
        return undefined(reason, **common)  # type: ignore[arg-type]
    x[:, 1:] -= x[:, 1:].mean(axis=0)
    value, se, df = _cr2(y, x, of, groups)
    if not (se > 1e-12 and df > 0):
        return estimated(value, no_interval("there are too few clusters, or all values are equal."), **common)  # type: ignore[arg-type]
    half = t_quantile(confidence, df) * se
    unit = "unit" if clusters is None else "cluster"
    method = f"t with {df:.4g} degrees of freedom, CR2 standard error by {unit}"
    interval = Interval(value - half, value + half, method, se=se)
    test = Test("t", value / se, (df,), float(2 * special.stdtr(df, -abs(value / se))))
    return estimated(value, interval, **common, test=test)  # type: ignore[arg-type]


def _cr2(y: Floats, x: Floats, of: Ints, groups: int) -> tuple[float, float, float]:
    """Return the last coefficient, its CR2 standard error and Satterthwaite's degrees of freedom.

    Every hat matrix of a cluster has rank k: it is worked with as a (k, k) matrix Q_g'Q_g, Q = X (X'X)^-1/2.
    """
    k = x.shape[1]
    sizes, turn = np.linalg.eigh(x.T @ x)
    half = (turn / np.sqrt(sizes)) @ turn.T
    q = x @ half
    b = half @ (q.T @ y)
    e = y - x @ b
    inner = np.empty((groups, k, k))
    scores = np.empty((groups, k))
    for row in range(k):
        scores[:, row] = np.bincount(of, weights=q[:, row] * e, minlength=groups)
        for column in range(k):
            inner[:, row, column] = np.bincount(of, weights=q[:, row] * q[:, column], minlength=groups)
    values, vectors = np.linalg.eigh(inner)
    rest = 1 - values
    scale = np.where(rest > _ROUNDING, 1 / np.sqrt(np.where(rest > _ROUNDING, rest, 1.0)), 0.0)
    wanted = half[:, -1]
    w = np.einsum("gij,gj,gkj,k->gi", vectors, scale, vectors, wanted)
    variance = float((np.einsum("gi,gi->g", w, scores) ** 2).sum())
    u = np.einsum("gij,gj->gi", inner, w)
    own = np.einsum("gi,gi->g", w, u)
    cross = (u**2).sum(axis=1)
    trace = float((own - cross).sum())
    squares = float((own**2).sum() - 2 * (own * cross).sum() + ((u.T @ u) ** 2).sum())
    df = trace**2 / squares if squares > 0 else math.nan
    return float(b[-1]), math.sqrt(variance), df

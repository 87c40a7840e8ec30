"""How far the mean of some units is from the mean of the others."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from agreement.arrays import codes_of, numbers, same_length
from agreement.limits import normal_quantile
from agreement.statistic import Interval, Statistic, Test, estimated, no_interval, undefined


def difference_from_rest(
    values: ArrayLike,
    inside: ArrayLike,
    *,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    n_raters: int = 1,
) -> Statistic:
    """Compute the mean of some units less the mean of the others, and test it against chance.

    Parameters
    ----------
    values
        (n,) numbers; nan is left out.
    inside
        (n,) whether a unit is one of those that are looked at.
    clusters, confidence, n_raters
        As for :func:`share`.

    Returns
    -------
    Statistic
        With a score ``test`` and the limits that go with it. ``nan`` with a ``reason`` if one side has no unit; neither
        test nor limits below ten units (or clusters) in all, or if nothing varies.

    Notes
    -----
    d = mean_in - mean_out, z = d / se. The standard error assumes no difference and uses deviations around the mean
    of all units: se^2 = s^2 (1/n_in + 1/n_out), s^2 divided by n (for zeros and ones, the test of a two by two table
    [1]_). With clusters it is sum_g (sum_{i in g} w_i (x_i - mean))^2, w_i = 1/n_in or -1/n_out. With Welch's
    standard error a small slice in which all units happen to be alike would look certain; here it does not. Checked
    against scipy and by simulation in this extension's tests.

    References
    ----------
    .. [1] Agresti, A. (2013). Categorical Data Analysis, 3rd ed., section 3.2. Wiley.

    Examples
    --------
    >>> found = difference_from_rest([1, 1, 1, 1, 0, 0, 1, 0, 0, 1], [True] * 4 + [False] * 6)
    >>> round(found.value, 3), round(found.test.p_value, 3)
    (0.667, 0.035)
    """
    table = numbers(values, "values")
    chosen = np.asarray(inside, dtype=bool)
    same_length(values=table, inside=chosen, clusters=clusters)
    kept = ~np.isnan(table)
    left_out = int((~kept).sum())
    x, own = table[kept], chosen[kept]
    n, n_own = len(x), int(own.sum())
    if not n_own or n_own == n:
        reason = "There are no other answers to compare with." if n_own else "The slice has no values."
        return undefined(reason, n_units=n, n_raters=n_raters, n_left_out=left_out, confidence=confidence)
    value = float(x[own].mean() - x[~own].mean())
    groups, variance = n, float(x.var() * (1 / n_own + 1 / (n - n_own)))
    if clusters is not None:
        moved = np.where(own, 1 / n_own, -1 / (n - n_own)) * (x - x.mean())
        moved = np.bincount(codes_of([clusters[at] for at in np.flatnonzero(kept)])[1], weights=moved)
        groups, variance = len(moved), float(moved @ moved)
    se, test = math.sqrt(variance), None
    if groups < _LEAST:
        interval = no_interval(f"fewer than {_LEAST} units (or clusters).")
    elif se < 1e-12:
        interval = no_interval("nothing varies.")
    else:
        half = normal_quantile(confidence) * se
        interval = Interval(value - half, value + half, "score, with the standard error for no difference", se=se)
        test = Test("z", value / se, (), math.erfc(abs(value / se) / math.sqrt(2)))
    return estimated(
        value, interval, n_units=n, n_raters=n_raters, n_left_out=left_out, confidence=confidence, test=test
    )


_LEAST = 10
"""Units or clusters below which a normal test says too little."""

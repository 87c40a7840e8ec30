"""Intraclass correlations of form 1 where units have raters of their own, or different numbers of ratings."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from agreement.bootstrap import Bootstrap, bootstrap_interval, sample_of
from agreement.correlation import without
from agreement.ratings import MISSING, Floats, Ints, Ratings, standardised
from agreement.statistic import Interval, Statistic, Test, estimated, no_interval

_NOTHING = 1e-14
"""A mean square of values in [-1, 1] that is rounding alone."""


def one_way(ratings: Ratings, *, average: bool, confidence: float, resample: Bootstrap | None) -> Statistic:
    """ICC(1,1), or ICC(1,k) if ``average``, over all units with two ratings or more, no matter who gave them.

    ``resample`` None: limits from the F distribution. Formulas and sources are those of ``agreement.icc``.
    """
    sizes = ratings.rated.sum(axis=1)
    usable = sizes > 1
    n = ratings.count(usable)
    if n < 2:
        return without("Fewer than two units have two ratings.", ratings, confidence, n_units=n)
    sample = sample_of(ratings, usable)
    if np.ptp(sample.rows[sample.rows != MISSING]) == 0:
        reason = "All ratings have the same single value, so the units do not differ."
        return without(reason, ratings, confidence, n_units=n)
    sums = _sums(sample.rows, standardised(np.array(ratings.categories, dtype=float)), sample.counts)
    b, w, k, freedom = (float(square) for square in _squares(sample.counts @ sums))
    value = float(_value(b, w, k, average))
    if math.isnan(value):
        reason = "The unit means differ too little for the formula, so the ratio is undefined."
        return without(reason, ratings, confidence, n_units=n)
    test = None
    if w:
        test = Test("F", b / w, (n - 1.0, freedom), float(special.fdtrc(n - 1, freedom, b / w)))
    if resample is not None:
        interval = bootstrap_interval(
            lambda counts: _value(*_squares(counts @ sums)[:3], average),
            sample,
            resample,
            confidence=confidence,
            width=sums.shape[1] + 6,
        )
    else:
        interval = _limits(value, b, w, k, (n - 1.0, freedom), average, confidence, _of(sizes[usable]))
    n_left_out = ratings.n_units - n
    return estimated(
        value,
        interval,
        n_units=n,
        n_raters=len(ratings.raters),
        n_left_out=n_left_out,
        confidence=confidence,
        test=test,
    )


def _sums(rows: Ints, numbers: Floats, counts: Floats) -> Floats:
    """(patterns, 6): of a unit 1, its ratings m, their total t, t^2 / m, m^2, and the squares around its own mean."""
    there = rows != MISSING
    values = np.where(there, numbers[rows], 0.0)
    m = there.sum(axis=1).astype(float)
    values = np.where(there, values - float(counts @ values.sum(axis=1)) / float(counts @ m), 0.0)
    total = values.sum(axis=1)
    within = (np.where(there, values - (total / m)[:, None], 0.0) ** 2).sum(axis=1)
    return np.column_stack([np.ones(len(rows)), m, total, total**2 / m, m**2, within])


def _squares(sums: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Mean squares between and within units, the ratings that count for a unit, and the degrees of freedom within."""
    n, ratings, total, between, squared, within = np.moveaxis(sums, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        b = (between - total**2 / ratings) / (n - 1)
        w = within / (ratings - n)
        k = (ratings - squared / ratings) / (n - 1)
    b, w = (np.where(square > _NOTHING, square, 0.0) for square in (b, w))
    return b, w, k, ratings - n


def _value(b: Floats | float, w: Floats | float, k: Floats | float, average: bool) -> Floats:
    below = np.asarray(b if average else b + (k - 1) * w)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios: Floats = np.where((below > 0) & np.isfinite(k), (b - w) / below, math.nan)
    return ratios


def _limits(
    value: float,
    b: float,
    w: float,
    k: float,
    freedom: tuple[float, float],
    average: bool,
    confidence: float,
    of: str,
) -> Interval:
    if b == 0:
        return no_interval("the unit means are equal, so the interval would have a misleading width of zero.")
    if w == 0:
        return no_interval("the raters agree completely, so the interval would have a misleading width of zero.")
    upper = (1 + confidence) / 2
    between, within = freedom
    ends = b / float(special.fdtri(between, within, upper)), b * float(special.fdtri(within, between, upper))
    low, high = (float(_value(end, w, k, average)) for end in ends)
    if not (low <= value <= high and math.isfinite(high - low)):
        return no_interval("the limits from the formula do not include the value.")
    return Interval(low, high, f"F distribution; {of}")


def _of(sizes: Ints) -> str:
    """Target of the limits, in the words of their method."""
    least, most = int(sizes.min()), int(sizes.max())
    if least == most:
        return f"{least} ratings per unit, from any raters"
    return f"{least} to {most} ratings per unit, from any raters; the limits are approximate"

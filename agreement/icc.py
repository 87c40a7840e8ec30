"""Intraclass correlations from mean squares."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from scipy import special

from agreement.correlation import not_for_numbers
from agreement.ratings import Floats, Ratings, standardised
from agreement.statistic import Interval, Statistic, estimated, no_interval, undefined

Form = Literal["ICC(1,1)", "ICC(1,k)", "ICC(3,1)", "ICC(3,k)"]


@dataclass(frozen=True)
class MeanSquares:
    """The analysis of variance of a complete table of units and raters."""

    units: float
    within: float
    raters: float
    error: float
    n: int
    k: int


def mean_squares(values: Floats) -> MeanSquares:
    """Mean squares between units, within units, between raters, and of the rest.

    ``values`` is (units, raters), complete, at least 2 x 2 (Shrout & Fleiss 1979, table 3).
    """
    n, k = values.shape
    grand = values.mean()
    of_units = k * ((values.mean(axis=1) - grand) ** 2).sum()
    of_raters = n * ((values.mean(axis=0) - grand) ** 2).sum()
    within = ((values - values.mean(axis=1, keepdims=True)) ** 2).sum()
    rest = ((values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + grand) ** 2).sum()
    return MeanSquares(
        units=float(of_units / (n - 1)),
        within=float(within / (n * (k - 1))),
        raters=float(of_raters / (k - 1)),
        error=float(rest / ((n - 1) * (k - 1))),
        n=n,
        k=k,
    )


def icc(ratings: Ratings, *, form: Form = "ICC(1,1)") -> Statistic:
    """The share of the variance of ratings that lies between units.

    Parameters
    ----------
    ratings
        Two or more raters with numbers. Units that somebody did not rate are left out (listwise) and counted.
    form
        "ICC(1,1)": every unit may have raters of its own, one rating is used. "ICC(3,1)": the same raters throughout,
        their leniency does not count. "k" instead of the second 1: the mean of all raters is used.

    Returns
    -------
    Statistic
        ``value`` at most 1; negative values are results and stay. Limits from the F distribution. ``nan`` with a
        ``reason`` for texts or a nominal scale, fewer than two raters or complete units, or if nothing varies.

    Notes
    -----
    (B - W) / (B + (k - 1) W) with mean squares B between and W within units for ICC(1,1); E, the rest, in place of W
    for ICC(3,1); averages by (B - W) / B [1]_ [2]_. Checked against psych 2.2.9, irr 0.84.1 and pingouin 0.6.1 in
    tests/agreement.

    References
    ----------
    .. [1] Shrout, P. E. & Fleiss, J. L. (1979). Psychological Bulletin 86, 420-428.
    .. [2] McGraw, K. O. & Wong, S. P. (1996). Psychological Methods 1, 30-46.

    Examples
    --------
    >>> ratings = Ratings.from_lists(ann=[1, 2, 3, 4], bob=[1, 2, 4, 4])
    >>> round(icc(ratings).value, 3)
    0.936
    """
    complete = ratings.rated.all(axis=1) & (len(ratings.raters) > 1)
    n_units, n_raters = int(complete.sum()), len(ratings.raters)
    n_left_out = len(ratings.units) - n_units
    problem = not_for_numbers(ratings, "An intraclass correlation")
    if problem is None and n_raters < 2:
        problem = "There is only one rater."
    elif problem is None and n_units < 2:
        problem = "Fewer than two units were rated by everybody."
    if problem:
        return undefined(problem, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out)
    values = standardised(ratings.values[complete])
    if (values == values[0, 0]).all():
        reason = "All ratings are the same single value, so nothing varies between units."
        return undefined(reason, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out)
    squares = mean_squares(values)
    n, k = squares.n, squares.k
    if form.startswith("ICC(1"):
        noise, freedom = squares.within, n * (k - 1)
    else:
        noise, freedom = squares.error, (n - 1) * (k - 1)
    between, noise = _without_rounding(squares.units), _without_rounding(noise)
    average = form.endswith("k)")
    value = _from_ratio(between, noise, k, average=average)
    if math.isnan(value):
        reason = "The units do not differ in their mean, so the ratio is not defined."
        return undefined(reason, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out)
    if min(noise, between) == 0:
        what = "raters agree completely" if noise < between else "units do not differ in their mean"
        interval = no_interval(f"the {what}, and a width of zero would claim certainty.")
    else:
        low = between / float(special.fdtri(n - 1, freedom, 0.975))
        high = between * float(special.fdtri(freedom, n - 1, 0.975))
        interval = Interval(
            _from_ratio(low, noise, k, average=average), _from_ratio(high, noise, k, average=average), "F distribution"
        )
    return estimated(value, interval, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out)


def _without_rounding(square: float) -> float:
    """A mean square of standardised values; what is left of nothing after rounding is nothing."""
    return square if square > 1e-24 else 0.0


def _from_ratio(between: float, noise: float, k: int, *, average: bool) -> float:
    denominator = between if average else between + (k - 1) * noise
    return (between - noise) / denominator if denominator > 0 else math.nan

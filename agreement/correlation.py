"""Pearson's correlation of two raters."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from agreement.ratings import Ratings, standardised
from agreement.statistic import Interval, Statistic, estimated, no_interval, undefined

_Z = float(special.ndtri(0.975))


def pearson(ratings: Ratings) -> Statistic:
    """How closely two raters' numbers lie on a line; it does not see that one is stricter than the other.

    Parameters
    ----------
    ratings
        Exactly two raters. Units that only one of them rated are left out.

    Returns
    -------
    Statistic
        ``value`` in [-1, 1], limits by Fisher's z (needs four units). ``nan`` with a ``reason`` for texts or a nominal
        scale, for fewer than two common units, or if a rater's values do not vary.

    Notes
    -----
    r = cov(x, y) / (s_x s_y) [1]_; limits tanh(atanh r -/+ 1.96 / sqrt(n - 3)) [2]_. Checked against scipy 1.12 and R
    4.2 in tests/agreement.

    References
    ----------
    .. [1] Pearson, K. (1895). Proceedings of the Royal Society 58, 240-242.
    .. [2] Fisher, R. A. (1921). Metron 1, 3-32.

    Examples
    --------
    >>> round(pearson(Ratings.from_lists(ann=[0, 0.5, 1, 1], bob=[0, 0.5, 0.5, 1])).value, 3)
    0.853
    """
    both = ratings.rated.all(axis=1) & (len(ratings.raters) == 2)
    n_units, n_raters = int(both.sum()), len(ratings.raters)
    n_left_out = len(ratings.units) - n_units
    problem = not_for_numbers(ratings, "Pearson's correlation")
    if problem is None and n_raters != 2:
        problem = f"Pearson's correlation is for two raters, and these are {n_raters}."
    elif problem is None and n_units < 2:
        problem = "Fewer than two units were rated by both."
    if problem:
        return undefined(problem, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out)
    x, y = ratings.values[both].T
    for rater, values in zip(ratings.raters, (x, y), strict=True):
        if (values == values[0]).all():
            reason = f"{rater} gave every unit the same value."
            return undefined(reason, n_units=n_units, n_raters=2, n_left_out=n_left_out)
    value = float(np.clip(np.corrcoef(standardised(x), standardised(y))[0, 1], -1.0, 1.0))
    if n_units < 4:
        interval = no_interval("fewer than four units.")
    elif 1 - abs(value) < 1e-12:
        interval = no_interval("the values lie on one line, and a width of zero would claim certainty.")
    else:
        middle, half = math.atanh(value), _Z / math.sqrt(n_units - 3)
        interval = Interval(math.tanh(middle - half), math.tanh(middle + half), "Fisher z")
    return estimated(value, interval, n_units=n_units, n_raters=2, n_left_out=n_left_out)


def not_for_numbers(ratings: Ratings, what: str) -> str | None:
    """Why a statistic of numbers cannot read these ratings; None if it can."""
    if ratings.scale.level == "nominal":
        return f"{what} needs numbers, and the scale is nominal."
    if not ratings.numeric:
        return f"{what} needs numbers, and these ratings are texts."
    return None

"""Krippendorff's alpha."""

from __future__ import annotations

import math

import numpy as np

from agreement.bootstrap import patterns, percentile_interval
from agreement.ratings import MISSING, Floats, Ints, Level, Ratings
from agreement.statistic import Statistic, undefined


def krippendorff_alpha(ratings: Ratings, *, level: Level = "nominal") -> Statistic:
    """Agreement of any number of raters with any gaps, beyond chance.

    Parameters
    ----------
    ratings
        Two or more raters. Units with a single rating cannot be paired and are left out.
    level
        What a difference is: "nominal" any, "ordinal" by how many ratings lie between the two ranks, "interval"
        squared. It must not ask more than the scale holds.

    Returns
    -------
    Statistic
        ``value`` at most 1, with limits by bootstrap over units. ``nan`` with a ``reason`` if no unit has two ratings,
        if all paired ratings are the same, or if the level asks more than the scale holds.

    Notes
    -----
    alpha = 1 - D_o / D_e, each pair of ratings weighted by 1 / (m_u - 1) [1]_. A squared difference needs only sums, so
    the cost grows with the ratings alone; for ordinal data every category stands at the middle of its cumulative count,
    and squared differences of those are the published metric. Checked against krippendorff 0.9.0 and irr 0.84 (the
    latter errs on complete data of three or more raters) in tests/agreement.

    References
    ----------
    .. [1] Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. University of Pennsylvania.

    Examples
    --------
    >>> ratings = Ratings.from_lists(ann=[1, 1, 2, 2], bob=[1, 1, 2, None])
    >>> krippendorff_alpha(ratings).value
    1.0
    """
    usable = ratings.rated.sum(axis=1) >= 2
    n_units, n_raters = int(usable.sum()), len(ratings.raters)
    n_left_out = len(ratings.units) - n_units
    problem = _not_for_level(ratings, level)
    if n_units == 0:
        problem = "No unit was rated by two people."
    if problem:
        return undefined(problem, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out)
    used, codes = np.unique(ratings.codes[usable], return_inverse=True)
    codes = codes.reshape(-1, n_raters)
    if used[0] == MISSING:
        codes, used = codes - 1, used[1:]
    if len(used) < 2:
        reason = (
            "All ratings that can be paired are the same single value, so no disagreement could have been expected."
        )
        return undefined(reason, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out)
    rows, counts = patterns(codes)
    alpha = _Nominal(rows) if level == "nominal" else _Squared(rows, ratings.positions[used], ranks=level == "ordinal")
    value = float(alpha(counts[None])[0])
    low, high, method = percentile_interval(alpha, counts)
    return Statistic(value, low, high, method, n_units, n_raters, n_left_out)


def _not_for_level(ratings: Ratings, level: Level) -> str | None:
    if level == "ordinal" and ratings.scale.level == "nominal":
        return "Ordinal alpha needs an order, and the scale is nominal."
    if level == "interval" and (ratings.scale.level == "nominal" or not ratings.numeric):
        return f"Interval alpha needs numbers whose differences count, and the scale is {ratings.scale.level}."
    return None


class _Nominal:
    """Alpha of many draws at once where every difference counts the same."""

    def __init__(self, rows: Ints) -> None:
        n_rows, q = len(rows), int(rows.max()) + 1
        self.row, rater = np.nonzero(rows != MISSING)
        self.code = rows[self.row, rater]
        self.q = q
        ratings = np.bincount(self.row, minlength=n_rows).astype(float)
        cells, n_equal = np.unique(self.row * q + self.code, return_counts=True)
        equal = np.bincount(cells // q, weights=n_equal * (n_equal - 1.0), minlength=n_rows)
        self.ratings = ratings
        self.disagreed = (ratings * (ratings - 1) - equal) / (ratings - 1)

    def __call__(self, drawn: Floats) -> Floats:
        n = drawn @ self.ratings
        totals = _totals(drawn, self.row, self.code, self.q)
        with np.errstate(invalid="ignore", divide="ignore"):
            expected = (n**2 - (totals**2).sum(axis=1)) / (n - 1)
            alpha: Floats = np.where(expected > 0, 1 - (drawn @ self.disagreed) / expected, math.nan)
        return alpha


class _Squared:
    """Alpha of many draws at once where the squared distance of two positions counts."""

    def __init__(self, rows: Ints, positions: Floats, *, ranks: bool) -> None:
        self.row, self.rater = np.nonzero(rows != MISSING)
        self.code = rows[self.row, self.rater]
        self.n_rows = len(rows)
        self.ratings = np.bincount(self.row, minlength=self.n_rows).astype(float)
        self.positions = positions - positions.mean()  # keeps the sums of squares well conditioned
        self.ranks = ranks
        self.counts = np.zeros((self.n_rows, len(positions) if ranks else 0))
        if ranks:
            np.add.at(self.counts, (self.row, self.code), 1)
        else:
            first = np.bincount(self.row, weights=self.positions[self.code], minlength=self.n_rows)
            second = np.bincount(self.row, weights=self.positions[self.code] ** 2, minlength=self.n_rows)
            self.first, self.second = first, second
            self.disagreed = 2 * (self.ratings * second - first**2) / (self.ratings - 1)

    def __call__(self, drawn: Floats) -> Floats:
        return self._by_rank(drawn) if self.ranks else self._by_value(drawn)

    def _by_value(self, drawn: Floats) -> Floats:
        n, first, second = drawn @ self.ratings, drawn @ self.first, drawn @ self.second
        return _one_minus(drawn @ self.disagreed, n, first, second)

    def _by_rank(self, drawn: Floats) -> Floats:
        totals = drawn @ self.counts
        middle = totals.cumsum(axis=1) - totals / 2
        middle -= totals.sum(axis=1, keepdims=True) / 2
        n = totals.sum(axis=1)
        first, second = (totals * middle).sum(axis=1), (totals * middle**2).sum(axis=1)
        row_first, row_second = middle @ self.counts.T, middle**2 @ self.counts.T
        disagreed = 2 * (self.ratings * row_second - row_first**2) / (self.ratings - 1)
        return _one_minus((drawn * disagreed).sum(axis=1), n, first, second)


def _totals(drawn: Floats, row: Ints, code: Ints, q: int) -> Floats:
    counts = np.zeros((drawn.shape[1], q))
    np.add.at(counts, (row, code), 1)
    return drawn @ counts


def _one_minus(observed: Floats, n: Floats, first: Floats, second: Floats) -> Floats:
    """1 - observed / expected, from the count, sum and sum of squares of the ratings; nan if they are all the same."""
    spread = n * second - first**2
    with np.errstate(invalid="ignore", divide="ignore"):
        varies = spread > 1e-12 * n * second  # rounding leaves a trace where there is no spread at all
        alpha: Floats = np.where(varies, 1 - observed * (n - 1) / (2 * spread), math.nan)
    return alpha

"""Krippendorff's alpha."""

from __future__ import annotations

import math

import numpy as np

from agreement.bootstrap import Bootstrap, OfCounts, bootstrap_interval, patterns
from agreement.ratings import MISSING, Floats, Ints, Level, Ratings, category_counts, standardised
from agreement.statistic import Statistic, estimated, undefined


def krippendorff_alpha(
    ratings: Ratings, *, level: Level = "nominal", confidence: float = 0.95, bootstrap: Bootstrap | None = None
) -> Statistic:
    """Agreement of any number of raters with any gaps, beyond chance.

    Parameters
    ----------
    ratings
        Two or more raters. Units with a single rating cannot be paired and are left out.
    level
        What a difference is: "nominal" any, "ordinal" by how many ratings lie between the two ranks, "interval"
        squared. It must not ask more than the scale holds.
    confidence, bootstrap
        Of the interval.

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
    if problem is None and n_units == 0:
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
    clusters = ratings.clusters
    sample = patterns(codes, clusters and [clusters[at] for at in np.flatnonzero(usable)])
    rows, q = sample.rows, len(used)
    if level == "interval":
        alpha = _by_value(rows, standardised(ratings.positions[used]))
    else:
        alpha = _by_category(rows, q, ranks=level == "ordinal")
    value = float(alpha(sample.counts[None])[0])
    width = 0 if level == "interval" else 3 * q
    interval = bootstrap_interval(alpha, sample, bootstrap, confidence=confidence, width=width)
    return estimated(value, interval, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out, confidence=confidence)


def _not_for_level(ratings: Ratings, level: Level) -> str | None:
    if level == "ordinal" and ratings.scale.level == "nominal":
        return "Ordinal alpha needs an order, and the scale is nominal."
    if level == "interval" and (ratings.scale.level == "nominal" or not ratings.numeric):
        return f"Interval alpha needs numbers whose differences count, and the scale is {ratings.scale.level}."
    return None


def _by_value(rows: Ints, positions: Floats) -> OfCounts:
    """Alpha of many draws at once, from squared differences of numbers: a unit is its count, sum and sum of squares."""
    rated = rows != MISSING
    numbers = np.where(rated, positions[rows], 0.0)
    n_of, sum_of, square_of = rated.sum(axis=1).astype(float), numbers.sum(axis=1), (numbers**2).sum(axis=1)
    sums = np.stack([n_of, sum_of, square_of, 2 * (n_of * square_of - sum_of**2) / (n_of - 1)], axis=1)

    def alpha(drawn: Floats) -> Floats:
        n, total, squares, observed = (drawn @ sums).T
        spread = n * squares - total**2
        spread[spread < 1e-12 * n * squares] = 0.0  # what rounding leaves of a draw of one value
        return _one_minus(observed, 2 * spread / (n - 1))

    return alpha


def _by_category(rows: Ints, q: int, *, ranks: bool) -> OfCounts:
    """Alpha of many draws at once, from how often each category was chosen.

    Every difference counts the same or, with ``ranks``, the squared distance of the middles of two categories'
    cumulative counts, which every draw has its own of.
    """
    chosen = category_counts(rows, q)
    n_of = (rows != MISSING).sum(axis=1).astype(float)
    differing = (n_of**2 - (chosen * chosen).sum(axis=1)) / (n_of - 1)

    def nominal(drawn: Floats) -> Floats:
        totals = drawn @ chosen
        n = totals.sum(axis=1)
        return _one_minus(drawn @ differing, (n**2 - (totals**2).sum(axis=1)) / (n - 1))

    def ordinal(drawn: Floats) -> Floats:
        totals = drawn @ chosen
        n = totals.sum(axis=1)
        middle = totals.cumsum(axis=1) - totals / 2 - n[:, None] / 2
        sum_of, square_of = (chosen @ middle.T).T, (chosen @ (middle**2).T).T
        observed = drawn * (2 * (n_of * square_of - sum_of**2) / (n_of - 1))
        expected = 2 * (n * (totals * middle**2).sum(axis=1) - (totals * middle).sum(axis=1) ** 2) / (n - 1)
        return _one_minus(observed.sum(axis=1), expected)

    return ordinal if ranks else nominal


def _one_minus(observed: Floats, expected: Floats) -> Floats:
    """1 - D_o / D_e; nan where nothing is expected to differ."""
    with np.errstate(invalid="ignore", divide="ignore"):
        alpha: Floats = np.where(expected > 0, 1 - observed / expected, math.nan)
    return alpha

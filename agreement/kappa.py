"""Percent agreement, Cohen's kappa for two raters, its mean over pairs, and Fleiss' kappa for many."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Literal

import numpy as np
from scipy import sparse, special

from agreement.bootstrap import Bootstrap, OfCounts, bootstrap_interval, check_confidence, resampling, sample_of
from agreement.ratings import MISSING, Floats, Ints, Ratings, category_counts
from agreement.statistic import Interval, Statistic, estimated, no_interval, undefined

Weights = Literal["none", "linear", "quadratic"]

_MOST_CATEGORIES = 1000
"""Beyond that a table of categories would not fit, and a kappa says nothing: the values are measurements."""


def percent_agreement(ratings: Ratings, *, confidence: float = 0.95, bootstrap: Bootstrap | None = None) -> Statistic:
    """The share of pairs of ratings on the same unit that are equal, averaged over units.

    Parameters
    ----------
    ratings
        Two or more raters. Units with fewer than two ratings are left out.
    confidence, bootstrap
        Of the interval; resampling where it is asked for, or where units have clusters.

    Returns
    -------
    Statistic
        ``value`` in [0, 1]. Limits by Wilson's score for two raters, else by bootstrap over units.

    Notes
    -----
    p_a = mean over units of sum_c r_c (r_c - 1) / (r (r - 1)), r_c of the unit's r ratings being c [1]_; limits by
    [2]_. Checked against irrCAC 0.4.4 and by worked arithmetic in tests/agreement.

    References
    ----------
    .. [1] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.
    .. [2] Wilson, E. B. (1927). Journal of the American Statistical Association 22, 209-212.

    Examples
    --------
    >>> ratings = Ratings.from_lists(ann=["a", "a", "b", "b"], bob=["a", "a", "b", "a"])
    >>> percent_agreement(ratings).value
    0.75
    """
    usable = ratings.rated.sum(axis=1) >= 2
    n_units, n_raters = int(usable.sum()), len(ratings.raters)
    n_left_out = len(ratings.units) - n_units
    if n_units == 0:
        return undefined(_NO_PAIRS, n_units=0, n_raters=n_raters, n_left_out=n_left_out)
    sample = sample_of(ratings, usable)
    agreed = _agreed(sample.rows, len(ratings.categories))
    value = float(sample.counts @ agreed / n_units)
    bootstrap = resampling(ratings, bootstrap)
    if n_raters == 2 and bootstrap is None:
        interval = wilson(value, n_units, confidence)
    else:
        interval = bootstrap_interval(
            lambda drawn: drawn @ agreed / drawn.sum(axis=1), sample, bootstrap, confidence=confidence
        )
    return estimated(value, interval, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out, confidence=confidence)


def cohen_kappa(
    ratings: Ratings, *, weights: Weights = "none", confidence: float = 0.95, bootstrap: Bootstrap | None = None
) -> Statistic:
    """Agreement of two raters beyond what their own habits would give by chance.

    Parameters
    ----------
    ratings
        Exactly two raters. Units that only one of them rated are left out.
    weights
        "none" counts equal values only; "linear" and "quadratic" count near misses by the distance between categories:
        of their values if they are numbers, else of their places in the declared order.
    confidence, bootstrap
        Of the interval; resampling where it is asked for, or where units have clusters.

    Returns
    -------
    Statistic
        ``value`` in [-1, 1], with limits from the large-sample standard error. ``nan`` with a ``reason`` if no unit was
        rated by both, if both always gave the same single value, or if the scale has no order for the weights. No
        limits where the standard error is zero, as for perfect agreement.

    Notes
    -----
    kappa = (p_o - p_e) / (1 - p_e) with agreement weights w_ij = 1 - d_ij / d_max, or 1 - (d_ij / d_max)^2 [1]_ [2]_;
    variance by [3]_. Among numbers a declared category that nobody used changes nothing; among names it is a place that
    lies between others. Checked against statsmodels 0.15, vcd 1.4, irrCAC and scikit-learn 1.9 (tests/agreement); the
    last weighs by place, not by value, so it differs where the values are not evenly spaced.

    References
    ----------
    .. [1] Cohen, J. (1960). Educational and Psychological Measurement 20, 37-46.
    .. [2] Cohen, J. (1968). Psychological Bulletin 70, 213-220.
    .. [3] Fleiss, J. L., Cohen, J. & Everitt, B. S. (1969). Psychological Bulletin 72, 323-327.

    Examples
    --------
    >>> ratings = Ratings.from_lists(ann=["a", "a", "b", "b"], bob=["a", "a", "b", "a"])
    >>> round(cohen_kappa(ratings).value, 3)
    0.5
    >>> cohen_kappa(ratings, weights="linear").reason
    'Linear weights need an order, and the scale is nominal.'
    """
    both = np.atleast_1d(ratings.rated.all(axis=1)) & (len(ratings.raters) == 2)
    n_units, n_raters = int(both.sum()), len(ratings.raters)
    n_left_out = len(ratings.units) - n_units
    problem = _not_for_kappa(ratings, weights)
    if problem is None and n_raters != 2:
        problem = (
            f"Cohen's kappa is for two raters, and these are {n_raters}; for more use Fleiss' kappa, or the mean over "
            "pairs (Light)."
        )
    elif problem is None and n_units == 0:
        problem = "No unit was rated by both."
    if problem:
        return undefined(problem, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out)
    distance = _distances(ratings, weights)
    sample = sample_of(ratings, both)
    of_counts = _pair_kappa(sample.rows, distance, len(ratings.categories))
    value = float(of_counts(sample.counts[None])[0])
    if math.isnan(value):
        reason = "Both raters always gave the same single value, so agreement by chance is complete."
        return undefined(reason, n_units=n_units, n_raters=2, n_left_out=n_left_out)
    bootstrap = resampling(ratings, bootstrap)
    if bootstrap is None:
        se = math.sqrt(_kappa_variance(sample.rows, sample.counts / n_units, distance, value) / n_units)
        interval = _around(value, se, _z(confidence), "large-sample standard error")
    else:
        width = 2 * len(ratings.categories)
        interval = bootstrap_interval(of_counts, sample, bootstrap, confidence=confidence, width=width)
    return estimated(value, interval, n_units=n_units, n_raters=2, n_left_out=n_left_out, confidence=confidence)


def light_kappa(
    ratings: Ratings, *, weights: Weights = "none", confidence: float = 0.95, bootstrap: Bootstrap | None = None
) -> Statistic:
    """The mean of Cohen's kappa over all pairs of raters, each pair on the units that both rated.

    Parameters
    ----------
    ratings
        Two or more raters.
    weights
        As in :func:`cohen_kappa`.
    confidence, bootstrap
        Of the interval.

    Returns
    -------
    Statistic
        ``nan`` with a ``reason`` if any pair has no kappa. Limits by bootstrap over units.

    Notes
    -----
    Checked against irr 0.84 (R) through the golden cases in tests/agreement.

    References
    ----------
    .. [1] Light, R. J. (1971). Psychological Bulletin 76, 365-377.

    Examples
    --------
    >>> ratings = Ratings.from_lists(ann=[1, 1, 2, 2], bob=[1, 1, 2, 1], eva=[1, 1, 2, 2])
    >>> round(light_kappa(ratings).value, 3)
    0.667
    """
    usable = ratings.rated.sum(axis=1) >= 2
    n_units, n_raters = int(usable.sum()), len(ratings.raters)
    n_left_out = len(ratings.units) - n_units
    problem = _not_for_kappa(ratings, weights)
    if problem is None and n_units == 0:
        problem = _NO_PAIRS
    if problem:
        return undefined(problem, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out)
    sample = sample_of(ratings, usable)
    distance, q = _distances(ratings, weights), len(ratings.categories)
    of_pairs = [_pair_kappa(sample.rows[:, [a, b]], distance, q) for a, b in combinations(range(n_raters), 2)]

    def mean_over_pairs(drawn: Floats) -> Floats:
        total = np.zeros(len(drawn))
        for kappa in of_pairs:
            total += kappa(drawn)
        mean: Floats = total / len(of_pairs)
        return mean

    value = float(mean_over_pairs(sample.counts[None])[0])
    if math.isnan(value):
        reason = "At least one pair of raters has no kappa: no common unit, or always the same single value."
        return undefined(reason, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out)
    interval = bootstrap_interval(mean_over_pairs, sample, bootstrap, confidence=confidence, width=2 * q)
    return estimated(value, interval, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out, confidence=confidence)


def fleiss_kappa(ratings: Ratings, *, confidence: float = 0.95) -> Statistic:
    """Agreement of many raters beyond chance, chance being the overall share of each category.

    Parameters
    ----------
    ratings
        Two or more raters, who need not be the same for every unit. Units with a single rating count for the shares of
        the categories, but not for the agreement; they are counted in ``n_left_out``.
    confidence
        Of the interval.

    Returns
    -------
    Statistic
        ``value`` at most 1, with limits from the linearised variance and Student's t over units. ``nan`` with a
        ``reason`` if no unit has two ratings, or if all ratings are the same.

    Notes
    -----
    kappa = (p_a - p_e) / (1 - p_e), p_e = sum_c p_c^2 [1]_, with gaps and variance as in [2]_. Checked against irrCAC
    0.4.4 and 1.4, irr 0.84 and statsmodels 0.15 (tests/agreement). With many gaps prefer Krippendorff's alpha.

    References
    ----------
    .. [1] Fleiss, J. L. (1971). Psychological Bulletin 76, 378-382.
    .. [2] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th edition.

    Examples
    --------
    >>> ratings = Ratings.from_lists(ann=[1, 1, 2, 2], bob=[1, 1, 2, 1], eva=[1, 2, 2, 2])
    >>> round(fleiss_kappa(ratings).value, 3)
    0.333
    """
    n_ratings = ratings.rated.sum(axis=1)
    usable = n_ratings >= 2
    n_units, n_raters = int(usable.sum()), len(ratings.raters)
    n_left_out = len(ratings.units) - n_units
    problem = _not_for_kappa(ratings, "none")
    if problem is None and n_units == 0:
        problem = _NO_PAIRS
    if problem:
        return undefined(problem, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out)
    total = len(ratings.units)
    sample = sample_of(ratings, ratings.rated.sum(axis=1) >= 1)
    rows, counts = sample.rows, sample.counts
    of_row = (rows != MISSING).sum(axis=1)
    usable = of_row >= 2
    chosen = category_counts(rows, len(ratings.categories))
    shares_by_row = sparse.diags_array(1 / of_row) @ chosen
    shares = shares_by_row.T @ counts / total
    if np.count_nonzero(shares) < 2:
        reason = "All ratings are the same single value, so agreement by chance is complete."
        return undefined(reason, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out)
    agreed = _agreed(rows, len(ratings.categories))
    p_a, p_e = float(counts @ agreed / n_units), float(shares @ shares)
    value = (p_a - p_e) / (1 - p_e)
    by_row = np.where(usable, (agreed - p_e) / (1 - p_e) * total / n_units, 0.0)
    linearised = by_row - 2 * (1 - value) * (shares_by_row @ shares - p_e) / (1 - p_e)
    if total < 2:
        interval = no_interval("fewer than two units.")
    else:
        error = math.sqrt(float(counts @ (linearised - value) ** 2) / (total * (total - 1)))
        times = float(special.stdtrit(total - 1, (1 + confidence) / 2))
        interval = _around(value, error, times, "linearised variance, Student's t")
    return estimated(value, interval, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out, confidence=confidence)


_NO_PAIRS = "No unit was rated by two people."


def wilson(share: float, n: int, confidence: float = 0.95) -> Interval:
    """Score limits of a share of n."""
    z = _z(confidence)
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return Interval(max(0.0, centre - half), min(1.0, centre + half), "Wilson score")


def _z(confidence: float) -> float:
    """The standard normal quantile of two-sided limits."""
    check_confidence(confidence)
    return float(special.ndtri((1 + confidence) / 2))


def _around(value: float, se: float, times: float, method: str) -> Interval:
    """Limits inside [-1, 1] (a value below -1, which gaps can bring about, keeps its own); none of a width of zero."""
    half = times * se
    if half < 1e-9:
        return no_interval(f"the {method.split(',')[0]} is zero, and a width of zero would claim certainty.")
    lowest = -1.0 if value >= -1 else -math.inf
    return Interval(max(lowest, value - half), min(1.0, value + half), method, se=se)


def _not_for_kappa(ratings: Ratings, weights: Weights) -> str | None:
    if weights != "none" and ratings.scale.level == "nominal":
        return f"{weights.capitalize()} weights need an order, and the scale is nominal."
    if len(ratings.categories) > _MOST_CATEGORIES and ratings.scale.level != "nominal":
        return (
            f"{len(ratings.categories):,} different values are measurements, not categories; use alpha, Pearson or ICC."
        )
    return None


def _distances(ratings: Ratings, weights: Weights) -> Floats | None:
    """(categories, categories) in [0, 1]; None if every difference counts the same."""
    if weights == "none" or len(ratings.categories) < 2:
        return None
    distance = np.abs(ratings.positions[:, None] - ratings.positions[None, :])
    relative: Floats = distance / distance.max()
    return relative if weights == "linear" else relative**2


def _pair_kappa(pair: Ints, distance: Floats | None, q: int) -> OfCounts:
    """Cohen's kappa of many draws at once: 1 - D_o / D_e, which is exact where nothing is expected to differ."""
    present = np.flatnonzero((pair != MISSING).all(axis=1))
    a, b = pair[present].T
    apart = (a != b).astype(float) if distance is None else distance[a, b]
    first, second = category_counts(a[:, None], q), category_counts(b[:, None], q)

    def kappa(drawn: Floats) -> Floats:
        drawn = drawn[:, present]
        n = drawn.sum(axis=1)
        rows, columns = drawn @ first, drawn @ second
        expected = (
            n**2 - (rows * columns).sum(axis=1) if distance is None else ((rows @ distance) * columns).sum(axis=1)
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            values: Floats = np.where(expected > 0, 1 - n * (drawn @ apart) / expected, math.nan)
        return values

    return kappa


def _kappa_variance(pair: Ints, p: Floats, distance: Floats | None, kappa: float) -> float:
    """n times the large-sample variance of kappa (Fleiss, Cohen & Everitt 1969); ``p`` is the share of each row."""
    a, b = pair.T
    q = int(pair.max()) + 1 if distance is None else len(distance)
    rows = np.bincount(a, weights=p, minlength=q).astype(np.float64)
    columns = np.bincount(b, weights=p, minlength=q).astype(np.float64)
    if distance is None:
        w: Floats = (a == b).astype(float)
        of_row, of_column = columns, rows
    else:
        w = 1 - distance[a, b]
        of_row, of_column = (1 - distance) @ columns, rows @ (1 - distance)
    expected = float(rows @ of_row)
    first = float(p @ (w - (of_row[a] + of_column[b]) * (1 - kappa)) ** 2)
    return max(0.0, (first - (kappa - expected * (1 - kappa)) ** 2) / (1 - expected) ** 2)


def _agreed(rows: Ints, q: int) -> Floats:
    """For each row the share of its pairs of ratings that are equal; 0 without a pair."""
    chosen = category_counts(rows, q)
    n = (rows != MISSING).sum(axis=1)
    share: Floats = ((chosen * chosen).sum(axis=1) - n) / np.maximum(n * (n - 1), 1)
    return share

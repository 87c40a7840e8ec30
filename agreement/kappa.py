"""Percent agreement, Cohen's kappa for two raters, its mean over pairs, and Fleiss' kappa for many."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Literal

import numpy as np
from scipy import stats

from agreement.bootstrap import patterns, percentile_interval
from agreement.ratings import MISSING, Floats, Ints, Ratings
from agreement.statistic import Statistic, undefined

Weights = Literal["none", "linear", "quadratic"]

_Z = float(stats.norm.ppf(0.975))
_MOST_CATEGORIES = 1000
"""Beyond that a table of categories would not fit, and a kappa says nothing: the values are measurements."""


def percent_agreement(ratings: Ratings) -> Statistic:
    """The share of pairs of ratings on the same unit that are equal, averaged over units.

    Parameters
    ----------
    ratings
        Two or more raters. Units with fewer than two ratings are left out.

    Returns
    -------
    Statistic
        ``value`` in [0, 1]. Limits by Wilson's score for two raters, else by bootstrap over units.

    Notes
    -----
    p_a = mean over units of sum_c r_c (r_c - 1) / (r (r - 1)), r_c of the unit's r ratings being c [1]_. Checked
    against irrCAC 0.4.4 and by worked arithmetic in tests/agreement.

    References
    ----------
    .. [1] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.
       Wilson, E. B. (1927). Probable inference. JASA 22, 209-212.

    Examples
    --------
    >>> percent_agreement(Ratings.from_lists(ann=["a", "a", "b", "b"], bob=["a", "a", "b", "a"])).value
    0.75
    """
    usable = ratings.rated.sum(axis=1) >= 2
    n_units, n_raters = int(usable.sum()), len(ratings.raters)
    n_left_out = len(ratings.units) - n_units
    if n_units == 0:
        return undefined("No unit was rated by two people.", n_units=0, n_raters=n_raters, n_left_out=n_left_out)
    rows, counts = patterns(ratings.codes[usable])
    agreed = _agreed(rows)
    value = float(counts @ agreed / n_units)
    if n_raters == 2:
        interval = stats.binomtest(round(value * n_units), n_units).proportion_ci(method="wilson")
        low, high, method = float(interval.low), float(interval.high), "Wilson score"
    else:
        low, high, method = percentile_interval(lambda drawn: drawn @ agreed / n_units, counts)
    return Statistic(value, low, high, method, n_units, n_raters, n_left_out)


def cohen_kappa(ratings: Ratings, *, weights: Weights = "none") -> Statistic:
    """Agreement of two raters beyond what their own habits would give by chance.

    Parameters
    ----------
    ratings
        Exactly two raters. Units that only one of them rated are left out.
    weights
        "none" counts equal values only; "linear" and "quadratic" count near misses by the distance between categories:
        of their values if they are numbers, else of their places in the declared order.

    Returns
    -------
    Statistic
        ``value`` in [-1, 1], with limits from the large-sample standard error. ``nan`` with a ``reason`` if no unit was
        rated by both, if both always gave the same single value, or if the scale has no order for the weights.

    Notes
    -----
    kappa = (p_o - p_e) / (1 - p_e) with agreement weights w_ij = 1 - (d_ij / d_max)^1 or 2 [1]_ [2]_; variance by [3]_.
    Checked against statsmodels 0.15, vcd 1.4 and scikit-learn 1.9 (tests/agreement).

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
    """
    both = ratings.rated.all(axis=1)
    n_units, n_raters = int(both.sum()), len(ratings.raters)
    n_left_out = len(ratings.units) - n_units
    problem = _not_for_kappa(ratings, weights)
    if n_raters != 2:
        problem = f"Cohen's kappa is for two raters, and these are {n_raters}."
    elif n_units == 0:
        problem = "No unit was rated by both."
    if problem:
        return undefined(problem, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out)
    table = _tables(ratings.codes[both], np.ones((1, n_units)), len(ratings.categories))[0] / n_units
    w = _agreement_weights(ratings, weights)
    value = float(_kappa_of_tables(table[None], w)[0])
    if math.isnan(value):
        reason = "Both raters always gave the same single value, so agreement by chance is complete."
        return undefined(reason, n_units=n_units, n_raters=2, n_left_out=n_left_out)
    half = _Z * math.sqrt(_kappa_variance(table, w, value) / n_units)
    low, high, method = _around(value, half, "large-sample standard error")
    return Statistic(value, low, high, method, n_units, 2, n_left_out)


def light_kappa(ratings: Ratings, *, weights: Weights = "none") -> Statistic:
    """The mean of Cohen's kappa over all pairs of raters, each pair on the units that both rated.

    Parameters
    ----------
    ratings
        Two or more raters.
    weights
        As in :func:`cohen_kappa`.

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
    """
    usable = ratings.rated.sum(axis=1) >= 2
    n_units, n_raters = int(usable.sum()), len(ratings.raters)
    n_left_out = len(ratings.units) - n_units
    problem = _not_for_kappa(ratings, weights)
    if n_units == 0:
        problem = "No unit was rated by two people."
    if problem:
        return undefined(problem, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out)
    rows, counts = patterns(ratings.codes[usable])
    w = _agreement_weights(ratings, weights)
    pairs = [rows[:, [a, b]] for a, b in combinations(range(n_raters), 2)]

    def mean_over_pairs(drawn: Floats) -> Floats:
        means: Floats = np.mean([_pair_kappa(pair, drawn, w) for pair in pairs], axis=0)
        return means

    value = float(mean_over_pairs(counts[None])[0])
    if math.isnan(value):
        reason = "At least one pair of raters has no kappa: no common unit, or always the same single value."
        return undefined(reason, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out)
    low, high, method = percentile_interval(mean_over_pairs, counts)
    return Statistic(value, low, high, method, n_units, n_raters, n_left_out)


def fleiss_kappa(ratings: Ratings) -> Statistic:
    """Agreement of many raters beyond chance, chance being the overall share of each category.

    Parameters
    ----------
    ratings
        Two or more raters, who need not be the same for every unit. Units with a single rating count for the shares of
        the categories, but not for the agreement; they are counted in ``n_left_out``.

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
    if n_units == 0:
        problem = "No unit was rated by two people."
    if problem:
        return undefined(problem, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out)
    counts = _category_counts(ratings.codes, len(ratings.categories))
    total = len(counts)
    shares_by_unit = counts / n_ratings[:, None]
    shares = shares_by_unit.mean(axis=0)
    agreed = np.zeros(total)
    pairs = n_ratings[usable] * (n_ratings[usable] - 1)
    agreed[usable] = (counts[usable] * (counts[usable] - 1)).sum(axis=1) / pairs
    p_a, p_e = agreed[usable].mean(), float(shares @ shares)
    if math.isclose(p_e, 1.0):
        reason = "All ratings are the same single value, so agreement by chance is complete."
        return undefined(reason, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out)
    value = float((p_a - p_e) / (1 - p_e))
    by_unit = np.where(usable, (agreed * total / n_units - p_e) / (1 - p_e), -p_e / (1 - p_e))
    linearised = by_unit - 2 * (1 - value) * (shares_by_unit @ shares - p_e) / (1 - p_e)
    if total < 2:
        return Statistic(value, math.nan, math.nan, "none: fewer than two units", n_units, n_raters, n_left_out)
    error = math.sqrt(float(((linearised - value) ** 2).sum()) / (total * (total - 1)))
    half = float(stats.t.ppf(0.975, total - 1)) * error
    low, high, method = _around(value, half, "linearised variance, Student's t")
    return Statistic(value, low, high, method, n_units, n_raters, n_left_out)


def _around(value: float, half: float, method: str) -> tuple[float, float, str]:
    """Limits inside [-1, 1]; none where every unit says the same, because a width of zero would claim certainty."""
    if half < 1e-9:
        return math.nan, math.nan, f"none: the {method.split(',')[0]} is zero"
    return max(-1.0, value - half), min(1.0, value + half), method


def _not_for_kappa(ratings: Ratings, weights: Weights) -> str | None:
    if weights != "none" and ratings.scale.level == "nominal":
        return f"{weights.capitalize()} weights need an order, and the scale is nominal."
    if len(ratings.categories) > _MOST_CATEGORIES:
        return (
            f"{len(ratings.categories)} different values are measurements, not categories; use alpha, Pearson or ICC."
        )
    return None


def _agreement_weights(ratings: Ratings, weights: Weights) -> Floats:
    q = len(ratings.categories)
    if weights == "none" or q < 2:
        return np.eye(q)
    distance = np.abs(ratings.positions[:, None] - ratings.positions[None, :])
    relative: Floats = distance / distance.max()
    return 1 - (relative if weights == "linear" else relative**2)


def _agreed(rows: Ints) -> Floats:
    """For each row the share of its pairs of ratings that are equal."""
    equal = np.zeros(len(rows))
    pairs = np.zeros(len(rows))
    for a, b in combinations(range(rows.shape[1]), 2):
        present = (rows[:, a] != MISSING) & (rows[:, b] != MISSING)
        pairs += present
        equal += present & (rows[:, a] == rows[:, b])
    return equal / pairs


def _category_counts(codes: Ints, q: int) -> Floats:
    """(units, categories): how many raters chose each."""
    counts = np.zeros((len(codes), q))
    unit, rater = np.nonzero(codes != MISSING)
    np.add.at(counts, (unit, codes[unit, rater]), 1)
    return counts


def _tables(pair: Ints, drawn: Floats, q: int) -> Floats:
    """(draws, q, q): how often each pair of categories occurs in each draw."""
    cell = pair[:, 0] * q + pair[:, 1]
    used, place = np.unique(cell, return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(len(used)))
    tables = np.zeros((len(drawn), q * q))
    tables[:, used] = np.add.reduceat(drawn[:, order], starts, axis=1)
    return tables.reshape(len(drawn), q, q)


def _pair_kappa(pair: Ints, drawn: Floats, w: Floats) -> Floats:
    present = (pair != MISSING).all(axis=1)
    if not present.any():
        return np.full(len(drawn), math.nan)
    return _kappa_of_tables(_tables(pair[present], drawn[:, present], len(w)), w)


def _kappa_of_tables(tables: Floats, w: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = tables / tables.sum(axis=(1, 2), keepdims=True)
        observed = np.einsum("bij,ij->b", shares, w)
        expected = np.einsum("bi,bj,ij->b", shares.sum(axis=2), shares.sum(axis=1), w)
        kappa: Floats = np.where(
            np.isclose(expected, 1.0, atol=1e-12), math.nan, (observed - expected) / (1 - expected)
        )
    return kappa


def _kappa_variance(p: Floats, w: Floats, kappa: float) -> float:
    """n times the large-sample variance of kappa: Fleiss, Cohen & Everitt 1969, equation 13."""
    row, column = p.sum(axis=1), p.sum(axis=0)
    expected = float(row @ w @ column)
    centre = (w @ column)[:, None] + (row @ w)[None, :]
    first = float((p * (w - centre * (1 - kappa)) ** 2).sum())
    return max(0.0, (first - (kappa - expected * (1 - kappa)) ** 2) / (1 - expected) ** 2)

"""Krippendorff's alpha."""

from __future__ import annotations

import math

import numpy as np

from agreement.bootstrap import Bootstrap, OfCounts, bootstrap_interval, patterns
from agreement.limits import transformed
from agreement.ratings import MISSING, Floats, Ints, Level, Ratings, category_counts, standardised
from agreement.statistic import Statistic, estimated, no_interval, undefined
from agreement.weights import MOST_CATEGORIES
from domain.statistics import Behaviour, Needs, StatisticRow, Variant


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
        squared, "ratio" squared in proportion to the sum (for amounts: numbers of 0 and more). The level must suit
        the scale; on an undeclared scale, any number may be an amount.
    confidence, bootstrap
        Of the interval. Unless a bootstrap is given, limits come from the standard error of resampled units, on the
        scale of atanh alpha.

    Returns
    -------
    Statistic
        ``value`` at most 1, with limits by resampling units. ``nan`` with a ``reason`` if no unit has two ratings,
        if all paired ratings are the same, or if the level asks more than the scale holds.

    Notes
    -----
    alpha = 1 - D_o / D_e, each pair of ratings weighted by 1 / (m_u - 1) [1]_. A squared difference needs only sums,
    so the cost grows only with the number of ratings. For ordinal data each category gets the middle of its
    cumulative count; squared differences of these are the published metric. The ratio metric ((c - k) / (c + k))^2 is
    tanh^2 of half the difference of logarithms. With many values, this smooth function is interpolated at Chebyshev
    nodes to rounding error, which avoids a table of all pairs. Checked against krippendorff 0.9.0 and irr 0.84 (the
    latter errs on complete data of three or more raters) in tests/agreement.

    Limits are tanh(atanh alpha -/+ t se / (1 - alpha^2)), t with a degree of freedom less than there are units (or
    clusters). In simulated studies of 50, 150 and 500 units (benchmarks/coverage.py) 95 % limits hold the truth in 93
    to 96 %. Of a Bootstrap those by percentiles are too narrow with 50 units if labels are skewed or ratings are
    measurements (93 and 92 %), those by BCa if they are measurements (93 %).

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
    n_units, n_raters = ratings.count(usable), len(ratings.raters)
    n_left_out = ratings.n_units - n_units
    problem = _not_for_level(ratings, level)
    if problem is None and n_units == 0:
        problem = "No unit has ratings from two raters."
    if problem:
        return undefined(problem, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out)
    used, codes = _without_gaps(ratings.codes[usable])
    if used[0] == MISSING:
        codes, used = codes - 1, used[1:]
    if len(used) < 2:
        reason = "All paired ratings have the same single value, so the expected disagreement is zero."
        return undefined(reason, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out)
    clusters = ratings.clusters and [ratings.clusters[at] for at in np.flatnonzero(usable)]
    sample = patterns(codes, clusters, None if ratings.times is None else ratings.times[usable])
    rows, q = sample.rows, len(used)
    if level == "interval":
        alpha = _by_value(rows, standardised(ratings.positions[used]))
    elif level == "ratio":
        alpha = _by_proportion(rows, np.array(ratings.categories, dtype=float)[used])
    else:
        alpha = _by_category(rows, q, ranks=level == "ordinal")
    value = float(alpha(sample.counts[None])[0])
    if level == "nominal" and q > MOST_CATEGORIES and ratings.scale.level != "nominal":
        interval = no_interval(
            f"{q:,} different values are too many to treat as categories. Choose the level of alpha that "
            "matches the scale."
        )
        return estimated(
            value, interval, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out, confidence=confidence
        )
    width = 0 if level == "interval" else 3 * q
    interval = bootstrap_interval(alpha, sample, bootstrap, confidence=confidence, width=width)
    if bootstrap is None:
        drawn = n_units if sample.clusters is None else sample.clusters.shape[0]
        method = interval.method.replace("percentile bootstrap", "bootstrap standard error")
        interval = transformed(value, interval.se, drawn - 1, confidence, method) or interval
    return estimated(value, interval, n_units=n_units, n_raters=n_raters, n_left_out=n_left_out, confidence=confidence)


def _without_gaps(codes: Ints) -> tuple[Ints, Ints]:
    """The codes that occur, and all of them by their place among these: as ``np.unique`` has it, without sorting."""
    there = np.bincount((codes - MISSING).ravel()) > 0
    used = np.flatnonzero(there) + MISSING
    return used, (np.cumsum(there) - 1)[codes - MISSING]


def _not_for_level(ratings: Ratings, level: Level) -> str | None:
    scale = ratings.scale
    if level == "ordinal" and scale.level == "nominal":
        return "Ordinal alpha needs ordered values, but the scale is nominal. Use nominal alpha."
    if level in ("interval", "ratio") and (scale.level not in ("interval", "ratio") or not ratings.numeric):
        count = "differences" if level == "interval" else "ratios"
        return (
            f"{level.capitalize()} alpha needs numbers with meaningful {count}, but the scale is {scale.level}. "
            "Choose the level of alpha that matches the scale."
        )
    if level == "ratio" and scale.level != "ratio" and not scale.inferred:
        return "Ratio alpha needs numbers with meaningful ratios, but the scale is interval. Use interval alpha."
    if level == "ratio" and min(ratings.categories, default=0) < 0:
        return (
            f"Ratio alpha needs values of 0 or more, but the lowest value is {min(ratings.categories):g}. Use "
            "interval alpha."
        )
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


_FEW = 256
"""Values that a table of values by values is made for."""


def _by_proportion(rows: Ints, amounts: Floats) -> OfCounts:
    """Alpha of many draws at once, a difference being ((c - k) / (c + k))^2."""
    amounts = amounts / amounts.max()
    rated = rows != MISSING
    given = np.where(rated, amounts[rows], math.nan)
    differing = np.zeros(len(rows))
    for apart in range(1, rows.shape[1]):
        differing += 2 * np.nansum(_proportion(given[:, apart:], given[:, :-apart]), axis=1)
    differing /= rated.sum(axis=1) - 1
    chosen = category_counts(rows, len(amounts))
    if len(amounts) <= _FEW:
        basis, between = None, _proportion(amounts[:, None], amounts)
    else:
        basis, between = _interpolated(amounts)
        chosen = chosen @ basis

    def alpha(drawn: Floats) -> Floats:
        totals = drawn @ chosen
        n = drawn @ rated.sum(axis=1)
        return _one_minus(drawn @ differing, ((totals @ between) * totals).sum(axis=1) / (n - 1))

    return alpha


def _proportion(c: Floats, k: Floats) -> Floats:
    """((c - k) / (c + k))^2 of amounts, 0 of two zeros; nan stays."""
    total = c + k
    distances: Floats = ((c - k) / np.where(total == 0, 1.0, total)) ** 2
    return distances


def _interpolated(amounts: Floats) -> tuple[Floats, Floats]:
    """(amounts, nodes) and (nodes, nodes): their product ``basis @ between @ basis.T`` is the metric between amounts.

    The first node stands for zero, which is as far from every other amount as can be.
    """
    zero = amounts == 0
    logs = np.log(np.where(zero, 1.0, amounts))
    low, high = float(logs[~zero].min()), float(logs[~zero].max())
    middle, half = (low + high) / 2, (high - low) / 2
    # tanh^2 is analytic up to pi off the real line; the error falls by this factor with every node.
    factor = (math.pi + math.hypot(math.pi, half)) / half
    m = 8 + math.ceil(math.log(1e18) / math.log(factor))
    angles = (np.arange(m) + 0.5) * math.pi / m
    nodes = np.cos(angles)
    weights = np.where(np.arange(m) % 2, -1.0, 1.0) * np.sin(angles)
    away = ((logs - middle) / half)[:, None] - nodes
    exact = away == 0
    shares = weights / np.where(exact, 1.0, away)
    shares = np.where(exact.any(axis=1)[:, None], exact, shares)
    shares /= shares.sum(axis=1, keepdims=True)
    basis = np.zeros((len(amounts), m + 1))
    basis[:, 0] = zero
    basis[~zero, 1:] = shares[~zero]
    between = np.ones((m + 1, m + 1))
    between[0, 0] = 0
    between[1:, 1:] = np.tanh((nodes[:, None] - nodes) * half / 2) ** 2
    return basis, between


def _one_minus(observed: Floats, expected: Floats) -> Floats:
    """1 - D_o / D_e; nan where nothing is expected to differ."""
    with np.errstate(invalid="ignore", divide="ignore"):
        alpha: Floats = np.where(expected > 0, 1 - observed / expected, math.nan)
    return alpha


ROWS = (
    StatisticRow(
        krippendorff_alpha,
        title="Krippendorff's alpha",
        meaning="agreement of any number of raters, on any scale, with missing ratings allowed",
        place=80,
        variants=(
            Variant({"level": "nominal"}),
            Variant({"level": "ordinal"}, Needs.ORDER),
            Variant({"level": "interval"}, Needs.NUMBERS),
            Variant(
                {"level": "ratio"},
                Needs.RATIO,
                shown=Needs.RATIO,
                behaviour=Behaviour(repeated=False, moved=False),
            ),
        ),
        headline=True,
        behaviour=Behaviour(repeated=False),
    ),
)

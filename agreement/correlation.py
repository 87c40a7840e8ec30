"""Correlations of raters: do they put the units in one order, or on one line?

The module is long because every coefficient needs limits of its own, and because a third of it documents their use.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from agreement.bootstrap import (
    Bootstrap,
    OfCounts,
    Patterns,
    bootstrap_interval,
    check_confidence,
    resampling,
    sample_of,
)
from agreement.limits import MANY_PAIRS, around, normal_quantile
from agreement.ratings import MISSING, Floats, Ints, Ratings, Scale, standardised
from agreement.statistic import Interval, Statistic, Test, estimated, no_interval, undefined
from domain.errors import RatingsError
from domain.statistics import Behaviour, Needs, StatisticRow, SummaryRows, Variant

_OF_ONE_LINE = 1e-12
"""What a correlation may miss 1 by through rounding alone."""


def paired(x: Sequence[float] | Floats, y: Sequence[float] | Floats, *, names: tuple[str, str] = ("x", "y")) -> Ratings:
    """Two equally long lists of numbers as the ratings of two raters; nan is a missing rating.

    Raises
    ------
    RatingsError
        The lists differ in length or hold other values than numbers.

    Examples
    --------
    >>> round(spearman(paired([1, 2, 3, 4], [10, 30, 20, 40])).value, 3)
    0.8
    """
    try:
        first, second = (np.asarray(column, dtype=float) for column in (x, y))
    except (TypeError, ValueError):
        raise RatingsError("Both lists must contain only numbers.") from None
    if first.ndim != 1 or first.shape != second.shape:
        raise RatingsError(
            f"Give two lists of numbers of equal length. The shapes of these lists are {first.shape} and "
            f"{second.shape}."
        )
    return Ratings.from_array(np.column_stack([first, second]), raters=names, scale=Scale("interval"))


@dataclass(frozen=True, eq=False)
class Pair:
    """The units that two raters have both rated."""

    sample: Patterns
    x: Floats
    """(patterns,) the first rater's values: numbers in [-1, 1], or places in the order."""
    y: Floats
    n_units: int
    n_left_out: int


def pair_of(
    ratings: Ratings, what: str, instead: str, *, ordered: bool = False, varying: bool = True, least: int = 2
) -> Pair | str:
    """What the two raters rated both, or why ``what`` cannot be computed of them.

    ``instead`` names statistics for more raters. With ``ordered``, an order of the categories is enough; with
    ``varying``, each rater must have used two values; ``least`` units are needed.
    """
    problem = None if ordered and ratings.scale.level == "ordinal" else not_for_numbers(ratings, what)
    if problem:
        return problem
    if len(ratings.raters) != 2:
        offer = f"; {instead}" if len(ratings.raters) > 2 else ""
        return f"{what} needs exactly two raters, but there are {len(ratings.raters)}{offer}."
    both = ratings.rated.all(axis=1)
    n_units = ratings.count(both)
    if n_units < least:
        return (
            "Fewer than two units have ratings from both raters."
            if least > 1
            else "No unit has ratings from both raters."
        )
    sample = sample_of(ratings, both)
    for rater, column in zip(ratings.raters, sample.rows.T, strict=True):
        if varying and (column == column[0]).all():
            return f"{rater} gave every unit the same value."
    numbers = ratings.positions if ordered else np.array(ratings.categories, dtype=float)
    x, y = (numbers[column] for column in sample.rows.T)
    return Pair(sample, x, y, n_units, ratings.n_units - n_units)


def without(problem: str, ratings: Ratings, confidence: float, *, n_units: int | None = None) -> Statistic:
    """An undefined statistic; unless told, of the units that everyone rated."""
    if n_units is None:
        n_units = ratings.count(ratings.rated.all(axis=1)) if len(ratings.raters) > 1 else 0
    return undefined(
        problem,
        n_units=n_units,
        n_raters=len(ratings.raters),
        n_left_out=ratings.n_units - n_units,
        confidence=confidence,
    )


def pearson(ratings: Ratings, *, confidence: float = 0.95, bootstrap: Bootstrap | None = None) -> Statistic:
    """Measure how closely two raters' numbers follow a line; a stricter rater makes no difference.

    Parameters
    ----------
    ratings
        Exactly two raters. Units that only one of them rated are left out.
    bootstrap
        Limits by resampling units instead of Fisher's z; always where units have clusters.

    Returns
    -------
    Statistic
        ``value`` in [-1, 1], limits by Fisher's z (needs four units), ``test`` of no correlation (t). ``nan`` with a
        ``reason`` for texts or a nominal scale, for fewer than two common units, or if a rater's values do not vary.

    Notes
    -----
    r = cov(x, y) / (s_x s_y) [1]_; limits tanh(atanh r -/+ z / sqrt(n - 3)) [2]_, which are right for pairs from a
    normal distribution. t = r sqrt((n - 2) / (1 - r^2)) with n - 2 degrees of freedom. Checked against scipy 1.12 and
    R 4.2 in tests/agreement. In simulated studies (benchmarks/coverage.py) of 50, 150 and 500 units, normal and
    graded 1 to 5, 95 % limits hold the truth in 94 to 96 %.

    References
    ----------
    .. [1] Pearson, K. (1895). Proceedings of the Royal Society 58, 240-242.
    .. [2] Fisher, R. A. (1921). Metron 1, 3-32.

    Examples
    --------
    >>> round(pearson(Ratings.from_lists(ann=[0, 0.5, 1, 1], bob=[0, 0.5, 0.5, 1])).value, 3)
    0.853
    """
    check_confidence(confidence)
    pair = pair_of(
        ratings, "Pearson's correlation", "compute each pair separately, or use mean_pearson for the mean over pairs"
    )
    if isinstance(pair, str):
        return without(pair, ratings, confidence)
    of_counts = _pearson_of(pair.x, pair.y, pair.sample.counts)
    value = float(of_counts(pair.sample.counts[None])[0])
    resample = resampling(ratings, bootstrap)
    if resample is not None:
        interval = bootstrap_interval(of_counts, pair.sample, resample, confidence=confidence, width=6)
    else:
        interval = _by_z(value, pair.n_units, 3, 1.0, confidence, "Fisher z")
    return _of_pair(value, interval, pair, confidence, _t_test(value, pair.n_units))


def spearman(ratings: Ratings, *, confidence: float = 0.95, bootstrap: Bootstrap | None = None) -> Statistic:
    """Measure how similarly two raters order the units, by the correlation of their ranks.

    Parameters
    ----------
    ratings
        Exactly two raters on a scale with an order (texts need a declared one). Units that only one of them rated are
        left out. Equal ratings share the mean of their ranks.
    bootstrap
        Limits by resampling units instead of the z of Bonett and Wright; always where units have clusters.

    Returns
    -------
    Statistic
        ``value`` in [-1, 1], limits (needs four units), ``test`` of no correlation (t, approximate). ``nan`` with a
        ``reason`` for a nominal scale, for fewer than two common units, or if a rater's values do not vary.

    Notes
    -----
    Pearson's correlation of mid-ranks [1]_; limits tanh(atanh r -/+ z sqrt((1 + r^2 / 2) / (n - 3))) [2]_. Checked
    against scipy 1.12 and R 4.2 in tests/agreement, the limits against worked arithmetic.

    References
    ----------
    .. [1] Spearman, C. (1904). American Journal of Psychology 15, 72-101.
    .. [2] Bonett, D. G. & Wright, T. A. (2000). Psychometrika 65, 23-28.

    Examples
    --------
    >>> round(spearman(Ratings.from_lists(ann=[1, 2, 3, 4], bob=[1, 3, 2, 9])).value, 3)
    0.8
    """
    check_confidence(confidence)
    pair = pair_of(ratings, "Spearman's correlation", "use kendall_w, or compute each pair separately", ordered=True)
    if isinstance(pair, str):
        return without(pair, ratings, confidence)
    of_counts = _spearman_of(_places(pair.x), _places(pair.y))
    value = float(of_counts(pair.sample.counts[None])[0])
    resample = resampling(ratings, bootstrap)
    if resample is not None:
        interval = bootstrap_interval(of_counts, pair.sample, resample, confidence=confidence)
    else:
        interval = _by_z(value, pair.n_units, 3, 1 + value**2 / 2, confidence, "z of Bonett & Wright")
    return _of_pair(value, interval, pair, confidence, _t_test(value, pair.n_units))


def kendall_tau(
    ratings: Ratings,
    *,
    variant: Literal["b", "c"] = "b",
    confidence: float = 0.95,
    bootstrap: Bootstrap | None = None,
) -> Statistic:
    """Of two units that both raters tell apart: how much more often they agree on which is better than they do not.

    Parameters
    ----------
    ratings
        Exactly two raters on a scale with an order (texts need a declared one). Units that only one of them rated are
        left out.
    variant
        "b" divides by the pairs that each rater tells apart; "c" by the most that a table with as many rows and columns
        allows, for raters with different numbers of levels.
    bootstrap
        Limits by resampling units; always for "c", and where units have clusters.

    Returns
    -------
    Statistic
        ``value`` in [-1, 1], limits for "b" (needs five units), ``test`` of no association (z, corrected for ties).
        ``nan`` with a ``reason`` for a nominal scale, fewer than two common units, or if a rater's values do not vary.

    Notes
    -----
    With C concordant and D discordant of n units' pairs, Tx pairs equal to the first rater and Ty to the second:
    tau-b = (C - D) / sqrt((n(n-1)/2 - Tx)(n(n-1)/2 - Ty)) [1]_; tau-c = 2 (C - D) / (n^2 (m - 1) / m), m the smaller
    number of different values [2]_. Limits tanh(atanh tau -/+ z sqrt(0.437 / (n - 4))) [3]_, made for scores without
    ties and too wide with many. Checked against scipy 1.12 and R 4.2 in tests/agreement, the limits against worked
    arithmetic.

    References
    ----------
    .. [1] Kendall, M. G. (1945). Biometrika 33, 239-251.
    .. [2] Stuart, A. (1953). Biometrika 40, 105-110.
    .. [3] Fieller, E. C., Hartley, H. O. & Pearson, E. S. (1957). Biometrika 44, 470-481.

    Examples
    --------
    >>> round(kendall_tau(Ratings.from_lists(ann=[1, 2, 3, 4], bob=[1, 3, 2, 9])).value, 3)
    0.667
    """
    check_confidence(confidence)
    if variant not in ("b", "c"):
        raise RatingsError(f"The variant of Kendall's tau must be b or c, not {variant!r}.")
    pair = pair_of(ratings, "Kendall's tau", "use kendall_w, or compute each pair separately", ordered=True)
    if isinstance(pair, str):
        return without(pair, ratings, confidence)
    x, y = _places(pair.x), _places(pair.y)
    of_counts = _tau_of(x, y, variant)
    counts = pair.sample.counts
    value = float(of_counts(counts[None])[0])
    resample = resampling(ratings, bootstrap) or (Bootstrap() if variant == "c" else None)
    if resample is not None:
        interval = bootstrap_interval(of_counts, pair.sample, resample, confidence=confidence)
    else:
        interval = _by_z(value, pair.n_units, 4, 0.437, confidence, "z of Fieller")
    return _of_pair(value, interval, pair, confidence, _tau_test(x, y, counts))


def kendall_w(ratings: Ratings, *, confidence: float = 0.95, bootstrap: Bootstrap | None = None) -> Statistic:
    """Measure how similarly two or more raters order the units: 1 for the same order, near 0 without a common order.

    Parameters
    ----------
    ratings
        Two or more raters on a scale with an order (texts need a declared one). Units that someone did not rate are
        left out. Equal ratings share the mean of their ranks, and W is corrected for them.
    bootstrap
        How units are resampled for the limits; there are no others.

    Returns
    -------
    Statistic
        ``value`` in [0, 1], ``test`` of no common order (chi-squared with n - 1 degrees of freedom, Friedman's).
        ``nan`` with a ``reason`` for a nominal scale, fewer than two raters or complete units, or constant ratings.

    Notes
    -----
    W = 12 S / (m^2 (n^3 - n) - m T): n units, m raters, S the squared distances of the units' rank sums from their
    mean, T the sum of t^3 - t over each rater's groups of t equal ratings [1]_. W is above 0 by chance: about 1 / m
    without any agreement. Checked against the Friedman statistic of scipy 1.12 in tests/agreement.

    References
    ----------
    .. [1] Kendall, M. G. & Babington Smith, B. (1939). Annals of Mathematical Statistics 10, 275-287.

    Examples
    --------
    >>> ratings = Ratings.from_lists(ann=[1, 2, 3, 4], bob=[1, 3, 2, 4], cy=[2, 1, 3, 4])
    >>> round(kendall_w(ratings).value, 3)
    0.778
    """
    check_confidence(confidence)
    n_raters = len(ratings.raters)
    complete = ratings.rated.all(axis=1) & (n_raters > 1)
    n_units = ratings.count(complete)
    problem = None if ratings.scale.level == "ordinal" else not_for_numbers(ratings, "Kendall's W")
    if problem is None and n_raters < 2:
        problem = "There is only one rater." if n_raters else "There are no ratings."
    elif problem is None and n_units < 2:
        problem = "Fewer than two units have ratings from all raters."
    if problem:
        return without(problem, ratings, confidence, n_units=n_units)
    sample = sample_of(ratings, complete)
    of_counts = _w_of([_places(ratings.positions[column]) for column in sample.rows.T])
    value = float(of_counts(sample.counts[None])[0])
    if math.isnan(value):
        return without("Each rater gave the same value to every unit.", ratings, confidence, n_units=n_units)
    interval = bootstrap_interval(of_counts, sample, bootstrap, confidence=confidence)
    square = n_raters * (n_units - 1) * value
    return estimated(
        value,
        interval,
        n_units=n_units,
        n_raters=n_raters,
        n_left_out=ratings.n_units - n_units,
        confidence=confidence,
        test=Test("chi2", square, (n_units - 1.0,), float(special.chdtrc(n_units - 1, square))),
    )


def lins_concordance(ratings: Ratings, *, confidence: float = 0.95, bootstrap: Bootstrap | None = None) -> Statistic:
    """Measure how closely two raters' numbers follow the line y = x: Pearson's correlation, less for stricter raters.

    Parameters
    ----------
    ratings
        Exactly two raters. Units that only one of them rated are left out.
    bootstrap
        Limits by resampling units instead of the z-transformed ones; always where units have clusters.

    Returns
    -------
    Statistic
        ``value`` in [-1, 1]; exactly 0 if one rater's values do not vary. Limits need four units. ``nan`` with a
        ``reason`` for texts or a nominal scale, fewer than two common units, or if both give one same value.

    Notes
    -----
    c = 2 s_xy / (s_x^2 + s_y^2 + (mean x - mean y)^2) with sums divided by n [1]_. With u^2 = (mean x - mean y)^2 /
    (s_x s_y) and b = c / r the variance of c is ((1 - r^2) b^2 (1 - c^2) + 2 c^2 b (1 - c) u^2 - c^2 b^2 u^4 / 2) /
    (n - 2) [2]_; limits are made on the scale of atanh c. Checked against worked arithmetic in tests/agreement.

    References
    ----------
    .. [1] Lin, L. I. (1989). Biometrics 45, 255-268.
    .. [2] Lin, L. I. (2000). Biometrics 56, 324-325.

    Examples
    --------
    >>> round(lins_concordance(Ratings.from_lists(ann=[1, 2, 3, 4], bob=[2, 3, 4, 5])).value, 3)
    0.714
    """
    check_confidence(confidence)
    pair = pair_of(ratings, "Lin's concordance", 'use icc with form="ICC(2,1)"', varying=False)
    if isinstance(pair, str):
        return without(pair, ratings, confidence)
    # both raters are moved and stretched alike, so that the distance of their means stays
    both = standardised(np.stack([pair.x, pair.y]))
    sums = _sums(both[0], both[1], pair.sample.counts, apart=False)

    def of_counts(counts: Floats) -> Floats:
        n, a, b, aa, bb, ab = np.moveaxis(counts @ sums, -1, 0)
        below = (n * aa - a * a) + (n * bb - b * b) + (a - b) ** 2
        value: Floats = _ratio(2 * (n * ab - a * b), below, n * n)
        return value

    value = float(of_counts(pair.sample.counts[None])[0])
    if math.isnan(value):
        return without("Both raters gave the same value to every unit.", ratings, confidence)
    resample = resampling(ratings, bootstrap)
    if resample is not None:
        interval = bootstrap_interval(of_counts, pair.sample, resample, confidence=confidence, width=6)
    else:
        interval = _limits_of_lin(value, both[0], both[1], pair, confidence)
    return _of_pair(value, interval, pair, confidence, None)


def mean_pearson(
    ratings: Ratings, *, against: str | None = None, confidence: float = 0.95, bootstrap: Bootstrap | None = None
) -> Statistic:
    """Compute the mean of Pearson's correlation over pairs of raters.

    Parameters
    ----------
    ratings
        Two or more raters. Each pair uses the units that both rated.
    against
        The rater that every pair must hold (a judge compared with people); None takes all pairs.
    bootstrap
        How units are resampled for the limits. Of more than 45 pairs, which take long to resample, they come from the
        linearized variance unless a bootstrap is asked for.

    Returns
    -------
    Statistic
        ``n_units`` have at least one of the pairs. ``nan`` with a ``reason`` if one of the pairs has no correlation.

    Notes
    -----
    Checked against the mean of scipy 1.12 over pairs in tests/agreement.

    Examples
    --------
    >>> ratings = Ratings.from_lists(ann=[1, 2, 3, 4], bob=[1, 3, 2, 4], judge=[1, 2, 4, 4])
    >>> round(mean_pearson(ratings, against="judge").value, 3)
    0.775
    """
    check_confidence(confidence)
    problem = not_for_numbers(ratings, "Pearson's correlation")
    if against is not None and against not in ratings.raters:
        raise RatingsError(
            f"There is no rater {against}. Choose one of these raters: {', '.join(ratings.raters) or 'none'}."
        )
    pairs = [
        pair
        for pair in combinations(range(len(ratings.raters)), 2)
        if against is None or ratings.raters.index(against) in pair
    ]
    if problem is None and not pairs:
        problem = "There is only one rater." if ratings.raters else "There are no ratings."
    if problem:
        return without(problem, ratings, confidence, n_units=0)
    columns = np.array(pairs)
    used = np.zeros(len(ratings.codes), dtype=bool)
    for first, second in pairs:
        used |= ratings.rated[:, first] & ratings.rated[:, second]
    n_units = ratings.count(used)
    if n_units < 2:
        return without("Fewer than two units have ratings from two raters.", ratings, confidence, n_units=n_units)
    sample = sample_of(ratings, used)
    numbers = np.append(standardised(np.array(ratings.categories, dtype=float)), 0.0)[sample.rows]
    rated = sample.rows != MISSING
    linearized = len(pairs) > MANY_PAIRS and bootstrap is None and sample.clusters is None
    if linearized:
        value, se = _linearized_pearsons(numbers, rated, sample.counts, pairs)
    else:
        sums = []
        for first, second in columns:
            both = (rated[:, first] & rated[:, second]).astype(float)
            sums.append(_sums(numbers[:, first], numbers[:, second], sample.counts * both) * both[:, None])
        products = np.stack(sums, axis=1).reshape(len(sample.rows), -1)

        def of_counts(counts: Floats) -> Floats:
            values: Floats = _r(*np.moveaxis((counts @ products).reshape(len(counts), len(pairs), 6), -1, 0)).mean(
                axis=1
            )
            return values

        value = float(of_counts(sample.counts[None])[0])
    if math.isnan(value):
        for first, second in pairs:
            names = ratings.raters[first], ratings.raters[second]
            comparison = pair_of(ratings.of(*names), "Pearson's correlation", "")
            if isinstance(comparison, str):
                return without(f"{names[0]} and {names[1]}: {comparison}", ratings, confidence, n_units=n_units)
    if linearized:
        interval = around(value, se, normal_quantile(confidence), "linearized variance")
    else:
        interval = bootstrap_interval(of_counts, sample, bootstrap, confidence=confidence, width=6 * len(pairs))
    return estimated(
        value,
        interval,
        n_units=n_units,
        n_raters=len(ratings.raters),
        n_left_out=ratings.n_units - n_units,
        confidence=confidence,
    )


def not_for_numbers(ratings: Ratings, what: str) -> str | None:
    """Why a statistic of numbers cannot read these ratings; None if it can."""
    if ratings.scale.level == "nominal":
        return f"{what} needs numbers, but the scale is nominal. Choose a statistic for categories."
    if not ratings.numeric:
        return f"{what} needs numbers, but these ratings are text. Choose a statistic for categories."
    return None


def _of_pair(value: float, interval: Interval, pair: Pair, confidence: float, test: Test | None) -> Statistic:
    return estimated(
        value,
        interval,
        n_units=pair.n_units,
        n_raters=2,
        n_left_out=pair.n_left_out,
        confidence=confidence,
        test=test,
    )


def _by_z(value: float, n: int, lost: int, variance: float, confidence: float, method: str) -> Interval:
    """Limits of a correlation whose atanh has the variance ``variance / (n - lost)``."""
    if n <= lost:
        return no_interval(f"there are fewer than {('four', 'five')[lost - 3]} units.")
    if 1 - abs(value) < _OF_ONE_LINE:
        return no_interval("the correlation is perfect, so the interval would have a misleading width of zero.")
    middle, se = math.atanh(value), math.sqrt(variance / (n - lost))
    half = float(special.ndtri((1 + confidence) / 2)) * se
    return Interval(math.tanh(middle - half), math.tanh(middle + half), method, se=(1 - value**2) * se)


def _t_test(value: float, n: int) -> Test | None:
    """Of no correlation: t with n - 2 degrees of freedom."""
    if n < 3 or 1 - abs(value) < _OF_ONE_LINE:
        return None
    t = value * math.sqrt((n - 2) / (1 - value**2))
    return Test("t", t, (n - 2.0,), 2 * float(special.stdtr(n - 2, -abs(t))))


# ---------------------------------------------------------------------------------------------------- sums of products


def _sums(x: Floats, y: Floats, weights: Floats, *, apart: bool = True) -> Floats:
    """(patterns, 6): 1, x, y, x^2, y^2, xy, from values around their means so that little cancels.

    ``apart`` moves and stretches each of the two by itself.
    """
    if apart:
        x, y = standardised(x), standardised(y)
    total = weights.sum()
    if total > 0:
        x_mean, y_mean = weights @ x / total, weights @ y / total
        x, y = (x - x_mean, y - y_mean) if apart else (x - x_mean, y - x_mean)
    return np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y])


def _linearized_pearsons(
    numbers: Floats, rated: NDArray[np.bool_], counts: Floats, pairs: Sequence[tuple[int, int]]
) -> tuple[float, float]:
    """The mean correlation of pairs of columns and its standard error, from what each unit adds to it.

    A unit adds z_x z_y - r (z_x^2 + z_y^2) / 2 to the correlation r of n units, over n. Contributions to all pairs
    are summed before they are squared, because the pairs share units.
    """
    total, adds = 0.0, np.zeros(len(numbers))
    for pair in pairs:
        present = np.flatnonzero(rated[:, pair].all(axis=1))
        (x, y), times = numbers[present][:, pair].T, counts[present]
        n = times.sum()
        if n < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
            return math.nan, math.nan
        x, y = x - times @ x / n, y - times @ y / n
        x, y = x / math.sqrt(times @ x**2 / n), y / math.sqrt(times @ y**2 / n)
        r = float(times @ (x * y) / n)
        total += r
        adds[present] += (x * y - r * (x**2 + y**2) / 2) / n
    n_units = float(counts.sum())
    variance = float(counts @ (adds / len(pairs)) ** 2) * n_units / (n_units - 1)
    return total / len(pairs), math.sqrt(variance)


def _ratio(above: Floats, below: Floats, size: Floats) -> Floats:
    """above / below; nan where ``below`` is nothing but rounding compared with ``size``."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below > 1e-14 * size, above / below, math.nan)


def _r(n: Floats, a: Floats, b: Floats, aa: Floats, bb: Floats, ab: Floats) -> Floats:
    """Pearson's correlation from sums."""
    of_x, of_y = n * aa - a * a, n * bb - b * b
    varying = (of_x > 1e-14 * n * n) & (of_y > 1e-14 * n * n)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.clip((n * ab - a * b) / (np.sqrt(of_x) * np.sqrt(of_y)), -1.0, 1.0)
    return np.where(varying, value, math.nan)


def _pearson_of(x: Floats, y: Floats, weights: Floats) -> OfCounts:
    sums = _sums(x, y, weights)
    return lambda counts: _r(*np.moveaxis(counts @ sums, -1, 0))


def _limits_of_lin(value: float, x: Floats, y: Floats, pair: Pair, confidence: float) -> Interval:
    n, weights = pair.n_units, pair.sample.counts / pair.n_units
    if n < 4:
        return no_interval("there are fewer than four units.")
    if 1 - abs(value) < _OF_ONE_LINE:
        return no_interval("the raters agree on every unit, so the interval would have a misleading width of zero.")
    x_mean, y_mean = weights @ x, weights @ y
    s_x, s_y = math.sqrt(weights @ (x - x_mean) ** 2), math.sqrt(weights @ (y - y_mean) ** 2)
    if min(s_x, s_y) < _OF_ONE_LINE:
        return no_interval("a rater gave every unit the same value.")
    r = float(weights @ ((x - x_mean) * (y - y_mean))) / (s_x * s_y)
    u2 = (x_mean - y_mean) ** 2 / (s_x * s_y)
    b = 2 * s_x * s_y / (s_x**2 + s_y**2 + (x_mean - y_mean) ** 2)
    variance = (1 - r**2) * b**2 * (1 - value**2)
    variance += 2 * value**2 * b * (1 - value) * u2 - value**2 * b**2 * u2**2 / 2
    if variance <= 1e-24:
        return no_interval("the values lie on one line, so the interval would have a misleading width of zero.")
    se = math.sqrt(variance / (n - 2))
    middle, half = math.atanh(value), float(special.ndtri((1 + confidence) / 2)) * se / (1 - value**2)
    return Interval(math.tanh(middle - half), math.tanh(middle + half), "z of Lin", se=se)


# --------------------------------------------------------------------------------------------------------------- ranks


def _places(values: Floats) -> Ints:
    """Each pattern's place among the different values."""
    places: Ints = np.unique(values, return_inverse=True)[1].ravel()
    return places


def _totals(places: Ints) -> Callable[[Floats], Floats]:
    """(draws, patterns) counts -> (draws, values) how often each value occurs."""
    order = np.argsort(places, kind="stable")
    starts = np.searchsorted(places[order], np.arange(int(places.max()) + 1))
    if (order == np.arange(len(order))).all():
        return lambda counts: np.add.reduceat(counts, starts, axis=1)
    return lambda counts: np.add.reduceat(counts[:, order], starts, axis=1)


def _spearman_of(x: Ints, y: Ints) -> OfCounts:
    of_x, of_y = _totals(x), _totals(y)

    def of_counts(counts: Floats) -> Floats:
        n = counts.sum(axis=1, keepdims=True)
        r, k = of_x(counts), of_y(counts)
        a, b = r.cumsum(axis=1) - (r + n) / 2, k.cumsum(axis=1) - (k + n) / 2  # mid-ranks around their mean
        above = np.einsum("dp,dp,dp->d", counts, a[:, x], b[:, y])
        squares = np.einsum("dv,dv,dv->d", r, a, a) * np.einsum("dv,dv,dv->d", k, b, b)
        with np.errstate(divide="ignore", invalid="ignore"):
            values: Floats = np.where(squares > 0, np.clip(above / np.sqrt(squares), -1.0, 1.0), math.nan)
        return values

    return of_counts


def _tau_of(x: Ints, y: Ints, variant: str) -> OfCounts:
    of_x, of_y, discordant = _totals(x), _totals(y), _discordant_of(x, y)
    fewer = min(int(x.max()), int(y.max())) + 1

    def of_counts(counts: Floats) -> Floats:
        n2 = counts.sum(axis=1) ** 2
        r, k = of_x(counts), of_y(counts)
        of_one, of_other = n2 - np.einsum("dv,dv->d", r, r), n2 - np.einsum("dv,dv->d", k, k)
        apart = of_one + of_other - n2 + np.einsum("dp,dp->d", counts, counts)  # twice the pairs both tell apart
        above = apart - 4 * discordant(counts)
        below = np.sqrt(of_one * of_other) if variant == "b" else n2 * (fewer - 1) / fewer
        varying = (of_one > 0) & (of_other > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            values: Floats = np.where(varying, np.clip(above / below, -1.0, 1.0), math.nan)
        return values

    return of_counts


def _discordant_of(x: Ints, y: Ints) -> OfCounts:
    """(draws, patterns) counts -> pairs of units that the raters put in opposite orders.

    With the patterns in the order of x (then y), these are the inversions of y (Knight 1966). They are counted bit by
    bit of y's place, from the highest: among those with equal higher bits, a 1 before a 0 is an inversion. The orders
    depend on the patterns alone, so every step is one for all draws.
    """
    steps = []
    order = np.lexsort((y, x))
    for bit in reversed(range(int(y.max()).bit_length())):
        order = order[np.argsort(y[order] >> (bit + 1), kind="stable")]
        group, one = y[order] >> (bit + 1), (y[order] >> bit & 1).astype(bool)
        first = np.searchsorted(group, group)  # where the group of each begins
        zeros = np.flatnonzero(~one)
        ones_before = np.concatenate([[0], np.cumsum(one)])
        zeros = zeros[ones_before[zeros] > ones_before[first[zeros]]]
        if len(zeros):
            steps.append((order[one], order[zeros], ones_before[zeros], ones_before[first[zeros]]))

    def of_counts(counts: Floats) -> Floats:
        inversions = np.zeros(len(counts))
        for ones, zeros, until, since in steps:
            running = np.zeros((len(counts), len(ones) + 1))
            np.cumsum(counts[:, ones], axis=1, out=running[:, 1:])
            inversions += np.einsum("dp,dp->d", counts[:, zeros], running[:, until] - running[:, since])
        return inversions

    return of_counts


def _tau_test(x: Ints, y: Ints, counts: Floats) -> Test | None:
    """Of no association: concordant minus discordant pairs over its standard deviation, ties allowed (Kendall 1970)."""
    n = counts.sum()
    if n < 3:
        return None
    r, k = _totals(x)(counts[None])[0], _totals(y)(counts[None])[0]
    apart = (n**2 - r @ r - k @ k + counts @ counts) / 2
    score = float(apart - 2 * _discordant_of(x, y)(counts[None])[0])
    pairs = n * (n - 1)
    variance = (pairs * (2 * n + 5) - sum(float((t * (t - 1) * (2 * t + 5)).sum()) for t in (r, k))) / 18
    variance += float((r * (r - 1)).sum() * (k * (k - 1)).sum()) / (2 * pairs)
    thirds = [float((t * (t - 1) * (t - 2)).sum()) for t in (r, k)]
    variance += thirds[0] * thirds[1] / (9 * pairs * (n - 2))
    if variance <= 0:
        return None
    z = score / math.sqrt(variance)
    return Test("z", z, (), 2 * float(special.ndtr(-abs(z))))


def _w_of(columns: list[Ints]) -> OfCounts:
    """Kendall's W; ``columns`` holds each rater's places."""
    totals = [_totals(column) for column in columns]
    m = len(columns)

    def of_counts(counts: Floats) -> Floats:
        n = counts.sum(axis=1, keepdims=True)
        ranks = np.zeros_like(counts)
        ties = np.zeros(len(counts))
        for column, of_values in zip(columns, totals, strict=True):
            t = of_values(counts)
            ranks += (t.cumsum(axis=1) - (t + n) / 2)[:, column]
            ties += (t**3 - t).sum(axis=1)
        above = 12 * np.einsum("dp,dp,dp->d", counts, ranks, ranks)
        n = n[:, 0]
        below = m**2 * (n**3 - n) - m * ties
        return _ratio(above, below, n**3)

    return of_counts


ROWS = (
    StatisticRow(
        pearson,
        title="Pearson's correlation",
        meaning="linear correlation of two raters' numbers",
        place=90,
        needs=Needs.NUMBERS,
        pairwise=True,
        lines=SummaryRows.PAIRS,
        headline=True,
    ),
    StatisticRow(
        spearman,
        title="Spearman's correlation",
        meaning="correlation of two raters' ranks",
        place=110,
        needs=Needs.ORDER,
        pairwise=True,
        lines=SummaryRows.PAIRS,
        shown=Needs.ORDER,
    ),
    StatisticRow(
        kendall_tau,
        title="Kendall's tau-b",
        meaning="pairs of units that two raters order the same way, minus pairs in opposite order (tau-b)",
        place=120,
        needs=Needs.ORDER,
        pairwise=True,
        lines=SummaryRows.PAIRS,
        shown=Needs.ORDER,
        variants=(Variant(), Variant({"variant": "c"}, shown=None, behaviour=Behaviour(perfect=None))),
    ),
    StatisticRow(
        kendall_w,
        title="Kendall's W",
        meaning="how similarly several raters order the units",
        place=130,
        needs=Needs.ORDER,
        lines=SummaryRows.OF_SEVERAL,
        shown=Needs.ORDER,
        behaviour=Behaviour(chance=None),
    ),
    StatisticRow(
        mean_pearson,
        title="Pearson's correlation, mean over pairs",
        meaning="mean of Pearson's correlation over all pairs of raters",
        place=140,
        needs=Needs.NUMBERS,
        lines=SummaryRows.OF_SEVERAL,
        shown=Needs.NUMBERS,
        mean_of="pearson",
        headline=True,
    ),
    StatisticRow(
        lins_concordance,
        title="Lin's concordance",
        meaning="how close two raters' numbers are, not only how strongly the numbers correlate",
        place=150,
        needs=Needs.NUMBERS,
        pairwise=True,
        lines=SummaryRows.PAIRS,
        shown=Needs.NUMBERS,
    ),
)

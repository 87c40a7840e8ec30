"""Differences between two raters' numbers, in the units of the scale."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from agreement.bootstrap import Bootstrap, OfCounts, bootstrap_interval, check_confidence, resampling
from agreement.correlation import Pair, pair_of, without
from agreement.ratings import Floats, Ratings
from agreement.statistic import Interval, Statistic, Test, estimated, no_interval
from domain.errors import RatingsError
from domain.statistics import Behaviour, Needs, StatisticRow, SummaryRows

_ALIKE = "every unit gives the same difference, so the interval would have a misleading width of zero."


@dataclass(frozen=True)
class BlandAltman:
    """Where the differences of two raters lie."""

    bias: Statistic
    """The mean difference."""
    lower: Statistic
    """The lower limit of agreement: about 2.5 % of differences are below it."""
    upper: Statistic
    """The upper limit of agreement."""
    means: Floats
    """(units,) the mean of the two ratings: the horizontal place of a unit in the plot."""
    differences: Floats
    """(units,) the second rater's minus the reference's rating: the vertical place."""


def bias(
    ratings: Ratings,
    *,
    reference: str | None = None,
    confidence: float = 0.95,
    bootstrap: Bootstrap | None = None,
) -> Statistic:
    """Compute how much higher a rater's numbers are than the reference's, on average.

    Parameters
    ----------
    ratings
        Exactly two raters. Units that only one of them rated are left out.
    reference
        The rater whose numbers are subtracted (the person, where the other is a judge); None takes the first.
    bootstrap
        Limits by resampling units instead of Student's t; always where units have clusters.

    Returns
    -------
    Statistic
        ``value`` in the units of the scale, ``test`` of no bias (paired t). ``nan`` with a ``reason`` for texts or a
        nominal scale, or without common units.

    Notes
    -----
    The mean m of n differences with standard deviation s; limits m -/+ t s / sqrt(n), t with n - 1 degrees of freedom
    [1]_. Checked against scipy 1.12 (paired t test) in tests/agreement.

    References
    ----------
    .. [1] Student (1908). Biometrika 6, 1-25.

    Examples
    --------
    >>> round(bias(Ratings.from_lists(human=[1, 2, 3, 4], judge=[2, 2, 4, 4]), reference="human").value, 3)
    0.5
    """
    check_confidence(confidence)
    pair = _differences(ratings, reference, "A bias")
    if isinstance(pair, str):
        return without(pair, ratings, confidence)
    d, size = _scaled(pair)
    return _of_mean(d, size, _identity, ratings, pair, confidence, bootstrap, tested=True)


def mae(ratings: Ratings, *, confidence: float = 0.95, bootstrap: Bootstrap | None = None) -> Statistic:
    """Measure the mean absolute difference of two raters' numbers (mean absolute error).

    Parameters
    ----------
    ratings
        Exactly two raters. Units that only one of them rated are left out.
    bootstrap
        Limits by resampling units instead of Student's t; always where units have clusters.

    Returns
    -------
    Statistic
        ``value`` in the units of the scale, at least 0. ``nan`` with a ``reason`` for texts or a nominal scale, or
        without common units.

    Notes
    -----
    The mean of |y - x| with the limits of a mean (see :func:`bias`), the lower one not below 0. Checked against
    scikit-learn 1.9 in tests/agreement.

    Examples
    --------
    >>> round(mae(Ratings.from_lists(human=[1, 2, 3, 4], judge=[2, 2, 2, 4])).value, 3)
    0.5
    """
    check_confidence(confidence)
    pair = _differences(ratings, None, "A mean absolute error")
    if isinstance(pair, str):
        return without(pair, ratings, confidence)
    d, size = _scaled(pair)
    return _of_mean(np.abs(d), size, _identity, ratings, pair, confidence, bootstrap, least=0.0)


def rmse(ratings: Ratings, *, confidence: float = 0.95, bootstrap: Bootstrap | None = None) -> Statistic:
    """Measure the difference of two raters' numbers, with more weight on large ones (root mean squared error).

    Parameters
    ----------
    ratings
        Exactly two raters. Units that only one of them rated are left out.
    bootstrap
        Limits by resampling units instead of Student's t; always where units have clusters.

    Returns
    -------
    Statistic
        ``value`` in the units of the scale, at least 0. ``nan`` with a ``reason`` for texts or a nominal scale, or
        without common units.

    Notes
    -----
    The root of the mean of (y - x)^2; limits are the roots of those of that mean (see :func:`bias`), the lower one not
    below 0. Checked against scikit-learn 1.9 in tests/agreement.

    Examples
    --------
    >>> round(rmse(Ratings.from_lists(human=[1, 2, 3, 4], judge=[2, 2, 2, 4])).value, 3)
    0.707
    """
    check_confidence(confidence)
    pair = _differences(ratings, None, "A root mean squared error")
    if isinstance(pair, str):
        return without(pair, ratings, confidence)
    d, size = _scaled(pair)
    return _of_mean(d**2, size, np.sqrt, ratings, pair, confidence, bootstrap, least=0.0)


def bland_altman(
    ratings: Ratings,
    *,
    reference: str | None = None,
    coverage: float = 0.95,
    confidence: float = 0.95,
    bootstrap: Bootstrap | None = None,
) -> BlandAltman | Statistic:
    """Between which limits most differences of two raters lie.

    Parameters
    ----------
    ratings
        Exactly two raters. Units that only one of them rated are left out.
    reference
        The rater whose numbers are subtracted; None takes the first.
    coverage
        The share of differences that the limits of agreement are to hold.
    confidence
        Of the interval of the bias and of each limit.
    bootstrap
        Intervals by resampling units instead of analytic ones; always where units have clusters.

    Returns
    -------
    BlandAltman or Statistic
        The bias and both limits of agreement, each with its interval. An undefined ``Statistic`` with a ``reason``
        for texts, for a nominal scale, or with fewer than two common units.

    Notes
    -----
    m -/+ z s for n differences with mean m and standard deviation s, which holds for normal differences. The variance
    of each limit is about s^2 (1 / n + z^2 / (2 (n - 1))), and its interval is by t with n - 1 degrees of freedom
    [1]_. Checked against the peak flow readings printed in the paper of 1986 in tests/agreement.

    References
    ----------
    .. [1] Bland, J. M. & Altman, D. G. (1999). Statistical Methods in Medical Research 8, 135-160.

    Examples
    --------
    >>> found = bland_altman(Ratings.from_lists(human=[1, 2, 3, 4], judge=[2, 2, 4, 4]), reference="human")
    >>> round(found.lower.value, 3), round(found.upper.value, 3)
    (-0.632, 1.632)
    """
    check_confidence(confidence)
    check_confidence(coverage)
    if ratings.times is not None:
        raise RatingsError(
            "These ratings are counted by pattern, but this plot needs each unit. Load "
            "the ratings with one row per unit."
        )
    pair = _differences(ratings, reference, "A limit of agreement")
    if isinstance(pair, str):
        return without(pair, ratings, confidence)
    if pair.n_units < 2:
        return without("Fewer than two units have ratings from both raters.", ratings, confidence)
    (d, size), counts, n = _scaled(pair), pair.sample.counts, pair.n_units
    z = float(special.ndtri((1 + coverage) / 2))
    middle, s = _moments(d, counts)
    resample = resampling(ratings, bootstrap)
    se = s * math.sqrt(1 / n + z**2 / (2 * (n - 1)))
    limits = []
    for side in (-z, z):
        value = middle + side * s
        if resample is not None:
            interval = bootstrap_interval(_limit_of(d, side), pair.sample, resample, confidence=confidence)
        elif s == 0:
            interval = no_interval(_ALIKE)
        else:
            half = float(special.stdtrit(n - 1, (1 + confidence) / 2)) * se
            interval = Interval(value - half, value + half, "t of Bland & Altman", se=se)
        limits.append(_estimated(value, interval, pair, confidence, size))
    whole = ratings.rated.all(axis=1)
    first, second = (ratings.values[whole, at] for at in _order(ratings, reference))
    return BlandAltman(
        bias=_of_mean(d, size, _identity, ratings, pair, confidence, bootstrap, tested=True),
        lower=limits[0],
        upper=limits[1],
        means=first / 2 + second / 2,
        differences=second - first,
    )


def _order(ratings: Ratings, reference: str | None) -> tuple[int, int]:
    return (1, 0) if reference is not None and reference == ratings.raters[1] else (0, 1)


def _differences(ratings: Ratings, reference: str | None, what: str) -> Pair | str:
    """The two raters, ``x`` being the reference."""
    if reference is not None and reference not in ratings.raters:
        raise RatingsError(
            f"There is no rater {reference}. Choose one of these raters: {', '.join(ratings.raters) or 'none'}."
        )
    pair = pair_of(ratings, what, "take each pair", varying=False, least=1)
    if isinstance(pair, str):
        return pair
    if max(float(np.abs(pair.x).max()), float(np.abs(pair.y).max())) > 1e307:
        return "The numbers are too large to subtract. Scale the numbers down."
    if _order(ratings, reference) == (0, 1):
        return pair
    return Pair(pair.sample, pair.y, pair.x, pair.n_units, pair.n_left_out)


def _scaled(pair: Pair) -> tuple[Floats, float]:
    """The differences in [-1, 1], so that no square is lost or overflows, and what to multiply them by."""
    d = pair.y - pair.x
    size = float(np.abs(d).max()) or 1.0
    return d / size, size


def _identity(values: Floats) -> Floats:
    return values


def _moments(d: Floats, counts: Floats) -> tuple[float, float]:
    """Mean and standard deviation."""
    n = counts.sum()
    mean = float(counts @ d / n)
    square = float(counts @ (d - mean) ** 2 / (n - 1)) if n > 1 else math.nan
    return mean, 0.0 if square <= 1e-28 else math.sqrt(square)


def _limit_of(d: Floats, side: float) -> OfCounts:
    centre = float(d.mean())
    sums = np.column_stack([np.ones(len(d)), d - centre, (d - centre) ** 2])

    def of_counts(counts: Floats) -> Floats:
        n, total, squared = np.moveaxis(counts @ sums, -1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = np.sqrt(np.maximum(squared - total**2 / n, 0) / (n - 1))
            values: Floats = centre + total / n + side * spread
        return values

    return of_counts


def _of_mean(
    d: Floats,
    size: float,
    outer: Callable[[Floats], Floats],
    ratings: Ratings,
    pair: Pair,
    confidence: float,
    bootstrap: Bootstrap | None,
    *,
    least: float = -math.inf,
    tested: bool = False,
) -> Statistic:
    """``outer`` (which keeps the order) of the mean of ``d`` with its limits, times ``size``."""
    counts, n = pair.sample.counts, pair.n_units
    mean, s = _moments(d, counts)
    value = float(outer(np.array(mean)))
    resample = resampling(ratings, bootstrap)
    se = s / math.sqrt(n) if n > 1 else math.nan
    if resample is not None:
        interval = bootstrap_interval(
            lambda counts: outer(counts @ d / counts.sum(axis=1)), pair.sample, resample, confidence=confidence
        )
    elif n < 2:
        interval = no_interval("there are fewer than two units.")
    elif s == 0:
        interval = no_interval(_ALIKE)
    else:
        half = float(special.stdtrit(n - 1, (1 + confidence) / 2)) * se
        ends = outer(np.array([max(mean - half, least), mean + half]))
        slope = 1.0 if outer is _identity else 1 / (2 * value)
        interval = Interval(float(ends[0]), float(ends[1]), "Student's t", se=se * slope)
    test = None
    if tested and n > 1 and s > 0:
        t = mean / se
        test = Test("t", t, (n - 1.0,), 2 * float(special.stdtr(n - 1, -abs(t))))
    return _estimated(value, interval, pair, confidence, size, test)


def _estimated(
    value: float, interval: Interval, pair: Pair, confidence: float, size: float, test: Test | None = None
) -> Statistic:
    low, high, se = (number * size for number in (interval.low, interval.high, interval.se))
    return estimated(
        value * size,
        replace(interval, low=low, high=high, se=se),
        n_units=pair.n_units,
        n_raters=2,
        n_left_out=pair.n_left_out,
        confidence=confidence,
        test=test,
    )


_APART = Behaviour(perfect=0.0, chance=None, constant=0.0, moved=False)

ROWS = (
    StatisticRow(
        bias,
        title="Mean difference",
        meaning="mean difference of two raters' numbers",
        place=160,
        needs=Needs.NUMBERS,
        pairwise=True,
        lines=SummaryRows.PAIRS,
        shown=Needs.NUMBERS,
        in_units=True,
        behaviour=replace(_APART, chance=0.0, swapped=-1),
    ),
    StatisticRow(
        mae,
        title="Mean absolute difference",
        meaning="mean absolute difference of two raters' numbers",
        place=170,
        needs=Needs.NUMBERS,
        pairwise=True,
        lines=SummaryRows.PAIRS,
        shown=Needs.NUMBERS,
        in_units=True,
        behaviour=_APART,
    ),
    StatisticRow(
        rmse,
        title="Root mean square difference",
        meaning="root of the mean squared difference of two raters' numbers",
        place=180,
        needs=Needs.NUMBERS,
        pairwise=True,
        lines=SummaryRows.PAIRS,
        shown=Needs.NUMBERS,
        in_units=True,
        behaviour=_APART,
    ),
    StatisticRow(
        bland_altman,
        title="Limits of agreement (Bland and Altman)",
        meaning="mean difference of two raters' numbers, and the range that contains most differences",
        place=310,
        needs=Needs.NUMBERS,
        pairwise=True,
        lines=SummaryRows.NONE,
        in_units=True,
        behaviour=replace(_APART, chance=0.0, swapped=-1),
    ),
)

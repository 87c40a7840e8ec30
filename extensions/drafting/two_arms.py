"""Two randomized arms of a study: their difference, and the number of units needed to show it."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from agreement.arrays import codes_of, numbers, same_length, summed
from agreement.bootstrap import check_confidence
from agreement.limits import t_quantile
from agreement.sample_sizes import SampleSize, design_effect
from agreement.statistic import Interval, Statistic, Test, estimated, no_interval, undefined
from domain.errors import RatingsError

_CELLS = 2_000_000
"""Numbers that are held in memory at once: 16 MB."""
LEAST = 10
"""Number of clusters (or independent units) below which no limits are reported."""


def arm_difference(
    values: ArrayLike,
    treated: ArrayLike,
    *,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
) -> Statistic:
    """Compute the mean of the arm with the treatment less that of the arm without.

    Parameters
    ----------
    values
        (n,) numbers, such as 1 for kept and 0 for not; nan is left out.
    treated
        (n,) whether a unit is in the arm with the treatment.
    clusters
        (n,) source of each unit, such as a video; a source may have units in both arms. None means independent units.

    Returns
    -------
    Statistic
        With t limits and the ``test`` of no difference that goes with them. ``nan`` with a ``reason`` if one arm has no
        unit; neither limits nor test below ten clusters, or if all say the same.

    Notes
    -----
    d = m_1 - m_0, the slope of the regression of the values on the arm. Its variance by cluster [1]_ is G / (G - 1)
    sum_g (sum_{i in g} w_i (x_i - m_arm))^2, w_i = 1/n_1 or -1/n_0, with G - 1 degrees of freedom. For independent
    units and arms of equal size this is Welch's variance, except for the factor n / (n - 1) of both arms together.
    Checked by worked arithmetic and by simulation in extensions/drafting/tests.

    References
    ----------
    .. [1] Liang, K.-Y. and Zeger, S. L. (1986). Biometrika 73, 13-22.

    Examples
    --------
    >>> found = arm_difference([1, 1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1], [True] * 6 + [False] * 6)
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3)
    (0.5, -0.064, 1.064)
    """
    check_confidence(confidence)
    table = numbers(values, "values")
    chosen = np.asarray(treated, dtype=bool)
    same_length(values=table, treated=chosen, clusters=clusters)
    kept = ~np.isnan(table)
    left_out, x, own = int((~kept).sum()), table[kept], chosen[kept]
    n, n_own = len(x), int(own.sum())
    if not n_own or n_own == n:
        reason = "Only one of the arms has values." if n else "The arms have no values."
        return undefined(reason, n_units=n, n_raters=1, n_left_out=left_out, confidence=confidence)
    means = float(x[~own].mean()), float(x[own].mean())
    value = means[1] - means[0]
    influence = np.where(own, (x - means[1]) / n_own, -(x - means[0]) / (n - n_own))
    codes = None if clusters is None else codes_of([clusters[at] for at in np.flatnonzero(kept)])[1]
    groups = n if codes is None else len(np.unique(codes))
    test = None
    if groups < LEAST:
        interval = no_interval(f"there are fewer than {LEAST} {'units' if codes is None else 'clusters'}.")
    elif (se := math.sqrt(summed(influence, codes))) < 1e-12:
        interval = no_interval("the values do not vary within the arms.")
    else:
        half = t_quantile(confidence, groups - 1) * se
        note = "" if codes is None else ", standard error by cluster"
        interval = Interval(value - half, value + half, f"t with {groups - 1} degrees of freedom{note}", se=se)
        test = Test("t", value / se, (groups - 1.0,), 2 * float(special.stdtr(groups - 1, -abs(value / se))))
    return estimated(value, interval, n_units=n, n_raters=1, n_left_out=left_out, confidence=confidence, test=test)


def by_chance(values: ArrayLike, treated: ArrayLike, *, draws: int = 4_999, seed: int = 0) -> float:
    """Return the chance of a larger difference if units are assigned at random; equal differences count half.

    Parameters
    ----------
    values, treated
        As for ``arm_difference``; nan is left out.
    draws
        Number of random assignments to try, drawn with ``seed``.

    Returns
    -------
    float
        From 0.5 / (draws + 1) to 1; nan if one of the arms has no unit.

    Notes
    -----
    The randomisation test [1]_ of no effect on any unit, two-sided: (0.5 + b + c / 2) / (1 + draws) for b draws with
    a larger and c with an equal difference, including the observed one [2]_. With c counted in full, the p values of
    shares, which have many ties, would be too large [3]_. Then only 73 of 100 studies planned for a power of 80 would
    find a difference of ten points. The test assumes nothing about the values. It also holds for units of one source,
    since the units were randomized. Checked against counted arrangements in extensions/drafting/tests.

    References
    ----------
    .. [1] Fisher, R. A. (1935). The Design of Experiments, section 21. Oliver and Boyd.
    .. [2] Phipson, B. and Smyth, G. K. (2010). Statistical Applications in Genetics and Molecular Biology 9(1), 39.
    .. [3] Lancaster, H. O. (1961). Journal of the American Statistical Association 56, 223-234.

    Examples
    --------
    >>> round(by_chance([1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1], [True] * 6 + [False] * 6), 2)
    0.09
    """
    table, chosen = numbers(values, "values"), np.asarray(treated, dtype=bool)
    same_length(values=table, treated=chosen)
    kept = ~np.isnan(table)
    x, own = table[kept] - table[kept].mean() if kept.any() else table[kept], chosen[kept]
    n, n_own = len(x), int(own.sum())
    if not n_own or n_own == n:
        return math.nan
    # of one mean the other follows: the arms are as far apart as the sum of one is far from 0
    seen = abs(float(x[own].sum()))
    slack = 1e-9 * float(np.abs(x).sum())  # sums of the same numbers in another order differ by less
    rng, block, counted = np.random.default_rng(seed), max(1, _CELLS // n), 0.5
    for begin in range(0, draws, block):
        mixed = rng.permuted(np.broadcast_to(x, (min(block, draws - begin), n)), axis=1)
        far = np.abs(mixed[:, :n_own].sum(axis=1)) - seen
        counted += int((far > slack).sum()) + 0.5 * int((np.abs(far) <= slack).sum())
    return counted / (1 + draws)


def arm_size(
    *,
    rate: float,
    difference: float,
    power: float = 0.8,
    confidence: float = 0.95,
    cluster_size: float = 1.0,
    icc: float = 0.0,
) -> SampleSize:
    """Units in each of two arms of one size that show a difference of two shares.

    Parameters
    ----------
    rate
        The share without the treatment.
    difference
        Difference of the other share from it, up or down.
    power
        How likely the difference is to be found, if it is there.
    cluster_size, icc
        Units of a cluster on average, and how alike they are (``design_effect``).

    Returns
    -------
    SampleSize
        ``n`` for each arm; ``n_first_stage`` if every unit stood for itself.

    Notes
    -----
    (z_{1 - alpha / 2} + z_power)^2 (p_0 (1 - p_0) + p_1 (1 - p_1)) / (p_1 - p_0)^2 [1]_, times 1 + (m - 1) ICC, which
    is more than is needed where clusters have units in both arms. The larger of both directions.

    References
    ----------
    .. [1] Chow, S.-C., Shao, J. and Wang, H. (2008). Sample Size Calculations in Clinical Research, 2nd ed., section
       4.2.1. Chapman & Hall.

    Examples
    --------
    >>> arm_size(rate=0.7, difference=0.1).n
    354
    """
    check_confidence(confidence)
    if not 0 < rate < 1 or not 0 < power < 1 or not 0 < abs(difference) < 1:
        raise RatingsError("A rate, a difference and a power must each be above 0 and below 1.")
    if cluster_size < 1 or not 0 <= icc <= 1:
        raise RatingsError("A cluster needs at least one unit. The correlation within a cluster must be from 0 to 1.")
    others = [other for other in (rate - abs(difference), rate + abs(difference)) if 0 <= other <= 1]
    if not others:
        raise RatingsError(
            f"The rate {rate:g} cannot differ by {abs(difference):g}, because a share must be from 0 to 1. Give a "
            "smaller difference."
        )
    z = float(special.ndtri(0.5 + confidence / 2) + special.ndtri(power))
    spread = max(rate * (1 - rate) + other * (1 - other) for other in others)
    plain = z**2 * spread / difference**2
    whole = plain * design_effect(cluster_size=cluster_size, icc=icc)
    return SampleSize(math.ceil(whole - 1e-9), math.ceil(plain - 1e-9), "two independent shares (Chow 2008)")

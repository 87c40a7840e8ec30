"""How high people's own noise lets a correlation with them be, and the correlation without that noise."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from agreement.arrays import (
    numbers,
    paired_limits,
    same_length,
)
from agreement.bootstrap import Bootstrap, OfCounts
from agreement.icc import icc
from agreement.ratings import Floats, Ratings, standardised
from agreement.statistic import Interval, Statistic, estimated, no_interval, undefined
from extensions.calibration.statistics.ceiling import compare_numbers, mean_of_counts, quotient, sample_of

__all__ = ["Disattenuation", "NoiseCeiling", "disattenuated_correlation", "noise_ceiling"]


@dataclass(frozen=True)
class NoiseCeiling:
    """The highest correlation with the people's mean that their own noise leaves room for."""

    reliability_of_mean: Statistic
    """ICC(3,k) of the mean of all people."""
    highest: Statistic
    """Its square root: the expected correlation of a judge without any error, Spearman's attenuation."""
    leave_one_out: Statistic
    """Mean correlation of a person with the mean of the others, the level of one person."""


@dataclass(frozen=True)
class Disattenuation:
    """A correlation, and its estimate without noise on either side."""

    observed: Statistic
    corrected: Statistic
    reliability_people: float
    """Of their mean."""
    reliability_judge: float
    """Of the mean of its runs; 1 where there is only one, so that nothing is corrected for."""


def noise_ceiling(
    humans: ArrayLike,
    *,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    bootstrap: Bootstrap | None = None,
) -> NoiseCeiling:
    """Compute the highest possible correlation with the people's mean.

    Parameters
    ----------
    humans
        (units, people) numbers. Units that one of them did not rate are left out.
    clusters
        (units,) what each unit belongs to; for ``leave_one_out``, whole clusters are left out or resampled.

    Returns
    -------
    NoiseCeiling
        ``highest`` has the square roots of the F limits of ICC(3,k); it is ``nan`` with a ``reason`` where that is
        negative. ``leave_one_out`` has jackknife limits.

    Notes
    -----
    sqrt(ICC(3,k)) [1]_; leave-one-out mean_h r(h, mean of the others). A judge above ``highest`` fits these people's
    noise. Checked against pingouin 0.6 and scipy 1.12 in tests/agreement.

    References
    ----------
    .. [1] Spearman, C. (1904). American Journal of Psychology 15, 72-101.

    Examples
    --------
    >>> ceiling = noise_ceiling([[1, 2, 1], [2, 2, 3], [4, 3, 4], [5, 5, 4]])
    >>> round(ceiling.highest.value, 3), round(ceiling.leave_one_out.value, 3)
    (0.965, 0.877)
    """
    table = numbers(humans, "humans", axes=2)
    same_length(humans=table, clusters=clusters)
    whole = ~np.isnan(table).any(axis=1)
    left_out, k = int((~whole & ~np.isnan(table).all(axis=1)).sum()), table.shape[1]
    kept = None if clusters is None else [clusters[at] for at in np.flatnonzero(whole)]
    table = table[whole]
    n = len(table)
    if n < 2 or k < 2:
        none = undefined(
            "A noise ceiling needs at least two people, and at least two units that all people rated.",
            n_units=n,
            n_raters=k,
            n_left_out=left_out,
            confidence=confidence,
        )
        return NoiseCeiling(none, none, none)
    reliability = icc(Ratings.from_array(table), form="ICC(3,k)", confidence=confidence)
    highest = _root(reliability)
    table = standardised(table)
    sample = sample_of(n, kept)
    others = [compare_numbers(table[:, h], np.delete(table, h, axis=1).mean(axis=1)) for h in range(k)]
    statistic = mean_of_counts(others)
    value = float(statistic(sample.counts[None])[0])
    if math.isnan(value):
        reason = "A person's score, or the mean of the other people, is the same for all units."
        mean = undefined(reason, n_units=n, n_raters=k, n_left_out=left_out, confidence=confidence)
    else:
        interval = paired_limits(statistic, sample, bootstrap, confidence, shape="correlation")
        mean = estimated(value, interval, n_units=n, n_raters=k, n_left_out=left_out, confidence=confidence)
    return NoiseCeiling(reliability, highest, mean)


_ROUNDING = 1e-12
"""Reliability up to which a value counts as 0: it would be exactly 0 without rounding, so it cannot be a divisor."""


def disattenuated_correlation(
    humans: ArrayLike,
    judge: ArrayLike,
    *,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    bootstrap: Bootstrap | None = None,
) -> Disattenuation:
    """Estimate the correlation of judge and people without noise, to see if they measure the same thing.

    Parameters
    ----------
    humans
        (units, people) numbers.
    judge
        (units, runs) the judge's values in repeated runs, or (units,) of a single one. Units with a gap anywhere are
        left out.
    clusters
        (units,) what each unit belongs to; whole clusters are left out or resampled.

    Returns
    -------
    Disattenuated
        ``corrected`` may exceed 1 by chance and is not cut. ``nan`` with a ``reason`` where a reliability is not above
        0, or with a single person.

    Notes
    -----
    r(mean of people, mean of runs) / sqrt(reliability of people x reliability of the judge) [1]_, reliabilities as
    ICC(3,k) = Cronbach's alpha. Limits are by jackknife, reliabilities included. With a single run its noise cannot be
    known, and only the people's is corrected for. Checked by worked arithmetic and simulation in tests/agreement.

    References
    ----------
    .. [1] Spearman, C. (1904). American Journal of Psychology 15, 72-101.

    Examples
    --------
    >>> people = [[1, 2, 1], [2, 2, 3], [4, 3, 4], [5, 5, 4]]
    >>> correlation = disattenuated_correlation(people, [1, 2, 3, 5])
    >>> round(correlation.observed.value, 3), round(correlation.corrected.value, 3)
    (0.977, 1.012)
    """
    table = numbers(humans, "humans", axes=2)
    runs = np.asarray(judge, dtype=object)
    f = numbers(judge, "judge", axes=2) if runs.ndim == 2 else numbers(judge, "judge")[:, None]
    same_length(humans=table, judge=f, clusters=clusters)
    whole = ~np.isnan(table).any(axis=1) & ~np.isnan(f).any(axis=1)
    left_out, k, m = int((~whole).sum()), table.shape[1], f.shape[1]
    kept = None if clusters is None else [clusters[at] for at in np.flatnonzero(whole)]
    table, f = standardised(table[whole]), standardised(f[whole])
    n = len(table)

    def none(reason: str) -> Statistic:
        return undefined(reason, n_units=n, n_raters=k + m, n_left_out=left_out, confidence=confidence)

    if n < 3 or not k or not m:
        few = none("Fewer than three units have ratings from all people.")
        return Disattenuation(few, few, math.nan, math.nan)
    sample = sample_of(n, kept)
    observed = compare_numbers(table.mean(axis=1), f.mean(axis=1))
    of_people, of_judge = _cronbach(table), _cronbach(f)

    def corrected(drawn: Floats) -> Floats:
        people, judge = of_people(drawn), of_judge(drawn)
        product = np.where(people > _ROUNDING, people, 0) * np.where(judge > _ROUNDING, judge, 0)
        correlations: Floats = np.where(
            product > 0, observed(drawn) / np.sqrt(np.where(product > 0, product, 1)), math.nan
        )
        return correlations

    both = []
    for statistic in (observed, corrected):
        value = float(statistic(sample.counts[None])[0])
        if math.isnan(value):
            reason = (
                "The people's mean or the judge's mean is the same for all units."
                if statistic is observed
                else "Touchstone cannot correct the correlation: a reliability is not above zero, or is unknown "
                "because there is only one person."
            )
            both.append(none(reason))
            continue
        shape: Literal["difference", "correlation"] = "correlation" if statistic is observed else "difference"
        interval = paired_limits(statistic, sample, bootstrap, confidence, shape=shape)
        both.append(estimated(value, interval, n_units=n, n_raters=k + m, n_left_out=left_out, confidence=confidence))
    reliabilities = [float(reliability(sample.counts[None])[0]) for reliability in (of_people, of_judge)]
    return Disattenuation(both[0], both[1], *reliabilities)


def _cronbach(table: Floats) -> OfCounts:
    """ICC(3,k) of complete columns; 1 for a single one, whose noise is unknown."""
    k = table.shape[1]
    centred = table - table.mean(axis=0)
    total = centred.sum(axis=1)
    sums = np.column_stack([np.ones(len(table)), centred, total, centred**2, total**2])

    def alpha(drawn: Floats) -> Floats:
        totals = drawn @ sums
        n = totals[:, 0]
        means, squares = totals[:, 1 : k + 2] / n[:, None], totals[:, k + 2 :] / n[:, None]
        variances = squares - means**2
        of_total = np.where(variances[:, k] > 1e-12 * squares[:, k], variances[:, k], 0.0)
        return k / (k - 1) * (1 - quotient(variances[:, :k].sum(axis=1), of_total))

    return alpha if k > 1 else lambda drawn: np.ones(len(drawn))


def _root(reliability: Statistic) -> Statistic:
    """The square root of a reliability, with those of its limits."""
    common: dict[str, Any] = {
        "n_units": reliability.n_units,
        "n_raters": reliability.n_raters,
        "n_left_out": reliability.n_left_out,
        "confidence": reliability.confidence,
    }
    if not reliability.value >= -1e-12:  # 0 but for rounding
        reason = reliability.reason if not reliability.defined else "The reliability of the people's mean is negative."
        return undefined(reason or "", **common)
    value = math.sqrt(reliability.value) if reliability.value > 1e-12 else 0.0
    if math.isnan(reliability.low):
        interval = Interval(math.nan, math.nan, "none", reliability.reason)
    elif reliability.high < 0:
        interval = no_interval("the limits of the reliability are negative.")
    else:
        low, high = math.sqrt(max(0.0, reliability.low)), math.sqrt(reliability.high)
        interval = Interval(low, high, f"square roots of the limits of ICC(3,k) ({reliability.method})")
    return estimated(value, interval, **common)

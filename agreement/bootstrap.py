"""Intervals by resampling units, all draws at once.

Equal rows of a table are one pattern, and a draw is a count of each pattern. A statistic of these counts is computed
for all draws at once. Units of one cluster (answers to one question) are drawn together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special

from agreement.ratings import Floats, Ints, Ratings
from agreement.statistic import Interval, no_interval
from domain.errors import RatingsError

SEED = 20240229
MOST_UNDEFINED = 0.05
"""With a larger share of draws in which the statistic is undefined, the others say too little for an interval."""

_CELLS = 2_000_000
"""Numbers of one kind that are held in memory at once: 16 MB."""

_NEAR = 50_000
"""Counts that stay close to the processor, and are multiplied before several threads would get in each other's way."""

_WORK = 100_000_000
"""Number of counts (draws times patterns) that limits the default number of draws."""
_FEWEST = 400

OfCounts = Callable[[Floats], Floats]
"""(draws, patterns) counts -> (draws,) values; nan where a draw has none. Any non-negative counts, whole or not."""

SeveralOfCounts = Callable[[Floats], Floats]
"""(draws, patterns) counts -> (draws, n) values of n statistics, as ``OfCounts`` has one."""


@dataclass(frozen=True)
class Bootstrap:
    """How units are resampled.

    Parameters
    ----------
    draws
        How many samples are drawn; none of them: no interval.
    seed
        Of the generator; the same seed gives the same limits.
    kind
        "percentile" takes the limits directly from the draws; "bca" corrects for bias and for a standard error that
        changes with the value, by leaving out each unit (or cluster) once.
    """

    draws: int = 2000
    seed: int = SEED
    kind: Literal["percentile", "bca"] = "percentile"


@dataclass(frozen=True, eq=False)
class Patterns:
    """The distinct rows of a table of codes, and how often each occurs."""

    rows: Ints
    """(patterns, raters)."""
    counts: Floats
    """(patterns,): the units that have this row."""
    clusters: sparse.csr_array | None = None
    """(clusters, patterns): number of units of each cluster with this row; None for independent units."""


def patterns(codes: Ints, clusters: Sequence[Hashable] | None = None, times: Ints | None = None) -> Patterns:
    """The distinct rows of a (units, raters) table of codes (-1 and up).

    ``clusters`` names each unit's cluster. ``times`` is the number of units that each row stands for, if more than one.
    """
    if not codes.size:
        return Patterns(codes, np.ones(len(codes)) if times is None else times.astype(float))
    base = int(codes.max()) + 2
    if base ** codes.shape[1] >= 2**62:  # the row does not fit into one number
        rows, of_unit, counts = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
        distinct_rows: Ints = rows
    else:
        places = base ** np.arange(codes.shape[1] - 1, -1, -1, dtype=np.int64)
        keys, of_unit, counts = np.unique((codes + 1) @ places, return_inverse=True, return_counts=True)
        distinct_rows = keys[:, None] // places % base - 1
    if times is not None:
        counts = np.bincount(of_unit.ravel(), weights=times, minlength=len(distinct_rows))
    if clusters is None:
        return Patterns(distinct_rows, counts.astype(float))
    number = {name: at for at, name in enumerate(dict.fromkeys(clusters))}
    cluster = np.fromiter((number[name] for name in clusters), dtype=np.int64, count=len(clusters))
    cells = (np.ones(len(codes)) if times is None else times.astype(float), (cluster, of_unit.ravel()))
    return Patterns(
        distinct_rows, counts.astype(float), sparse.csr_array(cells, shape=(len(number), len(distinct_rows)))
    )


def sample_of(ratings: Ratings, usable: NDArray[np.bool_] | np.bool_) -> Patterns:
    """The patterns of the ratings of these units ((units,) of booleans), with the clusters they are in."""
    clusters = ratings.clusters
    kept = None if clusters is None else [clusters[at] for at in np.flatnonzero(usable)]
    return patterns(ratings.codes[usable], kept, None if ratings.times is None else ratings.times[usable])


def resampling(ratings: Ratings, bootstrap: Bootstrap | None) -> Bootstrap | None:
    """How to resample for limits; None where the analytic ones, which take units as independent, will do."""
    return Bootstrap() if bootstrap is None and ratings.clusters is not None else bootstrap


def bootstrap_interval(
    statistic: OfCounts,
    sample: Patterns,
    bootstrap: Bootstrap | None = None,
    *,
    confidence: float = 0.95,
    width: int = 0,
) -> Interval:
    """Limits and standard error over resampled units, or over resampled clusters where units have them.

    Draws with an undefined statistic are left out and counted in the method. There is no interval in three cases:
    more than one draw in twenty is undefined, all draws give the same value, or the value lies outside its own limits
    (as with values that hardly ever occur twice). ``width`` is how many numbers the statistic holds for a draw, if
    more than one for each pattern. Without a ``bootstrap`` there are 2,000 draws; of more than 50,000 patterns fewer,
    but no less than 400.

    Notes
    -----
    Percentile limits and the bias-corrected accelerated ones as in [1]_, the latter with the acceleration from the
    jackknife. Checked against scipy 1.12 (``scipy.stats.bootstrap``) in tests/agreement.

    References
    ----------
    .. [1] Efron, B. & Tibshirani, R. J. (1993). An Introduction to the Bootstrap, chapters 13 and 14. Chapman & Hall.
    """
    return bootstrap_intervals(
        lambda drawn: statistic(drawn)[:, None], sample, bootstrap, confidence=confidence, width=width
    )[0]


def bootstrap_intervals(
    statistics: SeveralOfCounts,
    sample: Patterns,
    bootstrap: Bootstrap | None = None,
    *,
    confidence: float = 0.95,
    width: int = 0,
) -> tuple[Interval, ...]:
    """The limits of several statistics over the same draws, each as ``bootstrap_interval`` has them."""
    bootstrap = bootstrap or Bootstrap(draws=min(Bootstrap.draws, max(_FEWEST, _WORK // len(sample.counts))))
    check_confidence(confidence)
    values = statistics(sample.counts[None])[0]
    if bootstrap.draws < 1:
        return (no_interval("the number of bootstrap draws is 0."),) * len(values)
    unit = "unit" if sample.clusters is None else "cluster"
    n = int(sample.counts.sum()) if sample.clusters is None else sample.clusters.shape[0]
    if n < 2:
        return (no_interval(f"there are fewer than two {unit}s."),) * len(values)
    width = max(len(sample.counts), width, 1 if sample.clusters is None else n)
    lot = max(1, min(_CELLS // width, _NEAR // len(sample.counts)))
    drawn = np.concatenate([statistics(counts) for counts in _resampled(sample, bootstrap, lot)])
    left_out = _left_out(statistics, sample, lot) if bootstrap.kind == "bca" else None
    return tuple(
        _limits(
            float(value),
            drawn[:, at],
            left_out and (left_out[0][:, at], left_out[1]),
            bootstrap,
            confidence=confidence,
            unit=unit,
        )
        for at, value in enumerate(values)
    )


def _limits(
    value: float,
    drawn: Floats,
    left_out: tuple[Floats, Floats] | None,
    bootstrap: Bootstrap,
    *,
    confidence: float,
    unit: str,
) -> Interval:
    """The limits of one statistic from its values in all draws; ``left_out`` is needed for BCa alone."""
    defined = drawn[np.isfinite(drawn)]
    lost = bootstrap.draws - len(defined)
    if lost > bootstrap.draws * MOST_UNDEFINED:
        return no_interval(f"the statistic is undefined in {lost} of {bootstrap.draws} bootstrap draws of {unit}s.")
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    outer = np.quantile(defined, tails)
    if not outer[0] - 1e-12 <= value <= outer[1] + 1e-12:
        return no_interval(f"the original value lies outside the range of the values from bootstrap draws of {unit}s.")
    if np.ptp(defined) < 1e-12:
        return no_interval(
            f"every draw of {unit}s gives the same value, so the interval would have a misleading width of zero."
        )
    name = "percentile"
    if left_out is not None:
        name, tails = "BCa", _corrected(tails, defined, value, *left_out)
        if not np.isfinite(tails).all():
            return no_interval(f"the BCa correction, which leaves out one {unit} at a time, is undefined.")
        outer = np.quantile(defined, tails)
    method = f"{name} bootstrap by {unit}, {bootstrap.draws} draws" + (f", {lost} undefined" if lost else "")
    return Interval(float(outer[0]), float(outer[1]), method, se=float(defined.std(ddof=1)))


def check_confidence(confidence: float) -> None:
    """``RatingsError`` unless it is a share between 0 and 1."""
    if not 0 < confidence < 1:
        raise RatingsError(f"The confidence level is {confidence:g}, but must be between 0 and 1, such as 0.95.")


def _resampled(sample: Patterns, bootstrap: Bootstrap, lot: int) -> Iterator[Floats]:
    """(draws, patterns) counts of resampled units or clusters, in lots."""
    random = np.random.default_rng(bootstrap.seed)
    counts = sample.counts if sample.clusters is None else np.ones(sample.clusters.shape[0])
    n_units = int(counts.sum())
    few = len(counts) * 8 < n_units
    owner = None if n_units == len(counts) else np.repeat(np.arange(len(counts)), counts.astype(np.int64))
    for start in range(0, bootstrap.draws, lot):
        size = min(lot, bootstrap.draws - start)
        if few:
            times = random.multinomial(n_units, counts / n_units, size=size).astype(float)
        else:  # nearly every unit is a pattern of its own: counting drawn units is faster, and the same distribution
            drawn = random.integers(0, n_units, size=(size, n_units))
            if owner is not None:
                drawn = owner[drawn]
            drawn += np.arange(size)[:, None] * len(counts)
            cells = np.bincount(drawn.ravel(), minlength=size * len(counts))
            times = cells.reshape(size, len(counts)).astype(float)
        yield times if sample.clusters is None else times @ sample.clusters


def _left_out(statistic: SeveralOfCounts, sample: Patterns, lot: int) -> tuple[Floats, Floats]:
    """The statistics without one unit (or cluster), for each kind of unit, and how many there are of that kind."""
    if sample.clusters is None:
        values = []
        for start in range(0, len(sample.counts), lot):
            kinds = np.arange(start, min(start + lot, len(sample.counts)))
            rest = np.repeat(sample.counts[None], len(kinds), axis=0)
            rest[np.arange(len(kinds)), kinds] -= 1
            values.append(statistic(rest))
        return np.concatenate(values), sample.counts
    n = sample.clusters.shape[0]
    rests = (statistic(sample.counts - sample.clusters[start : start + lot].toarray()) for start in range(0, n, lot))
    return np.concatenate(list(rests)), np.ones(n)


def _corrected(tails: Floats, drawn: Floats, value: float, left_out: Floats, times: Floats) -> Floats:
    """The quantiles of the draws that BCa takes in place of ``tails``; nan where they are not defined."""
    known = np.isfinite(left_out)
    left_out, times = left_out[known], times[known]
    below = (np.count_nonzero(drawn < value) + np.count_nonzero(drawn == value) / 2) / len(drawn)
    if not 0 < below < 1 or not len(left_out):
        return np.full(2, math.nan)
    apart = np.average(left_out, weights=times) - left_out
    squares = float(times @ apart**2)
    acceleration = float(times @ apart**3) / (6 * squares**1.5) if squares > 0 else 0.0
    bias = float(special.ndtri(below))
    shifted = bias + special.ndtri(tails)
    corrected: Floats = special.ndtr(bias + shifted / (1 - acceleration * shifted))
    return corrected

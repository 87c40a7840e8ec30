"""Intervals by resampling units, all draws at once.

Equal rows of a table are one pattern: a draw is how often each pattern occurs, and a statistic that is a function of
those counts is computed for all draws in one go (Efron & Tibshirani 1993, chapter 13, percentile limits).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from agreement.ratings import Floats, Ints
from agreement.statistic import Interval, no_interval

DRAWS = 2000
SEED = 20240229
MOST_UNDEFINED = 0.05
"""With a larger share of draws in which the statistic is undefined, the others say too little for an interval."""

_CELLS = 2_000_000
"""Numbers of one kind that are held in memory at once: 16 MB."""

OfCounts = Callable[[Floats], Floats]
"""(draws, patterns) counts -> (draws,) values; nan where a draw has none."""


def patterns(codes: Ints) -> tuple[Ints, Floats]:
    """The distinct rows of a table of codes (-1 and up), and how often each occurs."""
    if not codes.size:
        return codes, np.ones(len(codes))
    base = int(codes.max()) + 2
    if base ** codes.shape[1] >= 2**62:  # the row does not fit into one number
        rows, counts = np.unique(codes, axis=0, return_counts=True)
        return rows, counts.astype(float)
    places = base ** np.arange(codes.shape[1] - 1, -1, -1, dtype=np.int64)
    keys, counts = np.unique((codes + 1) @ places, return_counts=True)
    found: Ints = keys[:, None] // places % base - 1
    return found, counts.astype(float)


def percentile_interval(
    statistic: OfCounts, counts: Floats, *, draws: int = DRAWS, seed: int = SEED, width: int = 0
) -> Interval:
    """The 2.5 and 97.5 percentiles over resampled units.

    Draws in which the statistic is undefined are left out and counted in the method; if they are more than one in
    twenty, if all draws give the same value, or if the value lies outside its own limits (as with values that hardly
    ever occur twice), there is no interval. ``width`` is how many numbers the statistic holds for a draw, if more than
    one for each pattern.
    """
    if draws < 1:
        return no_interval("none was asked for.")
    n_units = int(counts.sum())
    if n_units < 2:
        return no_interval("fewer than two units.")
    lot = max(1, _CELLS // max(len(counts), width))
    values = np.concatenate([statistic(drawn) for drawn in _resampled(counts, draws, lot, seed)])
    defined = values[np.isfinite(values)]
    lost = draws - len(defined)
    if lost > draws * MOST_UNDEFINED:
        return no_interval(f"undefined in {lost} of {draws} draws of units.")
    low, high = np.percentile(defined, [2.5, 97.5])
    value = float(statistic(counts[None])[0])
    if not low - 1e-12 <= value <= high + 1e-12:
        return no_interval("resampling units moves this statistic away from its own value.")
    if np.ptp(defined) < 1e-12:
        return no_interval("every draw of units gives the same value, and a width of zero would claim certainty.")
    method = f"percentile bootstrap by unit, {draws} draws" + (f", {lost} undefined" if lost else "")
    return Interval(float(low), float(high), method)


def _resampled(counts: Floats, draws: int, lot: int, seed: int) -> Iterator[Floats]:
    """(draws, patterns) counts of resampled units, in lots."""
    random = np.random.default_rng(seed)
    n_units = int(counts.sum())
    few = len(counts) * 8 < n_units
    owner = np.repeat(np.arange(len(counts)), counts.astype(np.int64))
    for start in range(0, draws, lot):
        size = min(lot, draws - start)
        if few:
            yield random.multinomial(n_units, counts / n_units, size=size).astype(float)
        else:  # nearly every unit is a pattern of its own: counting drawn units is faster, and the same distribution
            drawn = owner[random.integers(0, n_units, size=(size, n_units))]
            drawn += np.arange(size)[:, None] * len(counts)
            cells = np.bincount(drawn.ravel(), minlength=size * len(counts))
            yield cells.reshape(size, len(counts)).astype(float)

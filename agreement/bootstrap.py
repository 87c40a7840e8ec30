"""Intervals by resampling units, all draws at once.

Equal rows of a table are one pattern: a draw is how often each pattern occurs, and a statistic that is a function of
those counts is computed for all draws in one go (Efron & Tibshirani 1993, chapter 13, percentile limits).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from agreement.ratings import Floats, Ints

DRAWS = 2000
SEED = 20240229
_CELLS = 4_000_000
"""Counts held in memory at once: 32 MB."""

METHOD = f"percentile bootstrap by unit, {DRAWS} draws"

OfCounts = Callable[[Floats], Floats]
"""(draws, patterns) counts -> (draws,) values; nan where a draw has none."""


def patterns(codes: Ints) -> tuple[Ints, Floats]:
    """The distinct rows of a table and how often each occurs."""
    rows, counts = np.unique(codes, axis=0, return_counts=True)
    return rows, counts.astype(float)


def percentile_interval(
    statistic: OfCounts, counts: Floats, *, draws: int = DRAWS, seed: int = SEED
) -> tuple[float, float, str]:
    """The 2.5 and 97.5 percentiles over resampled units, and the name of the method.

    Draws in which the statistic is undefined are left out and counted in the method; if that is more than one in ten
    there is no interval.
    """
    n_units = int(counts.sum())
    if n_units < 2:
        return math.nan, math.nan, "none: fewer than two units"
    random = np.random.default_rng(seed)
    lot = max(1, _CELLS // max(1, len(counts)))
    values = np.concatenate(
        [
            statistic(random.multinomial(n_units, counts / n_units, size=min(lot, draws - start)).astype(float))
            for start in range(0, draws, lot)
        ]
    )
    defined = values[np.isfinite(values)]
    lost = draws - len(defined)
    if lost > draws / 10:
        return math.nan, math.nan, f"none: undefined in {lost} of {draws} bootstrap draws"
    low, high = np.percentile(defined, [2.5, 97.5])
    method = f"percentile bootstrap by unit, {draws} draws" + (f", {lost} undefined" if lost else "")
    return float(low), float(high), method

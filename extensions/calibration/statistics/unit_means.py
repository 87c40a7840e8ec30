"""Means and shares over units, with limits that allow for clusters of units."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from agreement.arrays import clustered_share, mean_interval
from agreement.limits import wilson
from agreement.ratings import Floats, Ints
from agreement.statistic import Statistic, Test, estimated, undefined


def mean_of_units(
    values: Floats, clusters: Ints | None, left_out: int, confidence: float, *, tested: bool = False
) -> Statistic:
    n = len(values)
    if n == 0:
        return undefined(
            "No unit has scores from the judge and people.",
            n_units=0,
            n_raters=2,
            n_left_out=left_out,
            confidence=confidence,
        )
    interval = mean_interval(values, clusters, confidence)
    value = float(values.mean())
    test = None
    if tested and not math.isnan(interval.se):
        df = (n if clusters is None else len(np.unique(clusters))) - 1
        test = t_test(value, interval.se, df)
    return estimated(value, interval, n_units=n, n_raters=2, n_left_out=left_out, confidence=confidence, test=test)


def share_of_units(hits: Any, clusters: Ints | None, left_out: int, confidence: float) -> Statistic:
    """A share: Wilson limits, or with clusters Wilson's at the sample size that is as good without them."""
    n = len(hits)
    if n == 0:
        return undefined("There are no units.", n_units=0, n_raters=1, n_left_out=left_out, confidence=confidence)
    share = float(np.mean(hits))
    if clusters is None:
        interval = wilson(share, n, confidence)
    else:
        off = (np.asarray(hits, dtype=float) - share) / n
        present = np.bincount(clusters) > 0
        sums: Floats = np.bincount(clusters, weights=off)[present].astype(float)
        interval = clustered_share(share, n, sums, confidence)
    return estimated(share, interval, n_units=n, n_raters=1, n_left_out=left_out, confidence=confidence)


def t_test(value: float, se: float, df: float) -> Test:
    t = value / se
    return Test("t", t, (float(df),), float(2 * special.stdtr(df, -abs(t))))

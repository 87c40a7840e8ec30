"""Limits from a standard error, and those of a share."""

from __future__ import annotations

import math

from scipy import special

from agreement.bootstrap import check_confidence
from agreement.statistic import Interval, no_interval

MANY_PAIRS = 45
"""Those of ten raters; a mean over more of them takes long to resample, and has limits from its linearized variance."""


def wilson(share: float, n: int, confidence: float = 0.95) -> Interval:
    """Score limits of a share of n, with the standard error of the share.

    >>> round(wilson(0.5, 10).low, 4)
    0.2366
    """
    z = normal_quantile(confidence)
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    se = math.sqrt(share * (1 - share) / n)
    low = max(0.0, centre - half) if share > 0 else 0.0  # exactly, where rounding would leave a hair between
    high = min(1.0, centre + half) if share < 1 else 1.0
    return Interval(low, high, "Wilson score", se=se)


def exact_binomial(hits: int, n: int, confidence: float = 0.95) -> Interval:
    """Clopper and Pearson's limits of a share of n trials, with the standard error of the share.

    >>> limits = exact_binomial(8, 10)
    >>> round(limits.low, 4), round(limits.high, 4)
    (0.4439, 0.9748)
    """
    check_confidence(confidence)
    tail = (1 - confidence) / 2
    low = float(special.betaincinv(hits, n - hits + 1, tail)) if hits else 0.0
    high = float(special.betaincinv(hits + 1, n - hits, 1 - tail)) if hits < n else 1.0
    return Interval(low, high, "exact binomial (Clopper & Pearson)", se=math.sqrt(hits * (n - hits) / n**3))


def normal_quantile(confidence: float) -> float:
    """The standard normal quantile of two-sided limits."""
    check_confidence(confidence)
    return float(special.ndtri((1 + confidence) / 2))


def t_quantile(confidence: float, df: float) -> float:
    """Student's quantile of two-sided limits."""
    check_confidence(confidence)
    return float(special.stdtrit(df, (1 + confidence) / 2))


def around(value: float, se: float, times: float, method: str, lowest: float = -1.0) -> Interval:
    """Limits ``times`` standard errors away, inside [lowest, 1]; none of a width of zero.

    A value below ``lowest``, which gaps can bring about, keeps its own lower limit.
    """
    half = times * se
    if half < 1e-9:
        reason = (
            f"No interval: the {method.split(',')[0]} is zero, so the interval would have a misleading width of zero."
        )
        return Interval(math.nan, math.nan, "none", reason, se=0.0)
    if not math.isfinite(half):
        return no_interval(f"the {method.split(',')[0]} is not finite.")
    low = value - half
    return Interval(max(lowest, low) if value >= lowest else low, min(1.0, value + half), method, se=se)


def transformed(value: float, se: float, df: float, confidence: float, method: str) -> Interval | None:
    """tanh(atanh value -/+ t se / (1 - value^2)): the delta method on Fisher's scale; None where that is not defined.

    >>> limits = transformed(0.5, 0.1, 49, 0.95, "")
    >>> round(limits.low, 3), round(limits.high, 3)
    (0.274, 0.674)
    """
    if not (-1 < value < 1 and 1e-9 < se < math.inf and df > 0):
        return None
    half = t_quantile(confidence, df) * se / (1 - value**2)
    low, high = (math.tanh(math.atanh(value) + side * half) for side in (-1, 1))
    return Interval(low, high, f"{method}, transformed by atanh", se=se)

"""How many units a mean needs, by formula, and what further formulas share."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from agreement.limits import normal_quantile
from domain.errors import RatingsError

_MOST = 10_000_000
"""Maximum number of units; larger designs are reported as out of reach."""


@dataclass(frozen=True)
class SampleSize:
    """How many units are needed."""

    n: int
    n_first_stage: int
    """Of the plain formula; ``n`` is that after the correction the method has, if it has one."""
    method: str


def sample_size_mean(*, sd: float, half_width: float, confidence: float = 0.95) -> SampleSize:
    """Units for limits of a mean that reach ``half_width`` to each side.

    Parameters
    ----------
    sd
        Standard deviation of the values, from a pilot.
    half_width, confidence
        Of the limits.

    Returns
    -------
    SampleSize

    Notes
    -----
    z^2 s^2 / h^2 (Cochran 1977, section 4.6). Clustered units need :func:`design_effect` times as many.

    Examples
    --------
    >>> sample_size_mean(sd=0.4, half_width=0.03).n
    683
    """
    require_above("sd", sd)
    require_above("half_width", half_width)
    n = rounded_up((normal_quantile(confidence) * sd / half_width) ** 2)
    return SampleSize(n, n, "normal limits")


def design_effect(*, cluster_size: float, icc: float) -> float:
    """Return the factor by which clusters increase the number of units needed.

    Parameters
    ----------
    cluster_size
        Units of a cluster, on average.
    icc
        How alike the units of a cluster are (ICC(1,1) of units in clusters).

    Returns
    -------
    float

    Notes
    -----
    1 + (m - 1) ICC (Kish 1965, Survey Sampling, section 5.4).

    Examples
    --------
    >>> design_effect(cluster_size=6, icc=0.2)
    2.0
    """
    if cluster_size < 1:
        raise RatingsError(f"The cluster size must be 1 or more, not {cluster_size:g}.")
    return 1 + (cluster_size - 1) * icc


def smallest_number(narrow: Callable[[int], bool], start: int) -> int:
    """The smallest number from ``start`` for which it holds, as it does for all greater ones."""
    high = start
    while not narrow(high):
        high *= 2
        if high > _MOST:
            raise RatingsError(f"This precision needs more than {_MOST:,} units. Request wider limits.")
    low = start
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if narrow(middle) else (middle + 1, high)
    return low


def rounded_up(number: float) -> int:
    """Rounded up, but not for what rounding left behind the comma."""
    if number > _MOST:
        raise RatingsError(f"This precision needs more than {_MOST:,} units. Request wider limits.")
    return max(1, math.ceil(number - 1e-9))


def require_above(name: str, value: float) -> None:
    if not value > 0:
        raise RatingsError(f"{name} must be above 0, not {value:g}.")


def require_between(name: str, value: float, low: float, high: float, *, ends: bool = False) -> None:
    fits = low <= value <= high if ends or name == "random_share" else low < value < high
    if not fits:
        raise RatingsError(f"{name} must be between {low:g} and {high:g}, not {value:g}.")

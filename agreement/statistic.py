"""The one result type of all statistics."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Test:
    """A test of a hypothesis about a statistic."""

    __test__ = False

    name: str
    """The statistic's distribution if the hypothesis holds: "F", "t", "z" or "chi2"."""
    value: float
    df: tuple[float, ...]
    """Degrees of freedom; none for "z"."""
    p_value: float


@dataclass(frozen=True)
class Interval:
    """The limits of a statistic and their method; ``nan`` and a reason if undefined."""

    low: float
    high: float
    method: str
    reason: str | None = None
    se: float = math.nan
    """The standard error that the same method gives; ``nan`` if it gives none."""


def no_interval(reason: str) -> Interval:
    """Why a value comes without limits."""
    return Interval(math.nan, math.nan, "none", f"No interval: {reason}")


@dataclass(frozen=True)
class Statistic:
    """An estimate with its interval and its basis.

    ``value`` is ``nan`` where the statistic is undefined; so are ``low`` and ``high`` where no interval can be given.
    Then ``reason`` says why. Nothing here is rounded.
    """

    value: float
    low: float
    high: float
    method: str
    """Method of the interval; "none" without an interval."""
    n_units: int
    """Units that the value rests on."""
    n_raters: int
    n_left_out: int = 0
    """Units that had ratings but could not be used."""
    reason: str | None = None
    se: float = math.nan
    """Standard error of ``value``; ``nan`` where the method of the interval gives none."""
    confidence: float = 0.95
    """Of the interval."""
    test: Test | None = None

    @property
    def defined(self) -> bool:
        """Whether there is a value."""
        return not math.isnan(self.value)


def estimated(
    value: float,
    interval: Interval,
    *,
    n_units: int,
    n_raters: int,
    n_left_out: int = 0,
    confidence: float = 0.95,
    test: Test | None = None,
) -> Statistic:
    """A value with its interval, or with the reason why it has none."""
    return Statistic(
        value,
        interval.low,
        interval.high,
        interval.method,
        n_units,
        n_raters,
        n_left_out,
        interval.reason,
        interval.se,
        confidence,
        test,
    )


def undefined(reason: str, *, n_units: int, n_raters: int, n_left_out: int = 0, confidence: float = 0.95) -> Statistic:
    """A statistic without a value, and why."""
    return Statistic(math.nan, math.nan, math.nan, "none", n_units, n_raters, n_left_out, reason, confidence=confidence)

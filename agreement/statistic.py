"""The one result type of all statistics."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Statistic:
    """An estimate with its 95 % interval, and what it rests on.

    ``value`` is ``nan`` where the statistic is undefined, and then ``reason`` says why; so are ``low`` and ``high``
    where no interval can be given. Nothing here is rounded.
    """

    value: float
    low: float
    high: float
    method: str
    """How the interval was made."""
    n_units: int
    """Units that the value rests on."""
    n_raters: int
    n_left_out: int = 0
    """Units that had ratings but could not be used."""
    reason: str | None = None

    @property
    def defined(self) -> bool:
        """Whether there is a value."""
        return not math.isnan(self.value)


def undefined(reason: str, *, n_units: int, n_raters: int, n_left_out: int = 0) -> Statistic:
    """A statistic without a value, and why."""
    return Statistic(math.nan, math.nan, math.nan, "none", n_units, n_raters, n_left_out, reason)

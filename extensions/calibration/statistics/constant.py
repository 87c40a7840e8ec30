"""A judge compared with one that always says the same: its agreement without the base rate."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from agreement.arrays import codes_of, numbers, same_length
from agreement.corrected import clustered_mean
from agreement.ratings import Floats
from agreement.statistic import Statistic, undefined
from extensions.calibration.statistics.small_sample import LowerLimit

__all__ = ["ConstantComparison", "compare_with_constant"]


@dataclass(frozen=True, eq=False)
class ConstantComparison:
    """A judge and a constant on the same units, against the same people."""

    value: float
    """What people say most often on the units that the judge judged, as a number or code; nan without any."""
    base_rate: float
    """The share of people's ratings on these units that have it."""
    judge: Statistic
    """How often the judge says what a person says: the mean over units of the share of people who say the same."""
    constant: Statistic
    """The same of a judge that always says ``value``."""
    difference: Statistic
    """Judge minus constant, unit by unit."""
    judge_values: int
    """How many different values the judge gave there."""
    people_values: int
    """How many different values people gave there."""
    column: Floats
    """(units,) the constant's values: ``value`` where the judge has one, nan otherwise."""
    difference_low: LowerLimit | None = None
    """The one-sided limit of ``difference`` with one more question (or unit) on which the constant is right and the
    judge is not."""

    @property
    def is_constant(self) -> bool:
        """Whether the judge always said the same where people did not."""
        return self.judge_values == 1 and self.people_values > 1


def compare_with_constant(
    humans: ArrayLike,
    judge: ArrayLike,
    *,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
) -> ConstantComparison:
    """Measure how much more often a judge agrees with people than a constant judge with the most frequent value.

    Parameters
    ----------
    humans
        (units, people) numbers or codes, nan where one did not rate. Never a machine among them.
    judge
        (units,) the judge's values, nan where it gave none. Such units and unrated units are left out.
    clusters
        (units,) what each unit belongs to; whole clusters vary together.

    Returns
    -------
    ConstantComparison
        Its statistics are ``nan`` with a ``reason`` where the judge and people share no unit.

    Notes
    -----
    On unit u the judge's share is a_J(u) = mean_h [judge(u) = h(u)], the constant's a_C(u) = mean_h [c = h(u)], with
    c the value that people give most often (of several the lowest). Values are compared for equality, even on an
    ordered scale. The difference is the mean of a_J - a_C over units, with the limits of a mean of clusters. Where 95
    % of answers are good, c agrees with people on 95 % and says nothing. Checked by worked arithmetic and by
    simulation in tests/agreement.

    Examples
    --------
    >>> people = [[1, 1, 1]] * 9 + [[0, 0, 0]]
    >>> comparison = compare_with_constant(people, [1] * 10)
    >>> comparison.base_rate, comparison.judge.value, comparison.constant.value, comparison.is_constant
    (0.9, 0.9, 0.9, True)
    """
    table, given = numbers(humans, "humans", axes=2), numbers(judge, "judge")
    same_length(humans=table, judge=given)
    rated = ~np.isnan(table)
    there = rated.any(axis=1) & ~np.isnan(given)
    n_people = int(table.shape[1])
    if not there.any():
        none = undefined(
            "The judge and people have no unit in common.",
            n_units=0,
            n_raters=n_people,
            n_left_out=len(given),
            confidence=confidence,
        )
        return ConstantComparison(math.nan, math.nan, none, none, none, 0, 0, np.full(len(given), np.nan))
    levels, counts = np.unique(table[there][rated[there]], return_counts=True)
    value = float(levels[np.argmax(counts)])
    column = np.where(there, value, np.nan)

    def equal(values: Floats) -> Floats:
        shares = np.full(len(given), np.nan)
        shares[there] = (table[there] == values[there, None]).sum(axis=1) / rated[there].sum(axis=1)
        return shares

    judged, always = equal(given), equal(column)

    def mean(values: Floats) -> Statistic:
        return clustered_mean(values, clusters=clusters, confidence=confidence)

    return ConstantComparison(
        value,
        float(counts.max() / counts.sum()),
        mean(judged),
        mean(always),
        mean(judged - always),
        len(np.unique(given[there])),
        len(levels),
        column,
        _low(judged - always, clusters),
    )


def _low(gaps: Floats, clusters: Sequence[Hashable] | None) -> LowerLimit | None:
    """The limit with one more cluster of mean size, whose units all have a gap of -1."""
    kept = ~np.isnan(gaps)
    gaps = gaps[kept]
    of = np.arange(len(gaps)) if clusters is None else codes_of(codes_of(clusters)[1][kept])[1]
    size = round(len(gaps) / (int(of.max()) + 1))
    with_one = np.append(gaps, np.full(max(1, size), -1.0))
    belong = np.append(of, np.full(max(1, size), of.max() + 1))
    mean = clustered_mean(with_one, clusters=belong.tolist())
    return LowerLimit(mean.value, mean.se, float(of.max() + 1)) if mean.se is not None else None

"""How well people agree with people, compared with how well the judge agrees with them: the human ceiling."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from agreement.arrays import (
    left_out_values,
    limits_without_one,
    numbers,
    same_length,
    too_many_to_leave_out,
    units_sample,
)
from agreement.bootstrap import Bootstrap, OfCounts, Patterns, SeveralOfCounts, bootstrap_intervals, patterns
from agreement.ratings import MISSING, Floats, Ints, standardised
from agreement.statistic import Interval, Statistic, estimated, undefined
from domain.errors import RatingsError
from extensions.calibration.statistics.small_sample import LowerLimit
from extensions.calibration.statistics.worst_question import cautious_limits, with_worst_rows

__all__ = ["Ceiling", "SplitCeiling", "ceiling_by_certainty", "human_ceiling"]

Measure = Literal["agreement", "kappa", "linear", "quadratic", "pearson"]
Reference = Literal["each", "others"]

_MOST_LEVELS = 200
"""Beyond that values are measurements, and a kappa of them says nothing."""


@dataclass(frozen=True)
class Ceiling:
    """The judge and the people on the same footing."""

    judge: Statistic
    """How well the judge agrees with people."""
    people: Statistic
    """How well a person agrees with the others: what a judge as good as one of them would reach."""
    difference: Statistic
    """Judge minus people on the same units, in pairs: units are left out, or resampled, for both."""
    measure: str
    reference: str
    judge_low: LowerLimit | None = None
    """The one-sided limit of ``judge`` with one more question at its worst; None where limits are resampled."""
    difference_low: LowerLimit | None = None
    """That of ``difference``."""


@dataclass(frozen=True)
class SplitCeiling:
    """The same where all people agree, and where they do not."""

    unanimous: Ceiling
    split: Ceiling


def human_ceiling(
    humans: ArrayLike,
    judge: ArrayLike,
    *,
    measure: Measure = "agreement",
    reference: Reference = "each",
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    bootstrap: Bootstrap | None = None,
) -> Ceiling:
    """Compare a judge's agreement with people to people's agreement with each other, on the same units.

    Parameters
    ----------
    humans
        (units, people) numbers or codes, nan where one did not rate. Never a machine among them.
    judge
        (units,) the judge's values, nan where it gave none. Units without it are left out for the people, too.
    measure
        "agreement" the share that is equal, "kappa" Cohen's, "linear" and "quadratic" Cohen's with such weights by
        value, "pearson".
    reference
        "each": against every single person, averaged over pairs. "others": leave one out; both the person and the judge
        against the majority of the other people ("pearson": their mean). A majority that is tied leaves the unit out,
        for both.
    clusters
        (units,) what each unit belongs to; whole clusters are left out or resampled.
    confidence, bootstrap
        Of the limits; by jackknife unless a bootstrap is given.

    Returns
    -------
    Ceiling
        ``nan`` with a ``reason`` below two people, or where a pair has no value (a person who always says the same).

    Notes
    -----
    a_J = mean_h agree(judge, people without h), a_H = mean_h agree(h, people without h), over the units that h, the
    judge and another person rated. To compare the judge's agreement with a majority of three with the agreement of
    two people would flatter the judge: the majority is less noisy. The lower limit of the difference adds one more
    question (or unit) at its worst, because a plain jackknife limit is too high if failures are rare. Checked by
    worked arithmetic, against :func:`light_kappa` and by simulation in tests/agreement.

    Examples
    --------
    >>> people = [[1, 1, 1], [0, 0, 1], [1, 1, 1], [0, 0, 0]] * 5
    >>> ceiling = human_ceiling(people, [1, 0, 1, 0] * 5)
    >>> round(ceiling.judge.value, 3), round(ceiling.people.value, 3)
    (0.917, 0.833)
    """
    table = numbers(humans, "humans", axes=2)
    f = numbers(judge, "judge")
    same_length(humans=table, judge=f, clusters=clusters)
    if measure not in ("agreement", "kappa", "linear", "quadratic", "pearson"):
        raise RatingsError(f"Unknown measure {measure!r}. Give agreement, kappa, linear, quadratic or pearson.")
    if reference not in ("each", "others"):
        raise RatingsError(f'Unknown reference {reference!r}. Give "each" or "others".')
    usable = ~np.isnan(f) & ((~np.isnan(table)).sum(axis=1) >= 2)
    left_out = int((~usable).sum())
    table, f = table[usable], f[usable]
    kept = None if clusters is None else [clusters[at] for at in np.flatnonzero(usable)]
    levels, codes = value_codes(np.column_stack([table, f]))
    problem = None
    if table.shape[1] < 2 or not len(table):
        problem = "No unit has ratings from at least two people and the judge."
    elif measure in ("kappa", "linear", "quadratic") and len(levels) > _MOST_LEVELS:
        problem = (
            f"The ratings have {len(levels)} different values, so they look like measurements. Kappa has no meaning "
            "for measurements."
        )
    n = len(table)
    if problem:
        none = undefined(problem, n_units=n, n_raters=table.shape[1] + 1, n_left_out=left_out, confidence=confidence)
        return Ceiling(none, none, none, measure, reference)
    sample = patterns(codes, kept)
    added = with_worst_rows(sample, levels, ordered=measure in ("linear", "quadratic", "pearson"))
    sample, worst = added or (sample, None)
    of_judge: list[OfCounts] = []
    of_people: list[OfCounts] = []
    for one, other, place in _pairs(sample.rows, levels, measure, reference):
        (of_judge if place == "judge" else of_people).append(compared(one, other, measure, levels))
    k, width = table.shape[1], 2 * len(levels) + 6
    if not of_judge or not of_people:
        reason = "No two people rated the same unit."
        none = undefined(reason, n_units=n, n_raters=k + 1, n_left_out=left_out, confidence=confidence)
        return Ceiling(none, none, none, measure, reference)
    judged, human = mean_of_counts(of_judge), mean_of_counts(of_people)

    def three(drawn: Floats) -> Floats:
        one, other = judged(drawn), human(drawn)
        return np.column_stack([one, other, one - other])

    values = three(sample.counts[None])[0]
    scale: Literal["correlation", "share"] = "share" if measure == "agreement" else "correlation"
    shapes: list[Literal["difference", "correlation", "share"]] = [scale, scale, "difference"]
    intervals = _three_intervals(three, values, sample, shapes, bootstrap, confidence, width)
    lows: list[LowerLimit | None] = [None, None, None]
    if worst is not None and bootstrap is None and not too_many_to_leave_out(sample):
        lows = list(cautious_limits(three, sample, worst, ("correlation", "correlation", "difference"), width))
    statistics = []
    for at, (what, n_raters) in enumerate((("judge and person", k + 1), ("people", k), ("raters", k + 1))):
        if math.isnan(values[at]):
            reason = (
                f"A pair ({what}) has no {measure}: one rater always gives the same value, or the two raters share "
                "no unit."
            )
            statistics.append(
                undefined(reason, n_units=n, n_raters=n_raters, n_left_out=left_out, confidence=confidence)
            )
            continue
        interval = _lowered(intervals[at], lows[at], confidence) if at == 2 else intervals[at]
        statistics.append(
            estimated(
                float(values[at]), interval, n_units=n, n_raters=n_raters, n_left_out=left_out, confidence=confidence
            )
        )
    return Ceiling(
        statistics[0], statistics[1], statistics[2], measure, reference, judge_low=lows[0], difference_low=lows[2]
    )


def _three_intervals(
    three: SeveralOfCounts,
    values: Floats,
    sample: Patterns,
    shapes: Sequence[Literal["difference", "correlation", "share"]],
    bootstrap: Bootstrap | None,
    confidence: float,
    width: int,
) -> Sequence[Interval]:
    """The limits of judge, people and their difference: by jackknife, or resampled where that is asked for."""
    if bootstrap is not None or too_many_to_leave_out(sample):
        return bootstrap_intervals(three, sample, bootstrap, confidence=confidence, width=width)
    unit = "unit" if sample.clusters is None else "cluster"
    left, times = left_out_values(three, sample, width)
    return [
        limits_without_one(float(values[at]), left[:, at], times, unit, confidence, shape=shape)
        for at, shape in enumerate(shapes)
    ]


def _lowered(interval: Interval, low: LowerLimit | None, confidence: float) -> Interval:
    """The interval with its lower limit moved to where one more question at its worst would leave it."""
    if low is None or not low.defined or math.isnan(interval.low):
        return interval
    cautious = low.at((1 - confidence) / 2)
    if cautious >= interval.low:
        return interval
    return replace(interval, low=cautious, method=f"{interval.method}, lower limit with one worst-case unit")


def ceiling_by_certainty(
    humans: ArrayLike,
    judge: ArrayLike,
    *,
    measure: Measure = "agreement",
    reference: Reference = "each",
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    bootstrap: Bootstrap | None = None,
) -> SplitCeiling:
    """Compute the human ceiling separately for units on which all people agree and for the others.

    High agreement of a judge on units that split people is no merit, because people have no common answer [1]_.
    Chance corrected measures and correlations of the unanimous units alone are often undefined for the people, who do
    not differ; "agreement" never is.

    Parameters
    ----------
    humans, judge, measure, reference, clusters, confidence, bootstrap
        As for :func:`human_ceiling`.

    Returns
    -------
    SplitCeiling
        A :class:`Ceiling` each; every ``n_left_out`` counts the units of the other side, too.

    References
    ----------
    .. [1] Elangovan, A. et al. (2025). Beyond correlation: the impact of human uncertainty in measuring the
       effectiveness of automatic evaluation. ICLR 2025, arXiv:2410.03775.

    Examples
    --------
    >>> people = [[1, 1, 1], [0, 0, 1], [1, 1, 1], [0, 0, 0]] * 5
    >>> ceiling = ceiling_by_certainty(people, [1, 0, 1, 0] * 5)
    >>> ceiling.unanimous.judge.value, round(ceiling.split.judge.value, 3)
    (1.0, 0.667)
    """
    table = numbers(humans, "humans", axes=2)
    f = numbers(judge, "judge")
    same_length(humans=table, judge=f, clusters=clusters)
    rated = ~np.isnan(table)
    low = np.where(rated, table, math.inf).min(axis=1, initial=math.inf)
    high = np.where(rated, table, -math.inf).max(axis=1, initial=-math.inf)
    parts = []
    for wanted in (low == high, low < high):
        part = np.where(wanted, f, math.nan)
        parts.append(
            human_ceiling(
                table,
                part,
                measure=measure,
                reference=reference,
                clusters=clusters,
                confidence=confidence,
                bootstrap=bootstrap,
            )
        )
    return SplitCeiling(*parts)


def value_codes(table: Floats) -> tuple[Floats, Ints]:
    """The different values of a table in order, and the place of each cell's among them; ``MISSING`` for nan."""
    rated = ~np.isnan(table)
    levels, places = np.unique(table[rated], return_inverse=True)
    codes = np.full(table.shape, MISSING, dtype=np.int64)
    codes[rated] = places
    return levels, codes


def sample_of(n: int, clusters: list[Hashable] | None) -> Patterns:
    """Return all units, by cluster, as the one draw that holds each once."""
    if clusters is None:
        return units_sample(n)
    place = {name: at for at, name in enumerate(dict.fromkeys(clusters))}
    return units_sample(n, np.array([place[name] for name in clusters], dtype=np.int64))


def _pairs(rows: Ints, levels: Floats, measure: Measure, reference: Reference) -> Iterator[tuple[Floats, Floats, str]]:
    """Return the (one, other, whose) columns of values to compare; nan marks missing pairs."""
    values = np.append(levels, math.nan)[rows]
    people, judge = values[:, :-1], values[:, -1]
    k = people.shape[1]
    if reference == "each":
        # Units on which only one person is left would count for the judge and not for the people: both need two.
        for h in range(k):
            if not np.isnan(people[:, h]).all():
                yield judge, people[:, h], "judge"
        for h, other in combinations(range(k), 2):
            if not np.isnan(people[:, h] + people[:, other]).all():
                yield people[:, h], people[:, other], "people"
        return
    for h in range(k):
        rest = np.delete(people, h, axis=1)
        if measure == "pearson":
            there = ~np.isnan(rest)
            count = there.sum(axis=1)
            total = np.where(there, rest, 0.0).sum(axis=1)
            others = np.where(count > 0, total / np.maximum(count, 1), math.nan)
        else:
            others = _majority(np.delete(rows[:, :-1], h, axis=1), levels)
        others = np.where(np.isnan(people[:, h]), math.nan, others)
        if not np.isnan(others).all():
            yield judge, others, "judge"
            yield people[:, h], others, "people"


def _majority(rows: Ints, levels: Floats) -> Floats:
    """Return the most frequent value; nan if two are equally frequent or no value was given."""
    votes = np.stack([(rows == at).sum(axis=1) for at in range(len(levels))], axis=1)
    most = votes.max(axis=1)
    clear = (most > 0) & ((votes == most[:, None]).sum(axis=1) == 1)
    return np.where(clear, levels[votes.argmax(axis=1)], math.nan)


def compared(one: Floats, other: Floats, measure: Measure, levels: Floats) -> OfCounts:
    """The measure between two columns of values per pattern (nan for none), for many draws at once."""
    if measure == "pearson":
        return compare_numbers(one, other)
    there = ~np.isnan(one) & ~np.isnan(other)
    if measure == "agreement":
        hits, valid = (there & (one == other)).astype(float), there.astype(float)

        def share(drawn: Floats) -> Floats:
            return quotient(drawn @ hits, drawn @ valid)

        return share
    power = {"kappa": 0, "linear": 1, "quadratic": 2}[measure]
    apart = np.where(there & (one != other), np.abs(np.where(there, one - other, 0.0)) ** power, 0.0)
    gaps = np.abs(levels[:, None] - levels[None])
    between = np.where(gaps > 0, gaps**power, 0.0)
    first = (there[:, None] & (one[:, None] == levels)).astype(float)
    second = (there[:, None] & (other[:, None] == levels)).astype(float)

    def kappa(drawn: Floats) -> Floats:
        left, right = drawn @ first, drawn @ second
        expected = ((left @ between) * right).sum(axis=1)
        return 1 - quotient((drawn @ apart) * left.sum(axis=1), expected)

    return kappa


def compare_numbers(one: Floats, other: Floats) -> OfCounts:
    """Pearson's correlation over the units that have both."""
    there = ~np.isnan(one) & ~np.isnan(other)
    x, y = (np.where(there, standardised(np.where(there, values, math.nan)), 0.0) for values in (one, other))
    x, y = (values - np.where(there, values.sum() / max(1, there.sum()), 0.0) * there for values in (x, y))
    sums = np.column_stack([there, x, y, x * x, y * y, x * y]).astype(float)

    def correlation(drawn: Floats) -> Floats:
        n, sx, sy, sxx, syy, sxy = (drawn @ sums).T
        spread_x, spread_y = n * sxx - sx**2, n * syy - sy**2
        spread_x = np.where(spread_x > 1e-12 * n * sxx, spread_x, 0.0)
        spread_y = np.where(spread_y > 1e-12 * n * syy, spread_y, 0.0)
        return np.clip(quotient(n * sxy - sx * sy, np.sqrt(spread_x * spread_y)), -1, 1)

    return correlation


def mean_of_counts(statistics: Sequence[OfCounts]) -> OfCounts:
    """Return the mean of statistics over the same draws."""

    def mean(drawn: Floats) -> Floats:
        means: Floats = np.mean([statistic(drawn) for statistic in statistics], axis=0)
        return means

    return mean


def quotient(above: Floats, below: Floats) -> Floats:
    """A ratio; nan where the denominator is 0."""
    quotients: Floats = np.where(below > 0, above / np.where(below > 0, below, 1.0), math.nan)
    return quotients

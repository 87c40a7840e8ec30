"""Where a judge errs one way: by model, family, length, place and level of the score."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from agreement.arrays import codes_of, label_list, numbers, same_length, summed
from agreement.bootstrap import check_confidence
from agreement.holm import holm
from agreement.limits import t_quantile
from agreement.ratings import Floats, Ints
from agreement.regression import linear_regression
from agreement.regression_parts import Regression
from agreement.statistic import Interval, Statistic, estimated, no_interval, undefined
from domain.errors import RatingsError
from extensions.calibration.statistics.unit_means import mean_of_units, share_of_units, t_test

__all__ = [
    "AdjustedBias",
    "AtLevel",
    "GroupBias",
    "PositionBias",
    "bias_by_group",
    "calibration_curve",
    "family_bias",
    "length_bias",
    "position_bias",
]


@dataclass(frozen=True)
class GroupBias:
    """Difference of judge and people for one group of units, such as one model's answers."""

    group: Any
    bias: Statistic
    """Mean of judge minus people; its limits hold for this group alone."""
    against_rest: Statistic
    """That minus the same of all other groups: what moves it in a ranking. Limits hold for all groups at once."""
    p_adjusted: float
    """Of ``against_rest``, after Holm; nan where there is no test."""


@dataclass(frozen=True)
class AdjustedBias:
    """What a property of a unit adds to the judge's score."""

    raw: Statistic
    """Mean of judge minus people with the property, minus that without it; a slope for a measure."""
    adjusted: Statistic
    """Coefficient with the people's score held fixed."""
    regression: Regression


@dataclass(frozen=True)
class PositionBias:
    """What becomes of a judge's preferences when the two answers change places."""

    consistency: Statistic
    """Share of pairs with the same answer preferred (or a tie) in both orders."""
    lean: Statistic
    """From -1 (always the second place) to 1 (always the first); 0 is fair. The test is of 0."""
    primacy: Statistic
    """Share of pairs that lean to the first place."""
    recency: Statistic
    """Share of pairs that lean to the second."""


@dataclass(frozen=True)
class AtLevel:
    """One point of a calibration curve."""

    level: float
    """The score given, or the mean of those in the bin."""
    mean: Statistic
    """Mean of the other side's scores there."""
    bias: Statistic
    """Mean of judge minus people there."""


def bias_by_group(
    human: ArrayLike,
    judge: ArrayLike,
    groups: Sequence[Hashable],
    *,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
) -> tuple[GroupBias, ...]:
    """Compare the judge with people for each model (or other group), alone and relative to the other groups.

    Parameters
    ----------
    human, judge
        (n,) people's score of each unit (the mean over people), and the judge's; nan is left out.
    groups
        (n,) which model answered.
    clusters
        (n,) the question, if several models answered it.
    confidence
        Of the limits; those of ``against_rest`` hold together (Bonferroni over groups).

    Returns
    -------
    tuple of GroupBias
        In order of first occurrence. A judge that is lenient with everyone changes no ranking; one that is lenient
        with some does, and only ``against_rest`` shows it.

    Notes
    -----
    With d = judge - people: mean_g(d) with t limits (clustered, Miller 2024). The difference mean_g(d) - mean_rest(d)
    has the variance of the clusters' contributions to both means, and t with G - 1 degrees of freedom (Welch's
    without clusters). The p values are adjusted by Holm [1]_. Checked by worked arithmetic and simulation in
    tests/agreement.

    References
    ----------
    .. [1] Holm, S. (1979). Scandinavian Journal of Statistics 6, 65-70.

    Examples
    --------
    >>> biases = bias_by_group([0, 1, 0, 1], [0, 1, 1, 1], ["x", "x", "y", "y"])
    >>> [(bias.group, bias.bias.value, bias.against_rest.value) for bias in biases]
    [('x', 0.0, -0.5), ('y', 0.5, 0.5)]
    """
    y, f = numbers(human, "human"), numbers(judge, "judge")
    same_length(human=y, judge=f, groups=groups, clusters=clusters)
    names, of_unit = codes_of(groups)
    kept = ~np.isnan(y) & ~np.isnan(f)
    gap = f - y
    cluster = None if clusters is None else codes_of(clusters)[1]
    m = len(names)
    each = 1 - (1 - confidence) / max(1, m)
    biases, rests, p_values = [], [], []
    for at in range(m):
        own = kept & (of_unit == at)
        left_out = int(((of_unit == at) & ~kept).sum())
        biases.append(mean_of_units(gap[own], None if cluster is None else cluster[own], left_out, confidence))
        rest = _gap_of_means(gap, own, kept & ~own, cluster, each, confidence, int((~kept).sum()))
        rests.append(rest)
        p_values.append(rest.test.p_value if rest.test else math.nan)
    adjusted = holm(p_values)
    return tuple(
        GroupBias(name, bias, rest, p) for name, bias, rest, p in zip(names, biases, rests, adjusted, strict=True)
    )


def family_bias(
    human: ArrayLike,
    judge: ArrayLike,
    same_family: Sequence[bool] | ArrayLike,
    *,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
) -> AdjustedBias:
    """Test whether a judge prefers answers of its own family more than people do.

    Parameters
    ----------
    human, judge
        (n,) people's score of each unit, and the judge's; nan is left out.
    same_family
        (n,) whether the answer comes from the judge's own family (or from the judge itself).
    clusters
        (n,) the question.

    Returns
    -------
    AdjustedBias
        ``raw`` difference of differences; ``adjusted`` the coefficient of the family with the people's score held
        fixed. ``nan`` with a ``reason`` if all or none are of the family.

    Notes
    -----
    judge = a + b people + c same family, c by least squares with HC3 or clustered standard errors [1]_. The people's
    score carries noise, so quality is not held fixed entirely: where the family's answers are better, c takes some of
    it. Another judge's c on the same units shows how much. Checked by simulation in tests/agreement.

    References
    ----------
    .. [1] Spiliopoulou, E. et al. (2025). Play favorites. arXiv:2508.06709.

    Examples
    --------
    >>> leaning = family_bias([0, 1, 0, 1, 1, 0], [0, 1, 1, 1, 1, 0.5], [False, False, True, True, True, True])
    >>> round(leaning.raw.value, 3), round(leaning.adjusted.value, 3)
    (0.375, 0.375)
    """
    family = numbers(same_family, "same_family")
    if not np.isin(family[~np.isnan(family)], (0.0, 1.0)).all():
        raise RatingsError("same_family has values other than true and false. Give true or false for each unit.")
    return _adjusted(human, judge, family, "same family", clusters, confidence)


def length_bias(
    human: ArrayLike,
    judge: ArrayLike,
    lengths: ArrayLike,
    *,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
) -> AdjustedBias:
    """Estimate how much more a judge rewards length than people do.

    Parameters
    ----------
    human, judge
        (n,) people's score of each unit, and the judge's; nan is left out.
    lengths
        (n,) of the answers, in words or signs, above 0.
    clusters
        (n,) the question.

    Returns
    -------
    AdjustedBias
        In points of the score for every doubling of the length: ``raw`` the slope of judge minus people, ``adjusted``
        the judge's with the people's score held fixed. ``nan`` with a ``reason`` if all are equally long.

    Notes
    -----
    judge = a + b people + c log2(length), HC3 or clustered standard errors; compare the length-controlled win rate of
    [1]_. Checked by simulation in tests/agreement.

    References
    ----------
    .. [1] Dubois, Y. et al. (2024). Length-controlled AlpacaEval. arXiv:2404.04475.

    Examples
    --------
    >>> slope = length_bias([0, 1, 0, 1, 0, 1], [0, 1, 0.5, 1.5, 1, 2], [10, 10, 20, 20, 40, 40])
    >>> round(slope.adjusted.value, 3)
    0.5
    """
    size = numbers(lengths, "lengths")
    if (size <= 0).any():
        raise RatingsError("A length must be above 0. Give nan for a unit without a length.")
    return _adjusted(human, judge, np.log2(size), "log2 length", clusters, confidence)


def position_bias(
    forward: Sequence[Any],
    swapped: Sequence[Any],
    *,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
) -> PositionBias:
    """Test whether a judge of pairs prefers a position, with each pair judged in both orders.

    Parameters
    ----------
    forward, swapped
        (n,) which place won, "first", "second" or "tie", in one order and in the other; None where there is no verdict.
    clusters
        (n,) what each pair belongs to.

    Returns
    -------
    PositionBias
        Pairs that lack one of the two verdicts are left out.

    Notes
    -----
    A pair is consistent if "first" in one order is "second" in the other, or both are ties. lean = mean of ((first -
    second) in one order + the same in the other) / 2: 1 if the first place won both times, 0.5 if once next to a tie.
    Position consistency and preference fairness as in [1]_, whose fairness has the opposite sign and leaves consistent
    pairs out of the denominator. Test of lean = 0: t. Checked by worked arithmetic in tests/agreement.

    References
    ----------
    .. [1] Shi, L. et al. (2025). Judging the judges: position bias in LLM-as-a-judge. arXiv:2406.07791.

    Examples
    --------
    >>> leaning = position_bias(["first", "first", "second", "tie"], ["second", "first", "first", "tie"])
    >>> leaning.consistency.value, leaning.lean.value
    (0.75, 0.25)
    """
    forward, swapped = label_list(forward, "forward"), label_list(swapped, "swapped")
    n = same_length(forward=forward, swapped=swapped, clusters=clusters)
    step = {"first": 1.0, "second": -1.0, "tie": 0.0}
    for verdict in (*forward, *swapped):
        if verdict is not None and verdict not in step:
            raise RatingsError(f'The verdict {verdict!r} is not valid. Use "first", "second" or "tie".')
    both = [at for at in range(n) if step.get(forward[at]) is not None and step.get(swapped[at]) is not None]
    one, other = (np.array([step[side[at]] for at in both]) for side in (forward, swapped))
    cluster = None if clusters is None else codes_of([clusters[at] for at in both])[1]
    left_out = n - len(both)
    lean = (one + other) / 2
    shares = [
        share_of_units(values, cluster, left_out, confidence) for values in (one + other == 0, lean > 0, lean < 0)
    ]
    mean = mean_of_units(lean, cluster, left_out, confidence, tested=True)
    return PositionBias(shares[0], mean, shares[1], shares[2])


def calibration_curve(
    human: ArrayLike,
    judge: ArrayLike,
    *,
    given: Literal["judge", "human"] = "judge",
    bins: int | None = None,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
) -> tuple[AtLevel, ...]:
    """Compute people's mean score at each level of the judge, or the judge's at each level of people.

    Parameters
    ----------
    human, judge
        (n,) scores; nan is left out.
    given
        Whose score defines the levels. "judge" shows how much to trust each of its scores, "human" how it treats good
        and bad units.
    bins
        Groups of about equally many units by score; None takes every score that occurs as a level.
    confidence
        Of the limits, level by level.

    Returns
    -------
    tuple of AtLevel
        By level. A level with one unit has no limits.

    Notes
    -----
    Means with t limits (clustered, Miller 2024). Noisy scores regress to the mean: where people give low scores, an
    equally good judge gives higher ones on average. ``given="human"`` shows this effect together with true leniency.
    Checked by worked arithmetic in tests/agreement.

    Examples
    --------
    >>> [(point.level, point.mean.value) for point in calibration_curve([0, 1, 1, 1], [0, 0, 1, 1])]
    [(0.0, 0.5), (1.0, 1.0)]
    """
    y, f = numbers(human, "human"), numbers(judge, "judge")
    same_length(human=y, judge=f, clusters=clusters)
    if given not in ("judge", "human"):
        raise RatingsError(f'Levels must come from "judge" or "human", not from {given!r}.')
    kept = ~np.isnan(y) & ~np.isnan(f)
    cluster = None if clusters is None else codes_of(clusters)[1][kept]
    y, f = y[kept], f[kept]
    by, other = (f, y) if given == "judge" else (y, f)
    if bins is None:
        _, place = np.unique(by, return_inverse=True)
    else:
        if bins < 1:
            raise RatingsError(f"bins is {bins}. Give 1 or more.")
        cuts = np.unique(np.quantile(by, np.arange(1, bins) / bins)) if len(by) else np.empty(0)
        place = np.searchsorted(cuts, by, side="right")
    points = []
    for at in np.unique(place):
        own = place == at
        part = None if cluster is None else cluster[own]
        points.append(
            AtLevel(
                float(by[own].mean()),
                mean_of_units(other[own], part, 0, confidence),
                mean_of_units((f - y)[own], part, 0, confidence),
            )
        )
    return tuple(points)


def _gap_of_means(
    values: Floats, own: Any, rest: Any, clusters: Ints | None, each: float, confidence: float, left_out: int
) -> Statistic:
    """mean over own - mean over rest, with limits at ``each`` that are reported to hold together at ``confidence``."""
    n_own, n_rest = int(own.sum()), int(rest.sum())
    n = n_own + n_rest
    if not n_own or not n_rest:
        unscored = "No unit in this group has scores from the judge and people."
        reason = "There is no other group to compare with." if n_own else unscored
        return undefined(reason, n_units=n, n_raters=2, n_left_out=left_out, confidence=confidence)
    value = float(values[own].mean() - values[rest].mean())
    parts = np.zeros(len(values))
    parts[own] = (values[own] - values[own].mean()) / n_own
    parts[rest] = -(values[rest] - values[rest].mean()) / n_rest
    used = own | rest
    if clusters is None:
        df = variance = math.nan
        if n_own > 1 and n_rest > 1:
            v, w = float(values[own].var(ddof=1)) / n_own, float(values[rest].var(ddof=1)) / n_rest
            variance = v + w
            df = variance**2 / (v**2 / (n_own - 1) + w**2 / (n_rest - 1)) if variance > 0 else math.nan
    else:
        df = float(len(np.unique(clusters[used])) - 1)
        variance = summed(parts[used], clusters[used])
    common: dict[str, Any] = {"n_units": n, "n_raters": 2, "n_left_out": left_out, "confidence": confidence}
    if math.isnan(variance) or variance <= 1e-24:
        return estimated(
            value, no_interval("there are too few units (or clusters), or all values are equal."), **common
        )
    se = math.sqrt(variance)
    half = t_quantile(each, df) * se
    method = f"t with {df:.4g} degrees of freedom, Bonferroni over groups"
    if clusters is not None:
        method += ", standard error by cluster"
    return estimated(value, Interval(value - half, value + half, method, se=se), **common, test=t_test(value, se, df))


def _adjusted(
    human: ArrayLike,
    judge: ArrayLike,
    feature: Floats,
    name: str,
    clusters: Sequence[Hashable] | None,
    confidence: float,
) -> AdjustedBias:
    y, f = numbers(human, "human"), numbers(judge, "judge")
    same_length(human=y, judge=f, feature=feature, clusters=clusters)
    check_confidence(confidence)
    common: dict[str, Any] = {"clusters": clusters, "confidence": confidence}
    raw = linear_regression(f - y, feature[:, None], names=[name], **common)
    both = linear_regression(f, np.column_stack([y, feature]), names=["people", name], **common)

    def of(found: Regression) -> Statistic:
        if found.terms:
            return found.term(name).coefficient
        return undefined(
            found.reason or "", n_units=found.n_units, n_raters=2, n_left_out=found.n_left_out, confidence=confidence
        )

    return AdjustedBias(of(raw), of(both), both)

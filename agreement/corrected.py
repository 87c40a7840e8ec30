"""Means of people's scores, estimated from a few human grades and a judge's many."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from agreement.arrays import codes_of, mean_interval, numbers, same_length, summed
from agreement.limits import normal_quantile
from agreement.ratings import Floats, Ints
from agreement.statistic import Interval, Statistic, estimated, no_interval, undefined
from domain.errors import RatingsError

Method = Literal["classical", "ppi", "ppi_plus_plus"]

RANDOM = "the graded units are a random sample of all judged units"
BY_CLASS = "within each true class, the judge makes the same errors on graded units as on the other units"
BY_LEVEL = "the graded units are a random sample of the judged units within each level of the judge"
BY_DESIGN = "each unit was picked for grading with its given probability"

LEAST_YOUDEN = 0.1
"""A judge with sensitivity + specificity - 1 below this tells passes from failures hardly better than a coin."""


@dataclass(frozen=True)
class CorrectedMean:
    """A mean of people's scores with what the judge had a say in it."""

    mean: Statistic
    weight: float
    """How much the judge's scores count: 0 not at all, 1 fully (the lambda of PPI++); nan where nothing is weighed."""
    valid_if: str
    """What the limits take for granted about how the graded units were picked."""


def ppi_mean(
    human: ArrayLike,
    judge: ArrayLike,
    judge_unlabelled: ArrayLike,
    *,
    method: Method = "ppi_plus_plus",
    confidence: float = 0.95,
    clusters: Sequence[Hashable] | None = None,
    clusters_unlabelled: Sequence[Hashable] | None = None,
) -> CorrectedMean:
    """Estimate the mean that people would give to all units, from their grades of some and a judge's of all.

    Parameters
    ----------
    human, judge
        (n,) scores of the units that people graded: theirs, and the judge's of the same units. A unit that lacks one of
        the two (nan) is left out.
    judge_unlabelled
        (N,) the judge's scores of the units that people did not grade.
    method
        "classical" the human mean alone; "ppi" the judge's mean on the other units plus the mean of human minus
        judge; "ppi_plus_plus" weighs the judge by its usefulness, so it is never much worse than the human mean.
    clusters, clusters_unlabelled
        (n,) and (N,) what each unit belongs to, where several are predictions of one item; a name in both is one
        cluster. Standard errors are then clustered.

    Returns
    -------
    CorrectedMean
        ``mean`` with normal limits, ``weight`` (lambda). ``nan`` with a ``reason`` without any human grade, or
        without a judge's score of another unit where the method needs one. Valid if the graded units are a random
        sample of all. If shares differ between the two parts, its limits miss (coverage of 0.14 was seen), and
        :func:`rogan_gladen` may hold.

    Notes
    -----
    theta = mean(Y) + lambda (mean f_N - mean f_n) [1]_, [2]_. The weight lambda is 0, 1 or Cov(Y, f) / ((1 + n/N) Var
    f) within [0, 1], Var f over all n + N scores. Variance s^2(Y - lambda f)/n + lambda^2 s^2(f_N)/N, divided by n -
    1 and N - 1 (ppi-python divides by n and N). Clustered, the sums of what the units of a cluster contribute take
    their place. Checked against ppi-python 0.2.3 in tests/agreement.

    In simulated studies with 50, 150 and 500 graded units (benchmarks/coverage.py) 95 % limits of PPI++ hold the truth
    in 93 to 95 %, if each outcome is among the graded units ten times or so. Where failures are rarer they are too
    narrow (7 % failures: 88 % with 50 graded units, 92 % with 150); then those of :func:`rogan_gladen` held in 95 %.

    References
    ----------
    .. [1] Angelopoulos, A. N. et al. (2023). Prediction-powered inference. Science 382, 669-674.
    .. [2] Angelopoulos, A. N., Duchi, J. C. & Zrnic, T. (2023). PPI++. arXiv:2311.01453.

    Examples
    --------
    >>> found = ppi_mean([1, 0, 1, 1], [1, 0, 1, 0], [1, 1, 0, 0, 1, 0, 1, 0], method="ppi")
    >>> found.mean.value, found.weight
    (0.75, 1.0)
    """
    y, f, of_graded, left_out = _graded(human, judge, clusters, judge_needed=method != "classical")
    g = numbers(judge_unlabelled, "judge_unlabelled")
    same_length(judge_unlabelled=g, clusters_unlabelled=clusters_unlabelled)
    scored = ~np.isnan(g)
    left_out += int((~scored).sum()) if method != "classical" else 0
    if (clusters is None) != (clusters_unlabelled is None) and len(g):
        raise RatingsError("Give clusters for the graded units and for the other units, or give no clusters.")
    n, big_n = len(y), int(scored.sum())
    if n == 0:
        return _none(
            "No unit has a grade from both a person and the judge. Grade units that the judge scored.",
            left_out,
            RANDOM,
            confidence,
        )
    if method == "classical":
        cluster = None if of_graded is None else codes_of(of_graded)[1]
        interval = _normal(float(y.mean()), (y - y.mean()) / n, None, cluster, confidence)
        mean = estimated(float(y.mean()), interval, n_units=n, n_raters=1, n_left_out=left_out, confidence=confidence)
        return CorrectedMean(mean, 0.0, RANDOM)
    if big_n == 0:
        return _none(
            "The judge scored only the graded units. Have the judge score more units.", left_out, RANDOM, confidence
        )
    g = g[scored]
    weight = 1.0
    if method == "ppi_plus_plus":
        spread = float(np.concatenate([f, g]).var(ddof=1))
        covariance = float(((y - y.mean()) * (f - f.mean())).mean())
        weight = float(np.clip(covariance / spread / (1 + n / big_n), 0.0, 1.0)) if spread > 0 else 0.0
    value = float(y.mean() + weight * (g.mean() - f.mean()))
    rest = y - weight * f
    cluster = None
    if of_graded is not None and clusters_unlabelled is not None:
        others = [name for name, kept in zip(clusters_unlabelled, scored, strict=True) if kept]
        cluster = codes_of([*of_graded, *others])[1]
    interval = _normal(value, (rest - rest.mean()) / n, weight * (g - g.mean()) / big_n, cluster, confidence)
    mean = estimated(value, interval, n_units=n + big_n, n_raters=2, n_left_out=left_out, confidence=confidence)
    return CorrectedMean(mean, weight, RANDOM)


def post_stratified_mean(
    human: ArrayLike, judge: ArrayLike, judge_unlabelled: ArrayLike, *, confidence: float = 0.95
) -> CorrectedMean:
    """Estimate people's mean over all units from their mean at each level of the judge, weighted by the judge's shares.

    Parameters
    ----------
    human, judge
        (n,) scores of the graded units; a unit that lacks one of the two is left out.
    judge_unlabelled
        (N,) the judge's scores of the other units.

    Returns
    -------
    CorrectedMean
        ``mean`` with normal limits; ``weight`` is nan. ``nan`` with a ``reason`` if people graded no unit of a level
        that the judge gave; no limits if they graded one only. Valid also if people graded some levels more than
        others on purpose.

    Notes
    -----
    theta = sum_l p_l mean(Y | f = l), p_l the share of level l among all n + N judged units. The variance is sum_l
    p_l^2 s_l^2 / n_l + sum_l p_l (mean_l - theta)^2 / (n + N) [1]_. For a judge with few levels it is as narrow as
    PPI++, and the efficient estimator [2]_. Checked by worked arithmetic and simulation in tests/agreement.

    References
    ----------
    .. [1] Cochran, W. G. (1977). Sampling Techniques, 3rd ed., section 5A.9 and chapter 12. Wiley.
    .. [2] Chen, Y. et al. (2026). arXiv:2601.05420.

    Examples
    --------
    >>> round(post_stratified_mean([1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 0, 0]).mean.value, 3)
    0.417
    """
    y, f, _, left_out = _graded(human, judge, None, judge_needed=True)
    g = numbers(judge_unlabelled, "judge_unlabelled")
    left_out += int(np.isnan(g).sum())
    g = g[~np.isnan(g)]
    n, total = len(y), len(y) + len(g)
    if n == 0:
        return _none(
            "No unit has a grade from both a person and the judge. Grade units that the judge scored.",
            left_out,
            BY_LEVEL,
            confidence,
        )
    levels, place = np.unique(np.concatenate([f, g]), return_inverse=True)
    share = np.bincount(place, minlength=len(levels)) / total
    graded = np.bincount(place[:n], minlength=len(levels)).astype(float)
    for level, count, part in zip(levels.tolist(), graded, share, strict=True):
        if count == 0:
            reason = (
                f"People graded none of the units that the judge scored {level:g} ({part:.1%} of all units). Grade "
                "some of these units, or merge levels."
            )
            return _none(reason, left_out, BY_LEVEL, confidence)
    means = np.bincount(place[:n], weights=y, minlength=len(levels)) / graded
    value = float(share @ means)
    if (graded < 2).any():
        interval = no_interval("one of the judge's levels has only one graded unit.")
    else:
        within = np.bincount(place[:n], weights=(y - means[place[:n]]) ** 2, minlength=len(levels)) / (graded - 1)
        variance = float(share**2 @ (within / graded) + share @ (means - value) ** 2 / total)
        interval = _limits(value, variance, confidence, "normal, stratified by judge level")
    mean = estimated(value, interval, n_units=total, n_raters=2, n_left_out=left_out, confidence=confidence)
    return CorrectedMean(mean, math.nan, BY_LEVEL)


def weighted_mean(
    human: ArrayLike,
    judge: ArrayLike,
    chance: ArrayLike,
    *,
    confidence: float = 0.95,
    clusters: Sequence[Hashable] | None = None,
) -> CorrectedMean:
    """Estimate the mean that people would give to all units if some units were more likely to be graded.

    Parameters
    ----------
    human
        (M,) people's scores; nan for ungraded units.
    judge
        (M,) the judge's scores of all these units; a unit without one is left out.
    chance
        (M,) the probability with which each unit was picked for grading, above 0 and at most 1.

    Returns
    -------
    CorrectedMean
        ``mean`` with normal limits; ``weight`` is 1. ``nan`` with a ``reason`` if nothing was graded.

    Notes
    -----
    theta = mean(f + G (Y - f) / pi), G = 1 for graded units: the inverse-probability form of PPI [1]_, unbiased
    whatever the judge does as long as the chances are right. Checked by worked arithmetic and simulation in
    tests/agreement.

    References
    ----------
    .. [1] Robins, J. M., Rotnitzky, A. & Zhao, L. P. (1994). Journal of the American Statistical Association 89,
       846-866; for judges Kim (2026), arXiv:2605.16354.

    Examples
    --------
    >>> nan = float("nan")
    >>> weighted_mean([1, nan, 0, nan], [1, 1, 1, 0], [1, 0.5, 0.5, 0.5]).mean.value
    0.25
    """
    y, f, p = numbers(human, "human"), numbers(judge, "judge"), numbers(chance, "chance")
    same_length(human=y, judge=f, chance=p, clusters=clusters)
    if not ((p > 0) & (p <= 1)).all():
        raise RatingsError("The grading probability of every unit must be above 0 and at most 1.")
    kept = ~np.isnan(f)
    left_out, graded = int((~kept).sum()), kept & ~np.isnan(y)
    if not graded.any():
        return _none(
            "No unit has a grade from both a person and the judge. Grade units that the judge scored.",
            left_out,
            BY_DESIGN,
            confidence,
        )
    values = f[kept].copy()
    values[graded[kept]] += ((y - f) / p)[graded]
    cluster = None if clusters is None else codes_of([clusters[at] for at in np.flatnonzero(kept)])[1]
    value = float(values.mean())
    interval = _normal(value, (values - value) / len(values), None, cluster, confidence)
    mean = estimated(value, interval, n_units=len(values), n_raters=2, n_left_out=left_out, confidence=confidence)
    return CorrectedMean(mean, 1.0, BY_DESIGN)


def rogan_gladen(
    human: ArrayLike,
    judge: ArrayLike,
    judge_unlabelled: ArrayLike,
    *,
    confidence: float = 0.95,
    least_youden: float = LEAST_YOUDEN,
) -> CorrectedMean:
    """Estimate the true pass rate from a judge's pass rate, corrected by its sensitivity and specificity.

    Parameters
    ----------
    human, judge
        (n,) zeros and ones: what people and the judge say of the graded units; nan is left out.
    judge_unlabelled
        (N,) zeros and ones of the judge, on the units whose pass rate is wanted.
    least_youden
        Refused where sensitivity + specificity - 1 is below this: the correction divides by it.

    Returns
    -------
    CorrectedMean
        ``mean`` in [0, 1] with the limits of Lee et al.; ``weight`` is nan. ``nan`` with a ``reason`` if people saw no
        pass or no failure, or if the judge hardly tells them apart. Valid also where the graded units were picked by
        class or come from elsewhere; where they are a random sample, :func:`ppi_mean` is narrower.

    Notes
    -----
    theta = (p + spec - 1) / (sens + spec - 1), cut to [0, 1] [1]_. Limits [2]_: with p' = (N p + z^2/2) / (N + z^2) and
    one more success and failure in each class, theta' + d -/+ z sqrt(p'(1-p')/(N + z^2) + (1-theta')^2 v0
    + theta'^2 v1) / (sens' + spec' - 1), v = r'(1-r')/(m + 2), d = 2 z^2 (theta' v1 - (1-theta') v0). Checked against
    the authors' code in tests/agreement.

    References
    ----------
    .. [1] Rogan, W. J. & Gladen, B. (1978). American Journal of Epidemiology 107, 71-76.
    .. [2] Lee, C. et al. (2025). How to correctly report LLM-as-a-judge evaluations. arXiv:2511.21140.

    Examples
    --------
    >>> human, judge = [1] * 10 + [0] * 10, [1] * 9 + [0] + [0] * 8 + [1] * 2
    >>> round(rogan_gladen(human, judge, [1] * 6 + [0] * 4).mean.value, 3)
    0.571
    """
    y, f, _, left_out = _graded(human, judge, None, judge_needed=True)
    g = numbers(judge_unlabelled, "judge_unlabelled")
    left_out += int(np.isnan(g).sum())
    g = g[~np.isnan(g)]
    z = normal_quantile(confidence)
    for values in (y, f, g):
        if not np.isin(values, (0.0, 1.0)).all():
            raise RatingsError("This correction needs zeros (fail) and ones (pass). For scores, use ppi_mean.")
    m1, m0, n = int((y == 1).sum()), int((y == 0).sum()), len(g)
    if not (m0 and m1 and n):
        lacking = "judged" if not n else "passed" if not m1 else "failed"
        whom = "" if lacking == "judged" else " by people"
        reason = f"No unit was {lacking}{whom}, so one of the judge's error rates is unknown. Grade more units."
        if not n:
            reason = "The judge scored only the graded units. Have the judge score more units."
        return _none(reason, left_out, BY_CLASS, confidence)
    sens, spec, p = float(f[y == 1].mean()), float(1 - f[y == 0].mean()), float(g.mean())
    if sens + spec - 1 < least_youden:
        reason = (
            f"Sensitivity ({sens:.3f}) plus specificity ({spec:.3f}) minus 1 is {sens + spec - 1:.3f}, which is "
            f"below {least_youden:g}. The judge hardly distinguishes passes from failures, so the correction would "
            "divide by a very small number."
        )
        return _none(reason, left_out, BY_CLASS, confidence)
    value = min(1.0, max(0.0, (p + spec - 1) / (sens + spec - 1)))
    adjusted = (n * p + z**2 / 2) / (n + z**2)
    s1, s0 = (m1 * sens + 1) / (m1 + 2), (m0 * spec + 1) / (m0 + 2)
    if s1 + s0 - 1 < least_youden / 2:
        interval = no_interval("people graded too few units of one class to estimate the judge's error rates.")
    else:
        centre = (adjusted + s0 - 1) / (s1 + s0 - 1)
        v1, v0 = s1 * (1 - s1) / (m1 + 2), s0 * (1 - s0) / (m0 + 2)
        shift = 2 * z**2 * (centre * v1 - (1 - centre) * v0)
        variance = adjusted * (1 - adjusted) / (n + z**2) + (1 - centre) ** 2 * v0 + centre**2 * v1
        se = math.sqrt(variance) / (s1 + s0 - 1)
        low, high = (min(1.0, max(0.0, centre + shift + side * z * se)) for side in (-1, 1))
        interval = Interval(low, high, "plug-in (Lee et al. 2025)", se=se)
    mean = estimated(value, interval, n_units=n + m0 + m1, n_raters=2, n_left_out=left_out, confidence=confidence)
    return CorrectedMean(mean, math.nan, BY_CLASS)


def clustered_mean(
    values: ArrayLike, *, clusters: Sequence[Hashable] | None = None, confidence: float = 0.95
) -> Statistic:
    """Return a mean with a standard error for clustered units.

    Parameters
    ----------
    values
        (n,) numbers; nan is left out.
    clusters
        (n,) group of each, such as the question that several models answered; None means independent.

    Returns
    -------
    Statistic
        The mean with t limits; ``nan`` with a ``reason`` without any value.

    Notes
    -----
    se^2 = G / (G - 1) sum_g (sum_{i in g} (x_i - mean))^2 / n^2 with G - 1 degrees of freedom [1]_: s / sqrt(n) where
    every unit is its own cluster. Checked by worked arithmetic in tests/agreement.

    References
    ----------
    .. [1] Miller, E. (2024). Adding error bars to evals. arXiv:2411.00640.

    Examples
    --------
    >>> round(clustered_mean([1, 1, 0, 0], clusters=["q1", "q1", "q2", "q2"]).se, 3)
    0.5
    """
    table = numbers(values, "values")
    same_length(values=table, clusters=clusters)
    kept = ~np.isnan(table)
    left_out = int((~kept).sum())
    if not kept.any():
        return undefined("There are no values.", n_units=0, n_raters=1, n_left_out=left_out, confidence=confidence)
    cluster = None if clusters is None else codes_of([clusters[at] for at in np.flatnonzero(kept)])[1]
    interval = mean_interval(table[kept], cluster, confidence)
    return estimated(
        float(table[kept].mean()),
        interval,
        n_units=int(kept.sum()),
        n_raters=1,
        n_left_out=left_out,
        confidence=confidence,
    )


def _graded(
    human: ArrayLike, judge: ArrayLike, clusters: Sequence[Hashable] | None, *, judge_needed: bool
) -> tuple[Floats, Floats, list[Hashable] | None, int]:
    """Return both scores of the complete units, their clusters, and the number of units left out."""
    y, f = numbers(human, "human"), numbers(judge, "judge")
    same_length(human=y, judge=f, clusters=clusters)
    kept = ~np.isnan(y) & (~np.isnan(f) | (not judge_needed))
    names = None if clusters is None else [clusters[at] for at in np.flatnonzero(kept)]
    return y[kept], f[kept], names, int((~kept).sum())


def _normal(value: float, graded: Floats, others: Floats | None, clusters: Ints | None, confidence: float) -> Interval:
    """Normal limits from what each unit contributes: two independent samples, or clusters over both."""
    if clusters is not None:
        both = graded if others is None else np.concatenate([graded, others])
        return _limits(value, summed(both, clusters), confidence, "normal, standard error by cluster")
    variance = summed(graded, None) + (0.0 if others is None or not others.any() else summed(others, None))
    return _limits(value, variance, confidence, "normal")


def _limits(value: float, variance: float, confidence: float, method: str) -> Interval:
    z = normal_quantile(confidence)
    if math.isnan(variance):
        return no_interval("one of the two samples has fewer than two units (or clusters).")
    se = math.sqrt(max(0.0, variance))
    if se < 1e-12 * max(1.0, abs(value)):
        return no_interval("the values do not vary, so the interval would have a misleading width of zero.")
    return Interval(value - z * se, value + z * se, method, se=se)


def _none(reason: str, left_out: int, valid_if: str, confidence: float) -> CorrectedMean:
    mean = undefined(reason, n_units=0, n_raters=2, n_left_out=left_out)
    return CorrectedMean(replace(mean, confidence=confidence), math.nan, valid_if)

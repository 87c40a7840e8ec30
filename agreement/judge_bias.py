"""Where a judge errs one way: by model, family, length, place, level of the score, prompt version, repeat and reply."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from agreement.alpha import krippendorff_alpha
from agreement.arrays import (
    clustered_share,
    codes_of,
    label_list,
    mean_interval,
    numbers,
    paired_limits,
    same_length,
    summed,
)
from agreement.bootstrap import Bootstrap, OfCounts, check_confidence, patterns
from agreement.ceiling import Measure, compared, value_codes
from agreement.chance import percent_agreement
from agreement.limits import t_quantile, wilson
from agreement.rater_bias import stuart_maxwell
from agreement.ratings import Floats, Ints, Level, Ratings, Scale
from agreement.regression import linear_regression
from agreement.regression_parts import Regression
from agreement.statistic import Interval, Statistic, Test, estimated, no_interval, undefined
from domain.errors import RatingsError


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


@dataclass(frozen=True)
class Drift:
    """What changed between two versions of a judge on the same units."""

    change: Statistic
    """Mean of new minus old score."""
    old: Statistic
    """Agreement of the old version with people."""
    new: Statistic
    """Agreement of the new one."""
    agreement_change: Statistic
    """New minus old on the same units, in pairs."""
    marginal: Test | None
    """Stuart-Maxwell test that both versions give each label equally often; None where they give the same ones."""
    margin: float | None
    verdict: Literal["equivalent", "changed", "not known", "no margin declared"]
    """By the limits of ``agreement_change`` against the margin."""


@dataclass(frozen=True)
class SelfConsistency:
    """A judge compared with itself, over repeated runs."""

    flips: Statistic
    """Share of pairs of runs that give a unit different values."""
    always_same: Statistic
    """Share of units with the same value in all runs."""
    alpha: Statistic
    """Krippendorff's alpha of the runs."""


@dataclass(frozen=True)
class UnparsedEffect:
    """Possible effect of unreadable replies on a mean."""

    share: Statistic
    """Of replies without a value."""
    parsed: Statistic
    """The mean of those with one."""
    worst: Statistic
    """The mean if all others were the lowest value."""
    best: Statistic
    """The mean if all others were the highest."""


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
    >>> found = bias_by_group([0, 1, 0, 1], [0, 1, 1, 1], ["x", "x", "y", "y"])
    >>> [(each.group, each.bias.value, each.against_rest.value) for each in found]
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
        biases.append(_mean(gap[own], None if cluster is None else cluster[own], left_out, confidence))
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
    >>> found = family_bias([0, 1, 0, 1, 1, 0], [0, 1, 1, 1, 1, 0.5], [False, False, True, True, True, True])
    >>> round(found.raw.value, 3), round(found.adjusted.value, 3)
    (0.375, 0.375)
    """
    family = numbers(same_family, "same_family")
    if not np.isin(family[~np.isnan(family)], (0.0, 1.0)).all():
        raise RatingsError("same_family says yes or no (true or false) for each unit.")
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
    >>> found = length_bias([0, 1, 0, 1, 0, 1], [0, 1, 0.5, 1.5, 1, 2], [10, 10, 20, 20, 40, 40])
    >>> round(found.adjusted.value, 3)
    0.5
    """
    size = numbers(lengths, "lengths")
    if (size <= 0).any():
        raise RatingsError("A length is above 0; leave out (nan) what has none.")
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
    >>> found = position_bias(["first", "first", "second", "tie"], ["second", "first", "first", "tie"])
    >>> found.consistency.value, found.lean.value
    (0.75, 0.25)
    """
    forward, swapped = label_list(forward, "forward"), label_list(swapped, "swapped")
    n = same_length(forward=forward, swapped=swapped, clusters=clusters)
    step = {"first": 1.0, "second": -1.0, "tie": 0.0}
    for verdict in (*forward, *swapped):
        if verdict is not None and verdict not in step:
            raise RatingsError(f'A verdict is "first", "second" or "tie", not {verdict!r}.')
    both = [at for at in range(n) if step.get(forward[at]) is not None and step.get(swapped[at]) is not None]
    one, other = (np.array([step[side[at]] for at in both]) for side in (forward, swapped))
    cluster = None if clusters is None else codes_of([clusters[at] for at in both])[1]
    left_out = n - len(both)
    lean = (one + other) / 2
    shares = [_portion(values, cluster, left_out, confidence) for values in (one + other == 0, lean > 0, lean < 0)]
    mean = _mean(lean, cluster, left_out, confidence, tested=True)
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
        raise RatingsError(f'Levels are those of the "judge" or of the "human", not {given!r}.')
    kept = ~np.isnan(y) & ~np.isnan(f)
    cluster = None if clusters is None else codes_of(clusters)[1][kept]
    y, f = y[kept], f[kept]
    by, other = (f, y) if given == "judge" else (y, f)
    if bins is None:
        _, place = np.unique(by, return_inverse=True)
    else:
        if bins < 1:
            raise RatingsError(f"There is at least one bin, not {bins}.")
        cuts = np.unique(np.quantile(by, np.arange(1, bins) / bins)) if len(by) else np.empty(0)
        place = np.searchsorted(cuts, by, side="right")
    points = []
    for at in np.unique(place):
        own = place == at
        part = None if cluster is None else cluster[own]
        points.append(
            AtLevel(
                float(by[own].mean()),
                _mean(other[own], part, 0, confidence),
                _mean((f - y)[own], part, 0, confidence),
            )
        )
    return tuple(points)


def drift(
    human: ArrayLike,
    old: ArrayLike,
    new: ArrayLike,
    *,
    measure: Measure = "agreement",
    margin: float | None = None,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    bootstrap: Bootstrap | None = None,
) -> Drift:
    """Test whether a new prompt or model version of a judge still judges like the old one.

    Parameters
    ----------
    human
        (units, people) or (units,) what people say of a frozen set of units; nan for gaps.
    old, new
        (units,) both versions' values. Units that one of them lacks are left out.
    measure
        Of agreement with people, as in :func:`human_ceiling`, averaged over the people.
    margin
        The change of agreement that would be no change to you, declared beforehand.
    clusters
        (units,) what each unit belongs to.

    Returns
    -------
    Drift
        ``verdict``: "equivalent" if the limits of ``agreement_change`` lie within -/+ margin, "changed" if they lie
        outside it entirely, otherwise "not known".

    Notes
    -----
    Differences are paired: both versions are measured on every draw. The usual two one-sided tests at 5 % ask for the
    90 % limits [1]_; 95 % limits are the stricter rule. Checked by worked arithmetic and simulation in tests/agreement.

    References
    ----------
    .. [1] Schuirmann, D. J. (1987). Journal of Pharmacokinetics and Biopharmaceutics 15, 657-680.

    Examples
    --------
    >>> people = [[1, 1], [0, 0], [1, 0], [1, 1]] * 10
    >>> found = drift(people, [1, 0, 1, 1] * 10, [1, 0, 1, 0] * 10, margin=0.05)
    >>> found.agreement_change.value, found.verdict
    (-0.25, 'changed')
    """
    axes = 1 if np.ndim(np.asarray(human, dtype=object)) == 1 else 2
    table = numbers(human, "human", axes=axes)
    table = table[:, None] if axes == 1 else table
    first, second = numbers(old, "old"), numbers(new, "new")
    same_length(human=table, old=first, new=second, clusters=clusters)
    if margin is not None and margin <= 0:
        raise RatingsError(f"A margin is above 0, not {margin:g}.")
    kept = ~np.isnan(first) & ~np.isnan(second)
    left_out = int((~kept).sum())
    names = None if clusters is None else [clusters[at] for at in np.flatnonzero(kept)]
    cluster = None if names is None else codes_of(names)[1]
    table, first, second = table[kept], first[kept], second[kept]
    n = len(first)
    change = _mean(second - first, cluster, left_out, confidence)
    levels, codes = value_codes(np.column_stack([table, first, second]))
    sample = patterns(codes, names)
    values = np.append(levels, math.nan)[sample.rows] if n else np.empty((0, table.shape[1] + 2))
    people = [values[:, h] for h in range(table.shape[1]) if not np.isnan(values[:, h]).all()]
    versions: list[OfCounts] = []
    for version in (values[:, -2], values[:, -1]):
        parts = [compared(version, person, measure, levels) for person in people]
        versions.append(_average(parts))

    def changed(drawn: Floats) -> Floats:
        return versions[1](drawn) - versions[0](drawn)

    found = []
    for statistic in (*versions, changed):
        value = float(statistic(sample.counts[None])[0]) if n and people else math.nan
        if math.isnan(value):
            reason = "No unit has both versions and a person, or a side always says the same."
            found.append(
                undefined(reason, n_units=n, n_raters=table.shape[1], n_left_out=left_out, confidence=confidence)
            )
            continue
        shape: Literal["difference", "correlation", "share"] = "difference"
        if statistic is not changed:
            shape = "share" if measure == "agreement" else "correlation"
        interval = paired_limits(statistic, sample, bootstrap, confidence, shape=shape, width=2 * len(levels) + 6)
        found.append(
            estimated(value, interval, n_units=n, n_raters=table.shape[1], n_left_out=left_out, confidence=confidence)
        )
    return Drift(
        change,
        found[0],
        found[1],
        found[2],
        _marginal(first, second),
        margin,
        _equivalence(found[2], margin, identical=bool(n) and bool((first == second).all())),
    )


def self_consistency(
    runs: ArrayLike,
    *,
    level: Level = "nominal",
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    bootstrap: Bootstrap | None = None,
) -> SelfConsistency:
    """Measure how well a judge agrees with itself when asked again; it cannot agree better with people.

    Parameters
    ----------
    runs
        (units, runs) numbers or codes, nan where a run gave none. Units with fewer than two are left out.
    level
        Of the scale, for alpha.
    clusters
        (units,) what each unit belongs to.

    Returns
    -------
    SelfConsistency
        ``flips`` is 1 - percent agreement over pairs of runs.

    Notes
    -----
    By :func:`percent_agreement` and :func:`krippendorff_alpha`, with runs for raters. Runs at temperature 0 are often
    the same and say little. Checked by worked arithmetic in tests/agreement.

    Examples
    --------
    >>> found = self_consistency([[1, 1, 1], [0, 0, 1], [1, 1, 1], [0, 0, 0]])
    >>> round(found.flips.value, 3), found.always_same.value
    (0.167, 0.75)
    """
    table = numbers(runs, "runs", axes=2)
    same_length(runs=table, clusters=clusters)
    rated = ~np.isnan(table)
    usable = rated.sum(axis=1) >= 2
    left_out = int((rated.any(axis=1) & ~usable).sum())
    names = None if clusters is None else tuple(str(clusters[at]) for at in np.flatnonzero(usable))
    table, rated = table[usable], rated[usable]
    scale = Scale("interval" if level in ("interval", "ratio") else level)
    ratings = Ratings.from_array(table, scale=scale)
    if names is not None:
        ratings = _with_clusters(ratings, names)
    common: dict[str, Any] = {"confidence": confidence, "bootstrap": bootstrap}
    agreed = percent_agreement(ratings, **common)
    alpha = krippendorff_alpha(ratings, level=level, **common)
    same = np.where(rated, table, -math.inf).max(axis=1, initial=-math.inf) == np.where(rated, table, math.inf).min(
        axis=1, initial=math.inf
    )
    cluster = None if names is None else codes_of(names)[1]
    flips = Statistic(
        1 - agreed.value,
        1 - agreed.high,
        1 - agreed.low,
        agreed.method,
        agreed.n_units,
        agreed.n_raters,
        left_out,
        agreed.reason,
        agreed.se,
        confidence,
    )
    return SelfConsistency(flips, _portion(same, cluster, left_out, confidence), alpha)


def unparsed(
    judge: ArrayLike,
    *,
    lowest: float = 0.0,
    highest: float = 1.0,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
) -> UnparsedEffect:
    """Count the unreadable replies and bound the mean over all values that they could have had.

    Parameters
    ----------
    judge
        (n,) values, nan where the reply could not be read: scores, or 0 and 1 for wrong and right.
    lowest, highest
        The ends of the scale.
    clusters
        (n,) what each reply belongs to.

    Returns
    -------
    Unparsed
        ``worst`` counts unread replies as the lowest value (as errors), ``best`` as the highest. ``parsed`` leaves them
        out, which is right only if they are like the others.

    Notes
    -----
    Worst and best case are the bounds of Manski [1]_; the lower limit of the one and the upper of the other hold both
    for sampling and for unreadable replies. Checked by worked arithmetic in tests/agreement.

    References
    ----------
    .. [1] Manski, C. F. (2003). Partial Identification of Probability Distributions. Springer.

    Examples
    --------
    >>> found = unparsed([1, 1, 0, float("nan")])
    >>> found.share.value, found.worst.value, found.best.value
    (0.25, 0.5, 0.75)
    """
    f = numbers(judge, "judge")
    same_length(judge=f, clusters=clusters)
    if lowest >= highest:
        raise RatingsError(f"The lowest value ({lowest:g}) lies below the highest ({highest:g}).")
    known = ~np.isnan(f)
    if ((f[known] < lowest) | (f[known] > highest)).any():
        raise RatingsError(f"The judge gave values outside {lowest:g} to {highest:g}; declare the ends of the scale.")
    cluster = None if clusters is None else codes_of(clusters)[1]
    return UnparsedEffect(
        _portion(~known, cluster, 0, confidence),
        _mean(f[known], None if cluster is None else cluster[known], int((~known).sum()), confidence),
        _mean(np.where(known, f, lowest), cluster, 0, confidence),
        _mean(np.where(known, f, highest), cluster, 0, confidence),
    )


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """p values adjusted so that the chance of any false rejection among them stays below the level.

    Parameters
    ----------
    p_values
        One per hypothesis; nan where there was no test.

    Returns
    -------
    tuple of float
        In the same order; nan stays.

    Notes
    -----
    The i-th smallest of m times m - i + 1, never below a smaller one's, at most 1 (Holm 1979).

    Examples
    --------
    >>> holm([0.01, 0.5, 0.04])
    (0.03, 0.5, 0.08)
    """
    p = np.asarray(p_values, dtype=float)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    steps = p[order] * np.arange(len(order), 0, -1)
    adjusted = p.copy()
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps)) if len(order) else steps
    return tuple(adjusted.tolist())


def _marginal(first: Floats, second: Floats) -> Test | None:
    """Stuart and Maxwell's test of two versions of a judge."""
    if not len(first):
        return None
    table = Ratings.from_array(np.column_stack([first, second]), scale=Scale("nominal"))
    return stuart_maxwell(table, bootstrap=Bootstrap(draws=0)).test


def _with_clusters(ratings: Ratings, names: tuple[str, ...]) -> Ratings:
    return Ratings(ratings.units, ratings.raters, ratings.codes, ratings.categories, ratings.scale, names)


def _mean(
    values: Floats, clusters: Ints | None, left_out: int, confidence: float, *, tested: bool = False
) -> Statistic:
    n = len(values)
    if n == 0:
        return undefined("No unit has both scores.", n_units=0, n_raters=2, n_left_out=left_out, confidence=confidence)
    interval = mean_interval(values, clusters, confidence)
    value = float(values.mean())
    test = None
    if tested and not math.isnan(interval.se):
        df = (n if clusters is None else len(np.unique(clusters))) - 1
        test = _t_test(value, interval.se, df)
    return estimated(value, interval, n_units=n, n_raters=2, n_left_out=left_out, confidence=confidence, test=test)


def _portion(hits: Any, clusters: Ints | None, left_out: int, confidence: float) -> Statistic:
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


def _t_test(value: float, se: float, df: float) -> Test:
    t = value / se
    return Test("t", t, (float(df),), float(2 * special.stdtr(df, -abs(t))))


def _gap_of_means(
    values: Floats, own: Any, rest: Any, clusters: Ints | None, each: float, confidence: float, left_out: int
) -> Statistic:
    """mean over own - mean over rest, with limits at ``each`` that are reported to hold together at ``confidence``."""
    n_own, n_rest = int(own.sum()), int(rest.sum())
    n = n_own + n_rest
    if not n_own or not n_rest:
        reason = "There is no other group to compare with." if n_own else "No unit of this group has both scores."
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
        return estimated(value, no_interval("too few units (or clusters), or nothing varies."), **common)
    se = math.sqrt(variance)
    half = t_quantile(each, df) * se
    method = f"t with {df:.4g} degrees of freedom, Bonferroni over groups"
    if clusters is not None:
        method += ", standard error by cluster"
    return estimated(value, Interval(value - half, value + half, method, se=se), **common, test=_t_test(value, se, df))


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


def _average(statistics: Sequence[OfCounts]) -> OfCounts:
    def mean(drawn: Floats) -> Floats:
        found: Floats = np.mean([statistic(drawn) for statistic in statistics], axis=0)
        return found

    return mean


def _equivalence(
    change: Statistic, margin: float | None, *, identical: bool
) -> Literal["equivalent", "changed", "not known", "no margin declared"]:
    if margin is None:
        return "no margin declared"
    if identical:
        return "equivalent"
    if math.isnan(change.low):
        return "not known"
    if -margin <= change.low and change.high <= margin:
        return "equivalent"
    return "changed" if change.low > margin or change.high < -margin else "not known"

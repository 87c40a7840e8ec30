"""How far a judge agrees with itself: between prompt versions, between repeats, and where replies are unreadable."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from agreement.alpha import krippendorff_alpha
from agreement.arrays import codes_of, numbers, paired_limits, same_length
from agreement.bootstrap import Bootstrap, OfCounts, patterns
from agreement.chance import percent_agreement
from agreement.rater_bias import stuart_maxwell
from agreement.ratings import Floats, Level, Ratings, Scale
from agreement.statistic import Statistic, Test, estimated, undefined
from domain.errors import RatingsError
from extensions.calibration.statistics.ceiling import Measure, compared, value_codes
from extensions.calibration.statistics.unit_means import mean_of_units, share_of_units

__all__ = ["Drift", "SelfConsistency", "UnparsedEffect", "drift", "self_consistency", "unparsed"]


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
    >>> change = drift(people, [1, 0, 1, 1] * 10, [1, 0, 1, 0] * 10, margin=0.05)
    >>> change.agreement_change.value, change.verdict
    (-0.25, 'changed')
    """
    axes = 1 if np.ndim(np.asarray(human, dtype=object)) == 1 else 2
    table = numbers(human, "human", axes=axes)
    table = table[:, None] if axes == 1 else table
    first, second = numbers(old, "old"), numbers(new, "new")
    same_length(human=table, old=first, new=second, clusters=clusters)
    if margin is not None and margin <= 0:
        raise RatingsError(f"The margin is {margin:g}. Give a number above 0.")
    kept = ~np.isnan(first) & ~np.isnan(second)
    left_out = int((~kept).sum())
    names = None if clusters is None else [clusters[at] for at in np.flatnonzero(kept)]
    cluster = None if names is None else codes_of(names)[1]
    table, first, second = table[kept], first[kept], second[kept]
    n = len(first)
    change = mean_of_units(second - first, cluster, left_out, confidence)
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

    statistics = []
    for statistic in (*versions, changed):
        value = float(statistic(sample.counts[None])[0]) if n and people else math.nan
        if math.isnan(value):
            reason = "No unit has ratings from both versions and a person, or one rater always gives the same value."
            statistics.append(
                undefined(reason, n_units=n, n_raters=table.shape[1], n_left_out=left_out, confidence=confidence)
            )
            continue
        shape: Literal["difference", "correlation", "share"] = "difference"
        if statistic is not changed:
            shape = "share" if measure == "agreement" else "correlation"
        interval = paired_limits(statistic, sample, bootstrap, confidence, shape=shape, width=2 * len(levels) + 6)
        statistics.append(
            estimated(value, interval, n_units=n, n_raters=table.shape[1], n_left_out=left_out, confidence=confidence)
        )
    return Drift(
        change,
        statistics[0],
        statistics[1],
        statistics[2],
        _marginal(first, second),
        margin,
        _equivalence(statistics[2], margin, identical=bool(n) and bool((first == second).all())),
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
    >>> consistency = self_consistency([[1, 1, 1], [0, 0, 1], [1, 1, 1], [0, 0, 0]])
    >>> round(consistency.flips.value, 3), consistency.always_same.value
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
    return SelfConsistency(flips, share_of_units(same, cluster, left_out, confidence), alpha)


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
    >>> unread = unparsed([1, 1, 0, float("nan")])
    >>> unread.share.value, unread.worst.value, unread.best.value
    (0.25, 0.5, 0.75)
    """
    f = numbers(judge, "judge")
    same_length(judge=f, clusters=clusters)
    if lowest >= highest:
        raise RatingsError(
            f"The lowest value ({lowest:g}) is not below the highest value ({highest:g}). Correct the scale."
        )
    known = ~np.isnan(f)
    if ((f[known] < lowest) | (f[known] > highest)).any():
        raise RatingsError(f"The judge gave values outside {lowest:g} to {highest:g}. Declare the ends of the scale.")
    cluster = None if clusters is None else codes_of(clusters)[1]
    return UnparsedEffect(
        share_of_units(~known, cluster, 0, confidence),
        mean_of_units(f[known], None if cluster is None else cluster[known], int((~known).sum()), confidence),
        mean_of_units(np.where(known, f, lowest), cluster, 0, confidence),
        mean_of_units(np.where(known, f, highest), cluster, 0, confidence),
    )


def _marginal(first: Floats, second: Floats) -> Test | None:
    """Stuart and Maxwell's test of two versions of a judge."""
    if not len(first):
        return None
    table = Ratings.from_array(np.column_stack([first, second]), scale=Scale("nominal"))
    return stuart_maxwell(table, bootstrap=Bootstrap(draws=0)).test


def _with_clusters(ratings: Ratings, names: tuple[str, ...]) -> Ratings:
    return Ratings(ratings.units, ratings.raters, ratings.codes, ratings.categories, ratings.scale, names)


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


def _average(statistics: Sequence[OfCounts]) -> OfCounts:
    def mean(drawn: Floats) -> Floats:
        means: Floats = np.mean([statistic(drawn) for statistic in statistics], axis=0)
        return means

    return mean

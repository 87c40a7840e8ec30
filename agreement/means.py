"""Shares and means of scores, over units that may belong together, and over parts that count alike."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from agreement.arrays import clustered_share, codes_of, numbers, same_length
from agreement.bootstrap import Bootstrap, bootstrap_interval, patterns
from agreement.corrected import clustered_mean
from agreement.limits import t_quantile, wilson
from agreement.rater_bias import mcnemar
from agreement.ratings import Floats, Ints, Ratings, Scale
from agreement.statistic import Interval, Statistic, Test, estimated, no_interval, undefined
from domain.errors import RatingsError


def share(
    hits: ArrayLike,
    *,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    n_raters: int = 1,
    bootstrap: Bootstrap | None = None,
) -> Statistic:
    """Compute the share of ones among zeros and ones, such as the accuracy of a model's answers.

    Parameters
    ----------
    hits
        (n,) zeros and ones; nan is left out.
    clusters
        (n,) group of each, such as the video that questions are about; None means independent.
    n_raters
        How many had a say in the values; 1 for a comparison with a key.
    bootstrap
        How clusters are resampled for the limits; None: Wilson's, as where all draws would be alike.

    Returns
    -------
    Statistic
        With Wilson's limits, which stay within 0 and 1; ``nan`` with a ``reason`` without any value.

    Raises
    ------
    RatingsError
        A value is neither 0 nor 1.

    Notes
    -----
    Wilson's score limits [1]_; with clusters at the effective sample size n p (1 - p) / (n^2 se^2), se by cluster.
    Checked against scipy's ``binomtest`` in tests/agreement.

    References
    ----------
    .. [1] Wilson, E. B. (1927). Journal of the American Statistical Association 22, 209-212.

    Examples
    --------
    >>> found = share([1, 1, 1, 0])
    >>> found.value, round(found.low, 3), round(found.high, 3)
    (0.75, 0.301, 0.954)
    """
    table = numbers(hits, "hits")
    same_length(hits=table, clusters=clusters)
    kept = ~np.isnan(table)
    n, left_out = int(kept.sum()), int((~kept).sum())
    if not np.isin(table[kept], (0.0, 1.0)).all():
        raise RatingsError("A share needs zeros and ones. For other numbers, use clustered_mean.")
    if not n:
        return undefined(
            "There are no values.", n_units=0, n_raters=n_raters, n_left_out=left_out, confidence=confidence
        )
    value = float(table[kept].mean())
    if clusters is None:
        interval = wilson(value, n, confidence)
    else:
        cluster = codes_of([clusters[at] for at in np.flatnonzero(kept)])[1]
        interval = clustered_share(value, n, np.bincount(cluster, weights=table[kept] - value) / n, confidence)
        if bootstrap is not None:
            sample = patterns(table[kept].astype(np.int64)[:, None], cluster.tolist())
            drawn = bootstrap_interval(
                lambda counts: counts @ sample.rows[:, 0] / counts.sum(axis=1), sample, bootstrap, confidence=confidence
            )
            interval = interval if drawn.reason else drawn
    return estimated(value, interval, n_units=n, n_raters=n_raters, n_left_out=left_out, confidence=confidence)


def mean_of_parts(
    values: ArrayLike,
    parts: Sequence[Hashable],
    *,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    n_raters: int = 1,
) -> Statistic:
    """Compute the mean of part means: each part, such as a dimension of a benchmark, counts the same.

    Parameters
    ----------
    values
        (n,) numbers; nan is left out.
    parts
        (n,) the part that each belongs to.
    clusters
        (n,) what each belongs to, as questions about one video; clusters may reach over parts.
    confidence, n_raters
        As for :func:`share`.

    Returns
    -------
    Statistic
        With t limits. ``nan`` with a ``reason`` if a part has no value: the mean of the others is another number. No
        limits if a part has one unit (or cluster) only.

    Notes
    -----
    (1/P) sum_p mean_p, with the variance of a stratified mean [1]_, sum_p s_p^2 / (n_p P^2), and the degrees of
    freedom of Satterthwaite. With clusters: the squared sums of the clusters' contributions, those of a part scaled
    by G_p / (G_p - 1). Checked by worked arithmetic and simulation in tests/agreement.

    References
    ----------
    .. [1] Cochran, W. G. (1977). Sampling Techniques, 3rd ed., sections 5.3 and 5.4. Wiley.

    Examples
    --------
    >>> mean_of_parts([1, 1, 0, 0, 0, 1], ["a", "a", "a", "a", "b", "b"]).value
    0.5
    """
    table = numbers(values, "values")
    same_length(values=table, parts=parts, clusters=clusters)
    kept = ~np.isnan(table)
    n, left_out = int(kept.sum()), int((~kept).sum())
    names, every = codes_of(parts)
    n_of = np.bincount(every[kept], minlength=len(names))
    lacking = [str(name) for name, count in zip(names, n_of, strict=True) if not count]
    if lacking or not names:
        reason = f"There are no values in {', '.join(lacking)}." if lacking else "There are no values."
        return undefined(reason, n_units=n, n_raters=n_raters, n_left_out=left_out, confidence=confidence)
    part, x = every[kept], table[kept]
    means = np.bincount(part, weights=x) / n_of
    cluster = None if clusters is None else codes_of([clusters[at] for at in np.flatnonzero(kept)])[1]
    interval = _of_parts(x - means[part], part, n_of, cluster, float(means.mean()), confidence)
    return estimated(
        float(means.mean()), interval, n_units=n, n_raters=n_raters, n_left_out=left_out, confidence=confidence
    )


def paired_difference(
    first: ArrayLike, second: ArrayLike, *, clusters: Sequence[Hashable] | None = None, confidence: float = 0.95
) -> Statistic:
    """Compute the mean increase from the first to the second score of a pair, and test it against chance.

    Parameters
    ----------
    first, second
        (n,) the two scores of each pair; a pair that lacks one of them (nan) is left out.
    clusters
        (n,) group of each pair, such as a common video; None means independent.

    Returns
    -------
    Statistic
        The mean of second less first. If all scores are zeros and ones it is :func:`~agreement.rater_bias.mcnemar`
        with its test. Otherwise, and always with clusters, it has t limits and their ``test`` ("t"). ``nan`` with a
        ``reason`` without any pair; no test where no pair differs, or all differ alike.

    Notes
    -----
    McNemar's test takes pairs as independent, so with clusters the test is the t of the differences. Its standard
    error is by cluster, with one degree of freedom less than the number of clusters. Checked by worked arithmetic and
    against scipy's ``ttest_rel`` and ``binomtest`` in tests/agreement.

    Examples
    --------
    >>> found = paired_difference([1, 1, 1, 1, 0], [0, 0, 0, 1, 0])
    >>> found.value, found.test.name, found.test.p_value
    (-0.6, 'binomial', 0.25)
    """
    one, other = numbers(first, "first"), numbers(second, "second")
    same_length(first=one, second=other, clusters=clusters)
    kept = ~(np.isnan(one) | np.isnan(other))
    x, y, left_out = one[kept], other[kept], int((~kept).sum())
    if clusters is None and len(x) and np.isin([x, y], (0.0, 1.0)).all():
        units = [*range(len(x))] * 2
        both = Ratings.from_columns(
            units, [*["1"] * len(x), *["2"] * len(x)], [*x, *y], scale=Scale("nominal", (0.0, 1.0))
        )
        return replace(mcnemar(both, confidence=confidence), n_left_out=left_out)
    own = None if clusters is None else [clusters[at] for at in np.flatnonzero(kept)]
    difference = replace(clustered_mean(y - x, clusters=own, confidence=confidence), n_raters=2, n_left_out=left_out)
    if not difference.defined or not difference.se > 0:
        return difference
    df = (len(x) if own is None else len(set(own))) - 1.0
    t = difference.value / difference.se
    return replace(difference, test=Test("t", t, (df,), 2 * float(special.stdtr(df, -abs(t)))))


def _of_parts(off: Floats, part: Ints, n_of: Ints, cluster: Ints | None, value: float, confidence: float) -> Interval:
    groups = n_of if cluster is None else np.array([len(np.unique(cluster[part == at])) for at in range(len(n_of))])
    if (groups < 2).any():
        return no_interval(f"a part has only one {'unit' if cluster is None else 'cluster'}.")
    influence = off / (n_of[part] * len(n_of)) * np.sqrt(groups / (groups - 1))[part]
    own = part if cluster is None else part * (int(cluster.max()) + 1) + cluster
    totals = influence if cluster is None else np.bincount(own, weights=influence)
    of_part = part if cluster is None else np.arange(len(totals)) // (int(cluster.max()) + 1)
    variances = np.bincount(of_part, weights=totals**2, minlength=len(n_of))
    whole = float(variances.sum() if cluster is None else (np.bincount(cluster, weights=influence) ** 2).sum())
    if whole < 1e-30:
        return no_interval(
            "values within the parts do not vary, so the interval would have a misleading width of zero."
        )
    df = float(variances.sum() ** 2 / (variances**2 / (groups - 1)).sum()) if variances.any() else 1.0
    half = t_quantile(confidence, df) * math.sqrt(whole)
    note = "" if cluster is None else ", standard error by cluster"
    return Interval(
        value - half, value + half, f"t with {df:.1f} degrees of freedom, equal weights{note}", se=math.sqrt(whole)
    )

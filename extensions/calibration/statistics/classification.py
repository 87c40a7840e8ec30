"""A judge's labels against people's: confusion, accuracy, precision, recall, F1, sensitivity and specificity."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agreement.arrays import clustered_share, codes_of, label_list, paired_limits, same_length
from agreement.bootstrap import Bootstrap, OfCounts, Patterns, bootstrap_interval, patterns
from agreement.limits import wilson
from agreement.ratings import Floats, Ints
from agreement.statistic import Statistic, estimated, undefined
from domain.errors import RatingsError

__all__ = [
    "ClassRates",
    "Classification",
    "Confusion",
    "PassRates",
    "all_right",
    "classification_rates",
    "confusion_matrix",
    "pass_rates",
]


@dataclass(frozen=True, eq=False)
class Confusion:
    """Counts of the judge's labels for each label of people."""

    labels: tuple[Any, ...]
    counts: Ints
    """(labels, labels): row people's label, column the judge's."""
    n_left_out: int
    """Units that one of the two did not label."""

    @property
    def row_shares(self) -> Floats:
        """Of the units that people labelled so, the share that the judge labelled so; nan in a row without units."""
        return _shares(self.counts, axis=1)

    @property
    def column_shares(self) -> Floats:
        """Of the units that the judge labelled so, the share that people labelled so; nan in an empty column."""
        return _shares(self.counts, axis=0)


@dataclass(frozen=True)
class ClassRates:
    """How well the judge finds one label."""

    label: Any
    precision: Statistic
    """Of the units that the judge labelled so, the share where people did."""
    recall: Statistic
    """Of the units that people labelled so, the share where the judge did."""
    f1: Statistic
    """Harmonic mean of the two: 2 tp / (2 tp + fp + fn)."""


@dataclass(frozen=True)
class Classification:
    """A judge's labels against people's."""

    confusion: Confusion
    accuracy: Statistic
    classes: tuple[ClassRates, ...]
    macro_precision: Statistic
    """Mean over the labels that the judge gave."""
    macro_recall: Statistic
    """Mean over the labels that people gave: balanced accuracy."""
    macro_f1: Statistic
    """Mean over the labels that either gave."""


@dataclass(frozen=True)
class PassRates:
    """Comparison of a judge of two labels with people: the units that it passes and fails."""

    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int
    sensitivity: Statistic
    """Share of people's positives that the judge calls positive."""
    specificity: Statistic
    """Share of people's negatives that the judge calls negative."""
    accuracy: Statistic
    precision: Statistic
    f1: Statistic
    judged_rate: Statistic
    """Share of these units that the judge calls positive."""
    true_rate: Statistic
    """Share of these units that people call positive."""


def confusion_matrix(
    reference: Sequence[Any], judged: Sequence[Any], *, labels: Sequence[Any] | None = None
) -> Confusion:
    """Count the judge's labels for each label of people.

    Parameters
    ----------
    reference, judged
        (n,) labels of people (one per unit, for example their majority) and of the judge; None or nan marks a missing
        label.
    labels
        All labels in order, if some may not occur; otherwise those that occur, sorted.

    Returns
    -------
    Confusion
        Counts, with shares by row and by column.

    Raises
    ------
    RatingsError
        The two are not equally long, or a label is not among the declared ones.

    Notes
    -----
    Checked against scikit-learn 1.9 in tests/agreement.

    Examples
    --------
    >>> confusion_matrix(["yes", "no", "no"], ["yes", "yes", "no"]).counts.tolist()
    [[1, 1], [0, 1]]
    """
    names, codes, left_out, _ = _coded(reference, judged, labels, None)
    q = len(names)
    counts = np.bincount(codes[:, 0] * q + codes[:, 1], minlength=q * q).reshape(q, q)
    return Confusion(names, counts, left_out)


def classification_rates(
    reference: Sequence[Any],
    judged: Sequence[Any],
    *,
    labels: Sequence[Any] | None = None,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    bootstrap: Bootstrap | None = None,
) -> Classification:
    """Accuracy, and precision, recall and F1 of every label and on average.

    Parameters
    ----------
    reference, judged, labels
        As for :func:`confusion_matrix`.

    Returns
    -------
    Classification
        Shares have Wilson limits, with clusters at the effective sample size; F1 and averages have jackknife limits;
        with a bootstrap all are resampled. A rate whose denominator is empty is ``nan`` with a ``reason``, never 0.

    Notes
    -----
    precision tp/(tp+fp), recall tp/(tp+fn), F1 2tp/(2tp+fp+fn) [1]_; macro means over the labels for which the rate is
    defined (scikit-learn counts an undefined one as 0). Checked against scikit-learn 1.9 in tests/agreement.

    References
    ----------
    .. [1] van Rijsbergen, C. J. (1979). Information Retrieval, 2nd ed. Butterworths.

    Examples
    --------
    >>> rates = classification_rates([1, 1, 0, 0], [1, 0, 0, 0])
    >>> rates.accuracy.value, rates.classes[1].recall.value, round(rates.macro_f1.value, 3)
    (0.75, 0.5, 0.733)
    """
    names, codes, left_out, kept = _coded(reference, judged, labels, clusters)
    matrix = confusion_matrix(reference, judged, labels=labels)
    sample = patterns(codes, kept)
    q = len(names)
    people, judge = sample.rows.T if len(sample.rows) else np.empty((2, 0), dtype=np.int64)
    of_people, of_judge = np.eye(q)[people], np.eye(q)[judge]
    agreed = (people == judge).astype(float)
    common: dict[str, Any] = {"n_left_out": left_out, "confidence": confidence, "bootstrap": bootstrap}
    accuracy = _share(
        sample, agreed, np.ones(len(agreed)), "The judge and the people have no labeled unit in common.", **common
    )
    classes = tuple(
        ClassRates(
            name,
            _share(sample, agreed, of_judge[:, at], f"The judge gave no unit the label {name}.", **common),
            _share(sample, agreed, of_people[:, at], f"People gave no unit the label {name}.", **common),
            _resampled(
                _ratio(2 * agreed * of_people[:, at], of_people[:, at] + of_judge[:, at]),
                sample,
                f"Neither people nor the judge gave any unit the label {name}.",
                **common,
            ),
        )
        for at, name in enumerate(names)
    )
    hits = agreed[:, None] * of_people
    nothing = "The judge and the people have no labeled unit in common."
    return Classification(
        matrix,
        accuracy,
        classes,
        _resampled(_macro(hits, of_judge), sample, nothing, **common),
        _resampled(_macro(hits, of_people), sample, nothing, **common),
        _resampled(_macro(2 * hits, of_people + of_judge), sample, nothing, **common),
    )


def pass_rates(
    reference: Sequence[Any],
    judged: Sequence[Any],
    *,
    positive: Any = 1,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    bootstrap: Bootstrap | None = None,
) -> PassRates:
    """Sensitivity, specificity and what goes with them, of a judge that passes or fails.

    Parameters
    ----------
    reference, judged
        (n,) labels of people and of the judge; None or nan marks a missing label.
    positive
        The label that means pass; every other label means fail.

    Returns
    -------
    PassRates
        Limits as there. ``nan`` with a ``reason`` where people saw no pass, or no failure.

    Notes
    -----
    sensitivity tp/(tp+fn), specificity tn/(tn+fp) [1]_, limits [2]_. Checked against scikit-learn 1.9 in
    tests/agreement.

    References
    ----------
    .. [1] Yerushalmy, J. (1947). Public Health Reports 62, 1432-1449.
    .. [2] Wilson, E. B. (1927). Journal of the American Statistical Association 22, 209-212.

    Examples
    --------
    >>> rates = pass_rates([1, 1, 1, 0, 0], [1, 1, 0, 0, 1])
    >>> round(rates.sensitivity.value, 3), rates.specificity.value
    (0.667, 0.5)
    """
    both = [
        [None if value is None else int(value == positive) for value in label_list(values, name)]
        for name, values in (("reference", reference), ("judged", judged))
    ]
    _, codes, left_out, kept = _coded(both[0], both[1], (0, 1), clusters)
    sample = patterns(codes, kept)
    y, f = sample.rows.T.astype(float) if len(sample.rows) else np.empty((2, 0))
    counts = {(int(a), int(b)): int(n) for a, b, n in zip(y, f, sample.counts, strict=True)} if len(codes) else {}
    common: dict[str, Any] = {"n_left_out": left_out, "confidence": confidence, "bootstrap": bootstrap}
    nothing, every = "The judge and the people have no labeled unit in common.", np.ones(len(y))
    return PassRates(
        counts.get((1, 1), 0),
        counts.get((0, 1), 0),
        counts.get((1, 0), 0),
        counts.get((0, 0), 0),
        sensitivity=_share(sample, f, y, "People labeled no unit as positive.", **common),
        specificity=_share(sample, 1 - f, 1 - y, "People labeled no unit as negative.", **common),
        accuracy=_share(sample, (y == f).astype(float), every, nothing, **common),
        precision=_share(sample, y, f, "The judge labeled no unit as positive.", **common),
        f1=_resampled(
            _ratio(2 * y * f, y + f), sample, ("Neither people nor the judge labeled any unit as positive."), **common
        ),
        judged_rate=_share(sample, f, every, nothing, **common),
        true_rate=_share(sample, y, every, nothing, **common),
    )


def all_right(*bits: Sequence[Any]) -> list[int | None]:
    """Return 1 where all yes/no criteria hold, 0 where one fails, None where one is missing and none fails.

    "Genuine PCA" is this over perception, cognition and action.

    Parameters
    ----------
    bits
        One sequence of zeros and ones per criterion, all equally long.

    Returns
    -------
    list
        One value per unit.

    Examples
    --------
    >>> all_right([1, 1, 0, 1], [1, 0, None, None])
    [1, 0, 0, None]
    """
    same_length(**{f"criterion {at}": values for at, values in enumerate(bits, start=1)})
    scores: list[int | None] = []
    for unit in zip(*bits, strict=True):
        for value in unit:
            if not _is_missing(value) and value not in (0, 1):
                raise RatingsError(f"A criterion must be 0 or 1, but has the value {value!r}. Correct the value.")
        if any(not _is_missing(value) and not value for value in unit):
            scores.append(0)
        else:
            scores.append(None if any(map(_is_missing, unit)) else 1)
    return scores


def _coded(
    reference: Sequence[Any],
    judged: Sequence[Any],
    labels: Sequence[Any] | None,
    clusters: Sequence[Hashable] | None,
) -> tuple[tuple[Any, ...], Ints, int, list[Hashable] | None]:
    """Labels, (units, 2) codes, units left out, and the clusters of the others."""
    sides = label_list(reference, "reference"), label_list(judged, "judged")
    n = same_length(reference=sides[0], judged=sides[1], clusters=clusters)
    kept = [at for at in range(n) if sides[0][at] is not None and sides[1][at] is not None]
    pairs = [values[at] for at in kept for values in sides]
    if labels is None:
        names: tuple[Any, ...] = tuple(sorted(set(pairs), key=lambda name: (isinstance(name, str), name)))
    else:
        names = codes_of(label_list(labels, "labels"))[0]
    place = {name: at for at, name in enumerate(names)}
    for name in pairs:
        if name not in place:
            raise RatingsError(
                f"The label {name!r} is not declared. Declare the label, or use a declared label: "
                f"{', '.join(map(str, names))}."
            )
    codes = np.array([place[name] for name in pairs], dtype=np.int64).reshape(-1, 2)
    return names, codes, n - len(kept), None if clusters is None else [clusters[at] for at in kept]


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float | np.floating) and math.isnan(value))


def _share(
    sample: Patterns,
    hits: Floats,
    among: Floats,
    nothing: str,
    *,
    n_left_out: int,
    confidence: float,
    bootstrap: Bootstrap | None,
) -> Statistic:
    """The share of hits among some units: Wilson limits, or resampled ones."""
    n = float(sample.counts @ among) if len(among) else 0.0
    if n == 0:
        return undefined(nothing, n_units=0, n_raters=2, n_left_out=n_left_out, confidence=confidence)
    value = float(sample.counts @ (hits * among)) / n
    if bootstrap is None and sample.clusters is None:
        interval = wilson(value, int(n), confidence)
    elif bootstrap is None and sample.clusters is not None:
        off = (sample.clusters @ ((hits - value) * among))[sample.clusters @ among > 0] / n
        interval = clustered_share(value, int(n), off, confidence)
    else:
        interval = bootstrap_interval(_ratio(hits * among, among), sample, bootstrap, confidence=confidence)
    return estimated(value, interval, n_units=int(n), n_raters=2, n_left_out=n_left_out, confidence=confidence)


def _resampled(
    of_counts: OfCounts,
    sample: Patterns,
    nothing: str,
    *,
    n_left_out: int,
    confidence: float,
    bootstrap: Bootstrap | None,
) -> Statistic:
    n = int(sample.counts.sum()) if len(sample.rows) else 0
    value = float(of_counts(sample.counts[None])[0]) if n else math.nan
    if math.isnan(value):
        return undefined(nothing, n_units=n, n_raters=2, n_left_out=n_left_out, confidence=confidence)
    interval = paired_limits(of_counts, sample, bootstrap, confidence, shape="share")
    return estimated(value, interval, n_units=n, n_raters=2, n_left_out=n_left_out, confidence=confidence)


def _ratio(above: Floats, below: Floats) -> OfCounts:
    def ratio(drawn: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            ratios: Floats = (drawn @ above) / (drawn @ below)
        return ratios

    return ratio


def _macro(above: Floats, below: Floats) -> Callable[[Floats], Floats]:
    """The mean of ratios over the labels (columns) that have one."""

    def mean(drawn: Floats) -> Floats:
        upper, lower = drawn @ above, drawn @ below
        there = lower > 0
        with np.errstate(invalid="ignore", divide="ignore"):
            ratios = np.where(there, upper / np.where(there, lower, 1.0), 0.0)
            means: Floats = ratios.sum(axis=1) / there.sum(axis=1)
        return means

    return mean


def _shares(counts: Ints, axis: int) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: Floats = counts / counts.sum(axis=axis, keepdims=True)
    return shares

"""Dawid and Skene's model: the classes of units and the confusion matrix of each rater, by maximum likelihood."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from agreement.ratings import Floats, Ints
from domain.errors import RatingsError

__all__ = ["DawidSkene", "dawid_skene"]

TIE = 1e-9
"""Shares that differ by less are a tie."""

_MOST_CATEGORIES = 200
"""A confusion matrix of more classes than that rests on nothing."""


@dataclass(frozen=True, eq=False)
class DawidSkene:
    """Class shares, the raters' confusion matrices and the units' probabilities, at the end of the iteration."""

    units: tuple[Hashable, ...]
    raters: tuple[Hashable, ...]
    categories: tuple[Any, ...]
    probabilities: Floats
    """(units, categories)."""
    shares: Floats
    """(categories,)."""
    confusion: Floats
    """(raters, true class, given class); nan where the rater met no unit of the class."""
    rounds: int
    converged: bool

    @property
    def labels(self) -> tuple[Any, ...]:
        """The most likely class of each unit; of level ones the first."""
        return tuple(self.categories[at] for at in most_likely(self.probabilities))


def dawid_skene(
    units: Sequence[Hashable],
    raters: Sequence[Hashable],
    values: Sequence[Any],
    *,
    categories: Sequence[Any] | None = None,
    rounds: int = 10_000,
    tolerance: float = 1e-10,
) -> DawidSkene:
    """Estimate the classes of units by maximum likelihood, with separate error rates for each rater.

    Parameters
    ----------
    units, raters, values
        The long table: who called which unit what. A rater may have rated a unit more than once.
    categories
        The classes; None takes those that occur, sorted.
    rounds, tolerance
        The iteration ends when no probability moves by more than ``tolerance``, at the latest after ``rounds``.

    Raises
    ------
    RatingsError
        The columns differ in length, are empty, or hold a value outside the categories. Also raised for a single
        rater or class, because errors cannot be estimated then.

    Notes
    -----
    Expectation: p(unit is j) is proportional to share_j times the product over its ratings of confusion[rater, j,
    given]. Maximisation: share_j is the mean of p over units, confusion[r, j, l] = sum of p(j) over the ratings l of
    r, divided by that over all ratings of r. The start is the votes [1]_. The likelihood has several maxima, and this
    start leads to one of them; a confusion matrix needs many units for each rater and class. Checked against
    crowd-kit 1.4.2 (which stops earlier: labels and shares agree, not the last digits) and against the formula in
    plain loops in its tests.

    References
    ----------
    .. [1] Dawid, A. P. & Skene, A. M. (1979). Applied Statistics 28, 20-28.

    Examples
    --------
    >>> found = dawid_skene([1, 1, 1, 2, 2, 2], ["a", "b", "c"] * 2, ["x", "x", "y", "y", "y", "y"])
    >>> found.labels
    ('x', 'y')
    """
    if not len(units) == len(raters) == len(values):
        raise RatingsError("Units, raters and values must be columns of equal length.")
    if not len(values):
        raise RatingsError("There are no ratings. Give at least one rating.")
    named = tuple(sorted(set(values), key=lambda value: (isinstance(value, str), value)))
    classes = tuple(categories) if categories is not None else named
    strange = [value for value in named if value not in classes]
    if strange:
        raise RatingsError(
            f"The declared scale ({', '.join(map(str, classes))}) does not include the value {strange[0]!r}. Add the "
            "value to the scale, or correct the rating."
        )
    unit_names, rater_names = tuple(dict.fromkeys(units)), tuple(dict.fromkeys(raters))
    problem = why_not_fitted(len(rater_names), len(named), len(classes))
    if problem:
        raise RatingsError(problem)
    place = {value: at for at, value in enumerate(classes)}
    unit_at = {unit: at for at, unit in enumerate(unit_names)}
    rater_at = {rater: at for at, rater in enumerate(rater_names)}
    fit = fit_classes(
        np.array([unit_at[unit] for unit in units], dtype=np.int64),
        np.array([rater_at[rater] for rater in raters], dtype=np.int64),
        np.array([place[value] for value in values], dtype=np.int64),
        (len(unit_names), len(rater_names), len(classes)),
        rounds=rounds,
        tolerance=tolerance,
    )
    return DawidSkene(unit_names, rater_names, classes, *fit)


def fit_classes(
    unit: Ints, rater: Ints, given: Ints, shape: tuple[int, int, int], *, rounds: int, tolerance: float
) -> tuple[Floats, Floats, Floats, int, bool]:
    """Return probabilities, shares, confusion matrices, rounds, and whether the iteration has come to rest."""
    n, k, q = shape
    # (units, raters x given class): how often; one product with it is a whole step.
    cells = sparse.csr_array((np.ones(len(unit)), (unit, rater * q + given)), shape=(n, k * q))
    votes = np.bincount(unit * q + given, minlength=n * q).reshape(n, q).astype(float)
    p: Floats = votes / votes.sum(axis=1, keepdims=True)
    done = 0
    moved = math.inf
    while True:
        shares: Floats = p.mean(axis=0)
        counted = (cells.T @ p).reshape(k, q, q).transpose(0, 2, 1)  # rater, true, given
        met = counted.sum(axis=2, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            confusion: Floats = np.where(met > 0, counted / met, math.nan)
            if done == rounds or moved <= tolerance:
                return p, shares, confusion, done, moved <= tolerance
            # Of a class that a rater never met nothing is known: any answer is as likely as another.
            likelihood = np.log(np.where(met > 0, confusion, 1 / q)).transpose(1, 0, 2).reshape(q, k * q)
            logs = np.log(shares) + cells @ likelihood.T
        after = np.exp(logs - logs.max(axis=1, keepdims=True))
        after /= after.sum(axis=1, keepdims=True)
        moved = float(np.abs(after - p).max())
        p = after
        done += 1


def why_not_fitted(n_raters: int, n_used: int, q: int) -> str | None:
    """Return why the raters' errors cannot be estimated; None if they can."""
    if n_raters < 2:
        return "Touchstone cannot estimate errors from one rater. Use ratings from at least two raters."
    if n_used < 2:
        return "All ratings are the same, so Touchstone cannot estimate errors. Use the majority instead."
    if q > _MOST_CATEGORIES:
        return f"The ratings have {q:,} different values, like a measurement. Use the mean instead."
    return None


def most_likely(p: Floats) -> NDArray[np.int64]:
    """Return the most likely class of each row; of level ones the first."""
    first: NDArray[np.int64] = (p >= p.max(axis=1, keepdims=True) - TIE).argmax(axis=1)
    return first

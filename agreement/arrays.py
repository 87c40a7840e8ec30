"""Plain arrays of people's and a judge's values: how they are read, and limits of means over them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from agreement.bootstrap import Patterns
from agreement.limits import t_quantile
from agreement.ratings import Floats, Ints
from agreement.statistic import Interval, no_interval
from domain.errors import RatingsError

Bools = NDArray[np.bool_]


def numbers(values: ArrayLike, name: str, *, axes: int = 1) -> Floats:
    """The values as an array of floats, nan where one is missing (None or nan).

    Raises
    ------
    RatingsError
        They are no numbers, one is infinite, or the array has another number of axes.
    """
    try:
        table = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise RatingsError(f"{name} needs numbers in {axes} axis(es), all rows equally long.") from error
    if table.ndim != axes:
        if table.size:
            raise RatingsError(f"{name} has {table.ndim} axes where {axes} are needed.")
        table = table.reshape((0,) * axes)
    if np.isinf(table).any():
        raise RatingsError(f"{name} holds an infinite number; leave it out (nan) if there is none.")
    return table


def same_length(**arrays: Sequence[Any] | NDArray[Any] | None) -> int:
    """How long all of these are; ``RatingsError`` if they are not equally long. None is skipped."""
    lengths = {name: len(values) for name, values in arrays.items() if values is not None}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise RatingsError(f"These need one entry per unit, in the same order: {told}.")
    return next(iter(lengths.values()), 0)


def codes_of(names: Sequence[Hashable] | NDArray[Any]) -> tuple[tuple[Any, ...], Ints]:
    """The different names in order of first occurrence, and the place of each entry's name among them."""
    entries = names.tolist() if isinstance(names, np.ndarray) else list(names)
    place = {name: at for at, name in enumerate(dict.fromkeys(entries))}
    return tuple(place), np.fromiter((place[name] for name in entries), dtype=np.int64, count=len(entries))


def units_sample(n: int, clusters: Ints | None = None) -> Patterns:
    """A sample in which every unit is a pattern of its own; ``clusters`` (n,) numbers each unit's cluster."""
    rows = np.arange(n, dtype=np.int64)[:, None]
    if clusters is None:
        return Patterns(rows, np.ones(n))
    _, place = np.unique(clusters, return_inverse=True)
    cells = (np.ones(n), (place.ravel(), np.arange(n)))
    shape = (int(place.max()) + 1 if n else 0, n)
    return Patterns(rows, np.ones(n), sparse.csr_array(cells, shape=shape))


def summed(influence: Floats, clusters: Ints | None) -> float:
    """The variance of a sum of independent contributions, or of contributions independent between clusters.

    ``influence`` is (units,), with mean zero. G / (G - 1) sum_g (sum of cluster g)^2; with every unit its own cluster
    that is n / (n - 1) times the sum of squares. nan below two clusters.
    """
    totals = influence if clusters is None else np.bincount(clusters, weights=influence)
    if clusters is not None:
        totals = totals[np.bincount(clusters) > 0]
    groups = len(totals)
    return math.nan if groups < 2 else float(groups / (groups - 1) * (totals @ totals))


def mean_interval(values: Floats, clusters: Ints | None, confidence: float) -> Interval:
    """t limits of a mean, with the standard error clustered where units belong together.

    Notes
    -----
    se^2 = G / (G - 1) sum_g (sum_{i in g} (x_i - mean))^2 / n^2 with G clusters and G - 1 degrees of freedom [1]_; the
    usual s / sqrt(n) if every unit stands for itself.

    References
    ----------
    .. [1] Miller, E. (2024). Adding error bars to evals. arXiv:2411.00640.
    """
    n = len(values)
    unit = "unit" if clusters is None else "cluster"
    groups = n if clusters is None else len(np.unique(clusters))
    if groups < 2:
        return no_interval(f"fewer than two {unit}s.")
    mean = float(values.mean())
    se = math.sqrt(summed((values - mean) / n, clusters))
    if se < 1e-15 * max(1.0, abs(mean)):
        return no_interval("all values are the same, and a width of zero would claim certainty.")
    half = t_quantile(confidence, groups - 1) * se
    method = f"t with {groups - 1} degrees of freedom" + ("" if clusters is None else ", standard error by cluster")
    return Interval(mean - half, mean + half, method, se=se)

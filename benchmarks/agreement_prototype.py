"""The least that agreement statistics with resampled limits can cost: numpy on a clean array, without any check.

A yardstick for ``benchmarks/agreement.py``, no part of the package: no gaps but where alpha needs them, no undefined
case, no scale, no result type. Every statistic is a function of sums over units, so a bootstrap is counts @ sums; few
distinct rows are drawn as patterns, many by counting drawn units.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
Found = tuple[float, float, float]
"""A value and its limits, which are nan without draws."""


def _distinct(table: Array) -> tuple[Array, Array]:
    """The distinct rows and how often each occurs; the rows themselves where there are many values."""
    there = ~np.isnan(table)
    values = np.unique(table[there][:4096])
    if len(values) > 32:
        return table, np.ones(len(table))
    codes = np.minimum(np.searchsorted(values, table), len(values) - 1)
    if (values[codes] != table)[there].any():  # the peek missed a value
        values = np.unique(table[there])
        codes = np.searchsorted(values, table)
    codes = np.where(there, codes, len(values))
    base, width = len(values) + 1, table.shape[1]
    if base**width > 4 * len(table):
        return table, np.ones(len(table))
    places = base ** np.arange(width)
    counts = np.bincount(codes @ places, minlength=base**width)
    hit = np.flatnonzero(counts)
    return np.append(values, np.nan)[hit[:, None] // places % base], counts[hit].astype(float)


def _drawn_sums(sums: Array, counts: Array, draws: int, seed: int, lot: int = 48) -> Array:
    random = np.random.default_rng(seed)
    n = int(counts.sum())
    if len(counts) < n:
        drawn: Array = random.multinomial(n, counts / n, size=draws) @ sums
        return drawn
    found = np.empty((draws, sums.shape[1]))
    for start in range(0, draws, lot):
        size = min(lot, draws - start)
        units = random.integers(0, n, size=(size, n), dtype=np.int64)
        units += (np.arange(size) * n)[:, None]
        found[start : start + size] = np.bincount(units.ravel(), minlength=size * n).reshape(size, n) @ sums
    return found


def _found(of_sums: Callable[[Array], Array], sums: Array, counts: Array, draws: int, seed: int) -> Found:
    value = float(of_sums(counts @ sums))
    if not draws:
        return value, np.nan, np.nan
    low, high = np.quantile(of_sums(_drawn_sums(sums, counts, draws, seed)), [0.025, 0.975])
    return value, float(low), float(high)


def _tables(table: Array) -> tuple[Array, Array, Array]:
    """One cell of the two raters' contingency table per distinct row, the counts of rows, and the categories."""
    rows, counts = _distinct(table[:, :2])
    values = np.unique(rows)
    q = len(values)
    cells = np.zeros((len(rows), q * q))
    cells[np.arange(len(rows)), np.searchsorted(values, rows[:, 0]) * q + np.searchsorted(values, rows[:, 1])] = 1
    return cells, counts, values


def weighted_kappa(table: Array, draws: int, seed: int) -> Found:
    """Cohen's, quadratic, of the first two raters."""
    cells, counts, values = _tables(table)
    q = len(values)
    apart = ((values[:, None] - values) / (values[-1] - values[0])) ** 2

    def of_sums(drawn: Array) -> Array:
        drawn = drawn.reshape(*drawn.shape[:-1], q, q)
        n = drawn.sum((-1, -2))
        chance = np.einsum("...a,ab,...b->...", drawn.sum(-1), apart, drawn.sum(-2))
        kappa: Array = 1 - (drawn * apart).sum((-1, -2)) * n / chance
        return kappa

    return _found(of_sums, cells, counts, draws, seed)


def fleiss(table: Array, draws: int, seed: int) -> Found:
    """Fleiss' kappa without gaps."""
    rows, counts = _distinct(table)
    k = rows.shape[1]
    chosen = (rows[:, :, None] == np.unique(rows)).sum(1).astype(float)
    sums = np.column_stack([np.ones(len(rows)), (chosen * (chosen - 1)).sum(1) / (k * (k - 1)), chosen / k])

    def of_sums(drawn: Array) -> Array:
        n = drawn[..., 0]
        chance = ((drawn[..., 2:] / n[..., None]) ** 2).sum(-1)
        kappa: Array = (drawn[..., 1] / n - chance) / (1 - chance)
        return kappa

    return _found(of_sums, sums, counts, draws, seed)


def alpha(table: Array, draws: int, seed: int) -> Found:
    """Krippendorff's, interval, with gaps."""
    rows, counts = _distinct(table)
    there = ~np.isnan(rows)
    m = there.sum(1)
    given = np.where(there, rows, 0.0)
    total, squares = given.sum(1), (given * given).sum(1)
    paired = m >= 2
    observed = np.where(paired, 2 * (m * squares - total * total) / np.where(paired, m - 1, 1), 0.0)
    sums = np.stack([m * paired, total * paired, squares * paired, observed], 1).astype(float)

    def of_sums(drawn: Array) -> Array:
        n, a, b, e = np.moveaxis(drawn, -1, 0)
        found: Array = 1 - e * (n - 1) / (2 * (n * b - a * a))
        return found

    return _found(of_sums, sums, counts, draws, seed)


def icc21(table: Array, draws: int, seed: int) -> Found:
    """ICC(2,1) without gaps."""
    rows, counts = _distinct(table)
    k = rows.shape[1]
    total = rows.sum(1)
    sums = np.column_stack([np.ones(len(rows)), total, total * total, (rows * rows).sum(1), rows])

    def of_sums(drawn: Array) -> Array:
        n, grand, squared, squares = (drawn[..., at] for at in range(4))
        centre = grand * grand / (n * k)
        between = squared / k - centre
        raters = (drawn[..., 4:] ** 2).sum(-1) / n - centre
        units = between / (n - 1)
        error = (squares - centre - between - raters) / ((n - 1) * (k - 1))
        found: Array = (units - error) / (units + (k - 1) * error + k * (raters / (k - 1) - error) / n)
        return found

    return _found(of_sums, sums, counts, draws, seed)


def pearson(table: Array, draws: int, seed: int) -> Found:
    """Of the first two raters."""
    x, y = table[:, 0] - table[:, 0].mean(), table[:, 1] - table[:, 1].mean()
    sums = np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y])

    def of_sums(drawn: Array) -> Array:
        n, a, b, aa, bb, ab = np.moveaxis(drawn, -1, 0)
        found: Array = (n * ab - a * b) / np.sqrt((n * aa - a * a) * (n * bb - b * b))
        return found

    return _found(of_sums, sums, np.ones(len(x)), draws, seed)


def kendall(table: Array, draws: int, seed: int) -> Found:
    """Tau-b of the first two raters, few categories."""
    cells, counts, values = _tables(table)
    q = len(values)

    def of_sums(drawn: Array) -> Array:
        drawn = drawn.reshape(*drawn.shape[:-1], q, q)
        n = drawn.sum((-1, -2))
        below = np.zeros((*drawn.shape[:-2], q + 1, q + 1))
        below[..., 1:, 1:] = drawn.cumsum(-1).cumsum(-2)
        apart = (drawn * (below[..., :q, :q] - below[..., :q, q:] + below[..., :q, 1:])).sum((-1, -2))
        first, second = drawn.sum(-1), drawn.sum(-2)
        ties = (n * n - (first * first).sum(-1)) * (n * n - (second * second).sum(-1))
        found: Array = 2 * apart / np.sqrt(ties)
        return found

    return _found(of_sums, cells, counts, draws, seed)


def spearman(table: Array, draws: int, seed: int) -> Found:
    """Of the first two raters, few categories: Pearson's of the middle ranks."""
    cells, counts, values = _tables(table)
    q = len(values)

    def of_sums(drawn: Array) -> Array:
        drawn = drawn.reshape(*drawn.shape[:-1], q, q)
        n = drawn.sum((-1, -2))[..., None]
        first, second = drawn.sum(-1), drawn.sum(-2)
        a, b = first.cumsum(-1) - first / 2 - n / 2, second.cumsum(-1) - second / 2 - n / 2
        both = np.einsum("...a,...ab,...b->...", a, drawn, b)
        found: Array = both / np.sqrt((first * a * a).sum(-1) * (second * b * b).sum(-1))
        return found

    return _found(of_sums, cells, counts, draws, seed)

"""Tests of whether a public value is associated with the key, with a bound on false alarms.

All tests of one check share one level by Holm's procedure [1]_. If no value is associated with the key, the check
raises an alarm with at most that probability. An association must also have a minimum size, so that a certain but tiny
one in a hundred thousand items is no alarm.

References
----------
.. [1] Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from agreement.limits import exact_binomial
from agreement.statistic import Interval

Codes = NDArray[np.int64]

LEVEL = 0.001
"""The level of all tests of a check together."""
LEAST = 0.1
"""The least difference between a share and its expected value."""
_DRAWS = 20_000
_SMALL = 200
"""Up to this number of items, tests shuffle the keys. With more, they use the normal approximation."""
_SEED = 20261101
MOST_KINDS = 12
"""A test gives no result for more distinct keys than this."""
_MOST_VALUES = 32
_MOST_CELLS = MOST_KINDS**2
"""Tests of a table of values and keys give no result for more values or cells than this."""
NONE = -1
"""The code of a missing value."""
FEW = 8
"""Numbers of more different values than this are tested in four parts."""
_PLAIN = 0.01
"""A larger p-value of the distribution for many items is not looked at more closely: no check acts on it."""


@dataclass(frozen=True)
class ShareTest:
    """A test result: the probability of a share at least as extreme under independence."""

    p_value: float
    share: float
    """The observed share."""
    expected: float
    """The share expected by chance."""
    n: int

    @property
    def off(self) -> bool:
        """Return whether the share differs enough from chance to be reported."""
        return abs(self.share - self.expected) >= LEAST


NOTHING = ShareTest(1.0, math.nan, math.nan, 0)


def rejected(p_values: Sequence[float], level: float = LEVEL) -> list[bool]:
    """Return which hypotheses are rejected by Holm's procedure.

    >>> rejected([0.01, 0.04, 0.03, 0.005], 0.05)
    [True, False, False, True]
    """
    found = [False] * len(p_values)
    for place, at in enumerate(sorted(range(len(p_values)), key=lambda at: p_values[at])):
        if p_values[at] > level / (len(p_values) - place):
            break
        found[at] = True
    return found


def matches(said: Codes, keys: Codes) -> ShareTest:
    """Test whether a column states the key more often than its shuffled values would. One-sided.

    ``said`` is -1 for rows without a statement. Over all orders of the keys the number of matches has mean sum_c a_c
    b_c / n and variance (sum_c a_c b_c (n - a_c)(n - b_c) + sum_{c != d} a_c b_c a_d b_d) / (n^2 (n - 1)), where a and
    b count the values of either.
    """
    n = len(keys)
    there = int((said >= 0).sum())
    if n < 2 or not there:
        return NOTHING
    hits = int((said == keys).sum())
    size = int(max(said.max(), keys.max())) + 1
    a = np.bincount(said[said >= 0], minlength=size).astype(float)
    b = np.bincount(keys, minlength=size).astype(float)
    products = a * b
    mean = float(products.sum() / n)
    same = float((products * (n - a) * (n - b)).sum())
    variance = (same + float(products.sum() ** 2 - (products**2).sum())) / (n * n * (n - 1))
    if variance <= 1e-12 or hits <= mean:
        return ShareTest(1.0, hits / there, mean / there, there)
    z = (hits - 0.5 - mean) / math.sqrt(variance)
    p_value = float(special.ndtr(-z))
    if n <= _SMALL and z > 2:
        random = np.random.default_rng(_SEED)
        lots = random.permuted(np.tile(keys, (_DRAWS, 1)), axis=1)
        p_value = _drawn(int(((lots == said).sum(axis=1) >= hits).sum()), _DRAWS, max(p_value, _all_of(b)))
    return ShareTest(p_value, hits / there, mean / there, there)


def chain(keys: Codes) -> ShareTest:
    """Test whether the key of one item is associated with the key of the next: sorted, alternating, or by a similar
    rule.

    More than ``MOST_KINDS`` distinct keys give no result. The test is Pearson's chi-square of the table of neighbors,
    over shuffled orders. With many items it uses the chi-square distribution with (k - 1)^2 degrees of freedom. The
    share is how often the likeliest next key is the next key.
    """
    n = len(keys)
    _, codes = np.unique(keys, return_inverse=True)
    k = int(codes.max()) + 1 if n else 0
    if not 2 <= k <= MOST_KINDS or n < 2 * k:
        return NOTHING
    random = np.random.default_rng(_SEED)
    seen, foretold = _neighbours(codes[None], k)
    small = n <= _SMALL
    lots = [
        _neighbours(random.permuted(np.tile(codes, (400, 1)), axis=1), k) for _ in range(_DRAWS // 400 if small else 1)
    ]
    drawn, expected = (
        np.concatenate([each[0] for each in lots]),
        float(np.concatenate([each[1] for each in lots]).mean()),
    )
    p_value = float(special.chdtrc((k - 1) ** 2, seen[0]))
    if small:
        least = _all_of(np.bincount(codes).astype(float))
        p_value = _drawn(int((drawn >= seen[0] - 1e-9).sum()), len(drawn), max(p_value, least))
    return ShareTest(p_value, float(foretold[0]) / (n - 1), expected / (n - 1), n)


def goes_with(said: Codes, keys: Codes) -> ShareTest:
    """Test whether a value of an item is associated with its key, by any rule.

    ``said`` is -1 for missing values. The test is Pearson's chi-square of the table of both, over shuffled orders of
    the keys. With many items it uses the chi-square distribution. The share is how often the likeliest key of each
    value is the key. More than ``MOST_KINDS`` distinct keys, 32 values or 144 cells give no result.
    """
    there = said >= 0
    n = int(there.sum())
    values, codes = np.unique(said[there], return_inverse=True)
    kinds, right = np.unique(keys[there], return_inverse=True)
    rows, columns = len(values), len(kinds)
    if not (2 <= rows <= _MOST_VALUES and 2 <= columns <= MOST_KINDS) or n < 2 * max(rows, columns):
        return NOTHING
    if rows * columns > _MOST_CELLS:
        return NOTHING
    random = np.random.default_rng(_SEED)
    seen, foretold = _tables(codes[None], right[None], rows, columns)
    p_value = float(special.chdtrc((rows - 1) * (columns - 1), seen[0]))
    if p_value > _PLAIN:
        return ShareTest(p_value, math.nan, math.nan, n)
    small = n <= _SMALL
    lots = [
        _tables(np.tile(codes, (400, 1)), random.permuted(np.tile(right, (400, 1)), axis=1), rows, columns)
        for _ in range(_DRAWS // 400 if small else 1)
    ]
    drawn, expected = (np.concatenate([each[at] for each in lots]) for at in (0, 1))
    if small:
        least = _all_of(np.bincount(right).astype(float))
        p_value = _drawn(int((drawn >= seen[0] - 1e-9).sum()), len(drawn), max(p_value, least))
    return ShareTest(p_value, float(foretold[0]) / n, float(expected.mean()) / n, n)


def within(test: Callable[[Codes, Codes], ShareTest], said: Codes, keys: Codes, groups: Codes) -> ShareTest:
    """Test within each group of items, and return the least p-value times the number of groups.

    Items of a group have the same number of options, so that this number is not taken for a sign of the key.
    """
    found = [test(said[groups == group], keys[groups == group]) for group in np.unique(groups)]
    tested = [each for each in found if each.n]
    if not tested:
        return NOTHING
    least = min(tested, key=lambda each: each.p_value)
    return replace(least, p_value=min(1.0, least.p_value * len(tested)))


def quarters(numbers: NDArray[Any]) -> Codes:
    """Return a code for each number that is not ``NONE``: for many different numbers, quarters of equal size."""
    there = numbers >= 0
    if len(np.unique(numbers[there])) <= FEW:
        return np.where(there, np.searchsorted(np.unique(numbers[there]), numbers), NONE)
    limits = np.quantile(numbers[there], [0.25, 0.5, 0.75])
    return np.where(there, np.searchsorted(limits, numbers), NONE)


def _tables(said: Codes, keys: Codes, rows: int, columns: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the chi-square of each table of values and keys, and how many keys the likeliest keys predict."""
    cells = said * columns + keys + np.arange(len(keys))[:, None] * rows * columns
    table = np.bincount(cells.ravel(), minlength=len(keys) * rows * columns).reshape(len(keys), rows, columns)
    wanted = table.sum(axis=2, keepdims=True) * table.sum(axis=1, keepdims=True) / keys.shape[1]
    off = np.divide((table - wanted) ** 2, wanted, out=np.zeros(table.shape), where=wanted > 0)
    return off.sum(axis=(1, 2)), table.max(axis=2).sum(axis=1).astype(float)


def _neighbours(lots: Codes, k: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return, for each order, the chi-square of its table of neighbors and the number of correct predictions.

    Both arrays have the shape (orders,). A prediction is the likeliest next key.
    """
    cells = lots[:, :-1] * k + lots[:, 1:] + np.arange(len(lots))[:, None] * k * k
    table = np.bincount(cells.ravel(), minlength=len(lots) * k * k).reshape(len(lots), k, k).astype(float)
    wanted = table.sum(axis=2, keepdims=True) * table.sum(axis=1, keepdims=True) / (lots.shape[1] - 1)
    off = np.divide((table - wanted) ** 2, wanted, out=np.zeros_like(table), where=wanted > 0)
    return off.sum(axis=(1, 2)), table.max(axis=2).sum(axis=1)


def _drawn(as_far: int, draws: int, tail: float) -> float:
    """Return the share of shuffled orders that are as extreme.

    If no order is, the result is the smaller of 1 / (1 + draws) and the normal tail.
    """
    least = (1 + as_far) / (1 + draws)
    return least if as_far else min(least, tail)


def _all_of(counts: NDArray[np.float64]) -> float:
    """Return the probability of one single order of the keys, with equal keys exchanged freely."""
    return float(np.exp(special.gammaln(counts + 1).sum() - special.gammaln(counts.sum() + 1)))


def trend(values: NDArray[np.float64]) -> ShareTest:
    """Test whether numbers rise or fall along an order, by Spearman's coefficient. Two-sided.

    The standard error over all orders is 1 / sqrt(n - 1). Fewer than ten items give no result.
    """
    n = len(values)
    if n < 10 or np.ptp(values) == 0:
        return NOTHING
    ranks = np.empty(n)
    ranks[np.argsort(values, kind="stable")] = np.arange(n)
    for value in np.unique(values):  # ties have their mean rank
        tied = values == value
        ranks[tied] = ranks[tied].mean()
    rho = float(np.corrcoef(ranks, np.arange(n))[0, 1])
    return ShareTest(float(2 * special.ndtr(-abs(rho) * math.sqrt(n - 1))), rho, 0.0, n)


def more_than(hits: int, n: int, chance: float, *, times: int = 1) -> ShareTest:
    """Test whether a share exceeds chance by more than ``LEAST``, by the exact binomial tail at that limit.

    ``times`` is the number of shares of which this share is the largest.
    """
    if not n:
        return NOTHING
    limit = min(1.0, chance + LEAST)
    tail = float(special.betainc(hits, n - hits + 1, limit)) if hits else 1.0
    return ShareTest(min(1.0, times * tail), hits / n, chance, n)


def limits(hits: int, n: int) -> Interval:
    """Return the exact 95 % limits of a share."""
    return exact_binomial(hits, n)

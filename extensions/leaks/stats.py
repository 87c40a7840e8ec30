"""Tests of whether a public value is associated with the key, with a bound on false alarms.

All tests of one check share one level by Holm's procedure (``signals``). If no value is associated with the key, the
check raises an alarm with at most that probability. An association must also have a minimum size, so that a certain but
tiny one in a hundred thousand items is no alarm.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Codes = NDArray[np.int64]

LEVEL = 0.001
"""The level of all tests of a check together."""
LEAST = 0.1
"""The least difference between a share and its expected value."""
_DRAWS = 20_000
_SMALL = 200
"""Up to this number of items, tests shuffle the keys. With more, they use the normal approximation."""
_AT_ONCE = 400
_SEED = 20261101
MOST_KINDS = 12
"""A test gives no result for more distinct keys than this."""
_MOST_VALUES = 32
_MOST_CELLS = MOST_KINDS**2
"""Tests of a table of values and keys give no result for more values or cells than this."""
NONE = -1
"""The code of a missing value."""
FEW = 8
"""Values of more kinds than this are tested in four parts."""
_PLAIN = 0.01
"""A larger p-value of the distribution for many items is not looked at more closely: no check acts on it."""


@dataclass(frozen=True)
class ChanceTest:
    """A test result: the probability of a share at least as extreme under independence."""

    p_value: float
    share: float
    """The observed share."""
    expected: float
    """The share expected by chance."""
    n: int

    @property
    def is_large(self) -> bool:
        """Return whether the share differs enough from chance to be reported."""
        return abs(self.share - self.expected) >= LEAST


NOT_TESTED = ChanceTest(1.0, math.nan, math.nan, 0)


def match_test(values: Codes, keys: Codes) -> ChanceTest:
    """Test whether a column states the key more often than its shuffled values would. One-sided.

    ``values`` is -1 for rows without a statement. Over all orders of the keys the number of matches has mean sum_c a_c
    b_c / n and variance (sum_c a_c b_c (n - a_c)(n - b_c) + sum_{c != d} a_c b_c a_d b_d) / (n^2 (n - 1)), where a and
    b count the values of either.
    """
    n = len(keys)
    there = int((values >= 0).sum())
    if n < 2 or not there:
        return NOT_TESTED
    hits = int((values == keys).sum())
    size = int(max(values.max(), keys.max())) + 1
    a = np.bincount(values[values >= 0], minlength=size).astype(float)
    b = np.bincount(keys, minlength=size).astype(float)
    products = a * b
    mean = float(products.sum() / n)
    same = float((products * (n - a) * (n - b)).sum())
    variance = (same + float(products.sum() ** 2 - (products**2).sum())) / (n * n * (n - 1))
    if variance <= 1e-12 or hits <= mean:
        return ChanceTest(1.0, hits / there, mean / there, there)
    z = (hits - 0.5 - mean) / math.sqrt(variance)
    p_value = float(special.ndtr(-z))
    if n <= _SMALL and z > 2:
        random = np.random.default_rng(_SEED)
        lots = random.permuted(np.tile(keys, (_DRAWS, 1)), axis=1)
        p_value = _drawn(int(((lots == values).sum(axis=1) >= hits).sum()), _DRAWS, max(p_value, _all_of(b)))
    return ChanceTest(p_value, hits / there, mean / there, there)


def neighbor_test(keys: Codes) -> ChanceTest:
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
        return NOT_TESTED

    def shuffled(random: np.random.Generator) -> tuple[Codes, Codes]:
        orders = random.permuted(np.tile(codes, (_AT_ONCE, 1)), axis=1)
        return orders[:, :-1], orders[:, 1:]

    return _table_test(codes[:-1], codes[1:], (k, k), shuffled, of=codes)


def association_test(values: Codes, keys: Codes) -> ChanceTest:
    """Test whether a value of an item is associated with its key, by any rule.

    ``values`` is -1 for missing values. The test is Pearson's chi-square of the table of both, over shuffled orders of
    the keys. With many items it uses the chi-square distribution. The share is how often the likeliest key of each
    value is the key. More than ``MOST_KINDS`` distinct keys, 32 values or 144 cells give no result.
    """
    there = values >= 0
    n = int(there.sum())
    kinds, codes = np.unique(values[there], return_inverse=True)
    key_kinds, right = np.unique(keys[there], return_inverse=True)
    rows, columns = shape = len(kinds), len(key_kinds)
    if not (2 <= rows <= _MOST_VALUES and 2 <= columns <= MOST_KINDS) or n < 2 * max(rows, columns):
        return NOT_TESTED
    if rows * columns > _MOST_CELLS:
        return NOT_TESTED
    seen, _ = _tables(codes[None], right[None], shape)
    p_value = _chi_square_tail(seen, shape)
    if p_value > _PLAIN:
        return ChanceTest(p_value, math.nan, math.nan, n)

    def shuffled(random: np.random.Generator) -> tuple[Codes, Codes]:
        return np.tile(codes, (_AT_ONCE, 1)), random.permuted(np.tile(right, (_AT_ONCE, 1)), axis=1)

    return _table_test(codes, right, shape, shuffled, of=right)


def _table_test(
    rows: Codes,
    columns: Codes,
    shape: tuple[int, int],
    shuffled: Callable[[np.random.Generator], tuple[Codes, Codes]],
    *,
    of: Codes,
) -> ChanceTest:
    """Test the table of two codes by Pearson's chi-square, over shuffled orders of the codes ``of``."""
    n, random = len(of), np.random.default_rng(_SEED)
    seen, predicted = _tables(rows[None], columns[None], shape)
    lots = [_tables(*shuffled(random), shape) for _ in range(_DRAWS // _AT_ONCE if n <= _SMALL else 1)]
    drawn, expected = (np.concatenate([lot[at] for lot in lots]) for at in (0, 1))
    p_value = _chi_square_tail(seen, shape)
    if n <= _SMALL:
        least = _all_of(np.bincount(of).astype(float))
        p_value = _drawn(int((drawn >= seen[0] - 1e-9).sum()), len(drawn), max(p_value, least))
    cells = len(rows)
    return ChanceTest(p_value, float(predicted[0]) / cells, float(expected.mean()) / cells, n)


def _chi_square_tail(seen: NDArray[np.float64], shape: tuple[int, int]) -> float:
    return float(special.chdtrc((shape[0] - 1) * (shape[1] - 1), seen[0]))


def within_groups(test: Callable[[Codes, Codes], ChanceTest], values: Codes, keys: Codes, groups: Codes) -> ChanceTest:
    """Test within each group of items, and return the least p-value times the number of groups.

    Items of a group have the same number of options, so that this number is not taken for a sign of the key.
    """
    tests = [test(values[groups == group], keys[groups == group]) for group in np.unique(groups)]
    tested = [each for each in tests if each.n]
    if not tested:
        return NOT_TESTED
    least = min(tested, key=lambda each: each.p_value)
    return replace(least, p_value=min(1.0, least.p_value * len(tested)))


def _tables(values: Codes, keys: Codes, shape: tuple[int, int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the chi-square of each table of values and keys, and how many keys the likeliest keys predict."""
    lots, (rows, columns) = len(keys), shape
    cells = values * columns + keys + np.arange(lots)[:, None] * rows * columns
    table = np.bincount(cells.ravel(), minlength=lots * rows * columns).reshape(lots, rows, columns)
    wanted = table.sum(axis=2, keepdims=True) * table.sum(axis=1, keepdims=True) / keys.shape[1]
    off = np.divide((table - wanted) ** 2, wanted, out=np.zeros(table.shape), where=wanted > 0)
    return off.sum(axis=(1, 2)), table.max(axis=2).sum(axis=1).astype(float)


def _drawn(as_far: int, draws: int, tail: float) -> float:
    """Return the share of shuffled orders that are as extreme.

    If no order is, the result is the smaller of 1 / (1 + draws) and the normal tail.
    """
    least = (1 + as_far) / (1 + draws)
    return least if as_far else min(least, tail)


def _all_of(counts: NDArray[np.float64]) -> float:
    """Return the probability of one single order of the keys, with equal keys exchanged freely."""
    return float(np.exp(special.gammaln(counts + 1).sum() - special.gammaln(counts.sum() + 1)))


def trend_test(values: NDArray[np.float64]) -> ChanceTest:
    """Test whether numbers rise or fall along an order, by Spearman's coefficient. Two-sided.

    The standard error over all orders is 1 / sqrt(n - 1). Fewer than ten items give no result.
    """
    n = len(values)
    if n < 10 or np.ptp(values) == 0:
        return NOT_TESTED
    ranks = np.empty(n)
    ranks[np.argsort(values, kind="stable")] = np.arange(n)
    for value in np.unique(values):  # ties have their mean rank
        tied = values == value
        ranks[tied] = ranks[tied].mean()
    rho = float(np.corrcoef(ranks, np.arange(n))[0, 1])
    return ChanceTest(float(2 * special.ndtr(-abs(rho) * math.sqrt(n - 1))), rho, 0.0, n)


def excess_test(hits: int, n: int, chance: float, *, times: int = 1) -> ChanceTest:
    """Test whether a share exceeds chance by more than ``LEAST``, by the exact binomial tail at that limit.

    ``times`` is the number of shares of which this share is the largest.
    """
    if not n:
        return NOT_TESTED
    limit = min(1.0, chance + LEAST)
    tail = float(special.betainc(hits, n - hits + 1, limit)) if hits else 1.0
    return ChanceTest(min(1.0, times * tail), hits / n, chance, n)


# ---- values as codes -------------------------------------------------------------------------------------------------


def codes_of(values: Sequence[str | float | None]) -> Codes:
    """Return a code for each value: one for each text, quarters of equal size for numbers with many values, -1 for
    missing values.
    """
    there = [value for value in values if value is not None]
    distinct = sorted(set(map(str, there)))
    if len(distinct) > FEW and all(isinstance(value, int | float) for value in there):
        numbers = np.array([math.nan if value is None else float(value) for value in values])
        return _quarters(numbers, ~np.isnan(numbers))
    code = {text: at for at, text in enumerate(distinct)}
    return np.array([NONE if value is None else code[str(value)] for value in values], dtype=np.int64)


def codes_in_order(values: Sequence[str | float | None]) -> Codes | None:
    """Return in which of four parts of the sorted order each of many distinct texts is, such as dates; None for few
    texts.
    """
    texts = {value for value in values if isinstance(value, str)}
    if len(texts) <= FEW:
        return None
    place = {text: float(at) for at, text in enumerate(sorted(texts))}
    return codes_of([place.get(value) if isinstance(value, str) else None for value in values])


def codes_of_amounts(amounts: Codes) -> Codes:
    """Return a code for each amount that is not ``NONE``: for many different amounts, quarters of equal size."""
    there = amounts >= 0
    distinct = np.unique(amounts[there])
    if len(distinct) <= FEW:
        return np.where(there, np.searchsorted(distinct, amounts), NONE)
    return _quarters(amounts, there)


def _quarters(numbers: NDArray[Any], there: NDArray[np.bool_]) -> Codes:
    limits = np.quantile(numbers[there], [0.25, 0.5, 0.75])
    return np.where(there, np.searchsorted(limits, numbers), NONE)

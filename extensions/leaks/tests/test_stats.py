"""The tests behind the leak check, against all orders of a few keys."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.stats

from extensions.leaks import stats

pytestmark = pytest.mark.thorough


def test_matches_against_all_orders() -> None:
    """Mean and tail over all 720 orders of six keys, one by one."""
    said, keys = np.array([0, 0, 1, 1, 2, -1]), np.array([0, 0, 1, 1, 2, 2])
    every = [sum(s == k for s, k in zip(said, way, strict=True)) for way in itertools.permutations(keys)]
    found = stats.match_test(said, keys)
    assert found.expected * 5 == pytest.approx(np.mean(every))
    assert found.p_value == pytest.approx(np.mean([each >= 5 for each in every]), abs=0.005)


def test_neighbours_against_all_orders() -> None:
    """Sorted: 0 goes to 0 three times of four, 1 always to 1; in all orders, one by one."""
    keys = np.array([0, 0, 0, 0, 1, 1, 1, 1])

    def chi_square(way: tuple[int, ...]) -> float:
        found = scipy.stats.contingency.crosstab(way[:-1], way[1:]).count
        return float(scipy.stats.chi2_contingency(found, correction=False).statistic) if found.shape == (2, 2) else 0.0

    every = [chi_square(way) for way in set(itertools.permutations(keys.tolist()))]
    found = stats.neighbor_test(keys)
    assert found.share == pytest.approx(6 / 7)
    assert found.p_value == pytest.approx(np.mean([each >= chi_square(tuple(keys)) - 1e-9 for each in every]), abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("n", [40, 400])
def test_tests_keep_their_level(n: int) -> None:
    """Of 400 draws in which nothing goes together, about 1 % fall at a level of 1 %: 4, and 12 at most (p < 0.001)."""
    dice = np.random.default_rng(7)
    fallen = {"matches": 0, "chain": 0, "trend": 0}
    for _ in range(400):
        said, keys = dice.integers(-1, 4, n), dice.integers(0, 4, n)
        fallen["matches"] += stats.match_test(said, keys).p_value <= 0.01
        fallen["chain"] += stats.neighbor_test(keys).p_value <= 0.01
        fallen["trend"] += stats.trend_test(keys.astype(float)).p_value <= 0.01
    assert all(each <= 12 for each in fallen.values()), fallen

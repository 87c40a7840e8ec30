"""A slice against the rest, by scipy and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from extensions.slices.difference import difference_from_rest

NAN = float("nan")


def test_of_zeros_and_ones_the_test_is_that_of_a_two_by_two_table() -> None:
    inside = [True] * 12 + [False] * 30
    hits = [1] * 9 + [0] * 3 + [1] * 11 + [0] * 19
    found = difference_from_rest([*hits, NAN], [*inside, True])
    table = stats.chi2_contingency([[9, 3], [11, 19]], correction=False)
    assert found.value == pytest.approx(9 / 12 - 11 / 30)
    assert found.test is not None
    assert found.test.p_value == pytest.approx(table.pvalue)
    assert (found.n_units, found.n_left_out) == (42, 1)


def test_a_small_slice_of_equal_answers_is_no_certainty() -> None:
    hits = [1, 1, 1] + [1] * 70 + [0] * 30
    found = difference_from_rest(hits, [True] * 3 + [False] * 100)
    assert found.test is not None
    assert found.test.p_value > 0.2  # all three right by chance: 0.7 ** 3 = 0.34
    assert difference_from_rest([1, 0, 1], [True, False, False]).test is None
    assert difference_from_rest([1, 1], [True, True]).reason == "There are no other answers to compare with."


def test_where_there_is_no_difference_one_in_twenty_tests_says_there_is() -> None:
    random = np.random.default_rng(7)
    for in_clusters, n_inside in ((False, 8), (False, 40), (True, 40)):
        rejected = 0
        for _ in range(2000):
            if in_clusters:
                hits = np.repeat(random.random(60) < 0.6, 2).astype(float)
                clusters: list[int] | None = [at // 2 for at in range(120)]
            else:
                hits, clusters = (random.random(120) < 0.6).astype(float), None
            found = difference_from_rest(hits, [at < n_inside for at in range(120)], clusters=clusters)
            rejected += found.test is not None and found.test.p_value < 0.05
        assert 60 <= rejected <= 140

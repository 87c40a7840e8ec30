"""Tests of two raters' habits, against closed forms and scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from agreement import Bootstrap, Ratings, Scale, Test, holm, mcnemar, stuart_maxwell
from tests.agreement.published import of_table


def test_mcnemar_on_a_large_table() -> None:
    # Of 314 units 121 have the second category from the second rater alone, 59 from the first alone: 62^2 / 180.
    found = mcnemar(Ratings.from_lists(**of_table([[101, 121], [59, 33]])))
    assert found.value == pytest.approx((121 - 59) / 314)
    assert found.test is not None
    assert (found.test.name, found.test.df) == ("chi2", (1.0,))
    assert found.test.value == pytest.approx(62**2 / 180)
    assert found.test.p_value == pytest.approx(stats.chi2.sf(62**2 / 180, 1))
    assert found.se == pytest.approx(math.sqrt(180 - 62**2 / 314) / 314)
    p, r = 122 / 316, 60 / 316
    half = stats.norm.ppf(0.975) * math.sqrt((p + r - (p - r) ** 2) / 316)
    assert (found.low, found.high) == pytest.approx((p - r - half, p - r + half))


@settings(max_examples=40)
@given(more=st.integers(0, 12), less=st.integers(0, 12), same=st.integers(1, 9))
def test_mcnemar_is_exact_on_few(more: int, less: int, same: int) -> None:
    found = mcnemar(Ratings.from_lists(**of_table([[same, more], [less, same]])))
    if more + less == 0:
        assert found.test is None
        assert found.value == 0
        return
    assert found.test is not None
    assert found.test.name == "binomial"
    assert found.test.p_value == pytest.approx(stats.binomtest(more, more + less).pvalue)
    assert found.low <= found.value <= found.high


def test_stuart_maxwell_of_three_categories_by_the_closed_form() -> None:
    # Differences -20, 10, 10; halves of opposite cells 10 (1, 2), 5 (1, 3), 5 (2, 3):
    # (5 * 400 + 5 * 100 + 10 * 100) / (2 (10 * 5 + 10 * 5 + 5 * 5)) = 3500 / 250.
    found = stuart_maxwell(Ratings.from_lists(**of_table([[35, 5, 0], [15, 20, 5], [10, 5, 5]])))
    assert found.test is not None
    assert found.test.value == pytest.approx(14)
    assert (found.test.name, found.test.df) == ("chi2", (2.0,))
    assert found.test.p_value == pytest.approx(math.exp(-7))  # of chi2 with two degrees of freedom
    assert found.value == pytest.approx(20 / 100)


@settings(max_examples=40)
@given(cells=st.lists(st.integers(1, 9), min_size=9, max_size=9))
def test_stuart_maxwell_by_the_closed_form(cells: list[int]) -> None:
    table = np.array(cells).reshape(3, 3)
    found = stuart_maxwell(Ratings.from_lists(**of_table(table.tolist())), bootstrap=Bootstrap(20))
    d = table.sum(axis=1) - table.sum(axis=0)
    half = (table + table.T) / 2
    a, b, c = half[0, 1], half[0, 2], half[1, 2]
    wanted = (c * d[0] ** 2 + b * d[1] ** 2 + a * d[2] ** 2) / (2 * (a * b + a * c + b * c))
    assert found.test is not None
    assert found.test.value == pytest.approx(wanted, abs=1e-9)


def test_stuart_maxwell_of_two_categories_is_mcnemars() -> None:
    table = Ratings.from_lists(**of_table([[10, 30], [12, 20]]))
    one, two = stuart_maxwell(table), mcnemar(table)
    assert one.test is not None
    assert two.test is not None
    assert (one.test.value, one.test.p_value) == pytest.approx((two.test.value, two.test.p_value))
    assert one.value == pytest.approx(abs(two.value))


def test_categories_that_never_differ_take_no_degree_of_freedom() -> None:
    scale = Scale("nominal", ("a", "b", "c", "d"))
    found = stuart_maxwell(Ratings.from_lists(ann=["a", "a", "b", "c"], bob=["a", "b", "a", "c"], scale=scale))
    assert found.test is not None
    assert (found.test.df, found.test.value) == ((1.0,), pytest.approx(0, abs=1e-12))


def test_raters_who_never_differ_leave_nothing_to_test() -> None:
    same = Ratings.from_lists(ann=["a", "b", "a"], bob=["a", "b", "a"])
    for found in (mcnemar(same), stuart_maxwell(same)):
        assert (found.value, found.test) == (0, None)


def test_what_is_not_for_two_says_so() -> None:
    three = Ratings.from_lists(ann=[1, 2], bob=[1, 2], eva=[2, 1])
    apart = Ratings.from_lists(ann=[1, None], bob=[None, 2])
    for test in (mcnemar, stuart_maxwell):
        assert "two raters" in (test(three).reason or "")
        assert test(apart).reason == "No unit has ratings from both raters."
    assert "two categories" in (mcnemar(Ratings.from_lists(ann=[1, 2], bob=[3, 3])).reason or "")


def marginal(first: object, second: object) -> Test | None:
    return stuart_maxwell(Ratings.from_array(np.column_stack([first, second])), bootstrap=Bootstrap(draws=0)).test


def test_stuarts_own_table() -> None:
    """7,477 women's left and right eyes: chi2 = 11.96 with 3 degrees of freedom, as printed (Stuart 1955)."""
    table = np.array([[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]])
    right, left = np.indices(table.shape)
    test = marginal(np.repeat(right.ravel(), table.ravel()), np.repeat(left.ravel(), table.ravel()))
    assert test is not None
    assert round(test.value, 2) == 11.96
    assert test.df == (3,)
    assert test.p_value == pytest.approx(stats.chi2.sf(test.value, 3), abs=1e-12)


def test_mcnemar_is_the_case_of_two() -> None:
    test = marginal([1] * 10 + [0] * 3 + [1] * 20, [0] * 10 + [1] * 3 + [1] * 20)
    assert test is not None
    assert test.value == pytest.approx((10 - 3) ** 2 / 13)
    assert marginal([1, 0, 2], [1, 0, 2]) is None
    # Two pairs of labels that only swap among themselves: the variance matrix has rank 2, not 3.
    apart = marginal([0, 0, 0, 1, 2, 2, 2, 3], [1, 1, 1, 0, 3, 3, 3, 2])
    assert apart is not None
    assert (apart.value, apart.df) == (pytest.approx(2.0), (2,))


def test_holm_by_hand() -> None:
    # 0.01 * 4, 0.02 * 3, 0.03 * 2 (not below the one before), 0.9
    assert holm([0.03, 0.01, math.nan, 0.9, 0.02]) == pytest.approx((0.06, 0.04, math.nan, 0.9, 0.06), nan_ok=True)
    assert holm([]) == ()
    assert holm([0.6, 0.7]) == (1, 1)

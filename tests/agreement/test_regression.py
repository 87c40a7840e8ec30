"""Least squares: worked arithmetic, identities, and bad input. Values of other programs are in test_judge_golden."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from agreement import linear_regression
from domain.errors import RatingsError

RANDOM = np.random.default_rng(4)
X = RANDOM.normal(size=(40, 2))
Y = 1 + X @ [2, -1] + RANDOM.normal(size=40) * (1 + np.abs(X[:, 0]))


def test_one_aspect_as_scipy_has_it() -> None:
    found = linear_regression(Y, X[:, :1], errors="classical")
    wanted = stats.linregress(X[:, 0], Y)
    slope = found.terms[1].coefficient
    assert slope.test is not None
    assert (slope.value, slope.se, slope.test.p_value) == pytest.approx(
        (wanted.slope, wanted.stderr, wanted.pvalue), rel=1e-10
    )
    assert found.terms[0].se_classical == pytest.approx(wanted.intercept_stderr, rel=1e-10)
    assert found.r_squared.value == pytest.approx(wanted.rvalue**2, rel=1e-10)
    half = stats.t.ppf(0.975, 38) * wanted.stderr
    assert (slope.low, slope.high) == pytest.approx((wanted.slope - half, wanted.slope + half), rel=1e-10)
    assert found.r_squared.test is not None
    assert found.r_squared.test.p_value == pytest.approx(wanted.pvalue, rel=1e-9)


def test_hc3_by_hand() -> None:
    # y = 0, 1, 5 on x = 0, 1, 2: slope 2.5, intercept -0.5, residuals 1/2, -1, 1/2, leverages 5/6, 1/3, 5/6
    found = linear_regression([0, 1, 5], [[0], [1], [2]])
    # slope weights (x - 1)/2: -1/2, 0, 1/2; residuals over 1 - h: 3, -3/2, 3
    assert found.terms[1].coefficient.value == pytest.approx(2.5)
    assert found.terms[1].se_hc3 == pytest.approx(math.sqrt(2 * 1.5**2), rel=1e-12)
    assert found.terms[1].coefficient.se == found.terms[1].se_hc3


def test_clusters_of_one_are_the_robust_errors_of_white_with_their_factor() -> None:
    found = linear_regression(Y, X, clusters=range(40))
    design = np.column_stack([np.ones(40), X])
    inverse = np.linalg.inv(design.T @ design)
    e = Y - design @ (inverse @ design.T @ Y)
    hc1 = np.sqrt(np.diag(inverse @ (design.T * e**2) @ design @ inverse) * 40 / 37)
    assert [term.se_cluster for term in found.terms] == pytest.approx(hc1.tolist(), rel=1e-10)
    assert found.terms[1].coefficient.test is not None
    assert found.terms[1].coefficient.test.df == (39,)


def test_units_there_twice_say_no_more_if_they_are_clustered() -> None:
    once = linear_regression(Y, X, clusters=range(40))
    twice = linear_regression(np.tile(Y, 2), np.tile(X, (2, 1)), clusters=[*range(40), *range(40)])
    factor = math.sqrt((79 / 77) / (39 / 37))
    for one, two in zip(once.terms, twice.terms, strict=True):
        assert two.coefficient.value == pytest.approx(one.coefficient.value, rel=1e-10)
        assert two.se_cluster == pytest.approx(one.se_cluster * factor, rel=1e-10)
        assert two.se_classical < one.se_classical * 0.75


def test_inflation_is_that_of_the_squared_correlation() -> None:
    x = np.column_stack([X[:, 0], X[:, 0] + 0.1 * X[:, 1]])
    r = np.corrcoef(x, rowvar=False)[0, 1]
    assert linear_regression(Y, x).terms[2].vif == pytest.approx(1 / (1 - r**2), rel=1e-8)


def test_large_numbers_do_not_blur_it() -> None:
    near = linear_regression(Y, X)
    far = linear_regression(Y, X * [1e-6, 1e6] + [3, -5e6])
    assert far.terms[1].coefficient.value == pytest.approx(near.terms[1].coefficient.value * 1e6, rel=1e-6)
    assert far.r_squared.value == pytest.approx(near.r_squared.value, rel=1e-8)


def test_rows_with_gaps_are_left_out_and_counted() -> None:
    x, y = X.copy(), Y.copy()
    x[0, 1], y[5] = math.nan, math.nan
    found = linear_regression(y, x, names=["a", "b"])
    assert (found.n_units, found.n_left_out) == (38, 2)
    rest = np.delete(np.arange(40), [0, 5])
    assert found.term("b").coefficient.value == linear_regression(Y[rest], X[rest]).terms[2].coefficient.value


@pytest.mark.parametrize(
    ("x", "why"),
    [
        (np.column_stack([X[:, 0], np.ones(40)]), "same value for all units"),
        (np.column_stack([X[:, 0], 2 * X[:, 0] + 1]), "depends completely on other aspects"),
        (np.full((40, 2), math.nan), "too few"),
    ],
)
def test_what_cannot_be_told_apart_is_said(x: np.ndarray, why: str) -> None:
    found = linear_regression(Y, x)
    assert found.terms == ()
    assert why in (found.reason or "")
    assert not found.r_squared.defined


def test_an_exact_fit_and_a_constant_outcome_have_no_limits() -> None:
    exact = linear_regression(3 + X @ [1, 2], X)
    assert exact.terms[1].coefficient.value == pytest.approx(1)
    assert math.isnan(exact.terms[1].coefficient.low)
    assert exact.r_squared.value == pytest.approx(1)
    constant = linear_regression(np.ones(40), X)
    assert not constant.r_squared.defined
    assert math.isnan(constant.terms[1].coefficient.low)


def test_what_cannot_be_read_is_said() -> None:
    with pytest.raises(RatingsError, match="need 2 different names"):
        linear_regression(Y, X, names=["a", "a"])
    with pytest.raises(RatingsError, match="need a cluster for each unit"):
        linear_regression(Y, X, errors="cluster")
    with pytest.raises(RatingsError, match="must be 2-dimensional"):
        linear_regression(Y, Y)
    one = linear_regression(Y, X, clusters=["same"] * 40)
    assert math.isnan(one.terms[1].coefficient.low)
    assert "clusters" in (one.terms[1].coefficient.reason or "")


def test_robust_limits_cover_where_classical_ones_do_not() -> None:
    random = np.random.default_rng(9)
    hits = dict.fromkeys(("classical", "hc3"), 0)
    for _ in range(400):
        x = random.normal(size=(80, 1))
        y = x[:, 0] + random.normal(size=80) * x[:, 0] ** 2
        for errors in hits:
            slope = linear_regression(y, x, errors=errors).terms[1].coefficient  # type: ignore[arg-type]
            hits[errors] += slope.low <= 1 <= slope.high
    assert hits["classical"] / 400 < 0.8
    assert hits["hc3"] / 400 > 0.9

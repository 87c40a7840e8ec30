"""Linear regression held against statsmodels, and where it has no diagnostics."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agreement import linear_regression
from agreement.regression_parts import Regression

PEERS: Mapping[str, Any] = json.loads(Path(__file__).with_name("regression_peers.json").read_text())
"""What statsmodels 0.15.0 gives for 48 made units in 16 clusters: OLS, Logit and GLM with their robust covariances,
marginal effects, influence measures and het_breuschpagan; HC3 of the logistic one from scores over 1 - h, h being its
leverages."""
Y, X, CLUSTERS = PEERS["y"], np.array(PEERS["x"]), PEERS["clusters"]


def fitted(errors: str, fit: Callable[..., Regression] = linear_regression) -> Regression:
    return fit(Y, X, names=PEERS["names"], errors=errors, clusters=CLUSTERS)


def has_the_coefficients(found: Regression, wanted: Mapping[str, Any], *, df: int | None = None) -> None:
    """Compare coefficients with those of statsmodels. ``df``: ours are tested by t, and theirs by the normal."""
    assert [term.name for term in found.terms] == ["intercept", *PEERS["names"]]
    own = [term.coefficient for term in found.terms]
    assert [each.value for each in own] == pytest.approx(wanted["coefficient"], rel=1e-9)
    assert [each.se for each in own] == pytest.approx(wanted["se"], rel=1e-9)
    tests = [each.test for each in own if each.test]
    assert [test.value for test in tests] == pytest.approx(wanted["statistic"], rel=1e-9)
    if df is not None:
        assert {test.df for test in tests} == {(df,)}
        return
    assert [test.p_value for test in tests] == pytest.approx(wanted["p"], rel=1e-8)
    assert [(each.low, each.high) for each in own] == [pytest.approx(each, rel=1e-8) for each in wanted["limits"]]


@pytest.mark.parametrize("errors", ["classical", "hc3", "cluster"])
def test_coefficients_and_their_errors(errors: str) -> None:
    found, wanted = fitted(errors), PEERS["linear"][errors]
    has_the_coefficients(found, wanted)
    assert found.whole is not None
    assert [found.whole.value, *found.whole.df, found.whole.p_value] == pytest.approx(wanted["whole"], rel=1e-8)


def test_too_few_clusters_for_a_test_of_all() -> None:
    found = linear_regression(Y, X, clusters=[at % 3 for at in range(48)])
    assert found.whole is None
    assert found.terms[1].coefficient.test is not None
    assert found.terms[1].coefficient.test.df == (2,)


def test_a_difference_of_shares_by_hand() -> None:
    found = linear_regression([1] * 8 + [0] * 2 + [1] * 3 + [0] * 7, [[1]] * 10 + [[0]] * 10)
    assert found.terms[1].coefficient.value == pytest.approx(0.8 - 0.3, rel=1e-12)


def test_fit_of_least_squares() -> None:
    found, wanted = fitted("hc3"), PEERS["linear"]
    assert (found.r_squared.value, found.adjusted_r_squared) == pytest.approx((wanted["r_squared"], wanted["adjusted"]))
    assert found.r_squared.test is not None
    assert (found.r_squared.test.value, found.r_squared.test.p_value) == pytest.approx(wanted["f"], rel=1e-8)
    assert found.spread is not None
    assert (found.spread.value, found.spread.p_value) == pytest.approx(wanted["breusch_pagan"], rel=1e-8)
    assert found.spread.df == (3,)
    assert [term.vif for term in found.terms[1:]] == pytest.approx(wanted["vif"], rel=1e-9)
    assert found.condition == pytest.approx(wanted["condition"], rel=1e-9)
    assert found.leverage == pytest.approx(wanted["leverage"], rel=1e-9)
    assert found.distance == pytest.approx(wanted["cooks"], rel=1e-8)


def test_distance_is_how_far_the_fit_moves() -> None:
    # Cook: (b - b_i)' X'X (b - b_i) / (k s^2), with the coefficients computed again without the unit
    design = np.column_stack([np.ones(48), X])
    found = linear_regression(Y, X, errors="classical")
    b = np.linalg.lstsq(design, np.array(Y, float), rcond=None)[0]
    s2 = float(((Y - design @ b) ** 2).sum()) / 44
    for unit in (0, 17):
        rest = np.delete(np.arange(48), unit)
        moved = b - np.linalg.lstsq(design[rest], np.array(Y, float)[rest], rcond=None)[0]
        assert found.distance[unit] == pytest.approx(float(moved @ design.T @ design @ moved) / (4 * s2), rel=1e-8)


def test_an_exact_fit_has_no_diagnostics() -> None:
    found = linear_regression(X @ [1, 2, 3], X)
    assert (found.whole, found.spread) == (None, None)
    assert all(math.isnan(each) for each in found.distance)

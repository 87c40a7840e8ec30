"""Logistic regression held against statsmodels, by worked arithmetic, and where there is nothing to be found."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agreement.regression_parts import Regression
from domain.errors import RatingsError
from extensions.plans.logistic import logistic_regression
from tests.agreement.test_least_squares import PEERS, X, Y, fitted, has_the_coefficients


def fitted_by_logits(errors: str) -> Regression:
    return fitted(errors, logistic_regression)


@pytest.mark.parametrize("errors", [each for each in ("classical", "hc3", "cluster") if each in PEERS["logistic"]])
def test_coefficients_and_their_errors(errors: str) -> None:
    has_the_coefficients(fitted_by_logits(errors), PEERS["logistic"][errors], df=15 if errors == "cluster" else None)


def test_of_all_aspects_at_once() -> None:
    classical, clustered = fitted_by_logits("classical").whole, fitted_by_logits("cluster").whole
    assert classical is not None
    assert clustered is not None
    assert [classical.value, classical.p_value] == pytest.approx(PEERS["logistic"]["classical"]["whole_chi2"], rel=1e-8)
    assert clustered.value * 3 == pytest.approx(PEERS["logistic"]["cluster"]["whole_chi2"][0], rel=1e-8)
    assert clustered.df == (3, 15)


def test_fit_of_the_logistic_one() -> None:
    found, wanted = fitted_by_logits("classical"), PEERS["logistic"]
    assert found.r_squared.value == pytest.approx(wanted["mcfadden"], rel=1e-8)
    likelihood, alone = wanted["log_likelihood"]
    assert found.adjusted_r_squared == pytest.approx(1 - (likelihood - 3) / alone, rel=1e-8)
    assert found.r_squared.test is not None
    assert (found.r_squared.test.value, found.r_squared.test.p_value) == pytest.approx(wanted["lr"], rel=1e-8)
    assert found.r_squared.test.df == (3,)
    assert found.spread is None
    assert found.leverage == pytest.approx(wanted["leverage"], rel=1e-8)
    assert found.distance == pytest.approx(wanted["cooks"], rel=1e-7)
    assert [term.se_hc3 for term in found.terms] == pytest.approx(wanted["se_hc3"], rel=1e-8)


@pytest.mark.parametrize("errors", ["classical", "cluster"])
def test_marginal_effects(errors: str) -> None:
    found, wanted = fitted_by_logits(errors), PEERS["logistic"][errors]
    effects = [term.effect for term in found.terms if term.effect is not None]
    assert [each.value for each in effects] == pytest.approx(wanted["effect"], rel=1e-9)
    assert [each.se for each in effects] == pytest.approx(wanted["effect_se"], rel=1e-8)
    assert found.terms[0].effect is None


def test_two_by_two_by_hand() -> None:
    # with the aspect 8 of 10 succeed, without it 3 of 10: log odds ratio log((8/2) / (3/7)), its variance the sum of
    # one over each count (Woolf 1955)
    x = [[1]] * 10 + [[0]] * 10
    y = [1] * 8 + [0] * 2 + [1] * 3 + [0] * 7
    found = logistic_regression(y, x, names=["seen"])
    assert found.terms[0].coefficient.value == pytest.approx(math.log(3 / 7), rel=1e-9)
    assert found.term("seen").coefficient.value == pytest.approx(math.log((8 / 2) / (3 / 7)), rel=1e-9)
    assert found.term("seen").se_classical == pytest.approx(math.sqrt(1 / 8 + 1 / 2 + 1 / 3 + 1 / 7), rel=1e-9)


def test_aspects_of_any_size() -> None:
    near = fitted_by_logits("hc3")
    far = logistic_regression(Y, X * [1e-6, 1e6, 1] + [3, -5e6, 0], errors="hc3")
    assert far.terms[1].coefficient.value == pytest.approx(near.terms[1].coefficient.value * 1e6, rel=1e-6)
    assert far.terms[2].coefficient.se == pytest.approx(near.terms[2].coefficient.se / 1e6, rel=1e-6)


GRID = [[float(at)] for at in range(12)]


@pytest.mark.parametrize(
    ("y", "x", "why"),
    [
        ([0] * 6 + [1] * 6, GRID, "x1 alone can perfectly predict success in 12 of 12 units"),
        ([1] * 6 + [0] * 6, GRID, "x1 alone"),
        # one success and one failure at 5: all others stand on their side
        ([0] * 5 + [0, 1] + [1] * 5, [*GRID[:6], [5.0], *GRID[6:11]], "in 10 of 12 units"),
        # success where the first is above the second, which neither shows alone
        (
            [0, 1, 0, 1, 0, 1, 0, 1],
            [[0, 1], [1, 0], [2, 3], [3, 2], [4, 5], [5, 4], [1, 2], [2, 1]],
            "the aspects together can perfectly predict",
        ),
        ([1] * 12, GRID, "All units have the same outcome."),
        ([0, 1], [[1.0], [2.0]], "2 complete units are too few for 2 coefficients."),
        ([0, 1, 1, 0] * 3, [[1.0]] * 12, "same value for all units"),
    ],
)
def test_no_most_likely_coefficients(y: list[float], x: list[list[float]], why: str) -> None:
    found = logistic_regression(y, x)
    assert found.terms == ()
    assert why in (found.reason or "")
    assert not found.r_squared.defined


def test_steep_is_not_separated() -> None:
    # a slope of some 50 over the whole range, but one failure lies above a success, so that there is a maximum
    x = np.linspace(0, 1, 400)[:, None]
    y = (x[:, 0] > 0.5).astype(int)
    y[198], y[201] = 1, 0
    found = logistic_regression(y, x)
    assert found.reason is None
    p = 1 / (1 + np.exp(-(found.terms[0].coefficient.value + found.terms[1].coefficient.value * x[:, 0])))
    assert abs(float((y - p).sum())) < 1e-6  # the likelihood's slope is zero there
    assert abs(float(x[:, 0] @ (y - p))) < 1e-6


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(RatingsError, match=r"outcome 0\.5 is not valid for a logistic regression\. Give 0 or 1"):
        logistic_regression([0, 0.5, 1, 1], [[0], [1], [2], [0]])
    with pytest.raises(RatingsError, match="need a cluster for each unit"):
        logistic_regression(Y, X, errors="cluster")


def test_gaps_are_left_out_and_counted() -> None:
    x = X.copy()
    x[3, 1] = math.nan
    found = logistic_regression(Y, x)
    assert (found.n_units, found.n_left_out) == (47, 1)
    assert math.isnan(found.leverage[3])
    assert math.isnan(found.distance[3])
    rest = logistic_regression(np.delete(Y, 3), np.delete(X, 3, axis=0))
    assert [term.coefficient.value for term in found.terms] == [term.coefficient.value for term in rest.terms]


def test_too_few_clusters_for_a_test_of_all() -> None:
    found = logistic_regression(Y, X, clusters=[at % 3 for at in range(48)])
    assert found.whole is None
    assert found.terms[1].coefficient.test is not None
    assert found.terms[1].coefficient.test.df == (2,)


def test_models_of_many_plans() -> None:
    wanted = PEERS["grouped"]  # GLM of successes and failures; effects of Logit with a row for each plan
    y, x, trials = wanted["successes"], wanted["x"], wanted["trials"]
    found = logistic_regression(y, x, trials=trials)
    assert [term.coefficient.value for term in found.terms] == pytest.approx(wanted["coefficient"], rel=1e-8)
    assert [term.se_classical for term in found.terms] == pytest.approx(wanted["se"], rel=1e-8)
    assert [term.coefficient.se for term in found.terms] == pytest.approx(wanted["se_hc3"], rel=1e-8)  # the default
    assert found.terms[1].coefficient.test is not None
    assert found.terms[1].coefficient.test.df == (17,)
    assert found.whole is not None
    assert [found.whole.value, *found.whole.df, found.whole.p_value] == pytest.approx(wanted["whole"], rel=1e-8)
    assert found.spread is not None
    assert (found.spread.value, found.spread.p_value) == pytest.approx(wanted["pearson"], rel=1e-8)
    assert found.spread.df == (17,)
    assert found.leverage == pytest.approx(wanted["leverage"], rel=1e-8)
    assert found.distance == pytest.approx(wanted["cooks"], rel=1e-7)
    classical = logistic_regression(y, x, trials=trials, errors="classical")
    effects = [term.effect for term in classical.terms if term.effect is not None]
    assert [each.value for each in effects] == pytest.approx(wanted["effect"], rel=1e-8)
    assert [each.se for each in effects] == pytest.approx(wanted["effect_se"], rel=1e-8)
    share = sum(y) / sum(trials)
    alone = sum(y) * math.log(share) + (sum(trials) - sum(y)) * math.log(1 - share)
    assert found.r_squared.value == pytest.approx(1 - wanted["log_likelihood"] / alone, rel=1e-8)
    assert (found.n_units, found.residual_df) == (20, 17)


def test_models_that_are_told_apart() -> None:
    x = [[0.1], [0.2], [0.3], [0.4]]
    found = logistic_regression([0, 1, 4, 5], x, trials=[5, 5, 5, 5])
    assert found.reason is None  # two units have both, so that no plane has all failures on one side
    found = logistic_regression([0, 0, 5, 5], x, trials=[5, 5, 5, 5])
    assert "x1 alone can perfectly predict success in 4 of 4 units" in (found.reason or "")
    found = logistic_regression([0, 2, 5, 5], x, trials=[5, 5, 5, 5])
    assert "in 3 of 4 units" in (found.reason or "")  # a plane through the second has the others on their sides


@pytest.mark.parametrize(
    ("y", "trials", "why"),
    [
        (
            [3, 1, 0],
            [2, 2, 2],
            "outcome 3 is not valid for a logistic regression. Give a whole number from 0 to the number of trials",
        ),
        ([1, 1, 0], [0.5, 2, 2], "whole numbers"),
    ],
)
def test_trials_that_cannot_be(y: list[float], trials: list[float], why: str) -> None:
    with pytest.raises(RatingsError, match=why):
        logistic_regression(y, [[1], [2], [3]], trials=trials)

"""Means over the pairs of many raters."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from agreement import Bootstrap, Ratings, cohen_kappa, light_kappa, mean_pearson, pearson
from agreement.ratings import Floats


def grades(seed: int, units: int = 150, raters: int = 11, gaps: float = 0.2) -> Floats:
    random = np.random.default_rng(seed)
    drawn = random.normal(size=(units, 1)) + random.normal(size=(units, raters))
    table = np.digitize(drawn, [-1, 0, 1]) + 1.0
    table[random.random(table.shape) < gaps] = np.nan
    return table


def jackknife(table: Floats, weights: Any) -> float:
    """The standard error from leaving out each unit."""
    values = [
        light_kappa(Ratings.from_array(np.delete(table, at, axis=0)), weights=weights).value for at in range(len(table))
    ]
    return math.sqrt((len(values) - 1) * float(np.var(values)))


@pytest.mark.parametrize("weights", ["none", "quadratic"])
@pytest.mark.parametrize("gaps", [0, 0.2])
def test_many_raters_have_the_mean_of_their_pairs_and_the_error_of_the_jackknife(weights: Any, gaps: float) -> None:
    table = grades(1, units=120, gaps=gaps)
    ratings = Ratings.from_array(table)
    found = light_kappa(ratings, weights=weights)
    pairs = [cohen_kappa(ratings.of(*pair), weights=weights).value for pair in combinations(ratings.raters, 2)]
    assert found.method == "linearized variance"
    assert found.value == pytest.approx(sum(pairs) / 55, abs=1e-12)
    assert found.se == pytest.approx(jackknife(table, weights), rel=0.04)
    assert found.high - found.low == pytest.approx(2 * 1.959964 * found.se, rel=1e-6)


def test_many_raters_may_be_resampled() -> None:
    ratings = Ratings.from_array(grades(2))
    by_draws = light_kappa(ratings, weights="linear", bootstrap=Bootstrap(1000))
    assert "bootstrap" in by_draws.method
    assert by_draws.se == pytest.approx(light_kappa(ratings, weights="linear").se, rel=0.1)


def test_a_pair_without_a_common_unit_is_named() -> None:
    table = grades(3)
    table[::2, 0] = np.nan
    table[1::2, 1] = np.nan
    found = light_kappa(Ratings.from_array(table))
    assert math.isnan(found.value)
    assert "Kappa is undefined for rater 1 and rater 2" in (found.reason or "")


@pytest.mark.parametrize("gaps", [0, 0.2])
def test_the_mean_correlation_of_many_raters(gaps: float) -> None:
    ratings = Ratings.from_array(grades(4, gaps=gaps))
    found = mean_pearson(ratings)
    pairs = [pearson(ratings.of(*pair)).value for pair in combinations(ratings.raters, 2)]
    assert found.method == "linearized variance"
    assert found.value == pytest.approx(sum(pairs) / 55, abs=1e-12)
    by_draws = mean_pearson(ratings, bootstrap=Bootstrap(1000))
    assert "bootstrap" in by_draws.method
    assert by_draws.value == pytest.approx(found.value, abs=1e-12)
    assert by_draws.se == pytest.approx(found.se, rel=0.1)


def test_a_rater_of_one_number_has_no_correlation() -> None:
    table = grades(5)
    table[:, 3] = 2
    found = mean_pearson(Ratings.from_array(table))
    assert math.isnan(found.value)
    assert "rater 4" in (found.reason or "")

"""Few clusters: CR2 against dense matrices, lower limits against scipy, and how often these are too high."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import linalg, stats

from agreement.statistic import Statistic
from benchmarks.verdicts import HARD, ceiling_drawn, true_gap
from extensions.calibration.statistics.ceiling import human_ceiling
from extensions.calibration.statistics.small_sample import LowerLimit, contrast, lower_limit_of


def dense(y: np.ndarray, x: np.ndarray, of: np.ndarray) -> tuple[float, float, float]:
    """Slope, CR2 standard error and Satterthwaite's degrees of freedom by the formulas of Pustejovsky and Tipton
    (2018), equations 6 and 11, with whole matrices."""
    n, c = len(y), np.eye(x.shape[1])[-1]
    bread = np.linalg.inv(x.T @ x)
    hat = x @ bread @ x.T
    e = y - hat @ y
    variance, columns = 0.0, []
    for g in np.unique(of):
        mine = of == g
        a = (
            linalg.fractional_matrix_power(np.eye(mine.sum()) - hat[np.ix_(mine, mine)], -0.5).real
            @ x[mine]
            @ bread
            @ c
        )
        variance += float(a @ e[mine]) ** 2
        columns.append((np.eye(n) - hat)[mine].T @ a)
    p = np.array(columns) @ np.array(columns).T
    return float(c @ bread @ x.T @ y), math.sqrt(variance), float(np.trace(p) ** 2 / (p * p).sum())


@pytest.mark.parametrize("aspect", ["mean", "group", "number", "rare group"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_cr2_is_that_of_dense_matrices(aspect: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    of = np.sort(random.integers(0, 9, 47))  # clusters of unequal size
    y = random.normal(size=47) + of / 10
    share = {"group": 0.4, "rare group": 0.08}.get(aspect, 0.0)
    given = random.normal(size=47) if aspect == "number" else (random.random(47) < share).astype(float)
    ones = np.ones((47, 1))
    found = contrast(y, None if aspect == "mean" else given, clusters=of.tolist())
    value, se, df = dense(y, ones if aspect == "mean" else np.column_stack([ones, given]), of)
    assert (found.value, found.se) == (pytest.approx(value, abs=1e-12), pytest.approx(se, rel=1e-10))
    assert found.test is not None
    assert found.test.df[0] == pytest.approx(df, rel=1e-9)
    assert found.high - found.value == pytest.approx(stats.t.ppf(0.975, df) * se, rel=1e-9)


def test_equal_clusters_give_the_usual_limits_of_a_mean() -> None:
    """Clusters of one size: CR2 is s of the clusters' means over sqrt(G), with G - 1 degrees of freedom."""
    means = [0.1, 0.5, 0.2, 0.9]
    found = contrast(np.repeat(means, 3) + np.tile([-0.1, 0.0, 0.1], 4), clusters=np.repeat(range(4), 3).tolist())
    assert found.se == pytest.approx(float(np.std(means, ddof=1)) / 2)
    assert found.test is not None
    assert found.test.df[0] == pytest.approx(3)


def test_two_groups_without_clusters_are_hc2() -> None:
    """Of two groups HC2 is the variance of Welch's test: s1^2 / n1 + s2^2 / n2 = 0.25 / 2 ... with 2 and 3 units."""
    found = contrast([1, 2, 4, 5, 9], [0, 0, 1, 1, 1])
    assert found.value == pytest.approx(6 - 1.5)
    assert found.se == pytest.approx(math.sqrt(0.5 / 2 + 7 / 3))


def test_what_cannot_be_tested_says_why() -> None:
    assert contrast([1, 2, 3], [1, 1, 1]).reason == "The value is the same for all units."
    assert contrast([1.0, math.nan], [0, 1]).reason == "There are too few units."
    assert math.isnan(contrast([1, 2, 3, 4], clusters=["a"] * 4).low)


def test_a_lower_limit_at_any_level() -> None:
    limit = LowerLimit(0.2, 0.1, 11)
    assert limit.at() == pytest.approx(0.2 - stats.t.ppf(0.975, 11) * 0.1)
    assert limit.p_value(0.0) == pytest.approx(stats.t.sf(2, 11))
    found = Statistic(0.5, 0.3, 0.7, "made", 30, 3)
    assert lower_limit_of(found, df=29).at() == pytest.approx(0.3)
    assert lower_limit_of(found, df=29, shape="correlation").at() == pytest.approx(0.3)
    assert math.isnan(lower_limit_of(Statistic(0.5, math.nan, math.nan, "none", 30, 3)).at())


def test_one_more_unit_at_its_worst_by_hand() -> None:
    """Two people and a judge, ten units, share of equal values. The judge misses one of ten: with each person 0.9, and
    people 1, a difference of -0.1. One more unit on which people agree and the judge does not: -2/11. The limit starts
    there, with the jackknife over the eleven: values without one are -1/10 (two of them) and -2/10 (nine)."""
    people = np.array([[0, 0], [1, 1]] * 5, dtype=float)
    judge = people[:, 0].copy()
    judge[0] = 1
    found = human_ceiling(people, judge)
    left = np.array([-0.1] * 2 + [-0.2] * 9)
    se = math.sqrt(10 / 11 * ((left - left.mean()) ** 2).sum())
    assert found.difference.value == pytest.approx(-0.1)
    assert found.difference.low == pytest.approx(-2 / 11 - stats.t.ppf(0.975, 10) * se)
    assert "one worst-case unit" in found.difference.method


@pytest.mark.thorough
@pytest.mark.parametrize("questions", [12, 20])
@pytest.mark.parametrize("name", list(HARD)[1:4])
def test_the_lower_limit_of_judge_minus_people_is_hardly_ever_too_high(name: str, questions: int) -> None:
    """Nominal: 2.5 %. The jackknife's own limit was too high in 4 to 15 % of these."""
    models, right, person, judge, whole = HARD[name]
    random = np.random.default_rng(questions)
    truth = true_gap(right, person, judge)
    found = [ceiling_drawn(questions, models, right, person, judge, whole, random)[0] for _ in range(100)]
    above = sum(each.difference.low > truth for each in found)
    assert above <= stats.binom.ppf(0.99, 100, 0.025), above

"""Two arms of a study: the difference with its limits, and how many units show one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from domain.errors import RatingsError
from extensions.drafting.two_arms import arm_difference, arm_size, by_chance


def test_a_difference_by_worked_arithmetic() -> None:
    # with 5/6, without 2/6; sum of squares within 5/6 and 4/3, over 36 each: 13/216; times 12/11
    found = arm_difference([1, 1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1], [True] * 6 + [False] * 6)
    se = math.sqrt(13 / 216 * 12 / 11)
    assert (found.value, found.se) == (pytest.approx(0.5), pytest.approx(se))
    # t with 11 degrees of freedom, 97.5 %: 2.201 in any table
    assert (found.low, found.high) == (
        pytest.approx(0.5 - 2.201 * se, abs=1e-4),
        pytest.approx(0.5 + 2.201 * se, abs=1e-4),
    )
    assert found.test is not None
    assert found.test.p_value == pytest.approx(2 * stats.t.sf(0.5 / se, 11))


def test_units_of_a_source_go_together_by_worked_arithmetic() -> None:
    # ten sources with two units in each arm, all four alike: what a source adds to one arm it takes from the other
    values = [float(source % 2) for source in range(10) for _ in range(4)]
    arms = [at % 2 == 0 for at in range(40)]
    within = arm_difference(values, arms, clusters=[at // 4 for at in range(40)])
    assert within.value == 0
    assert "do not vary within the arms" in str(within.reason)
    # the same values, each source in one arm alone
    of_arm = [source < 5 for source in range(10) for _ in range(4)]
    between = arm_difference(values, of_arm, clusters=[at // 4 for at in range(40)])
    # with: sources 1 and 3 of 0..4 are 1, mean 2/5; without: 5, 7, 9 of 5..9, mean 3/5
    assert between.value == pytest.approx(-0.2)
    # a source adds 4/20 (x - mean): squares 0.04 (2 * 0.36 + 3 * 0.16) for each arm = 0.048; 10/9 of 0.096
    assert between.se == pytest.approx(math.sqrt(0.096 * 10 / 9))
    alone = arm_difference(values, of_arm)
    assert alone.se < between.se  # 40 units would know more than 10 sources do


def test_what_cannot_be_said() -> None:
    assert "Only one of the arms" in str(arm_difference([1.0, 0.0], [True, True]).reason)
    assert "no values" in str(arm_difference([math.nan], [True]).reason)
    few = arm_difference([1, 0, 1, 0], [True, True, False, False])
    assert (few.value, math.isnan(few.low)) == (0, True)
    assert "fewer than 10 units" in str(few.reason)
    left = arm_difference([1, 0, math.nan] * 8, [True, False, True] * 8)
    assert (left.n_units, left.n_left_out) == (16, 8)


def test_how_often_chance_alone_does_it_is_counted_over_the_ways_to_give_units_away() -> None:
    # 9 of 12 are kept, and all three that are not lie in one arm: 2 * C(6, 3) of the C(12, 3) places = 40 / 220, and
    # no arms can be farther apart, so that half of these count
    arms, values = [True] * 6 + [False] * 6, [1, 1, 1, 0, 0, 0, *[1] * 6]
    assert by_chance(values, arms) == pytest.approx(20 / 220, abs=2 * math.sqrt(0.182 * 0.818 / 4_999))
    limits = arm_difference(values, arms)
    assert limits.high < 0, "limits alone would call it shown"
    # ranks 1 to 8, in one arm 4, 6, 7 and 8, whose sum of 25 is 7 above the mean; of the C(8, 4) = 70 arrangements two
    # are farther apart (26 and 10) and two as far
    ranks = [4, 6, 7, 8, math.nan, 1, 2, 3, 5]
    assert by_chance(ranks, [True] * 4 + [False] * 5) == pytest.approx(3 / 70, abs=0.01)
    # two ones of four: 4 of 6 arrangements have one in each arm, which is as far apart as these; two are farther
    assert by_chance([1, 0, 1, 0], [True, True, False, False]) == pytest.approx(2 / 6 + 2 / 6, abs=0.03)
    assert by_chance([1, 1, 1, 1], [True, True, False, False]) == 0.5
    assert math.isnan(by_chance([1, 0], [True, True]))
    assert math.isnan(by_chance([], []))
    # the end of the scale: 0.5 / (draws + 1), in blocks as in one
    apart = np.repeat([1.0, 0.0], 2_000)
    assert by_chance(apart, apart == 1, draws=999) == 0.5 / 1_000


def test_the_size_of_arms_by_worked_arithmetic() -> None:
    # (1.959964 + 0.841621)^2 = 7.848880
    # rate 0.8, a tenth down is 0.7: (0.16 + 0.21) / 0.01 = 37; up, 0.9: 25, less. 290.41
    assert arm_size(rate=0.8, difference=0.1).n == 291
    assert arm_size(rate=0.8, difference=-0.1).n == 291
    # 0.5 and a tenth: (0.25 + 0.24) / 0.01 = 49: 384.6; Chow's and Fleiss' tables have 385 for 0.5 and 0.6
    assert arm_size(rate=0.5, difference=0.1).n == 385
    # six of a source, alike by 0.2: twice as many (290.41 * 2 = 580.8)
    clustered = arm_size(rate=0.8, difference=0.1, cluster_size=6, icc=0.2)
    assert (clustered.n, clustered.n_first_stage) == (581, 291)
    # 90 %: (1.959964 + 1.281552)^2 = 10.507424, times 37: 388.8
    assert arm_size(rate=0.8, difference=0.1, power=0.9).n == 389
    for wrong in ({"rate": 1.0}, {"difference": 0.0}, {"power": 1.0}, {"cluster_size": 0.5}, {"icc": 2.0}):
        with pytest.raises(RatingsError):
            arm_size(**{"rate": 0.8, "difference": 0.1, **wrong})


@pytest.mark.thorough
def test_a_planted_effect_of_ten_points_is_found_at_the_planned_size_and_none_where_there_is_none() -> None:
    rng = np.random.default_rng(7)
    n = arm_size(rate=0.8, difference=0.1).n
    arms = np.arange(2 * n) % 2 == 0
    sources = (np.arange(2 * n) // 4).tolist()

    def found(with_it: float, without: float) -> float:
        n_found = 0
        for _ in range(1000):
            values = (rng.random(2 * n) < np.where(arms, with_it, without)).astype(float)
            one = arm_difference(values, arms, clusters=sources)
            n_found += one.low > 0 or one.high < 0
        return n_found / 1000

    # planned for 80 %, with a standard deviation of 1.3 points in 1,000 studies; four of them either way
    assert 0.75 < found(0.7, 0.8) < 0.85
    # 5 %, with 0.7 points
    assert 0.022 < found(0.8, 0.8) < 0.078


@pytest.mark.thorough
def test_limits_hold_the_truth_where_sources_differ() -> None:
    rng = np.random.default_rng(11)
    source = np.repeat(np.arange(60), 6)
    held = 0
    for _ in range(1000):
        arms = rng.permutation(len(source)) % 2 == 0
        easy = rng.beta(2, 1, 60)[source]  # how often items of a source are kept: mean 2/3, far apart
        values = (rng.random(len(source)) < np.clip(easy - 0.1 * arms * easy / (2 / 3), 0, 1)).astype(float)
        one = arm_difference(values, arms, clusters=source.tolist())
        held += one.low <= -0.1 <= one.high
    assert 922 <= held <= 978  # 950 expected, standard deviation 6.9; four of them

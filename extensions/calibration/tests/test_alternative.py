"""The alternative annotator test: worked arithmetic, gaps, the range of epsilon, and bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from agreement import Ratings
from domain.errors import RatingsError
from extensions.calibration.statistics.alternative import alternative_test, benjamini_yekutieli, winning_rates

NAN = math.nan
PEOPLE = np.array([[1, 1, 1], [0, 0, 0], [1, 1, 0], [0, 1, 1]] * 10, dtype=float)
JUDGE = np.array([1, 0, 1, 1] * 10, dtype=float)


def test_by_hand() -> None:
    found = alternative_test(PEOPLE, JUDGE, epsilon=0.1)
    # Person 1 stands alone on every fourth unit (judge closer), agrees otherwise: advantage 1, own 3/4.
    first, second, third = found.people
    assert (first.advantage.value, first.person_advantage) == (1, 0.75)
    # Person 2 has the same values as the judge throughout.
    assert (second.advantage.value, second.person_advantage) == (1, 1)
    # Person 3 is alone on the third of every four.
    assert (third.advantage.value, third.person_advantage) == (1, 0.75)
    assert found.advantage_probability.value == 1
    wanted = stats.ttest_1samp([0, 0, 0, -1] * 10, 0.1, alternative="less")
    assert first.test is not None
    assert first.test.p_value == pytest.approx(wanted.pvalue, abs=1e-12)
    assert first.test.value == pytest.approx(wanted.statistic, abs=1e-12)
    assert found.winning_rate.value == 1
    assert found.passed
    assert found.possible == (0, 1 / 3, 2 / 3, 1)


def test_who_has_too_few_units_is_left_out_and_named() -> None:
    people = PEOPLE.copy()
    people[20:, 2] = NAN
    found = alternative_test(people, JUDGE)
    assert found.winning_rate.n_raters == 2
    assert found.people[2].test is None
    assert "20 units" in (found.people[2].reason or "")
    assert not found.people[2].rejected


def test_units_with_one_person_or_without_the_judge_are_left_out() -> None:
    people, judge = PEOPLE.copy(), JUDGE.copy()
    people[0, 1:] = NAN
    judge[1] = NAN
    found = alternative_test(people, judge)
    assert (found.winning_rate.n_units, found.winning_rate.n_left_out) == (38, 2)
    people[2, 0] = NAN
    strict = alternative_test(people, judge, min_raters_per_item=3)
    assert (strict.winning_rate.n_units, strict.winning_rate.n_left_out) == (37, 3)


def test_no_one_with_enough() -> None:
    found = alternative_test(PEOPLE[:10], JUDGE[:10])
    assert not found.winning_rate.defined
    assert found.winning_rate.reason
    assert not found.passed
    assert not alternative_test(np.empty((0, 3)), []).winning_rate.defined


def test_the_rate_never_falls_with_epsilon_and_zero_never_passes_a_twin() -> None:
    random = np.random.default_rng(2)
    truth = random.integers(0, 4, 90)
    people = np.where(random.random((90, 4)) < 0.8, truth[:, None], random.integers(0, 4, (90, 4)))
    judge = np.where(random.random(90) < 0.8, truth, random.integers(0, 4, 90))
    rates = [rate.value for _, rate in winning_rates(people, judge)]
    assert rates == sorted(rates)
    assert rates[0] == 0
    assert rates[-1] == 1


def test_a_person_far_from_the_others_is_easily_replaced_by_scores() -> None:
    others = np.tile([[2.0, 2.0, 4.0], [0.0, 1.0, 4.0]], (20, 1))
    found = alternative_test(others, np.tile([2.0, 0.5], 20), score="neg_rmse")
    # Unit 2, person 1 (0) against 1, 4: root of 8.5; judge (0.5) root of 6.25: the judge is closer. Unit 1: tie.
    assert found.people[0].advantage.value == 1
    assert found.people[0].person_advantage == 0.5
    mine = alternative_test(others, np.tile([2.0, 0.5], 20), score=lambda value, rest: -math.dist([value] * 2, rest))
    assert [person.test for person in mine.people] == [person.test for person in found.people]


def test_ratings_of_texts_will_do() -> None:
    names = {0.0: "bad", 1.0: "good"}
    columns = {f"p{at}": [names[value] for value in PEOPLE[:, at]] for at in range(3)}
    found = alternative_test(Ratings.from_lists(**columns), [names[value] for value in JUDGE.tolist()], epsilon=0.1)
    assert [person.rater for person in found.people] == ["p0", "p1", "p2"]
    assert found.people[0].person_advantage == 0.75


def test_benjamini_yekutieli_by_hand() -> None:
    # four: bounds i 0.05 / (4 * 25/12) = 0.006, 0.012, 0.018, 0.024
    assert benjamini_yekutieli([0.017, 0.013, 0.03, 0.001]) == (True, True, False, True)
    assert benjamini_yekutieli([0.019, 0.013, 0.03, 0.001]) == (False, False, False, True)
    assert benjamini_yekutieli([]) == ()


def test_what_cannot_be_read_is_said() -> None:
    with pytest.raises(RatingsError, match="humans must be 2-dimensional, but this array is 1-dimensional"):
        alternative_test([1, 0], [1, 0])
    with pytest.raises(RatingsError, match="names"):
        alternative_test(PEOPLE, JUDGE, raters=["a", "a", "b"])
    with pytest.raises(RatingsError, match="Unknown score 'kappa'"):
        alternative_test(PEOPLE, JUDGE, score="kappa")  # type: ignore[arg-type]
    with pytest.raises(RatingsError, match="false discovery rate"):
        alternative_test(PEOPLE, JUDGE, q=0)

"""The human ceiling: worked arithmetic, the same numbers by other statistics of ours and scipy, and bad input."""

from __future__ import annotations

import itertools
import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from agreement import Bootstrap, Ratings, cohen_kappa, icc, light_kappa
from domain.errors import RatingsError
from extensions.calibration.statistics.ceiling import ceiling_by_certainty, human_ceiling
from extensions.calibration.statistics.noise_ceiling import disattenuated_correlation, noise_ceiling

FEW = Bootstrap(draws=200)
RANDOM = np.random.default_rng(21)
TRUTH = RANDOM.integers(0, 4, 150)
PEOPLE = np.where(RANDOM.random((150, 3)) < 0.7, TRUTH[:, None], RANDOM.integers(0, 4, (150, 3))).astype(float)
JUDGE = np.where(RANDOM.random(150) < 0.7, TRUTH, RANDOM.integers(0, 4, 150)).astype(float)


def test_by_hand() -> None:
    people = [[1, 1, 1], [0, 0, 1], [1, 1, 0], [0, 0, 0]]
    found = human_ceiling(people, [1, 0, 1, 1], bootstrap=FEW)
    # Judge against person 1: 3 of 4, person 2: 3 of 4, person 3: 1 of 4. People: 4, 2 and 2 of 4.
    assert found.judge.value == pytest.approx(7 / 12)
    assert found.people.value == pytest.approx(8 / 12)
    assert found.difference.value == pytest.approx(-1 / 12)
    others = human_ceiling(people, [1, 0, 1, 1], reference="others", bootstrap=FEW)
    # Without 1: units 1 and 4 are not tied (1, 0): judge 1 of 2, person 2 of 2; the same without 2.
    # Without 3: majority 1, 0, 1, 0: judge 3 of 4, person 3 of 2 of 4.
    assert others.judge.value == pytest.approx((1 / 2 + 1 / 2 + 3 / 4) / 3)
    assert others.people.value == pytest.approx((1 + 1 + 1 / 2) / 3)


@pytest.mark.parametrize(("measure", "weights"), [("kappa", "none"), ("linear", "linear"), ("quadratic", "quadratic")])
def test_kappas_are_means_over_pairs(measure: str, weights: str) -> None:
    found = human_ceiling(PEOPLE, JUDGE, measure=measure, bootstrap=FEW)  # type: ignore[arg-type]
    table = Ratings.from_array(PEOPLE)
    assert found.people.value == pytest.approx(light_kappa(table, weights=weights).value, abs=1e-12)  # type: ignore[arg-type]
    pairs = [
        cohen_kappa(Ratings.from_array(np.column_stack([JUDGE, PEOPLE[:, h]])), weights=weights).value  # type: ignore[arg-type]
        for h in range(3)
    ]
    assert found.judge.value == pytest.approx(np.mean(pairs), abs=1e-12)


def test_correlations_are_scipys() -> None:
    each = human_ceiling(PEOPLE, JUDGE, measure="pearson", bootstrap=FEW)
    pairs = [stats.pearsonr(PEOPLE[:, a], PEOPLE[:, b]).statistic for a, b in combinations(range(3), 2)]
    assert each.people.value == pytest.approx(np.mean(pairs), abs=1e-12)
    others = human_ceiling(PEOPLE, JUDGE, measure="pearson", reference="others", bootstrap=FEW)
    means = [np.delete(PEOPLE, h, axis=1).mean(axis=1) for h in range(3)]
    judged = [stats.pearsonr(JUDGE, mean).statistic for mean in means]
    assert others.judge.value == pytest.approx(np.mean(judged), abs=1e-12)
    person = [stats.pearsonr(PEOPLE[:, h], means[h]).statistic for h in range(3)]
    assert others.people.value == pytest.approx(np.mean(person), abs=1e-12)
    assert noise_ceiling(PEOPLE, bootstrap=FEW).leave_one_out.value == pytest.approx(np.mean(person), abs=1e-12)


def test_the_difference_is_paired() -> None:
    found = human_ceiling(PEOPLE, JUDGE, bootstrap=Bootstrap(draws=1000))
    apart = math.hypot(found.judge.se, found.people.se)
    assert 0 < found.difference.se < apart
    assert found.difference.low < 0 < found.difference.high  # it is as good as one of them


@pytest.mark.thorough
def test_a_judge_as_good_as_a_person_is_told_so_in_19_of_20_studies() -> None:
    hits = 0
    random = np.random.default_rng(6)
    for _ in range(200):
        truth = random.integers(0, 3, 100)
        table = np.where(random.random((100, 4)) < 0.7, truth[:, None], random.integers(0, 3, (100, 4))).astype(float)
        gap = human_ceiling(table[:, :3], table[:, 3], bootstrap=Bootstrap(draws=300)).difference
        hits += gap.low <= 0 <= gap.high
    assert 0.9 <= hits / 200 <= 0.99


def test_clusters_widen_the_limits() -> None:
    tiled, judge = np.repeat(PEOPLE[:40], 4, axis=0), np.repeat(JUDGE[:40], 4)
    plain = human_ceiling(tiled, judge, bootstrap=FEW).judge
    clustered = human_ceiling(tiled, judge, clusters=np.repeat(np.arange(40), 4).tolist(), bootstrap=FEW).judge
    assert clustered.value == plain.value
    assert clustered.se > 1.5 * plain.se


def test_gaps_leave_units_out_for_both() -> None:
    people, judge = PEOPLE.copy(), JUDGE.copy()
    people[:10, 1:] = math.nan
    judge[10:15] = math.nan
    found = human_ceiling(people, judge, bootstrap=FEW)
    assert (found.people.n_units, found.people.n_left_out) == (135, 15)
    assert found.people.value == human_ceiling(PEOPLE[15:], JUDGE[15:], bootstrap=FEW).people.value


def test_split_units_are_shown_apart() -> None:
    found = ceiling_by_certainty(PEOPLE, JUDGE, bootstrap=FEW)
    assert found.unanimous.people.value == 1
    assert found.unanimous.judge.value > found.split.judge.value
    assert found.unanimous.judge.n_units + found.split.judge.n_units == 150


def test_noise_ceiling_is_the_root_of_the_reliability() -> None:
    found = noise_ceiling(PEOPLE, bootstrap=FEW)
    reliability = icc(Ratings.from_array(PEOPLE), form="ICC(3,k)")
    assert found.highest.value == pytest.approx(math.sqrt(reliability.value), abs=1e-12)
    assert (found.highest.low, found.highest.high) == pytest.approx(
        (math.sqrt(reliability.low), math.sqrt(reliability.high)), abs=1e-12
    )
    against = noise_ceiling([[1, 2], [2, 1], [1, 3], [3, 1]], bootstrap=FEW)
    assert against.reliability_of_mean.value < 0
    assert not against.highest.defined


def test_disattenuation_finds_the_correlation_without_noise() -> None:
    random = np.random.default_rng(13)
    hits = 0
    for _ in range(100):
        trait = random.multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], size=150)
        people = trait[:, :1] + random.normal(size=(150, 3))
        runs = trait[:, 1:] + random.normal(size=(150, 2))
        found = disattenuated_correlation(people, runs, bootstrap=Bootstrap(draws=300))
        assert found.observed.value < found.corrected.value
        hits += found.corrected.low <= 0.8 <= found.corrected.high
    assert hits >= 88
    expected = found.observed.value / math.sqrt(
        icc(Ratings.from_array(people), form="ICC(3,k)").value * icc(Ratings.from_array(runs), form="ICC(3,k)").value
    )
    assert found.corrected.value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("measure", ["agreement", "kappa", "quadratic", "pearson"])
def test_nothing_to_go_by(measure: str) -> None:
    for people, judge in (
        (np.empty((0, 3)), []),
        (np.ones((3, 1)), [1, 1, 1]),
        (np.full((3, 2), math.nan), [1, 0, 1]),
        ([[1, math.nan], [math.nan, 1]], [1, 1]),
    ):
        found = human_ceiling(people, judge, measure=measure, bootstrap=FEW)  # type: ignore[arg-type]
        assert not found.difference.defined
        assert found.difference.reason
    constant = human_ceiling(np.ones((5, 2)), np.ones(5), measure=measure, bootstrap=FEW)  # type: ignore[arg-type]
    assert constant.judge.defined == (measure == "agreement")
    assert math.isnan(constant.judge.low)
    assert constant.judge.reason


def test_what_cannot_be_read_is_said() -> None:
    with pytest.raises(RatingsError, match="Unknown measure"):
        human_ceiling(PEOPLE, JUDGE, measure="f1")  # type: ignore[arg-type]
    with pytest.raises(RatingsError, match="one entry per unit"):
        human_ceiling(PEOPLE, JUDGE[:5])
    assert not noise_ceiling([[1, 2]]).highest.defined
    one = disattenuated_correlation(PEOPLE, np.ones(150))
    assert not one.observed.defined
    measured = human_ceiling(RANDOM.normal(size=(300, 2)), RANDOM.normal(size=300), measure="kappa")
    assert "measurements" in (measured.judge.reason or "")


def test_people_without_any_reliability_are_not_divided_by() -> None:
    """The two people's values have a covariance of exactly 0: deviations -1 0 0 0 1 and -.2 -.2 -1.2 1.8 -.2. In some
    orders of the units rounding makes a reliability of 1e-16 of it, and a correlation of millions."""
    people = np.array([[0, 1], [1, 1], [1, 0], [1, 3], [2, 1]])
    judge = np.array([0, 0, 0, 0, 1])
    for order in itertools.permutations(range(5)):
        found = disattenuated_correlation(people[list(order)], judge[list(order)], bootstrap=Bootstrap(draws=20))
        assert not found.corrected.defined, order
        assert "not above zero" in str(found.corrected.reason)

"""Which answers people grade next, and how many."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agreement import post_stratified_mean, ppi_mean
from domain.errors import RatingsError
from extensions.calibration.statistics.next_grades import grades_needed, next_units

NAN = math.nan


def ppi_half(human: np.ndarray, judge: np.ndarray, n: int) -> float:
    mean = ppi_mean(human[:n], judge[:n], judge[n:]).mean
    return (mean.high - mean.low) / 2


def test_grades_needed_gives_the_width_it_promises() -> None:
    random = np.random.default_rng(4)
    human = random.choice([0, 0.5, 1], size=3000)
    judge = np.where(random.random(3000) < 0.7, human, random.choice([0, 0.5, 1], size=3000))
    found = grades_needed(human[:400], judge[:400], judge[400:], half_width=0.022)
    assert found.more == found.n - 400 > 0
    assert found.n < found.n_without_judge
    assert found.half_width_now == pytest.approx(ppi_half(human, judge, 400), rel=0.05)
    assert ppi_half(human, judge, found.n) == pytest.approx(0.022, rel=0.1)
    assert not grades_needed([0, 1, 0, 1], [0, 1, 0, 0], [1] * 4, half_width=0.01).reachable
    with pytest.raises(RatingsError, match=r"Graded units: 1\. Grade about 30 units before you plan\."):
        grades_needed([1], [1], [1], half_width=0.1)
    with pytest.raises(RatingsError, match="same human score"):
        grades_needed([1] * 9, [1] * 9, [1], half_width=0.1)


def test_next_units_go_where_people_vary() -> None:
    judge = np.repeat([0.0, 1.0], 200)
    human = np.full(400, NAN)
    human[:20], human[200:220] = 0.0, np.arange(20) % 2  # people agree on what the judge fails, not on what it passes
    found = next_units(judge, human, 40, random_share=0.25)
    assert (len(found.informative), len(found.random)) == (30, 10)
    assert dict(found.allocation).get(1.0, 0) > 25
    assert len(set(found.units)) == 40
    assert np.isnan(human[list(found.units)]).all()
    assert found.units == next_units(judge, human, 40).units
    assert found.units != next_units(judge, human, 40, seed=1).units
    assert len(next_units(judge, human, 10**6).units) == 360
    assert next_units([], [], 5).units == ()
    assert next_units([NAN, 1], [NAN, NAN], 5, random_share=0).units == (1,)


@pytest.mark.thorough
def test_grading_where_people_vary_beats_grading_at_random() -> None:
    random = np.random.default_rng(9)
    error = {"random": 0.0, "informative": 0.0}
    for seed in range(150):
        judge = (random.random(600) < 0.5).astype(float)
        truth = np.where(judge == 1, (random.random(600) < 0.6), random.random(600) < 0.03).astype(float)
        start = random.choice(600, 60, replace=False)
        known = np.full(600, NAN)
        known[start] = truth[start]
        for how in error:
            human = known.copy()
            picked = list(next_units(judge, human, 60, random_share=how == "random", seed=seed).units)
            human[picked] = truth[picked]
            graded = ~np.isnan(human)
            mean = post_stratified_mean(human[graded], judge[graded], judge[~graded]).mean
            error[how] += (mean.value - truth.mean()) ** 2
    assert error["informative"] < 0.85 * error["random"]


def test_fewer_than_no_units_are_refused() -> None:
    with pytest.raises(RatingsError):
        next_units([1], [NAN], -1)

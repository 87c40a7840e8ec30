"""The same ratings through other people's programs."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from agreement import Bootstrap, Ratings, Scale, cohen_kappa, krippendorff_alpha, pearson

SEEDS = range(8)


def grades(seed: int, *, raters: int, gaps: float = 0.0) -> np.ndarray:
    """Sixty units on a scale from 1 to 5, with noise of its own for each rater."""
    random = np.random.default_rng(seed)
    drawn = random.normal(size=(60, 1)) + 0.8 * random.normal(size=(60, raters))
    table = np.digitize(drawn, [-1.2, -0.4, 0.4, 1.2]) + 1.0
    table[random.random(table.shape) < gaps] = np.nan
    return table


def as_ratings(table: np.ndarray) -> Ratings:
    columns = {
        f"r{place}": [None if np.isnan(grade) else grade for grade in column] for place, column in enumerate(table.T)
    }
    return Ratings.from_lists(scale=Scale("interval", (1, 2, 3, 4, 5)), **columns)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_cohen_kappa_as_scikit_learn(seed: int, weights: str) -> None:
    table = grades(seed, raters=2)
    theirs = cohen_kappa_score(
        *table.T.astype(int), labels=[1, 2, 3, 4, 5], weights=None if weights == "none" else weights
    )
    assert cohen_kappa(as_ratings(table), weights=weights).value == pytest.approx(theirs, abs=1e-12)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_as_krippendorff(seed: int, level: str) -> None:
    table = grades(seed, raters=4, gaps=0.3)
    theirs = krippendorff.alpha(table.T, level_of_measurement=level)
    ours = krippendorff_alpha(as_ratings(table), level=level, bootstrap=Bootstrap(20))  # type: ignore[arg-type]
    assert ours.value == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_of_measurements_as_krippendorff(level: str) -> None:
    # A hundred different values: the path for many categories.
    random = np.random.default_rng(3)
    table = random.normal(size=(40, 1)) + 0.5 * random.normal(size=(40, 3))
    table[random.random(table.shape) < 0.1] = np.nan
    columns = {f"r{i}": [None if np.isnan(x) else x for x in column] for i, column in enumerate(table.T)}
    ours = krippendorff_alpha(Ratings.from_lists(**columns), level=level, bootstrap=Bootstrap(20))  # type: ignore[arg-type]
    assert ours.value == pytest.approx(krippendorff.alpha(table.T, level_of_measurement=level), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_pearson_as_scipy(seed: int) -> None:
    table = grades(seed, raters=2)
    theirs = stats.pearsonr(*table.T)
    limits = theirs.confidence_interval(0.95)
    ours = pearson(as_ratings(table))
    assert (ours.value, ours.low, ours.high) == pytest.approx((theirs.statistic, limits.low, limits.high), abs=1e-12)


def test_percent_agreement_limits_as_scipy() -> None:
    from agreement import percent_agreement

    ours = percent_agreement(Ratings.from_lists(ann=[1] * 23, bob=[1] * 17 + [2] * 6))
    theirs = stats.binomtest(17, 23).proportion_ci(method="wilson")
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)

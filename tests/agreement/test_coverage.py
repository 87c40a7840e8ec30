"""Analytic intervals hold the truth about as often as they say: neither far too narrow nor far too wide."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from benchmarks.coverage import (
    CLAIMS,
    FIVE,
    GRADED,
    LIKERT,
    SKEWED,
    THREE,
    TWO,
    Batch,
    Floats,
    different,
    margin_of,
    ranks,
    simulated,
    steps,
    true_alpha,
    true_correlation,
    true_kappa,
)

STUDIES, UNITS = 200, 50
ANALYTIC = [
    at
    for at, claim in enumerate(CLAIMS)
    if claim.method == "analytic"
    and not claim.population.startswith(("drawn_", "rare_"))
    and not claim.statistic.startswith("krippendorff_alpha")  # resamples
]
MODELS = [(GRADED, THREE), (LIKERT, FIVE), (SKEWED, TWO)]


@pytest.mark.thorough
@pytest.mark.parametrize("at", ANALYTIC, ids=[f"{CLAIMS[at].statistic} of {CLAIMS[at].population}" for at in ANALYTIC])
@pytest.mark.parametrize(("confidence", "slack"), [(0.95, 0.02), (0.5, 0.05)])
def test_intervals_hold_the_truth(at: int, confidence: float, slack: float) -> None:
    """Half of the 50 % limits must hold it: that fails for limits that are too wide as for those too narrow."""
    found = simulated(Batch(CLAIMS[at].population, UNITS, 0, STUDIES, (at,), confidence))[at]
    truth, _, low, high = found[np.isfinite(found).all(axis=1)].T
    assert len(truth) > 0.97 * STUDIES
    fewest = stats.binom.ppf(0.0005, len(truth), confidence - slack)
    most = stats.binom.ppf(0.9995, len(truth), min(1.0, confidence + slack))
    assert fewest <= np.count_nonzero((low <= truth) & (truth <= high)) <= most


@pytest.mark.parametrize(("joint", "values"), MODELS, ids=["three", "five", "two"])
def test_the_truths_of_grades_are_those_of_peers(joint: Floats, values: Floats) -> None:
    """scikit-learn weighs cells by their probabilities; krippendorff and numpy get a large table of whole counts."""
    pair = margin_of(joint, 0, 1)
    first, second = (axis.ravel() for axis in np.indices(pair.shape))
    for weights, apart in (
        (None, different(len(values))),
        ("linear", steps(values, 1)),
        ("quadratic", steps(values, 2)),
    ):
        peer = cohen_kappa_score(first, second, weights=weights, sample_weight=pair.ravel())
        assert true_kappa(joint, apart) == pytest.approx(peer, abs=1e-12)
    counts = np.round(joint.ravel() * 1e5).astype(int)
    units = np.repeat(values[np.stack([axis.ravel() for axis in np.indices(joint.shape)])], counts, axis=1)
    assert true_correlation(joint, values) == pytest.approx(np.corrcoef(units[:2])[0, 1], abs=1e-3)
    by_level = {"nominal": lambda _: different(len(values)), "ordinal": ranks, "interval": lambda _: steps(values, 2)}
    for level, metric in by_level.items():
        peer = krippendorff.alpha(units, level_of_measurement=level)
        assert true_alpha(joint, metric) == pytest.approx(peer, abs=1e-3)

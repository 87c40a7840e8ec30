"""Resampled limits are those of scipy, and memory stays bounded."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from agreement import Bootstrap, Ratings, krippendorff_alpha
from agreement.bootstrap import bootstrap_interval, patterns
from agreement.ratings import Floats, Ints
from domain.errors import RatingsError

DRAWS = 20_000
NEAR = 0.06
"""Of the width: what two sets of draws differ by far out in a tail."""

KINDS = {"percentile": "percentile", "bca": "BCa"}

AMOUNTS = np.round(np.random.default_rng(5).lognormal(sigma=1, size=40), 1)
"""Skewed, so that the two kinds of limits differ by much more than the draws do."""


def mean(values: Floats, axis: int = -1) -> Any:
    return values.mean(axis=axis)


def spread(values: Floats, axis: int = -1) -> Any:
    return values.std(axis=axis) / values.mean(axis=axis)


def mean_of_counts(drawn: Floats, values: Floats) -> Floats:
    return (drawn @ values) / drawn.sum(axis=1)


def spread_of_counts(drawn: Floats, values: Floats) -> Floats:
    middle = mean_of_counts(drawn, values)
    return np.sqrt(mean_of_counts(drawn, values**2) - middle**2) / middle


def coded(values: Floats) -> tuple[Ints, Floats]:
    names, codes = np.unique(values, return_inverse=True)
    return codes[:, None].astype(np.int64), names


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize(
    ("theirs", "ours"), [(mean, mean_of_counts), (spread, spread_of_counts)], ids=["mean", "spread"]
)
def test_limits_are_those_of_scipy(kind: Any, confidence: float, theirs: Any, ours: Any) -> None:
    codes, names = coded(AMOUNTS)
    found = bootstrap_interval(
        lambda drawn: ours(drawn, names), patterns(codes), Bootstrap(DRAWS, kind=kind), confidence=confidence
    )
    peer = stats.bootstrap(
        (AMOUNTS,), theirs, n_resamples=DRAWS, confidence_level=confidence, method=KINDS[kind], rng=7, vectorized=True
    )
    width = peer.confidence_interval.high - peer.confidence_interval.low
    assert found.low == pytest.approx(peer.confidence_interval.low, abs=NEAR * width)
    assert found.high == pytest.approx(peer.confidence_interval.high, abs=NEAR * width)
    assert found.se == pytest.approx(peer.standard_error, rel=0.03)


def test_bca_is_another_interval_than_percentile() -> None:
    codes, names = coded(AMOUNTS)
    limits = [
        bootstrap_interval(
            lambda drawn: spread_of_counts(drawn, names),
            patterns(codes),
            Bootstrap(DRAWS, kind=kind),  # type: ignore[arg-type]
        )
        for kind in KINDS
    ]
    assert limits[1].low - limits[0].low > 0.1 * (limits[0].high - limits[0].low)


@pytest.mark.parametrize("kind", KINDS)
def test_clusters_are_drawn_whole_as_by_scipy(kind: Any) -> None:
    random = np.random.default_rng(3)
    sizes = random.integers(1, 8, size=30)
    cluster = np.repeat(np.arange(30), sizes)
    values = np.round(np.exp(random.normal(size=30))[cluster] + 0.2 * random.random(len(cluster)), 1)
    totals = np.bincount(cluster, values)

    def ratio(drawn: Any, axis: int = -1) -> Any:
        return totals[drawn].sum(axis=axis) / sizes[drawn].sum(axis=axis)

    codes, names = coded(values)
    sample = patterns(codes, cluster.tolist())
    found = bootstrap_interval(lambda drawn: mean_of_counts(drawn, names), sample, Bootstrap(DRAWS, kind=kind))
    peer = stats.bootstrap((np.arange(30),), ratio, n_resamples=DRAWS, method=KINDS[kind], rng=1, vectorized=True)
    width = peer.confidence_interval.high - peer.confidence_interval.low
    assert found.low == pytest.approx(peer.confidence_interval.low, abs=NEAR * width)
    assert found.high == pytest.approx(peer.confidence_interval.high, abs=NEAR * width)
    by_unit = bootstrap_interval(lambda drawn: mean_of_counts(drawn, names), patterns(codes), Bootstrap(DRAWS))
    assert by_unit.high - by_unit.low < 0.8 * width
    assert "by cluster" in found.method


def test_the_jackknife_of_patterns_is_that_of_units() -> None:
    """Acceleration of a mean is sum(d^3) / (6 sum(d^2)^1.5) over units, although equal units are one pattern."""
    values = np.repeat([1.0, 2.0, 10.0], [60, 30, 3])
    codes, names = coded(values)
    found = bootstrap_interval(
        lambda drawn: mean_of_counts(drawn, names), patterns(codes), Bootstrap(DRAWS, kind="bca")
    )
    random = np.random.default_rng(0)
    drawn = values[random.integers(0, len(values), (DRAWS, len(values)))].mean(axis=1)
    apart = values - values.mean()
    acceleration = (apart**3).sum() / (6 * (apart**2).sum() ** 1.5)
    bias = stats.norm.ppf((np.sum(drawn < values.mean()) + np.sum(drawn == values.mean()) / 2) / DRAWS)
    shifted = bias + stats.norm.ppf([0.025, 0.975])
    low, high = np.quantile(drawn, stats.norm.cdf(bias + shifted / (1 - acceleration * shifted)))
    assert found.low == pytest.approx(low, abs=NEAR * (high - low))
    assert found.high == pytest.approx(high, abs=NEAR * (high - low))


def test_the_same_seed_is_the_same_interval() -> None:
    codes, names = coded(AMOUNTS)

    def limits(seed: int) -> tuple[float, float]:
        found = bootstrap_interval(lambda drawn: mean_of_counts(drawn, names), patterns(codes), Bootstrap(500, seed))
        return found.low, found.high

    assert limits(1) == limits(1)
    assert limits(1) != limits(2)


def graded(n: int) -> Floats:
    return np.random.default_rng(1).integers(1, 6, size=(n, 3)).astype(float)


def measured(n: int) -> Floats:
    return np.random.default_rng(1).normal(size=(n, 3))


@pytest.mark.slow
@pytest.mark.parametrize("make", [graded, measured])
@pytest.mark.parametrize("kind", KINDS)
def test_ten_thousand_draws_of_ten_thousand_units_stay_below_200_mb(make: Callable[[int], Floats], kind: Any) -> None:
    table = make(10_000)
    tracemalloc.start()
    found = krippendorff_alpha(Ratings.from_array(table), level="interval", bootstrap=Bootstrap(10_000, kind=kind))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert not math.isnan(found.value)
    assert peak < 200e6


@pytest.mark.parametrize("confidence", [0, 1, 95, math.nan])
def test_a_confidence_is_a_share(confidence: float) -> None:
    with pytest.raises(RatingsError, match="between 0 and 1"):
        krippendorff_alpha(Ratings.from_array(graded(9)), confidence=confidence)

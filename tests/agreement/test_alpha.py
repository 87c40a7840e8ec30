"""Krippendorff's alpha for amounts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from agreement import Bootstrap, Ratings, Scale, krippendorff_alpha
from agreement.ratings import Floats

RATIO = Scale("ratio")
NO_DRAWS = Bootstrap(draws=0)


def by_definition(table: Floats) -> float:
    """1 - D_o / D_e with every pair written out."""
    units = [[value for value in row if not math.isnan(value)] for row in table.tolist()]
    units = [unit for unit in units if len(unit) > 1]
    paired = [value for unit in units for value in unit]

    def metric(c: float, k: float) -> float:
        return 0.0 if c == k else ((c - k) / (c + k)) ** 2

    observed = sum(sum(metric(c, k) for c in unit for k in unit) / (len(unit) - 1) for unit in units)
    expected = sum(metric(c, k) for c in paired for k in paired) / (len(paired) - 1)
    return 1 - observed / expected


def alpha(table: Any, bootstrap: Bootstrap | None = NO_DRAWS, scale: Scale | None = RATIO) -> Any:
    return krippendorff_alpha(Ratings.from_array(np.array(table), scale=scale), level="ratio", bootstrap=bootstrap)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("raters", [2, 5])
def test_ratio_alpha_by_its_definition(seed: int, raters: int) -> None:
    random = np.random.default_rng(seed)
    table = random.poisson(2.0, size=(20, 1)) + random.poisson(1.0, size=(20, raters)) * 0.5
    table[random.random(table.shape) < 0.2] = np.nan
    assert alpha(table).value == pytest.approx(by_definition(table), abs=1e-12)


@pytest.mark.parametrize("spread", [1e-6, 0.1, 2.0, 8.0])
@pytest.mark.parametrize("zeros", [0, 0.2])
def test_many_amounts_are_interpolated_to_rounding(spread: float, zeros: float) -> None:
    random = np.random.default_rng(3)
    table = np.exp(spread * (random.normal(size=(150, 1)) + random.normal(size=(150, 3))))
    table[random.random(table.shape) < 0.1] = np.nan
    table[random.random(table.shape) < zeros] = 0
    assert alpha(table).value == pytest.approx(by_definition(table), abs=1e-8 if spread < 1e-3 else 1e-11)


def test_ratio_alpha_next_to_the_peer() -> None:
    krippendorff = pytest.importorskip("krippendorff")
    random = np.random.default_rng(4)
    table = 1.0 + random.poisson(3, size=(40, 1)) + random.poisson(1, size=(40, 3))
    table[random.random(table.shape) < 0.2] = np.nan
    peer = krippendorff.alpha(table.T, level_of_measurement="ratio")
    assert alpha(table).value == pytest.approx(peer, abs=1e-12)


def test_a_stretched_amount_is_the_same_amount() -> None:
    table = [[1.0, 2.0], [3.0, 3.0], [8.0, 5.0], [0.0, 1.0]]
    assert alpha(table).value == pytest.approx(alpha(np.array(table) * 1e200).value, abs=1e-12)


def test_ratio_alpha_has_limits_and_a_standard_error() -> None:
    random = np.random.default_rng(6)
    latent = random.gamma(2.0, size=(80, 1))
    found = alpha(np.round(latent + random.gamma(0.5, size=(80, 3)), 1), Bootstrap(400))
    assert found.low < found.value < found.high
    assert found.se == pytest.approx((found.high - found.low) / 3.92, rel=0.2)


@pytest.mark.parametrize(
    ("table", "scale", "words"),
    [
        ([[1.0, -2.0], [3.0, 3.0]], RATIO, "0 or more, but the lowest value is -2"),
        ([[1.0, 2.0], [3.0, 3.0]], Scale("interval"), "the scale is interval"),
        ([[1.0, 2.0], [3.0, 3.0]], Scale("ordinal"), "the scale is ordinal"),
        ([[0.0, 0.0], [0.0, 0.0]], RATIO, "the same single value"),
    ],
)
def test_what_is_no_amount_has_no_ratio_alpha(table: Any, scale: Scale, words: str) -> None:
    found = alpha(table, scale=scale)
    assert math.isnan(found.value)
    assert words in found.reason


def test_an_undeclared_scale_may_hold_amounts() -> None:
    assert alpha([[1.0, 2.0], [3.0, 3.0]], scale=None).defined

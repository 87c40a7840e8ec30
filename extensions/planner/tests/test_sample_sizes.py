"""Sample sizes: printed and worked values, values of other programs, and bad input."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from agreement import sample_size_mean
from domain.errors import RatingsError
from extensions.planner.sample_sizes import (
    calibration_split,
    sample_size_icc,
    sample_size_kappa,
    sample_size_kappa_test,
    sample_size_pearson,
    sample_size_ppi,
    sample_size_proportion,
)
from tests.agreement.published import entries, golden

# The worked example in the file leaves out Bonett's addition for two raters.
COMPUTE: Mapping[str, Callable[[Mapping[str, Any]], Mapping[str, float]]] = {
    "sample_size_icc": lambda args: {"n": sample_size_icc(**args).n_first_stage},
    "sample_size_kappa_test": lambda args: {"n": sample_size_kappa_test(**args).n},
    "sample_size_pearson": lambda args: {"n_first_stage": sample_size_pearson(**args).n_first_stage},
    "sample_size_proportion": lambda args: {"n": sample_size_proportion(**args).n},
}


@pytest.mark.parametrize(("data", "entry"), list(entries(COMPUTE)))
def test_the_value_of_other_programs(data: object, entry: Mapping[str, Any] | None) -> None:
    if entry is None:
        golden()  # skips, and says why
        return
    got = COMPUTE[entry["stat"]](entry["args"])[entry["field"]]
    assert abs(got - entry["value"]) <= entry["abs_tol"], (got, entry)


def test_shares_and_means_by_hand() -> None:
    # 1.96^2 0.65 0.35 / 0.0025 = 349.57; 1.96^2 0.16 / 0.0009 = 682.9
    assert sample_size_proportion(p=0.65, half_width=0.05).n == 350
    assert sample_size_mean(sd=0.4, half_width=0.03).n == 683
    # 2.5758^2 / 4 / 0.01 = 165.87
    assert sample_size_proportion(p=0.5, half_width=0.1, confidence=0.99).n == 166


def test_correlations_reach_the_width_and_one_unit_less_does_not() -> None:
    found = sample_size_pearson(r=0.8, half_width=0.05)
    # 3.8415 (0.36)^2 / 0.0025 + 3 = 202.1
    assert found.n_first_stage == 203
    widths = [
        math.tanh(math.atanh(0.8) + 1.959963984540054 / math.sqrt(n - 3))
        - math.tanh(math.atanh(0.8) - 1.959963984540054 / math.sqrt(n - 3))
        for n in (found.n, found.n - 1)
    ]
    assert widths[0] <= 0.1 < widths[1]
    assert sample_size_pearson(r=0.8, half_width=0.05, kind="spearman").n_first_stage == math.ceil(199.145 * 1.32 + 3)
    assert sample_size_pearson(r=0.8, half_width=0.05, kind="kendall").n < found.n


def test_intraclass_as_bonett_printed() -> None:
    found = sample_size_icc(icc=0.8, raters=2, full_width=0.2)
    assert (found.n_first_stage, found.n) == (51, 55)
    # 8 3.8415 0.09 5.76 / (6 0.04) + 1 = 67.4
    assert sample_size_icc(icc=0.7, raters=3, full_width=0.2).n == 68


def test_kappa_with_equal_shares_has_the_variance_of_a_correlation() -> None:
    # V = 1 - kappa^2: 3.8415 0.4959 / 0.0025 = 762.0
    assert [sample_size_kappa(kappa=0.71, half_width=h).n for h in (0.1, 0.05)] == [191, 762]
    assert sample_size_kappa(kappa=0.71, half_width=0.1, rate=0.1).n > 2 * 191
    # (1.6449 sqrt(1 - 0.61^2) + 0.8416 sqrt(1 - 0.81^2))^2 / 0.04 = 80.5
    assert sample_size_kappa_test(rate=0.5, kappa1=0.81, kappa0=0.61).n == 81
    assert sample_size_kappa_test(rate=0.5, kappa1=0.81, kappa0=0.61, two_sided=True).n > 81


def test_a_judge_saves_at_most_the_square_of_its_correlation() -> None:
    assert sample_size_ppi(sd=0.4, correlation=0.68, unlabelled=2000, half_width=0.03).n == 423
    assert sample_size_ppi(sd=0.4, correlation=0.43, unlabelled=2000, half_width=0.03).n == 586
    assert sample_size_ppi(sd=0.4, correlation=0.68, unlabelled=0, half_width=0.03).n == 683
    endless = sample_size_ppi(sd=0.4, correlation=0.68, unlabelled=10**9, half_width=0.03).n
    assert endless == math.ceil(1.959963984540054**2 * 0.16 * (1 - 0.68**2) / 0.0009)


def test_the_split_is_the_best_one() -> None:
    def variance(m1: int) -> float:
        return 0.49 * 0.09 / m1 + 0.09 * 0.16 / (100 - m1)

    best = min(range(1, 100), key=variance)
    assert calibration_split(n=100, rate=0.7, sensitivity=0.9, specificity=0.8) == (best, 100 - best)
    assert calibration_split(n=10, rate=1, sensitivity=1, specificity=1) == (5, 5)


@pytest.mark.parametrize(
    "call",
    [
        lambda: sample_size_proportion(p=1.2, half_width=0.1),
        lambda: sample_size_proportion(p=0.5, half_width=0),
        lambda: sample_size_proportion(p=0.5, half_width=0.1, confidence=2),
        lambda: sample_size_proportion(p=0.5, half_width=1e-9),
        lambda: sample_size_pearson(r=1, half_width=0.1),
        lambda: sample_size_pearson(r=0.5, half_width=1e-6),
        lambda: sample_size_icc(icc=0.5, raters=1, full_width=0.1),
        lambda: sample_size_kappa(kappa=-0.9, half_width=0.1, rate=0.9),
        lambda: sample_size_kappa_test(rate=0.5, kappa1=0.5, kappa0=0.5),
        lambda: sample_size_ppi(sd=1, correlation=2, unlabelled=5, half_width=0.1),
        lambda: calibration_split(n=1, rate=0.5, sensitivity=0.5, specificity=0.5),
    ],
)
def test_what_cannot_be_planned_is_said(call: object) -> None:
    with pytest.raises(RatingsError):
        call()  # type: ignore[operator]

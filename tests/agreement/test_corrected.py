"""Means corrected by a judge: worked arithmetic, coverage under the sampling each is made for, and bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agreement import clustered_mean, post_stratified_mean, ppi_mean, rogan_gladen, weighted_mean
from domain.errors import RatingsError

NAN = math.nan


def test_ppi_is_the_judges_mean_plus_what_it_errs() -> None:
    # judge on the rest 0.5; people 0.75, judge on the same 0.5: 0.5 + 0.25
    found = ppi_mean([1, 0, 1, 1], [1, 0, 1, 0], [1, 1, 0, 0, 1, 0, 1, 0], method="ppi", confidence=0.9)
    # Y - f = 0, 0, 0, 1: variance 1/4 over 4; judge's variance 2/7 over 8
    se = math.sqrt(0.25 / 4 + 2 / 7 / 8)
    assert found.mean.value == 0.75
    assert found.mean.se == pytest.approx(se, abs=1e-12)
    assert found.mean.low == pytest.approx(0.75 - 1.6448536269514722 * se, abs=1e-12)
    assert (found.weight, found.mean.n_units, found.mean.confidence) == (1, 12, 0.9)


def test_classical_leaves_the_judge_out() -> None:
    found = ppi_mean([1, 0, NAN, 1, 0], [NAN] * 5, [], method="classical")
    assert (found.mean.value, found.weight, found.mean.n_units, found.mean.n_left_out) == (0.5, 0, 4, 1)
    assert found.mean.se == pytest.approx(math.sqrt(1 / 3 / 4), abs=1e-12)


def test_a_judge_that_knows_nothing_gets_no_weight() -> None:
    found = ppi_mean([1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 1, 0, 1, 1])
    assert (found.weight, found.mean.value) == (0, 0.5)


def test_every_unit_its_own_cluster_changes_the_single_sample_not_at_all() -> None:
    plain = clustered_mean([1, 0, 1, 1, 0.5])
    own = clustered_mean([1, 0, 1, 1, 0.5], clusters=list("abcde"))
    assert (own.value, own.se, own.low) == pytest.approx((plain.value, plain.se, plain.low), abs=1e-15)
    # 0.7 -/+ t(4) s / sqrt 5 with s^2 = 0.2
    assert plain.low == pytest.approx(0.7 - 2.7764451051977987 * math.sqrt(0.2 / 5), abs=1e-9)


def test_clusters_that_agree_within_widen_the_limits() -> None:
    # two clusters, sums of deviations +1 and -1 over n = 4: 2/1 * (1 + 1) / 16
    assert clustered_mean([1, 1, 0, 0], clusters=["a", "a", "b", "b"]).se == pytest.approx(0.5, abs=1e-15)
    assert clustered_mean([1, 1, 0, 0]).se == pytest.approx(math.sqrt(1 / 3 / 4), abs=1e-15)


def test_ppi_by_cluster_covers_where_plain_does_not() -> None:
    random = np.random.default_rng(11)
    hits = {False: 0, True: 0}
    for _ in range(400):
        level = np.repeat(random.normal(size=40), 5)
        human = level + random.normal(size=200) * 0.5
        judge = level + random.normal(size=200) * 0.5
        names = np.repeat(np.arange(40), 5).tolist()
        for clustered in hits:
            extra = {"clusters": names[:100], "clusters_unlabelled": names[100:]} if clustered else {}
            mean = ppi_mean(human[:100], judge[:100], judge[100:], **extra).mean
            hits[clustered] += mean.low <= 0 <= mean.high
    assert hits[False] / 400 < 0.75
    assert 0.89 < hits[True] / 400 < 0.98


def test_post_stratified_by_hand() -> None:
    # level 0: 2 graded, mean 0.25, s^2 1/8; level 1: 2 graded, mean 1, s^2 0; 8 judged in all, shares 5/8 and 3/8
    found = post_stratified_mean([0, 0.5, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1])
    value = 5 / 8 * 0.25 + 3 / 8
    variance = (5 / 8) ** 2 * (1 / 8) / 2 + (5 / 8 * (0.25 - value) ** 2 + 3 / 8 * (1 - value) ** 2) / 8
    assert found.mean.value == pytest.approx(value, abs=1e-15)
    assert found.mean.se == pytest.approx(math.sqrt(variance), abs=1e-15)


def test_a_level_no_one_graded_is_named() -> None:
    found = post_stratified_mean([0, 1], [0, 1], [0, 1, 0.5, 0.5])
    assert not found.mean.defined
    assert "0.5" in (found.mean.reason or "")
    assert math.isnan(post_stratified_mean([0, 1], [0, 1], [0, 1]).mean.low)


@pytest.mark.parametrize("shift", [False, True])
def test_each_covers_under_the_sampling_it_names(shift: bool) -> None:
    """Sensitivity 0.9, specificity 0.8, true rate 0.7; graded are a random sample, or half passes and half failures."""
    random = np.random.default_rng(3)
    hits = dict.fromkeys(("rogan_gladen", "ppi", "ppi_plus_plus", "post_stratified"), 0)
    for _ in range(400):
        truth = random.random(1000) < 0.7
        if shift:
            truth[:150] = np.arange(150) % 2
        judge = np.where(truth, random.random(1000) < 0.9, random.random(1000) > 0.8).astype(float)
        data = truth[:150].astype(float), judge[:150], judge[150:]
        means = {
            "rogan_gladen": rogan_gladen(*data).mean,
            "ppi": ppi_mean(*data, method="ppi").mean,
            "ppi_plus_plus": ppi_mean(*data).mean,
            "post_stratified": post_stratified_mean(*data).mean,
        }
        for name, mean in means.items():
            hits[name] += mean.low <= 0.7 <= mean.high
    covers = {name: 0.92 <= count / 400 <= 0.985 for name, count in hits.items()}
    assert covers == {name: name == "rogan_gladen" or not shift for name in hits}, hits


def test_weighted_mean_corrects_for_who_was_likelier_to_be_graded() -> None:
    # units 1, 3 graded with chance 1 and 1/2; the judge errs by -1 on the third: (1 + 1 + (1 - 2) + 0) / 4
    assert weighted_mean([1, NAN, 0, NAN], [1, 1, 1, 0], [1, 0.5, 0.5, 0.5]).mean.value == 0.25
    random = np.random.default_rng(5)
    hits = 0
    for _ in range(400):
        truth = random.random(800) < 0.6
        judge = np.where(random.random(800) < 0.7, truth, 1.0)
        chance = np.where(judge == 1, 0.1, 0.4)
        human = np.where(random.random(800) < chance, truth, NAN)
        mean = weighted_mean(human, judge, chance).mean
        hits += mean.low <= 0.6 <= mean.high
    assert 0.92 <= hits / 400 <= 0.98


def test_rogan_gladen_is_refused_where_it_would_divide_by_nearly_nothing() -> None:
    human = [1] * 20 + [0] * 20
    found = rogan_gladen(human, [1] * 11 + [0] * 9 + [1] * 10 + [0] * 10, [1, 0, 1]).mean
    assert not found.defined
    assert "0.050, which is below 0.1" in (found.reason or "")
    assert not rogan_gladen([1, 1], [1, 0], [1]).mean.defined
    assert not rogan_gladen(human, human, []).mean.defined
    with pytest.raises(RatingsError, match=r"zeros \(fail\) and ones \(pass\)"):
        rogan_gladen([0.5, 1], [0, 1], [1])


def test_a_perfect_judge_needs_no_correction() -> None:
    human = [1] * 20 + [0] * 20
    mean = rogan_gladen(human, human, [1] * 30 + [0] * 70).mean
    assert mean.value == pytest.approx(0.3, abs=1e-15)
    assert mean.low < 0.3 < mean.high


@pytest.mark.parametrize("method", ["classical", "ppi", "ppi_plus_plus"])
def test_nothing_to_go_by(method: str) -> None:
    empty = ppi_mean([], [], [1, 0], method=method).mean  # type: ignore[arg-type]
    one = ppi_mean([1], [1], [1, 0], method=method).mean  # type: ignore[arg-type]
    same = ppi_mean([1, 1], [1, 1], [1, 1], method=method).mean  # type: ignore[arg-type]
    assert not empty.defined
    assert empty.reason
    assert (one.value, same.value) == (1 if method != "ppi" else 0.5, 1)
    assert math.isnan(one.low)
    assert math.isnan(same.low)
    assert one.reason
    assert same.reason


def test_what_cannot_be_read_is_said() -> None:
    with pytest.raises(RatingsError, match="one entry per unit"):
        ppi_mean([1, 0], [1], [1])
    with pytest.raises(RatingsError, match="array of numbers"):
        ppi_mean(["good", "bad"], [1, 0], [1])
    with pytest.raises(RatingsError, match="infinite"):
        ppi_mean([1, 0], [1, math.inf], [1])
    with pytest.raises(RatingsError, match="or give no clusters"):
        ppi_mean([1, 0], [1, 0], [1], clusters=["a", "b"])
    with pytest.raises(RatingsError, match="above 0"):
        weighted_mean([1, 0], [1, 0], [0, 1])
    assert not ppi_mean([1, 0], [1, 0], []).mean.defined
    assert not clustered_mean([NAN]).defined

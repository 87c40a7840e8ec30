"""Where a judge errs one way: worked arithmetic, printed values, simulations of judges with known faults, bad input."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

from agreement import Bootstrap
from domain.errors import RatingsError
from extensions.calibration.statistics.judge_bias import (
    bias_by_group,
    calibration_curve,
    family_bias,
    length_bias,
    position_bias,
)
from extensions.calibration.statistics.judge_drift import drift, self_consistency, unparsed
from tests.paths import shared

NAN = math.nan
FEW = Bootstrap(draws=300)


def test_a_model_that_the_judge_favours_stands_out() -> None:
    human, judge = [0, 1, 0, 1, 0, 1], [0, 1, 1, 2, 0, 1.5]
    found = bias_by_group(human, judge, ["x", "x", "y", "y", "z", "z"])
    assert [each.bias.value for each in found] == [0, 1, 0.25]
    assert [each.against_rest.value for each in found] == [-0.625, 0.875, -0.25]
    # x against the rest: Welch of (0, 0) and (1, 1, 0, 0.5)
    wanted = stats.ttest_ind([0, 0], [1, 1, 0, 0.5], equal_var=False)
    assert found[0].against_rest.test is not None
    assert found[0].against_rest.test.p_value == pytest.approx(wanted.pvalue, abs=1e-12)
    limits = wanted.confidence_interval(1 - 0.05 / 3)
    assert (found[0].against_rest.low, found[0].against_rest.high) == pytest.approx((limits.low, limits.high))
    assert (
        min(each.p_adjusted for each in found)
        >= 3 * min(each.against_rest.test.p_value for each in found if each.against_rest.test) - 1e-12
    )


def test_a_question_that_all_models_answer_is_one_cluster() -> None:
    """What a question adds for all models cancels between them, so clustered limits are narrower than plain ones."""
    random = np.random.default_rng(3)
    hits, width = {"plain": 0, "by question": 0}, {"plain": 0.0, "by question": 0.0}
    for _ in range(300):
        question = np.repeat(np.arange(40), 3)
        model = np.tile(["x", "y", "z"], 40).tolist()
        gap = random.normal(size=40)[question] + 0.3 * random.normal(size=120)
        for name, clusters in (("plain", None), ("by question", question.tolist())):
            rest = bias_by_group(np.zeros(120), gap, model, clusters=clusters)[0].against_rest
            hits[name] += rest.low <= 0 <= rest.high
            width[name] += rest.high - rest.low
    assert width["by question"] < 0.5 * width["plain"]
    assert 0.96 <= hits["by question"] / 300 <= 1.0  # 1 - 0.05/3
    assert hits["plain"] == 300


def test_false_alarms_over_all_models_stay_below_the_level() -> None:
    random = np.random.default_rng(5)
    alarms = 0
    for _ in range(300):
        found = bias_by_group(np.zeros(80), random.normal(size=80), np.repeat(np.arange(8), 10).tolist())
        alarms += any(each.p_adjusted < 0.05 for each in found)
    assert alarms / 300 < 0.08


def test_self_preference_is_found_next_to_real_quality() -> None:
    random = np.random.default_rng(7)
    hits, raw = 0, 0
    for _ in range(200):
        family = random.random(150) < 0.4
        human = random.normal(size=150) + 0.5 * family  # the family is better, and people see it
        judge = 0.8 * human + 0.3 * family + 0.5 * random.normal(size=150)
        found = family_bias(human, judge, family)
        hits += found.adjusted.low <= 0.3 <= found.adjusted.high
        raw += found.raw.value
    assert 0.9 <= hits / 200 <= 0.99
    assert raw / 200 == pytest.approx(0.2, abs=0.03)  # 0.3 - 0.2 * 0.5


def test_length_is_counted_by_doublings() -> None:
    random = np.random.default_rng(1)
    words = 2.0 ** random.integers(4, 9, 300)
    human = random.integers(0, 3, 300) / 2
    judge = human + 0.1 * np.log2(words) + 0.05 * random.normal(size=300)
    found = length_bias(human, judge, words, clusters=random.integers(0, 60, 300).tolist())
    assert found.adjusted.value == pytest.approx(0.1, abs=0.01)
    assert found.raw.value == pytest.approx(0.1, abs=0.01)
    assert "clustered" in found.adjusted.method
    assert not length_bias(human, judge, np.full(300, 10)).adjusted.defined
    with pytest.raises(RatingsError, match="above 0"):
        length_bias(human, judge, np.zeros(300))


def test_position_by_hand() -> None:
    forward = ["first", "first", "second", "tie", "second", "first", None]
    swapped = ["second", "first", "first", "tie", "second", "tie", "first"]
    found = position_bias(forward, swapped)
    # consistent, leans first 1, consistent, consistent, leans second 1, leans first 1/2
    assert found.consistency.value == pytest.approx(3 / 6)
    assert found.lean.value == pytest.approx((1 - 1 + 0.5) / 6)
    assert (found.primacy.value, found.recency.value) == pytest.approx((2 / 6, 1 / 6))
    assert found.lean.n_left_out == 1
    assert found.lean.test is not None
    wanted = stats.ttest_1samp([0, 1, 0, 0, -1, 0.5], 0)
    assert found.lean.test.p_value == pytest.approx(wanted.pvalue, abs=1e-12)
    with pytest.raises(RatingsError, match="The verdict 'A' is not valid"):
        position_bias(["A"], ["first"])
    assert not position_bias([], []).lean.defined
    always = position_bias(["first"] * 20, ["first"] * 20)
    assert (always.lean.value, always.consistency.value) == (1, 0)
    assert math.isnan(always.lean.low)
    assert always.consistency.high < 0.2


def test_calibration_curve_by_hand() -> None:
    human, judge = [0, 0.5, 1, 1, 1, NAN], [0, 0, 0.5, 1, 1, 1]
    curve = calibration_curve(human, judge)
    assert [(point.level, point.mean.value, point.bias.value) for point in curve] == [
        (0, 0.25, -0.25),
        (0.5, 1, -0.5),
        (1, 1, 0),
    ]
    assert curve[0].mean.n_units == 2
    assert math.isnan(curve[1].mean.low)
    assert curve[1].mean.reason
    other = calibration_curve(human, judge, given="human")
    assert [point.level for point in other] == [0, 0.5, 1]
    assert other[2].mean.value == pytest.approx(2.5 / 3)
    scores = np.linspace(0, 1, 100)
    binned = calibration_curve(scores**2, scores, bins=4)
    assert [point.mean.n_units for point in binned] == [25] * 4
    assert calibration_curve([], []) == ()


def test_drift_is_paired_and_needs_a_margin_for_a_verdict() -> None:
    random = np.random.default_rng(12)
    truth = random.integers(0, 3, 400)
    people = np.where(random.random((400, 3)) < 0.8, truth[:, None], random.integers(0, 3, (400, 3))).astype(float)
    old = np.where(random.random(400) < 0.8, truth, random.integers(0, 3, 400)).astype(float)
    new = np.where(random.random(400) < 0.05, random.integers(0, 3, 400), old).astype(float)
    same = drift(people, old, new, margin=0.05, bootstrap=FEW)
    assert same.verdict == "equivalent"
    assert same.agreement_change.value == pytest.approx(same.new.value - same.old.value, abs=1e-12)
    assert same.agreement_change.se < 0.5 * math.hypot(same.old.se, same.new.se)
    worse = np.where(random.random(400) < 0.4, 0, old).astype(float)
    changed = drift(people, old, worse, margin=0.05, measure="kappa", bootstrap=FEW)
    assert changed.verdict == "changed"
    assert changed.marginal is not None
    assert changed.marginal.p_value < 1e-6
    assert drift(people, old, new, bootstrap=FEW).verdict == "no margin declared"
    assert drift(people[:20], old[:20], worse[:20], margin=0.05, bootstrap=FEW).verdict == "not known"
    assert drift(people, old, old, margin=0.05, bootstrap=FEW).verdict == "equivalent"


def test_drift_with_one_reference_and_gaps() -> None:
    found = drift([1, 0, 1, NAN], [1, 0, NAN, 1], [1, 1, 1, 1], bootstrap=FEW)
    assert (found.old.value, found.new.value) == (1, 0.5)
    assert found.change.value == pytest.approx(1 / 3)
    assert found.old.n_left_out == 1
    nothing = drift([NAN, NAN], [1, 0], [1, 1], margin=0.1)
    assert not nothing.old.defined
    assert nothing.verdict == "not known"
    with pytest.raises(RatingsError, match="margin"):
        drift([1], [1], [1], margin=0)


def test_self_consistency_by_hand() -> None:
    found = self_consistency([[1, 1, 1], [0, 0, 1], [1, 1, NAN], [0, NAN, NAN]])
    assert found.flips.value == pytest.approx((0 + 2 / 3 + 0) / 3)
    assert found.always_same.value == pytest.approx(2 / 3)
    assert (found.flips.n_units, found.flips.n_left_out) == (3, 1)
    random = np.random.default_rng(2)
    runs = np.where(random.random((100, 3)) < 0.9, random.integers(0, 2, (100, 1)), 0.0)
    clustered = self_consistency(runs, clusters=np.repeat(np.arange(20), 5).tolist(), bootstrap=FEW)
    assert clustered.flips.low < clustered.flips.value < clustered.flips.high
    assert "cluster" in clustered.flips.method
    one = self_consistency([[1.0], [0.0]])
    assert not one.flips.defined
    assert one.flips.reason


def test_unparsed_replies_bound_the_mean() -> None:
    found = unparsed([1, 0.5, 0.5, NAN, NAN], lowest=0, highest=1)
    assert found.share.value == 0.4
    assert found.parsed.value == pytest.approx(2 / 3)
    assert (found.worst.value, found.best.value) == pytest.approx((2 / 5, 4 / 5))
    assert found.worst.value <= found.parsed.value <= found.best.value
    clustered = unparsed([1, 0.5, 0.5, NAN, NAN], clusters=["a", "a", "b", "b", "c"])
    assert "clusters" in clustered.share.method
    assert clustered.share.high > found.share.high
    with pytest.raises(RatingsError, match="outside 0 to 1"):
        unparsed([5, 1])
    nobody = unparsed([NAN, NAN])
    assert nobody.share.value == 1
    assert not nobody.parsed.defined


def test_nothing_to_go_by() -> None:
    assert bias_by_group([], [], []) == ()
    (alone,) = bias_by_group([1, 0], [1, 1], ["x", "x"])
    assert alone.bias.value == 0.5
    assert not alone.against_rest.defined
    gone = bias_by_group([NAN, 1], [1, 1], ["x", "y"])
    assert not gone[0].bias.defined
    assert gone[0].bias.n_left_out == 1
    for found in (family_bias([1, 0, 1], [1, 0, 0], [True, True, True]), family_bias([], [], [])):
        assert not found.adjusted.defined
        assert found.adjusted.reason
    with pytest.raises(RatingsError, match="values other than true and false"):
        family_bias([1, 0], [1, 0], [0.5, 1])


def test_falcon_of_llmbar_picks_the_first_place() -> None:
    """Answer 1 in 93 of 100 pairs, and in 7 after the two changed places: by place, first in 93 and 93."""
    folder = shared("data", "llmbar", "Natural", "evaluators")
    (path,) = (each for each in folder.rglob("result.json") if "falcon" in str(each).lower())
    results = [item["results"][-1] for item in json.loads(path.read_text(encoding="utf-8"))]
    # The file names the answer; with the answers swapped, answer 1 stands in the second place.
    forward = [{"1": "first", "2": "second"}.get(each["swap = False"]["winner"]) for each in results]
    swapped = [{"1": "second", "2": "first"}.get(each["swap = True"]["winner"]) for each in results]
    assert (forward.count("first"), swapped.count("second")) == (93, 7)
    found = position_bias(forward, swapped)
    both = sum(a == b == "first" for a, b in zip(forward, swapped, strict=True))
    neither = sum(a == b == "second" for a, b in zip(forward, swapped, strict=True))
    known = sum(a is not None and b is not None for a, b in zip(forward, swapped, strict=True))
    assert found.lean.value == pytest.approx((both - neither) / known)
    assert found.consistency.value == pytest.approx(1 - (both + neither) / known)
    assert found.lean.low > 0.7

"""Planted biases are found, sized and held against the gaps between models; judges without one are left alone."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from agreement.statistic import Statistic, Test
from extensions.calibration.statistics.bias_sentences import bias_first, biases_tested
from extensions.calibration.statistics.ranking_bias import RankingBias, RankingBiases, find_ranking_biases
from extensions.calibration.statistics.small_sample import contrast

MODELS = ("a", "b", "c")


def by_hand() -> RankingBiases:
    """Four questions and three models on a scale of 0 to 4. People's means are 3, 2.5 and 1; the judge is right but for
    1 point (25 of 100) too much on three of four answers of c, which is its family."""
    people = np.array([[4, 3, 1], [3, 2, 1], [3, 3, 1], [2, 2, 1]], dtype=float)
    judge = people + np.array([[0, 0, 1], [0, 0, 1], [0, 0, 1], [0, 0, 0]])
    return find_ranking_biases(
        people.ravel(),
        judge.ravel(),
        scale=(0, 4),
        models=list(MODELS) * 4,
        family=[0, 0, 1] * 4,
        clusters=np.repeat(range(4), 3).tolist(),
    )


def test_sizes_and_corrections_by_hand() -> None:
    found = by_hand()
    family, a, b, c, leniency = found.tested
    # judge minus people is 0.75 of 4 for c and 0 elsewhere; the other models stand 0.375 below the rest
    assert [each.points.value for each in (family, a, b, c)] == pytest.approx([18.75, -9.375, -9.375, 18.75])
    assert leniency.points.value == pytest.approx(6.25)  # three of twelve answers are 25 points too high
    assert found.n_clusters == 4
    assert found.n_units == 12
    assert found.untested == ("length", "position")
    # three kinds (Bonferroni); of three models the smallest p times 3 (Holm)
    p = {name: each.points.test.p_value for name, each in zip("fabcl", found.tested, strict=True) if each.points.test}
    assert family.p_corrected == pytest.approx(min(1, 3 * p["f"]))
    assert min(each.p_corrected for each in (a, b, c)) == pytest.approx(min(1, 3 * 3 * min(p["a"], p["b"], p["c"])))


def test_what_it_reaches_and_exchanges_by_hand() -> None:
    """The judge's means are 3, 2.5 and 1.75 of 4: 75, 62.5 and 43.75 points. People put c 37.5 points behind b."""
    family = by_hand().tested[0]
    assert family.exchanges is None
    far = family.points.high
    assert family.reaches == (("b", "c", 37.5) if far >= 37.5 else None)
    # people: a 60, b 55; the judge adds 10 to b, so it ranks b above a, and without the 10 a above b
    people = np.array([[1, 0], [1, 1], [0, 1], [1, 0], [1, 1], [0, 0], [0, 1], [1, 1], [0, 0], [1, 0]] * 2, dtype=float)
    people[0, 1] = 1
    judge = people.copy()
    judge[[3, 9], 1] = 1
    found = find_ranking_biases(people.ravel(), judge.ravel(), scale=(0, 1), models=["a", "b"] * 20)
    only, leniency = found.tested
    assert (leniency.kind, leniency.points.value) == (
        "leniency",
        pytest.approx(5.0),
    )  # 10 points on half of the answers
    assert (leniency.reaches, leniency.exchanges) == (None, None)
    assert only.toward == "a"
    assert only.points.value == pytest.approx(-10.0)
    assert only.exchanges == ("b", "a")
    assert only.reaches is not None
    assert only.reaches[:2] == ("a", "b")
    assert only.reaches[2] == pytest.approx(5.0)


def bias(value: float, half: float, p: float, **changes: object) -> RankingBias:
    """A bias with a standard error of half / 2 and 99 degrees of freedom: 98 % limits are 2.3646 of them away."""
    points = Statistic(value, value - half, value + half, "made", 100, 2, se=half / 2, test=Test("t", 1.0, (99.0,), p))
    return replace(RankingBias("family", "", points, p), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (bias(5.0, 2.0, 0.001), "blocks"),
        (bias(-11.0, 2.0, 0.001), "blocks"),
        (bias(3.0, 1.0, 0.001, exchanges=("b", "a")), "blocks"),
        (bias(3.0, 1.0, 0.001, reaches=("a", "b", 2.0)), "qualifies"),
        (bias(3.0, 1.0, 0.001, ranked=False), "qualifies"),
        (bias(3.0, 1.0, 0.001), "harmless"),
        (bias(3.0, 2.0, 0.001), "open"),
        (bias(3.0, 2.5, 0.2), "open"),
        (bias(-1.0, 4.5, 0.6), "open"),
        (bias(1.0, 3.3, 0.6), "harmless"),  # 1 + 2.3646 x 1.65 = 4.90
        (bias(1.0, 3.4, 0.6), "open"),  # 1 + 2.3646 x 1.7 = 5.02
        (bias(1.0, 3.4, 0.6, kind="model", toward="a"), "open"),
        (bias(7.0, 9.0, 0.2), "open"),
        (bias(5.0, 2.0, 0.001, kind="leniency"), "blocks"),
        (bias(3.0, 1.0, 0.001, kind="leniency", ranked=False), "harmless"),
        (bias(3.0, 2.0, 0.2, kind="leniency"), "bars"),
    ],
)
def test_what_a_bias_does_to_a_verdict(found: RankingBias, wanted: str) -> None:
    named = {
        "blocks": found.blocks,
        "qualifies": found.qualifies,
        "open": found.is_open and not found.bars,
        "bars": found.is_open and found.bars,
    }
    assert [name for name, holds in named.items() if holds] == ([] if wanted == "harmless" else [wanted])
    said = bias_first(RankingBiases((found,), (), 1_800, 300))
    start = {
        "blocks": "A bias blocks this judge",
        "qualifies": "Do not rank models with this judge:",
        "open": "Do not rank models with this judge yet",
        "bars": "This judge cannot replace a person yet",
    }
    assert not said if wanted == "harmless" else len(said) == 1 and said[0].startswith(start[wanted])


def test_the_number_of_questions_that_would_rule_a_bias_out() -> None:
    """98 % limits 2.3646 x 2 = 4.729 away have to come within 5 - 1 points: 300 (4.729 / 4)^2 = 419.4 questions."""
    found = RankingBiases((bias(-1.0, 4.0, 0.6),), (), 1_800, 300)
    assert bias_first(found) == (
        "Do not rank models with this judge yet: a bias of 5 points for or against its own family is not ruled out "
        "(-1.0 points, "
        "98 % limits [-5.7, 3.7], 300 questions; about 420 questions would rule out 5 points).",
    )


def test_a_significant_bias_comes_before_leniency_that_is_not_ruled_out() -> None:
    family = bias(3.0, 1.0, 0.001, reaches=("a", "b", 2.0))
    found = RankingBiases((family, bias(3.0, 2.0, 0.2, kind="leniency")), (), 1_800, 300)
    first, second = bias_first(found)
    assert first.startswith("Do not rank models with this judge:")
    assert second.startswith("This judge cannot replace a person yet:")
    assert found.bars


@pytest.mark.parametrize(
    ("questions", "half", "effect"), [(300, 1.523, "blocks"), (50, 8.799, "blocks"), (20, 20.567, "")]
)
def test_a_bias_that_never_varies_has_exact_limits(questions: int, half: float, effect: str) -> None:
    """Always 10 points too much for its family. 1 - 0.01^(1/n) of questions may differ unseen; p = 2 x 0.9^n, of three
    kinds: 0.031 with 50 questions, and 0.73 with 20."""
    people = np.tile([0.2, 0.4, 0.6], questions)
    family = np.tile([0.0, 0.0, 1.0], questions)
    clusters = np.repeat(range(questions), 3).tolist()
    found = find_ranking_biases(
        people, people + family / 10, scale=(0, 1), models=list("abc") * questions, family=family, clusters=clusters
    )
    own = found.tested[0]
    assert own.points.value == pytest.approx(10.0)
    assert own.half_width == pytest.approx(half, abs=0.01)
    assert own.p_corrected == pytest.approx(min(1, 3 * 2 * 0.9**questions))
    assert own.blocks == (effect == "blocks")
    assert bias_first(found)
    same = find_ranking_biases(people, people, scale=(0, 1), models=list("abc") * questions, clusters=clusters)
    assert (bias_first(same) == ()) == (questions == 300), "90 questions that never differ rule out 5 points"


def test_sentences_name_the_size_the_questions_and_what_changes() -> None:
    found = RankingBiases((bias(11.0, 3.0, 0.0002, exchanges=("b", "a")),), ("length", "model"), 1_800, 300)
    assert bias_first(found) == (
        "A bias blocks this judge from replacing a person: it favors its own family by 11.0 points [8.0, 14.0] "
        "(p < 0.001 after correction, 300 questions); without this bias, a would rank above b.",
    )
    assert "Not tested: length (the lengths of the answers are unknown); model" in biases_tested(found)
    less = RankingBiases((bias(-3.0, 1.0, 0.004, reaches=("a", "b", 2.0)),), (), 1_800, None)
    assert bias_first(less) == (
        "Do not rank models with this judge: it rates down its own family by 3.0 points [2.0, 4.0] (p = 0.004 after "
        "correction, "
        "1,800 answers), and b is only 2.0 points behind a.",
    )


def planted(seed: int, *, family: float = 0.0, length: float = 0.0, questions: int = 100) -> RankingBiases:
    """Five models whose answers are right in 0.5 of cases; people and a judge err in 3 %; a judge that calls so many
    more answers right, of its family (two models) or of those longer than 30 words."""
    random = np.random.default_rng(seed)
    shape = (questions, 5)
    truth = random.random(shape) < 0.5
    people = np.mean([np.where(random.random(shape) < 0.03, ~truth, truth) for _ in range(3)], axis=0)
    judge = np.where(random.random(shape) < 0.03, ~truth, truth)
    words = np.exp2(random.uniform(3, 7, shape))
    extra = family * (np.arange(5) < 2) + length * (words > 32)
    judge = judge | (random.random(shape) < 2 * extra)  # half of the answers are wrong
    return find_ranking_biases(
        people.ravel(),
        judge.astype(float).ravel(),
        scale=(0, 1),
        models=[f"m{at}" for at in range(5)] * questions,
        family=(np.arange(5) < 2).astype(float).tolist() * questions,
        lengths=words.ravel(),
        clusters=np.repeat(range(questions), 5).tolist(),
    )


def test_an_own_family_favored_by_eleven_points_is_found() -> None:
    for seed in range(10):
        found = {each.kind: each for each in planted(seed, family=0.11).tested}["family"]
        assert found.blocks
        assert found.points.low < 11.0 < found.points.high or abs(found.points.value - 11.0) < 6.0


def test_a_reward_for_length_is_found() -> None:
    """11 points more for the longer half: uniform log2 lengths u on (0, 1) have the slope 0.11 cov(1{u > 1/2}, u) /
    var(u) = 0.11 (1/8) / (1/12) = 0.165, and the 10th and 90th percentiles are 0.8 apart: 13.2 points."""
    sizes = []
    for seed in range(10):
        found = planted(seed, length=0.11, questions=300)
        each = {each.kind: each for each in found.tested}["length"]
        assert each.blocks
        assert bias_first(found)
        sizes.append(each.points.value)
    assert np.mean(sizes) == pytest.approx(13.2, abs=2.0)


@pytest.mark.thorough
def test_judges_without_a_bias_are_seldom_accused() -> None:
    """Nominal: one false alarm or more in 5 % of judges, over eight tests each."""
    alarms = sum(any(each.is_significant for each in planted(seed, questions=30).tested) for seed in range(100))
    assert alarms <= stats.binom.ppf(0.999, 100, 0.05), alarms


def test_a_position_is_the_mean_shift() -> None:
    shift = [0.2, 0.0, 0.2, 0.2, 0.0, 0.0, 0.2, 0.0]
    found = find_ranking_biases([0, 1] * 4, [0, 1] * 4, scale=(0, 2), shift=shift, clusters=list("aabbccdd"))
    only, _ = found.tested
    assert (only.kind, only.points.value) == ("position", pytest.approx(5.0))
    assert only.points.se == pytest.approx(contrast(shift, clusters=list("aabbccdd")).se * 50)
    assert found.untested == ("family", "length", "model")


def test_nothing_known_is_nothing_tested() -> None:
    found = find_ranking_biases([0, 1, 1], [math.nan] * 3, scale=(0, 1))
    assert found.tested == ()
    assert biases_tested(found).startswith("No test for bias was possible. Not tested: family")
    assert found.gravest is None
    assert not any(math.isnan(each.p_corrected) for each in by_hand().tested)

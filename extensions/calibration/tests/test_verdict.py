"""Verdicts come from limits: over a grid of them, with judges whose quality is known, and never from a machine."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from agreement import Bootstrap, Ratings, Statistic, krippendorff_alpha
from domain.errors import RatingsError
from extensions.calibration.report.short_answer import decisive_reason
from extensions.calibration.statistics.alternative import alternative_test
from extensions.calibration.statistics.ceiling import Ceiling, human_ceiling
from extensions.calibration.statistics.constant import compare_with_constant
from extensions.calibration.statistics.verdict import JudgeVerdict, Rule, judge_verdict

FEW = Bootstrap(draws=300)
NO_TEST = Rule(alternative_test=False)


def statistic(value: float, half: float, n: int = 100, raters: int = 3) -> Statistic:
    return Statistic(value, value - half, value + half, "made", n, raters)


def ceiling(difference: float, half: float, n: int = 100) -> Ceiling:
    one = statistic(0.7, 0.05, n)
    return Ceiling(one, one, statistic(difference, half, n), "agreement", "each")


@pytest.mark.parametrize(
    ("people", "gap", "tie"), list(product((0.2, 0.45, 0.7), (-0.2, -0.02, 0.1), (0.1, 0.32, 0.8)))
)
@pytest.mark.parametrize("half", [0.01, 0.04, 0.3, math.nan])
def test_only_limits_decide(people: float, gap: float, tie: float, half: float) -> None:
    found = judge_verdict(
        people=statistic(people, half), ceiling=ceiling(gap, half), association=statistic(tie, half), rule=NO_TEST
    )
    if people + half < 0.4:
        wanted = "people agree too little"
    elif not people - half >= 0.4:
        wanted = "not enough data"
    elif gap - half >= -0.05:
        wanted = "usable as replacement"
    elif tie - half >= 0.3:
        wanted = "usable with correction"
    else:
        wanted = "not usable" if tie + half < 0.3 else "not enough data"
    assert found.outcome == wanted
    assert found.reasons


def test_a_perfect_estimate_without_limits_gets_no_verdict() -> None:
    perfect = Statistic(1.0, math.nan, math.nan, "none", 100, 3, 0, "No interval: every draw gives the same value.")
    one = Ceiling(perfect, perfect, perfect, "agreement", "each")
    found = judge_verdict(people=perfect, ceiling=one, association=perfect, rule=NO_TEST)
    assert found.outcome == "not enough data"
    assert "every draw" in found.reasons[0]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"held_out": False}, "tuned on these units"),
        ({"ceiling": ceiling(0.1, 0.01, n=29)}, "at least two people share 29 units"),
        ({"people": statistic(0.8, 0.01, raters=2)}, "2 people graded"),
        ({"humans": ["ann", "bob", "bob"]}, "2 people graded"),
        ({"humans": ["ann"]}, "One person graded, but the rule needs 3 people."),
        ({"humans": []}, "Nobody graded"),
    ],
)
def test_what_the_rule_asks_for_is_asked_for(changed: dict, why: str) -> None:
    given = {"people": statistic(0.8, 0.01), "ceiling": ceiling(0.1, 0.01), "association": statistic(0.9, 0.01)}
    found = judge_verdict(**{**given, **changed}, rule=NO_TEST)
    assert found.outcome == "not enough data"
    assert any(why in reason for reason in found.reasons)


def test_one_person_is_told_so_and_nothing_else() -> None:
    none = Statistic(math.nan, math.nan, math.nan, "none", 0, 1, 100, "No unit has ratings from two raters.")
    found = judge_verdict(people=none, ceiling=Ceiling(none, none, none, "agreement", "each"), association=none)
    assert found.reasons == ("One person graded, but the rule needs 3 people.",)


def test_a_machine_is_never_counted_among_the_people() -> None:
    given = {"people": statistic(0.8, 0.01), "ceiling": ceiling(0.1, 0.01), "association": statistic(0.9, 0.01)}
    with pytest.raises(RatingsError, match="You named these machines as people: gpt"):
        judge_verdict(**given, humans=["ann", "bob", "gpt"], machines=["gpt"], rule=NO_TEST)


def test_a_rule_that_asks_for_the_test_does_not_do_without() -> None:
    given = {"people": statistic(0.8, 0.01), "ceiling": ceiling(0.1, 0.01), "association": statistic(0.9, 0.01)}
    found = judge_verdict(**given)
    assert found.outcome == "usable with correction"
    assert any("was not computed" in reason for reason in found.reasons)
    test = alternative_test(np.tile([[1, 1, 1], [0, 0, 0]], (20, 1)), [1, 0] * 20, epsilon=0.1)
    with pytest.raises(RatingsError, match=r"has epsilon 0\.1, but the rule has 0\.2"):
        judge_verdict(**given, alternative=test)
    assert judge_verdict(**given, alternative=test, rule=Rule(epsilon=0.1)).outcome == "usable as replacement"


def verdict_of(quality: float, people: float, n: int, seed: int) -> JudgeVerdict:
    """The verdict on a judge that knows the truth so often, next to people who know it so often."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, 3, n)
    knows = random.random((n, 4)) < [people, people, people, quality]
    table = np.where(knows, truth[:, None], random.integers(0, 3, (n, 4))).astype(float)
    graded, judge = table[:, :3], table[:, 3]
    return judge_verdict(
        people=krippendorff_alpha(Ratings.from_array(graded), bootstrap=FEW),
        ceiling=human_ceiling(graded, judge, bootstrap=FEW),
        association=human_ceiling(graded, judge, measure="kappa", bootstrap=FEW).judge,
        alternative=alternative_test(graded, judge),
    )


@pytest.mark.parametrize(
    ("quality", "people", "n", "wanted"),
    [
        (0.95, 0.85, 300, "usable as replacement"),
        (0.6, 0.9, 400, "usable with correction"),
        (0.1, 0.9, 300, "not usable"),
        (0.9, 0.3, 300, "people agree too little"),
        (0.9, 0.9, 20, "not enough data"),
    ],
)
def test_judges_of_known_quality(quality: float, people: float, n: int, wanted: str) -> None:
    found = [verdict_of(quality, people, n, seed).outcome for seed in range(10)]
    assert found.count(wanted) >= 9, found


@pytest.mark.thorough
def test_a_worse_judge_is_hardly_ever_called_a_replacement() -> None:
    outcomes = [verdict_of(0.75, 0.85, 150, seed).outcome for seed in range(100)]
    assert outcomes.count("usable as replacement") <= 5


def test_the_rule_is_said_in_words_and_makes_sense() -> None:
    assert "at most 0.05 below a person" in Rule().sentence
    assert "alternative" not in NO_TEST.sentence
    assert replace(Rule(), margin=0.1).margin == 0.1
    for bad in ({"least_units": 1}, {"margin": -0.1}, {"epsilon": 2}, {"least_people": 1}):
        with pytest.raises(RatingsError):
            Rule(**bad)  # type: ignore[arg-type]


# ---- base rates ------------------------------------------------------------------------------------------------------


def skewed(kind: str, n: int, seed: int, *, good: float, slips: float) -> JudgeVerdict:
    """The verdict on a judge of known truth: so many answers are good, and three people slip so often."""
    random = np.random.default_rng(seed)
    truth = (random.random(n) < good).astype(float)

    def flipped(share: float) -> np.ndarray:
        return np.where(random.random(n) < share, 1 - truth, truth)

    graded = np.stack([flipped(slips) for _ in range(3)], axis=1)
    judge = {
        "perfect": truth,
        "constant": np.ones(n),
        "random": (random.random(n) < good).astype(float),
        "noisy": flipped(0.1),
        "adversarial": 1 - truth,
    }[kind]
    constant = compare_with_constant(graded, judge)
    ceiling = human_ceiling(graded, judge, measure="kappa")
    return judge_verdict(
        people=krippendorff_alpha(Ratings.from_array(graded), bootstrap=FEW),
        ceiling=ceiling,
        association=ceiling.judge,
        alternative=alternative_test(graded, judge),
        constant=constant,
        constant_says="good",
        constant_test=alternative_test(graded, constant.column),
    )


RIGHT = {
    "perfect": "usable as replacement",
    "constant": "not usable",
    "random": "not usable",
    "noisy": "usable with correction",  # it finds the bad, and is right less often than "good" where 95 % are
    "adversarial": "not usable",
}


@pytest.mark.parametrize("kind", list(RIGHT))
@pytest.mark.parametrize(("good", "slips"), [(0.95, 0.01), (0.95, 0.0), (0.5, 0.02)])
def test_a_judge_gets_what_it_is_or_nothing_yet(kind: str, good: float, slips: float) -> None:
    """With 5,000 units the truth; with fewer the truth, something weaker, or not enough data; never better."""
    assert skewed(kind, 5_000, 0, good=good, slips=slips).outcome == RIGHT[kind]
    weaker = {"usable with correction", "not enough data"} if kind == "perfect" else {"not enough data"}
    for n in (50, 500):
        found = {skewed(kind, n, seed, good=good, slips=slips).outcome for seed in range(5)}
        assert found <= {RIGHT[kind], *weaker}, (n, found)
    if kind in ("perfect", "constant", "random", "adversarial"):
        assert found == {RIGHT[kind]}, "500 units are enough"


@pytest.mark.parametrize("n", [30, 50, 500, 5_000])
def test_a_judge_that_always_says_good_is_not_usable_and_passes_the_test_with_a_word_next_to_it(n: int) -> None:
    """It was "not enough data", and passed the alternative annotator test for three of three."""
    found = skewed("constant", n, 3, good=0.9, slips=0.01)
    assert found.outcome == "not usable"
    assert "gives the same value to all" in found.reasons[0]
    assert "of people's ratings are good" in found.reasons[1]
    if n >= 500:
        assert "also passes this test (it can replace 3 of 3 people)" in found.reasons[2]


def test_people_who_surely_agree_too_little_are_a_finding_of_their_own() -> None:
    random = np.random.default_rng(1)
    truth = random.integers(0, 3, 1_056)
    graded = np.where(random.random((1_056, 3)) < 0.3, truth[:, None], random.integers(0, 3, (1_056, 3))).astype(float)
    judge = truth.astype(float)
    people = krippendorff_alpha(Ratings.from_array(graded), bootstrap=FEW)
    assert people.high < 0.4
    ceiling = human_ceiling(graded, judge, measure="kappa")
    found = judge_verdict(
        people=people,
        ceiling=ceiling,
        association=ceiling.judge,
        alternative=alternative_test(graded, judge),
        constant=compare_with_constant(graded, judge),
    )
    assert found.outcome == "people agree too little"
    assert "too low to test a judge" in found.reasons[0]


def test_next_to_the_constant_by_hand() -> None:
    """Four units, two people; the most frequent value is 1 (5 of 7). The judge meets 1, 1/2, 1, 0 of the people, the
    constant 1, 1/2, 0, 1: means 0.625 and 0.625, the difference 0, 0, 1, -1."""
    people = [[1, 1], [1, 0], [0, math.nan], [1, 1], [math.nan, math.nan], [1, 1]]
    found = compare_with_constant(people, [1, 1, 0, 0, 1, math.nan])
    assert (found.value, found.base_rate) == (1.0, 5 / 7)
    assert (found.judge.value, found.constant.value, found.difference.value) == (0.625, 0.625, 0.0)
    # standard error of 0, 0, 1, -1: sqrt(2 / 3) / 2, and t with 3 degrees of freedom
    assert found.difference.high == pytest.approx(3.182446305284263 * math.sqrt(2 / 3) / 2)
    assert found.judge.n_units == 4
    assert not found.is_constant
    of_one_video = compare_with_constant(people, [1, 1, 0, 0, 1, math.nan], clusters=["a", "a", "b", "b", "c", "c"])
    # sums of the clusters' differences: 0 and 0, so nothing varies between them
    assert of_one_video.difference.value == 0.0
    assert math.isnan(of_one_video.difference.low) or of_one_video.difference.se == 0
    nobody = compare_with_constant([[math.nan, math.nan]], [1])
    assert not nobody.judge.defined
    assert nobody.judge.reason == "The judge and people have no unit in common."


def test_the_page_gives_the_reason_that_decided_and_not_a_condition_that_holds() -> None:
    """The judge says the opposite of people who agree with each other."""
    verdict = judge_verdict(
        people=statistic(0.7, 0.05), ceiling=ceiling(-0.6, 0.05), association=statistic(-0.8, 0.05), rule=NO_TEST
    )
    assert verdict.outcome == "not usable"
    said = decisive_reason(verdict.reasons)
    assert said == "The judge's association with people is -0.800 [-0.850, -0.750], below 0.3."

"""Verdicts come from limits: over a grid of them, with judges whose quality is known, and never from a machine."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from agreement import (
    Bootstrap,
    Ceiling,
    Ratings,
    Rule,
    Statistic,
    Verdict,
    alternative_test,
    human_ceiling,
    judge_verdict,
    krippendorff_alpha,
)
from domain.errors import RatingsError

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
    if not people - half >= 0.4:
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
        ({"held_out": False}, "tuned on these very units"),
        ({"ceiling": ceiling(0.1, 0.01, n=29)}, "two or more people share 29 units"),
        ({"people": statistic(0.8, 0.01, raters=2)}, "2 people graded"),
        ({"humans": ["ann", "bob", "bob"]}, "2 people graded"),
        ({"humans": ["ann"]}, "One person graded, and the rule asks for 3."),
        ({"humans": []}, "Nobody graded"),
    ],
)
def test_what_the_rule_asks_for_is_asked_for(changed: dict, why: str) -> None:
    given = {"people": statistic(0.8, 0.01), "ceiling": ceiling(0.1, 0.01), "association": statistic(0.9, 0.01)}
    found = judge_verdict(**{**given, **changed}, rule=NO_TEST)
    assert found.outcome == "not enough data"
    assert any(why in reason for reason in found.reasons)


def test_one_person_is_told_so_and_nothing_else() -> None:
    none = Statistic(math.nan, math.nan, math.nan, "none", 0, 1, 100, "No unit was rated by two people.")
    found = judge_verdict(people=none, ceiling=Ceiling(none, none, none, "agreement", "each"), association=none)
    assert found.reasons == ("One person graded, and the rule asks for 3.",)


def test_a_machine_is_never_counted_among_the_people() -> None:
    given = {"people": statistic(0.8, 0.01), "ceiling": ceiling(0.1, 0.01), "association": statistic(0.9, 0.01)}
    with pytest.raises(RatingsError, match="gpt is no person"):
        judge_verdict(**given, humans=["ann", "bob", "gpt"], machines=["gpt"], rule=NO_TEST)


def test_a_rule_that_asks_for_the_test_does_not_do_without() -> None:
    given = {"people": statistic(0.8, 0.01), "ceiling": ceiling(0.1, 0.01), "association": statistic(0.9, 0.01)}
    found = judge_verdict(**given)
    assert found.outcome == "usable with correction"
    assert any("was not made" in reason for reason in found.reasons)
    test = alternative_test(np.tile([[1, 1, 1], [0, 0, 0]], (20, 1)), [1, 0] * 20, epsilon=0.1)
    with pytest.raises(RatingsError, match=r"at epsilon 0\.1, the rule says 0\.2"):
        judge_verdict(**given, alternative=test)
    assert judge_verdict(**given, alternative=test, rule=Rule(epsilon=0.1)).outcome == "usable as replacement"


def verdict_of(quality: float, people: float, n: int, seed: int) -> Verdict:
    """The verdict on a judge that knows the truth so often, beside people who know it so often."""
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
        (0.9, 0.3, 300, "not enough data"),
        (0.9, 0.9, 20, "not enough data"),
    ],
)
def test_judges_of_known_quality(quality: float, people: float, n: int, wanted: str) -> None:
    found = [verdict_of(quality, people, n, seed).outcome for seed in range(10)]
    assert found.count(wanted) >= 9, found


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

"""Losses: when they warn, that bounds hold the truth, and p values against tables and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from agreement.losses import LossCell, ScoreCount, independence, losses_of


def evenly(lost: int, *, models: int = 5, asked: int = 200) -> list[LossCell]:
    """``lost`` of all, spread as evenly over models as it goes."""
    shares = [lost // models + (at < lost % models) for at in range(models)]
    return [LossCell(asked, {"empty": n} if n else {}, model=f"m{at}") for at, n in enumerate(shares)]


@pytest.mark.parametrize(
    ("lost", "warns"), [(0, False), (19, False), (20, False), (21, True)], ids=["none", "1.9 %", "2.0 %", "2.1 %"]
)
def test_more_than_two_percent_warns(lost: int, warns: bool) -> None:
    found = losses_of(evenly(lost))
    assert (found.lost, found.asked, found.warns) == (lost, 1_000, warns)
    assert bool(found.warning) == warns
    assert f"{lost} of 1,000 replies could not be read" in found.sentence


@pytest.mark.parametrize("by", ["model", "dimension", "value"])
def test_one_percent_in_one_group_warns_and_names_it(by: str) -> None:
    cells = [LossCell(200, {"unparseable": 10} if at == 3 else {}, **{by: f"g{at}"}) for at in range(5)]  # type: ignore[arg-type]
    found = losses_of(cells, value_is="people's grade")
    assert found.share == 0.01
    name = "people's grade" if by == "value" else f"the {by}"
    assert f"Losses depend on {name} (p < 0.001): g3 lost 10 of 200, all others 0 of 800." in found.warning


def test_three_tests_share_one_level() -> None:
    # Fisher's p of 0 of 200 against 6 of 200 is 0.0301 (scipy below), which Holm makes 0.0903 among three equal ones
    alone = losses_of([LossCell(200, model="a"), LossCell(200, {"empty": 6}, model="b")])
    p = stats.fisher_exact([[200, 0], [194, 6]])[1]
    assert alone.p_value == pytest.approx(p)
    assert alone.warns
    assert p < 0.05
    three = losses_of([LossCell(200, model="a", dimension="x", value="0"), LossCell(200, {"empty": 6}, "b", "y", "1")])
    assert three.p_value == pytest.approx(3 * p)
    assert not three.warns


def test_bounds_hold_the_truth_whatever_was_lost() -> None:
    dice = np.random.default_rng(7)
    for _ in range(200):
        truth = dice.integers(0, 2, 50)
        lost = dice.random(50) < np.where(truth == 1, 0.05, 0.4)  # wrong answers are lost more often
        cell = LossCell(50, {"x": int(lost.sum())}, "m", total=float(truth[~lost].sum()))
        mean = losses_of([cell], low=0, high=1).mean
        assert mean is not None
        assert mean.lowest is not None
        assert mean.highest is not None
        assert mean.lowest - 1e-12 <= truth.mean() <= mean.highest + 1e-12


def test_bounds_by_hand() -> None:
    # 146 of 287 readable answers are right; 13 of 300 are not readable: 146/300 and 159/300
    found = losses_of([LossCell(300, {"empty": 3, "unreadable": 10}, "m", "d", total=146)], low=0, high=1)
    assert found.mean is not None
    assert (found.mean.lowest, found.mean.highest) == (pytest.approx(146 / 300), pytest.approx(159 / 300))
    assert found.bounds == (
        "The mean lies between 0.487 (worst case) and 0.530 (best case). Excluding losses, the mean is 0.509."
    )
    assert found.count == "13 of 300 replies could not be read (4.3 %): 10 (unreadable), 3 (empty)."


def test_the_mean_leaves_out_what_nothing_can_score() -> None:
    """Of 10 answers to items with a key 6 are right and 2 lost: 6/10 to 8/10. Of 30 others 5 are lost."""
    cells = [LossCell(10, {"empty": 2}, total=6), LossCell(30, {"empty": 5}, is_in_mean=False)]
    found = losses_of(cells, low=0, high=1, mean_of="the 10 answers to items with a key")
    assert (found.lost, found.asked) == (7, 40)
    assert found.bounds == (
        "The mean of the 10 answers to items with a key lies between 0.600 (worst case) and 0.800 (best case). "
        "Excluding losses, the mean is 0.750."
    )


def test_p_values_are_those_of_fisher_and_pearson() -> None:
    assert independence([(10, 0), (10, 5)]) == pytest.approx(stats.fisher_exact([[10, 0], [5, 5]])[1])
    big = [(100, 10), (120, 30), (90, 12)]
    table = [[n - k for n, k in big], [k for _, k in big]]
    assert independence(big) == pytest.approx(stats.chi2_contingency(table, correction=False)[1])


def test_few_losses_in_many_groups_keep_the_level() -> None:
    """4 losses over 4 groups of 25 by chance alone: the test may be wrong in 5 % of draws, and hardly more.

    400 draws: 5 % is 20, and the upper end of a 99.9 % binomial interval around it is 35.
    """
    dice = np.random.default_rng(3)
    wrong = sum(
        independence([(25, int(k)) for k in dice.multivariate_hypergeometric([25] * 4, 4)]) < 0.05 for _ in range(400)
    )
    assert wrong <= 35


def test_without_losses_or_groups_there_is_no_test() -> None:
    assert losses_of([]).sentence == "0 of 0 replies could not be read."
    assert losses_of([LossCell(10, {"empty": 10}, "a"), LossCell(10, {"empty": 10}, "b")]).tests == ()
    assert ScoreCount(3.0, 4).value == 0.75
    assert ScoreCount(0.0, 0).value is None

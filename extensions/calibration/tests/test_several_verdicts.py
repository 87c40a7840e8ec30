"""Several verdicts of one study are corrected by Holm, and near-copies of a judge are one judge."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from extensions.calibration.statistics.near_copies import compare_judges, effective_number, group_copies
from extensions.calibration.statistics.several_verdicts import correct_together
from extensions.calibration.statistics.verdict import JudgeVerdict, Outcome, Rule


def verdict(outcome: Outcome, p_replace: float, p_correct: float = 0.0001) -> JudgeVerdict:
    otherwise: tuple[Outcome, str] = ("usable with correction", "Its association is high.")
    return JudgeVerdict(None, outcome, ("As it is.",), Rule(), p_replace, p_correct, otherwise)


def test_holm_by_hand() -> None:
    """Four claims at 0.025: 0.005 x 4 = 0.02 and 0.008 x 3 = 0.024 hold, 0.02 x 2 = 0.04 does not."""
    given = [
        verdict("usable as replacement", 0.02),
        verdict("usable as replacement", 0.005),
        verdict("usable except to rank", 0.008),
        verdict("usable with correction", 0.9),
        verdict("not enough data", math.nan, math.nan),
    ]
    found = correct_together(given, "verdicts on dimensions")
    wanted = ["usable with correction", "usable as replacement", "usable except to rank", "usable with correction"]
    assert [each.outcome for each in found] == [*wanted, "not enough data"]
    assert found[0].reasons[0] == (
        "After correction for 4 verdicts on dimensions, the data do not show that the judge can replace a person. "
        "The p value is 0.0200, or 0.040 after Holm's method, which is above 0.025."
    )
    assert found[1:] == tuple(given[1:])


def test_a_correction_that_is_not_sure_enough_is_not_enough_data() -> None:
    given = [verdict("usable with correction", 0.9, 0.02), verdict("usable with correction", 0.9, 0.001)]
    found = correct_together(given)
    assert [each.outcome for each in found] == ["usable with correction"] * 2  # 0.001 x 2, then 0.02 x 1
    found = correct_together([*given, verdict("not usable", 1.0, 0.6)])
    assert found[0].outcome == "not enough data"  # 0.02 x 2 = 0.04
    assert "the data do not show enough association with people" in found[0].reasons[0]


def test_the_sentence_about_a_bias_stays_first() -> None:
    bias = "Do not rank models with this judge: it favors its own family."
    given = replace(verdict("usable except to rank", 0.02, 0.02), reasons=(bias, "As it is."))
    (found, _) = correct_together([given, given])
    assert found.outcome == "not enough data"  # 0.02 x 2 = 0.04 for both claims
    assert found.reasons[0] == bias


# ---- near-copies -----------------------------------------------------------------------------------------------------


def judges(seed: int, n: int = 600, *, err: float = 0.08, noise: float = 0.005) -> tuple[np.ndarray, dict]:
    random = np.random.default_rng(seed)
    truth = (random.random(n) < 0.6).astype(float)

    def seen(share: float, of: np.ndarray = truth) -> np.ndarray:
        return np.where(random.random(n) < share, 1 - of, of)

    one = seen(err)
    people = np.stack([seen(0.03) for _ in range(3)], axis=1)
    return people, {"one": one, "other": seen(err), "copy": seen(noise, one)}


@pytest.mark.parametrize("err", [0.01, 0.03, 0.08, 0.2])
def test_copies_are_one_judge_and_good_judges_are_two(err: float) -> None:
    for seed in range(20):
        people, given = judges(seed, err=err, noise=min(0.005, err / 10))
        assert group_copies(list(given), compare_judges(people, given)) == (("one", "copy"), ("other",))


def test_judges_without_errors_cannot_be_told_apart() -> None:
    people = np.repeat([[1.0] * 3, [0.0] * 3], 50, axis=0)
    (pair,) = compare_judges(people, {"one": people[:, 0], "other": people[:, 0]})
    assert (pair.same, pair.n_errors, pair.is_copy) == (1.0, 0, False)


def test_shares_by_hand() -> None:
    """Six units; people agree on five. Errors: one on u1, u2; other on u2, u3. Both say the same on u2 and u4 to u6."""
    people = [[1, 1], [1, 1], [1, 1], [0, 0], [0, 0], [0, 1]]
    (pair,) = compare_judges(people, {"one": [0, 0, 1, 0, 0, 1], "other": [1, 0, 0, 0, 0, 1]})
    assert (pair.n_units, pair.same, pair.n_errors, pair.n_shared) == (6, 4 / 6, 3, 1)
    # phi of (1, 1, 0, 0, 0) and (0, 1, 1, 0, 0): (5 x 1 - 2 x 2) / (2 x 3)
    assert pair.correlation == pytest.approx(1 / 6)


def test_nine_judges_worth_two() -> None:
    """Kish: nine judges whose errors correlate at 0.4375 are two."""
    assert effective_number(9, 0.4375) == pytest.approx(2.0)
    assert effective_number(5, 0.0) == 5
    assert effective_number(5, 1.0) == 1
    assert math.isnan(effective_number(3, -0.5))

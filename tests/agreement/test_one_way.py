"""ICC(1,1) where units have raters of their own: another package, worked arithmetic, and what has no value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from agreement import Bootstrap, Ratings, icc, summarise
from agreement.icc import FORMS
from domain.records import Rating

NONE = math.nan
POOL = np.array(
    [
        [4, 4, NONE, 4, NONE],
        [4, 4, NONE, NONE, 5],
        [NONE, 4, 5, 3, NONE],
        [NONE, 3, 3, 3, NONE],
        [5, 5, 5, NONE, NONE],
        [2, NONE, 1, 2, NONE],
        [2, NONE, 2, NONE, 3],
        [NONE, 3, 2, 1, NONE],
        [5, NONE, NONE, 3, 3],
        [NONE, NONE, 3, 3, 4],
        [3, NONE, NONE, 3, 3],
        [3, NONE, 4, NONE, 4],
    ]
)
"""Twelve answers, each graded by three of five people."""
FORM_1: list[Any] = [form for form in FORMS if form.startswith("ICC(1")]


@pytest.mark.parametrize(
    ("form", "value", "low", "high"),
    # pingouin 0.7.0, intraclass_corr of the three grades of each answer; it prints limits with two digits
    [("ICC(1,1)", 0.665991902834, 0.36, 0.88), ("ICC(1,k)", 0.856770833333, 0.63, 0.95)],
)
def test_three_of_five_raters_as_pingouin_has_it(form: Any, value: float, low: float, high: float) -> None:
    found = icc(Ratings.from_array(POOL), form=form)
    assert found.value == pytest.approx(value, abs=1e-11)
    assert (round(found.low, 2), round(found.high, 2)) == (low, high)
    assert found.test is not None
    assert (found.test.value, found.test.df) == (pytest.approx(6.981818, abs=1e-6), (11, 24))
    assert found.test.p_value == pytest.approx(3.7247940710884696e-05, rel=1e-9)
    assert (found.n_units, found.n_raters, found.n_left_out) == (12, 5, 0)
    assert found.method == "F distribution; 3 ratings per unit, from any raters"


def test_who_rated_does_not_matter() -> None:
    slots = np.array([row[~np.isnan(row)] for row in POOL])  # no gaps: the formulas of a complete table
    for form in FORM_1:
        own, complete = icc(Ratings.from_array(POOL), form=form), icc(Ratings.from_array(slots), form=form)
        assert (own.value, own.low, own.high) == pytest.approx((complete.value, complete.low, complete.high), rel=1e-12)


def test_unequal_numbers_by_hand() -> None:
    # Units 1 2 3, 4 6, 2 2, and one with a single 5, which is left out. Means 2, 5, 2; of all seven 20/7.
    # Between 12 + 50 + 8 - 400/7 = 90/7 with 2 degrees of freedom, B = 45/7; within 2 + 2 + 0 with 4, W = 1.
    # (7 - (9 + 4 + 4)/7) / 2 = 16/7 ratings a unit; (45/7 - 1) / (45/7 + 16/7 - 1) = 38/54.
    ratings = Ratings.from_lists(a=[1, 4, 2, None], b=[2, 6, None, 5], c=[3, None, 2, None])
    found = icc(ratings)
    assert found.value == pytest.approx(19 / 27, rel=1e-12)
    assert (found.n_units, found.n_left_out) == (3, 1)
    assert "2 to 3 ratings per unit" in found.method
    assert "approximate" in found.method
    assert icc(ratings, form="ICC(1,k)").value == pytest.approx(38 / 45, rel=1e-12)
    assert found.test is not None
    assert (found.test.value, found.test.df) == (pytest.approx(45 / 7), (2, 4))


def test_mean_squares_of_statsmodels() -> None:
    table = POOL.copy()
    for unit, rater in [(0, 0), (1, 4), (3, 2), (3, 3), (6, 4), (10, 0), (10, 3)]:
        table[unit, rater] = NONE
    # statsmodels 0.15.0, anova_lm(ols("v ~ C(u)")) of the ten units with two grades or more: 3.259259, 0.509804 with 9
    # and 17; (27 - (3 * 4 + 7 * 9) / 27) / 9 ratings a unit
    b, w, k = 29 + 1 / 3, 8 + 2 / 3, (27 - 75 / 27) / 9
    b, w = b / 9, w / 17
    found = icc(Ratings.from_array(table))
    assert found.value == pytest.approx((b - w) / (b + (k - 1) * w), rel=1e-12)
    assert found.test is not None
    assert (found.test.value, found.test.df) == (pytest.approx(6.393162, abs=1e-6), (9, 17))


@pytest.mark.parametrize("form", FORM_1)
def test_resampled_limits_are_those_of_a_loop(form: Any) -> None:
    found = icc(Ratings.from_array(POOL), form=form, bootstrap=Bootstrap(400))
    random = np.random.default_rng(3)
    draws = [icc(Ratings.from_array(POOL[random.integers(0, 12, 12)]), form=form).value for _ in range(400)]
    low, high = np.nanquantile(draws, [0.025, 0.975])
    assert (found.low, found.high) == (pytest.approx(low, abs=0.12), pytest.approx(high, abs=0.06))
    assert "bootstrap" in found.method


def test_a_summary_has_it_where_no_one_rated_everything() -> None:
    rows = [
        Rating(f"answer {unit}", f"rater {rater}", "score", value, dimension="spatial")
        for unit, row in enumerate(POOL.tolist())
        for rater, value in enumerate(row)
        if not math.isnan(value)
    ]
    found = {each.args["form"]: each for each in summarise(rows, by_dimension=True, statistics=("icc",))}
    assert found["ICC(1,1)"].value == pytest.approx(0.665991902834, abs=1e-11)
    assert (found["ICC(1,1)"].dimension, found["ICC(1,1)"].n_units) == ("spatial", 12)
    assert found["ICC(2,1)"].reason == "Fewer than two units have ratings from all raters."


@pytest.mark.parametrize(
    ("ratings", "why"),
    [
        (Ratings.from_lists(a=[1, None, 2], b=[None, 2, 3]), "Fewer than two units have two ratings"),
        (Ratings.from_lists(a=[1, 1, None], b=[None, 1, 1], c=[1, None, 1]), "the units do not differ"),
        (Ratings.from_lists(a=["x", "y", None], b=[None, "y", "x"], c=["x", None, "x"]), "numbers"),
    ],
)
def test_what_has_no_value(ratings: Ratings, why: str) -> None:
    found = icc(ratings)
    assert math.isnan(found.value)
    assert why in (found.reason or "")


def test_complete_agreement_has_no_limits() -> None:
    found = icc(Ratings.from_lists(a=[1, 2, None], b=[1, None, 3], c=[None, 2, 3]))
    assert found.value == 1
    assert math.isnan(found.low)
    assert "width of zero" in (found.reason or "")


def test_listwise_is_there_for_those_who_ask() -> None:
    table = Ratings.from_lists(a=[1, 2, 3, 4], b=[1, 2, 4, 4], c=[1, None, 3, 5])
    kept = Ratings.from_lists(a=[1, 3, 4], b=[1, 4, 4], c=[1, 3, 5])
    found = icc(table, missing="listwise")
    assert (found.value, found.n_left_out) == (icc(kept).value, 1)

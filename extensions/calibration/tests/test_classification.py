"""Confusion and rates: worked arithmetic, scikit-learn where it is installed, and bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agreement import Bootstrap
from domain.errors import RatingsError
from extensions.calibration.statistics.classification import (
    all_right,
    classification_rates,
    confusion_matrix,
    pass_rates,
)

PEOPLE = ["a", "a", "a", "b", "b", "c", None, "c"]
JUDGE = ["a", "a", "b", "b", "b", "a", "a", None]


def test_by_hand() -> None:
    found = classification_rates(PEOPLE, JUDGE)
    assert found.confusion.counts.tolist() == [[2, 1, 0], [0, 2, 0], [1, 0, 0]]
    assert found.confusion.n_left_out == 2
    assert found.accuracy.value == pytest.approx(4 / 6)
    a, b, c = found.classes
    assert (a.precision.value, a.recall.value, a.f1.value) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert (b.precision.value, b.recall.value, b.f1.value) == pytest.approx((2 / 3, 1, 4 / 5))
    assert (c.recall.value, c.f1.value) == (0, 0)
    assert not c.precision.defined
    assert c.precision.reason == "The judge gave no unit the label c."
    # Macro over the labels that have one: precision a, b; recall and F1 a, b, c.
    assert found.macro_precision.value == pytest.approx(2 / 3)
    assert found.macro_recall.value == pytest.approx(5 / 9)
    assert found.macro_f1.value == pytest.approx((2 / 3 + 4 / 5) / 3)


def test_shares_of_rows_and_columns() -> None:
    matrix = confusion_matrix(PEOPLE, JUDGE)
    assert matrix.row_shares[0].tolist() == pytest.approx([2 / 3, 1 / 3, 0])
    assert matrix.column_shares[:, 0].tolist() == pytest.approx([2 / 3, 0, 1 / 3])
    assert np.isnan(matrix.column_shares[:, 2]).all()


def test_as_scikit_learn_has_it() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    random = np.random.default_rng(8)
    people, judge = random.integers(0, 4, 300), random.integers(0, 4, 300)
    judge = np.where(random.random(300) < 0.6, people, judge)
    found = classification_rates(people.tolist(), judge, bootstrap=Bootstrap(draws=100))
    wanted = metrics.precision_recall_fscore_support(people, judge)
    for at, rates in enumerate(found.classes):
        mine = rates.precision.value, rates.recall.value, rates.f1.value
        assert mine == pytest.approx([column[at] for column in wanted[:3]], abs=1e-12)
    macro = metrics.precision_recall_fscore_support(people, judge, average="macro")
    mine = found.macro_precision.value, found.macro_recall.value, found.macro_f1.value
    assert mine == pytest.approx(macro[:3], abs=1e-12)
    assert found.accuracy.value == pytest.approx(metrics.accuracy_score(people, judge), abs=1e-12)
    assert found.confusion.counts.tolist() == metrics.confusion_matrix(people, judge).tolist()
    assert "bootstrap" in found.accuracy.method


def test_wilson_limits_by_hand() -> None:
    # 8 of 10: (0.8 + 1.9207/10 -/+ 1.96 sqrt(0.016 + 0.9604/100)) / 1.38415
    found = pass_rates([1] * 10 + [0] * 5, [1] * 8 + [0] * 2 + [0] * 5)
    assert (found.sensitivity.value, found.sensitivity.n_units) == (0.8, 10)
    assert (found.sensitivity.low, found.sensitivity.high) == pytest.approx((0.490162, 0.943318), abs=1e-6)
    assert found.specificity.value == 1
    assert found.specificity.low == pytest.approx(5 / (5 + 1.959963984540054**2), abs=1e-12)
    assert (found.true_positive, found.false_positive, found.false_negative, found.true_negative) == (8, 0, 2, 5)
    assert (found.judged_rate.value, found.true_rate.value) == pytest.approx((8 / 15, 10 / 15))
    assert (found.precision.value, found.f1.value) == pytest.approx((1, 16 / 18))


def test_clusters_are_resampled_whole() -> None:
    # Ten units of one question stand or fall together: limits are those of ten questions, not of a hundred units.
    people = np.ones(100, dtype=int)
    judge = np.repeat([1, 1, 1, 1, 1, 1, 0, 0, 0, 0], 10)
    plain = pass_rates(people, judge).sensitivity
    clustered = pass_rates(people, judge, clusters=np.repeat(np.arange(10), 10).tolist()).sensitivity
    assert clustered.value == plain.value == 0.6
    assert clustered.high - clustered.low > 2.5 * (plain.high - plain.low)
    assert "cluster" in clustered.method


def test_a_side_that_never_occurs_is_undefined() -> None:
    found = pass_rates(["no", "no"], ["yes", "no"], positive="yes")
    assert not found.sensitivity.defined
    assert found.sensitivity.reason == "People labeled no unit as positive."
    assert found.specificity.value == 0.5
    nothing = classification_rates([None, 1], [1, float("nan")])
    assert not nothing.accuracy.defined
    assert not nothing.macro_f1.defined
    assert nothing.accuracy.n_left_out == 2
    assert not pass_rates([], []).accuracy.defined


def test_declared_labels_that_no_one_gave_are_kept_out_of_averages() -> None:
    plain = classification_rates(["a", "b", "a"], ["a", "b", "b"])
    wider = classification_rates(["a", "b", "a"], ["a", "b", "b"], labels=["a", "b", "c"])
    assert wider.macro_f1.value == plain.macro_f1.value
    assert not wider.classes[2].f1.defined
    with pytest.raises(RatingsError, match="'b' is not declared"):
        confusion_matrix(["a", "b"], ["a", "a"], labels=["a"])
    with pytest.raises(RatingsError, match="one entry per unit"):
        confusion_matrix(["a", "b"], ["a"])


def test_all_right() -> None:
    assert all_right([1, 1, 0, 1, None], [1, 0, None, math.nan, 0]) == [1, 0, 0, None, 0]
    with pytest.raises(RatingsError, match=r"must be 0 or 1, but has the value 0\.5\."):
        all_right([0.5], [1])

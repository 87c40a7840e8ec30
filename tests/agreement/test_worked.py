"""Every statistic against arithmetic that fits on a page."""

from __future__ import annotations

import math

import pytest

from agreement import (
    Bootstrap,
    Ratings,
    Scale,
    cohen_kappa,
    fleiss_kappa,
    icc,
    krippendorff_alpha,
    light_kappa,
    pearson,
    percent_agreement,
)
from domain.errors import RatingsError
from tests.agreement.published import of_table

Z = 1.959963984540054


def test_percent_agreement_of_pairs_of_ratings() -> None:
    # (a, a, b): 1 of 3 pairs; (a, a, a): 3 of 3; (a, -, b): 0 of 1; (b, -, -): no pair, left out.
    found = percent_agreement(
        Ratings.from_lists(ann=["a", "a", "a", "b"], bob=["a", "a", None, None], eva=["b", "a", "b", None])
    )
    assert found.value == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert (found.n_units, found.n_raters, found.n_left_out) == (3, 3, 1)


def test_wilson_limits() -> None:
    # 8 of 10: centre (0.8 + z^2 / 20) / (1 + z^2 / 10), half z sqrt(0.016 + z^2 / 400) / (1 + z^2 / 10).
    found = percent_agreement(Ratings.from_lists(ann=[1] * 10, bob=[1] * 8 + [2] * 2))
    below, half = 1 + Z**2 / 10, Z * math.sqrt(0.016 + Z**2 / 400)
    assert found.low == pytest.approx((0.8 + Z**2 / 20 - half) / below)
    assert found.high == pytest.approx((0.8 + Z**2 / 20 + half) / below)


def test_cohen_on_fifty_proposals() -> None:
    # p_o = 35 / 50; p_e = 0.5 * 0.6 + 0.5 * 0.4; kappa = 0.2 / 0.5.
    # Variance: 0.4 * 0.34^2 + 0.1 * 0.66^2 + 0.2 * 0.54^2 + 0.3 * 0.46^2 - (0.4 - 0.5 * 0.6)^2 = 0.2016; / 0.25 / 50.
    ratings = Ratings.from_lists(**of_table([[20, 5], [10, 15]]))
    found = cohen_kappa(ratings, limits="normal")
    half = Z * math.sqrt(0.2016 / 0.25 / 50)
    assert (found.value, found.low, found.high) == pytest.approx((0.4, 0.4 - half, 0.4 + half))


def test_limits_of_kappa_on_the_scale_of_atanh() -> None:
    # The same table: se = 0.127; atanh 0.4 = 0.42365; the 0.975 quantile of t with 49 degrees of freedom is 2.00958.
    found = cohen_kappa(Ratings.from_lists(**of_table([[20, 5], [10, 15]])))
    half = 2.0095752 * math.sqrt(0.2016 / 0.25 / 50) / (1 - 0.16)
    middle = math.log(1.4 / 0.6) / 2
    assert (found.low, found.high) == pytest.approx((math.tanh(middle - half), math.tanh(middle + half)), abs=1e-7)
    with pytest.raises(RatingsError, match="transformed or normal"):
        cohen_kappa(Ratings.from_lists(ann=[1, 2], bob=[1, 2]), limits="wide")  # type: ignore[arg-type]


def test_limits_of_opposite_answers_are_no_traceback() -> None:
    found = cohen_kappa(Ratings.from_lists(ann=[1, 2, 1, 2], bob=[2, 1, 2, 1]))
    assert found.value == -1
    assert math.isnan(found.low) or -1 <= found.low <= found.high <= 1


def test_weighted_kappa() -> None:
    # Distances 0, 1, 0, 0, 2. First: 0.4, 0.2, 0.4 of 1, 2, 3; second: 0.4, 0.4, 0.2.
    # Linear: observed 3 / 5; expected 0.16 + 2 * 0.08 + 0.08 + 0.04 + 2 * 0.16 + 0.16 = 0.92.
    # Quadratic: observed 5 / 5; expected 0.16 + 4 * 0.08 + 0.08 + 0.04 + 4 * 0.16 + 0.16 = 1.4.
    table = Ratings.from_lists(ann=[1, 1, 2, 3, 3], bob=[1, 2, 2, 3, 1])
    assert cohen_kappa(table, weights="linear").value == pytest.approx(1 - 0.6 / 0.92)
    assert cohen_kappa(table, weights="quadratic").value == pytest.approx(1 - 1 / 1.4)


def test_weights_go_by_value_for_numbers_and_by_place_for_names() -> None:
    # Pairs 1-1, 2-4, 4-4. By value: observed 2 / 3; margins 1/3 each of 1, 2, 4 and of 1, 4, 4;
    # expected (|1-1| + 2 * 3 + 1 + 2 * 2 + 3 + 0) / 9 = 14 / 9. By place: observed 1 / 3; (0 + 2*2 + 1 + 2*1 + 2) / 9.
    numbers = Ratings.from_lists(ann=[1, 2, 4], bob=[1, 4, 4])
    assert cohen_kappa(numbers, weights="linear").value == pytest.approx(1 - (2 / 3) / (14 / 9))
    names = Ratings.from_lists(
        ann=["low", "mid", "top"], bob=["low", "top", "top"], scale=Scale("ordinal", ("low", "mid", "top"))
    )
    assert cohen_kappa(names, weights="linear").value == pytest.approx(1 - (1 / 3) / (9 / 9))


def test_numbers_that_are_declared_in_an_order_of_their_own_go_by_place() -> None:
    scale = Scale("ordinal", (2, 3, 1))  # 2 < 3 < 1
    table = Ratings.from_lists(ann=[2, 3, 1], bob=[2, 1, 1], scale=scale)
    names = Ratings.from_lists(ann=["a", "b", "c"], bob=["a", "c", "c"], scale=Scale("ordinal", ("a", "b", "c")))
    assert cohen_kappa(table, weights="linear").value == cohen_kappa(names, weights="linear").value


def test_fleiss() -> None:
    # p_a = (1 + 1/3 + 1 + 1/3) / 4 = 2/3; both categories have half of the ratings.
    table = Ratings.from_lists(ann=[1, 1, 2, 2], bob=[1, 1, 2, 1], eva=[1, 2, 2, 2])
    assert fleiss_kappa(table).value == pytest.approx((2 / 3 - 1 / 2) / (1 / 2))


def test_light_leaves_out_by_pair() -> None:
    # ann-bob on four units: p_o 3/4, p_e 1/2, 0.5. ann-eva on the first two: p_o 1, p_e 1/2, 1. bob-eva the same: 1.
    table = Ratings.from_lists(ann=[1, 2, 1, 2], bob=[1, 2, 1, 1], eva=[1, 2, None, None])
    assert light_kappa(table).value == pytest.approx((0.5 + 1 + 1) / 3)


def test_alpha_at_three_levels() -> None:
    # (1, 1), (1, 3), (2, 2) and a lone 7: n = 6, of 1, 2, 3 there are 3, 2, 1. The lone rating is not paired.
    table = Ratings.from_lists(ann=[1, 1, 2, 7], bob=[1, 3, 2, None])
    # Nominal: D_o 2 / 6; D_e 2 (3 * 2 + 3 * 1 + 2 * 1) / 30.
    assert krippendorff_alpha(table).value == pytest.approx(1 - (2 / 6) / (22 / 30))
    # Ordinal: 1 to 3 is 1.5 + 2 + 0.5 = 4 ranks, 1 to 2 is 2.5, 2 to 3 is 1.5.
    observed, expected = 2 * 16 / 6, 2 * (6 * 2.5**2 + 3 * 4**2 + 2 * 1.5**2) / 30
    assert krippendorff_alpha(table, level="ordinal").value == pytest.approx(1 - observed / expected)
    # Interval: D_o 2 * 4 / 6; D_e 2 (6 * 1 + 3 * 4 + 2 * 1) / 30.
    assert krippendorff_alpha(table, level="interval").value == pytest.approx(1 - (8 / 6) / (40 / 30), abs=1e-12)
    assert krippendorff_alpha(table).n_left_out == 1


def test_icc_from_mean_squares() -> None:
    # Means 1.5, 3, 5.5 around 10/3: B = 2 (121 + 4 + 169) / 36 / 2 = 49/6. Within: 0.5 + 0 + 0.5, W = 1/3.
    # Raters differ by 2/3: J = 3 * 2 * (1/3)^2 = 2/3, so E = (1 - 2/3) / 2 = 1/6.
    table = Ratings.from_lists(ann=[1, 3, 5], bob=[2, 3, 6])
    assert icc(table).value == pytest.approx((49 / 6 - 1 / 3) / (49 / 6 + 1 / 3))
    assert icc(table, form="ICC(1,k)").value == pytest.approx((49 / 6 - 1 / 3) / (49 / 6))
    assert icc(table, form="ICC(3,1)").value == pytest.approx((49 / 6 - 1 / 6) / (49 / 6 + 1 / 6))
    assert icc(table, form="ICC(3,k)").value == pytest.approx((49 / 6 - 1 / 6) / (49 / 6))


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_icc_without_a_denominator_has_a_reason(order: tuple[int, ...]) -> None:
    # Between units 1/9, between raters 16/9, error 19/9: 1/9 + (16/9 - 19/9) / 3 = 0, whatever rounding says.
    columns = ([1, 1, 4], [4, 4, 2], [2, 2, 2])
    found = icc(Ratings.from_lists(**{f"rater {at}": columns[at] for at in order}), form="ICC(2,k)")
    assert math.isnan(found.value)
    assert found.reason
    assert "the ratio is undefined" in found.reason


def test_icc_may_be_negative() -> None:
    # Means 2, 2, 2 but for one: B < W.
    found = icc(Ratings.from_lists(ann=[1, 3, 1], bob=[3, 1, 4]))
    assert found.value < 0
    assert found.low < found.value < found.high


def test_pearson() -> None:
    # S_xy = 4 * 0.75, S_xx = S_yy = 5; limits tanh(atanh 0.6 -/+ z / sqrt(4 - 3)).
    found = pearson(Ratings.from_lists(ann=[1, 2, 3, 4], bob=[2, 1, 4, 3]))
    assert found.value == pytest.approx(0.6)
    assert (found.low, found.high) == pytest.approx((math.tanh(math.atanh(0.6) - Z), math.tanh(math.atanh(0.6) + Z)))


def test_resampling_depends_on_its_seed_and_on_nothing_else() -> None:
    import numpy as np

    table = Ratings.from_lists(ann=[1, 2, 3, 1, 2, 3, 1, 2], bob=[1, 2, 2, 1, 3, 3, 2, 2], eva=[1, 2, 3, 1, 2, 1, 1, 2])
    np.random.seed(1)
    before = np.random.get_state()[1].tolist()  # type: ignore[index,union-attr]
    first = krippendorff_alpha(table, level="interval")
    assert np.random.get_state()[1].tolist() == before  # type: ignore[index,union-attr]
    assert krippendorff_alpha(table, level="interval") == first
    other = krippendorff_alpha(table, level="interval", bootstrap=Bootstrap(seed=7))
    assert other.value == first.value
    assert other.low != first.low
    assert "500 draws" in krippendorff_alpha(table, level="interval", bootstrap=Bootstrap(500)).method


def test_few_and_many_patterns_are_resampled_alike() -> None:
    # The same ratings as five grades and with a different tiny addition each: limits differ by chance alone.
    random = [((7 * i * i + 3 * i) % 11) % 5 for i in range(400)]
    other = [(grade + (i % 3 == 0)) % 5 for i, grade in enumerate(random)]
    graded = krippendorff_alpha(Ratings.from_lists(ann=random, bob=other), level="interval")
    spread = Ratings.from_lists(
        ann=[grade + i * 1e-9 for i, grade in enumerate(random)],
        bob=[grade - i * 1e-9 for i, grade in enumerate(other)],
    )
    continuous = krippendorff_alpha(spread, level="interval")
    assert continuous.value == pytest.approx(graded.value, abs=1e-5)
    assert (continuous.low, continuous.high) == pytest.approx((graded.low, graded.high), abs=0.02)


def test_an_array_says_the_same_as_lists() -> None:
    import numpy as np

    array = np.array([[0, 0.5, np.nan], [np.nan, np.nan, np.nan], [1, 1, 0.5], [0.5, 0.5, 0.5]])
    lists = Ratings.from_lists(
        **{name: [None if math.isnan(x) else x for x in column] for name, column in zip("abc", array.T, strict=True)}
    )
    table = Ratings.from_array(array, raters=list("abc"))
    assert table.scale == lists.scale
    assert table.codes.tolist() == lists.codes.tolist()
    assert krippendorff_alpha(table, level="interval") == krippendorff_alpha(lists, level="interval")


def test_an_interval_no_one_asked_for() -> None:
    found = krippendorff_alpha(Ratings.from_lists(ann=[1, 2, 2], bob=[1, 2, 1]), bootstrap=Bootstrap(0))
    assert math.isfinite(found.value)
    assert found.reason == "No interval: the number of bootstrap draws is 0."


@pytest.mark.parametrize(
    ("values", "words"),
    [([1, 2], "axes"), ([[1, 2, 3]], "names"), ([[1, math.inf]], "infinite"), ([[1, 4]], "not on the declared scale")],
)
def test_an_array_that_does_not_fit(values: list[object], words: str) -> None:
    import numpy as np

    from domain.errors import RatingsError

    with pytest.raises(RatingsError, match=words):
        Ratings.from_array(np.array(values, dtype=float), raters=["ann", "bob"], scale=Scale("ordinal", (1, 2, 3)))


def test_limits_of_alpha_on_the_scale_of_atanh() -> None:
    # The same table of fifty proposals; 2.0095752 is the 0.975 quantile of t with 49 degrees of freedom.
    ratings = Ratings.from_lists(**of_table([[20, 5], [10, 15]]))
    found, percentile = krippendorff_alpha(ratings), krippendorff_alpha(ratings, bootstrap=Bootstrap())
    middle = math.log((1 + found.value) / (1 - found.value)) / 2
    half = 2.0095752 * percentile.se / (1 - found.value**2)
    assert (found.low, found.high) == pytest.approx((math.tanh(middle - half), math.tanh(middle + half)), abs=1e-7)
    assert found.low < percentile.value < found.high
    assert percentile.method.startswith("percentile")

"""Coefficients that are corrected for chance: worked arithmetic, their formulas written out, and what must hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from agreement import (
    Bootstrap,
    Ratings,
    Scale,
    Statistic,
    brennan_prediger,
    cohen_kappa,
    conger_kappa,
    fleiss_kappa,
    fleiss_kappa_category,
    gwet_ac,
    light_kappa,
    percent_agreement,
    scott_pi,
    summarise,
)
from agreement.weights import agreement_weights
from domain.decimals import Tolerance
from domain.errors import RatingsError
from domain.records import Rating
from tests.agreement.published import of_table

pytestmark = pytest.mark.thorough

Rows = list[list[int | None]]
GRADES = Scale("interval", (1, 2, 3, 5))
"""Not evenly spaced, so that weights by value and by place differ."""

FAMILY: Mapping[str, Callable[..., Statistic]] = {
    "fleiss": fleiss_kappa,
    "conger": conger_kappa,
    "gwet": gwet_ac,
    "brennan_prediger": brennan_prediger,
}
WEIGHTS = ("none", "linear", "quadratic", "ordinal")
each = pytest.mark.parametrize("name", FAMILY)
weighted = pytest.mark.parametrize("weights", WEIGHTS)

THREE = Ratings.from_lists(ann=[1, 1, 2, 2], bob=[1, 1, 2, 1], eva=[1, 2, 2, 2])


def ratings(rows: Rows, scale: Scale | None = GRADES) -> Ratings:
    return Ratings.from_lists(
        scale=scale, **{f"r{at}": list(column) for at, column in enumerate(zip(*rows, strict=True))}
    )


@st.composite
def tables(draw: st.DrawFn, *, gaps: bool = True, fewest: int = 2) -> Rows:
    k = draw(st.integers(2, 4))
    grade = st.sampled_from([1, 2, 3, 5, None] if gaps else [1, 2, 3, 5])
    rows = draw(st.lists(st.lists(grade, min_size=k, max_size=k), min_size=fewest, max_size=12))
    return [row for row in rows if any(grade is not None for grade in row)] or [[1] * k]


# ---- worked arithmetic ----------------------------------------------------------------------------------------------


def test_three_raters_by_hand() -> None:
    # Units (1, 1, 1), (1, 1, 2), (2, 2, 2), (2, 1, 2): p_a = (1 + 1/3 + 1 + 1/3) / 4 = 2/3; each category has half.
    assert gwet_ac(THREE).value == pytest.approx((2 / 3 - 1 / 2) / (1 / 2))
    assert brennan_prediger(THREE).value == pytest.approx((2 / 3 - 1 / 2) / (1 / 2))
    # ann chose 1 in 2/4, bob in 3/4, eva in 1/4: by pairs p_e is 1/2, 1/2 and 3/16 + 3/16.
    expected = (1 / 2 + 1 / 2 + 6 / 16) / 3
    assert conger_kappa(THREE).value == pytest.approx((2 / 3 - expected) / (1 - expected))


def test_declared_categories_that_no_one_used_count_for_gwet_and_brennan() -> None:
    table = Ratings.from_lists(ann=[1, 1, 2, 2], bob=[1, 1, 2, 1], scale=Scale("ordinal", (1, 2, 3)))
    # p_a = 3/4; p = 5/8, 3/8, 0. AC1: p_e = (15/64 + 15/64) / 2 = 15/64; Brennan-Prediger: p_e = 1/3.
    assert gwet_ac(table).value == pytest.approx((3 / 4 - 15 / 64) / (49 / 64))
    assert brennan_prediger(table).value == pytest.approx((3 / 4 - 1 / 3) / (2 / 3))
    # Linear weights 1, 1/2, 0: p_a = (3 + 1/2) / 4 = 7/8; sum of weights 5: AC2 p_e = 5/6 * 30/64, Brennan's 5/9.
    assert gwet_ac(table, weights="linear").value == pytest.approx((7 / 8 - 150 / 384) / (1 - 150 / 384))
    assert brennan_prediger(table, weights="linear").value == pytest.approx((7 / 8 - 5 / 9) / (4 / 9))


def test_ordinal_weights_go_by_the_places_between() -> None:
    # q = 4: 1 - C(d + 1, 2) / 6 is 1, 5/6, 1/2, 0.
    weights = agreement_weights(ratings([[1, 5]]), "ordinal")
    assert weights is not None
    assert weights[0].tolist() == pytest.approx([1, 5 / 6, 1 / 2, 0])


def test_a_lone_rating_tells_what_is_chosen_but_not_who_agrees() -> None:
    # (1, 1), (1, 2), (2, -): p_a = 1/2 of two units; p_1 = (1 + 1/2 + 0) / 3 = 1/2.
    found = fleiss_kappa(ratings([[1, 1], [1, 2], [2, None]]))
    assert found.value == pytest.approx((1 / 2 - 1 / 2) / (1 / 2), abs=1e-12)
    assert (found.n_units, found.n_left_out) == (2, 1)


def test_weighted_share_that_agrees_and_its_error() -> None:
    # Weights 1, 1/2, 0 of (1, 1), (1, 2), (1, 3), (3, 3): mean 5/8, squares (9 + 1 + 25 + 9) / 64, t with 3 df.
    table = Ratings.from_lists(ann=[1, 1, 1, 3], bob=[1, 2, 3, 3])
    found = percent_agreement(table, weights="linear")
    se = math.sqrt(44 / 64 / 12)
    assert (found.value, found.se) == pytest.approx((5 / 8, se))
    assert found.low == pytest.approx(max(0, 5 / 8 - stats.t.ppf(0.975, 3) * se))
    assert found.high == 1


def test_ac1_stands_the_skew_that_kappa_does_not() -> None:
    # 85 of 100 agree. p_1 = 0.875: AC1 p_e = 2 * 0.875 * 0.125; kappa p_e = 0.9 * 0.85 + 0.1 * 0.15 (Feinstein 1990).
    table = Ratings.from_lists(**of_table([[80, 10], [5, 5]]))
    assert gwet_ac(table).value == pytest.approx((0.85 - 0.21875) / (1 - 0.21875))
    assert cohen_kappa(table).value == pytest.approx((0.85 - 0.78) / 0.22)


def test_fleiss_by_category() -> None:
    # Chose "a": 2, 1, 0 of 2 in three units; p = 1/2; 1 - (0 + 1 + 0) / (3 * 2 * 1/4).
    table = Ratings.from_lists(ann=["a", "a", "b"], bob=["a", "c", "c"])
    assert fleiss_kappa_category(table, "a").value == pytest.approx(1 - 1 / 1.5)
    with pytest.raises(RatingsError, match="no category 'd'"):
        fleiss_kappa_category(table, "d")
    unused = Ratings.from_lists(ann=["a", "b"], bob=["b", "a"], scale=Scale("nominal", ("a", "b", "c")))
    assert fleiss_kappa_category(unused, "c").reason == "No rating is c, so chance agreement is complete."


def test_weights_of_ones_own() -> None:
    # Cohen 1968: disagreement 0.87 of the proportions against 1.38 by chance, over 1 - 0.90 / 1.38 = 0.3478 as printed.
    counts = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
    disagreement = [[0, 1, 3], [1, 0, 6], [3, 6, 0]]
    table = Ratings.from_lists(**of_table(counts))
    shares = np.array(counts) / 200
    rows, columns, costs = shares.sum(axis=1), shares.sum(axis=0), np.array(disagreement)
    by_hand = 1 - (shares * costs).sum() / (rows @ costs @ columns)
    assert round(by_hand, 3) == 0.348
    found = cohen_kappa(table, weights=disagreement)
    assert found.value == pytest.approx(by_hand)
    as_agreement = cohen_kappa(table, weights=1 - costs / 6)
    assert (as_agreement.value, as_agreement.se) == pytest.approx((found.value, found.se))


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([[1, 0], [0, 1]], "a row and a column for each of the 4 categories"),
        (np.full((4, 4), 0.5), "ones on its diagonal"),
        (np.diag([1, 1, 1, math.nan]), "ones on its diagonal"),
        (np.zeros((4, 4)), "ones on its diagonal"),
        ("squared", "not 'squared'"),
        (np.tri(4), "treats the two raters differently"),
        ([["a"] * 4] * 4, "table of numbers"),
    ],
)
def test_weights_that_are_none_are_refused(weights: Any, words: str) -> None:
    with pytest.raises(RatingsError, match=words) as caught:
        fleiss_kappa(ratings([[1, 2], [3, 5]]), weights=weights)
    assert str(caught.value).endswith(".")


def test_cohen_weights_may_treat_the_two_raters_differently() -> None:
    # Only the first rater's higher grades are wrong: costs 1 below the diagonal; observed 1/4, expected 3/16 + 4/16.
    table = Ratings.from_lists(ann=[1, 2, 2, 3], bob=[1, 2, 1, 3])
    # ann: 1/4, 2/4, 1/4; bob: 2/4, 1/4, 1/4. (2,1) 2/4*2/4, (3,1) 1/4*2/4, (3,2) 1/4*1/4.
    assert cohen_kappa(table, weights=np.tri(3, k=-1)).value == pytest.approx(1 - (1 / 4) / (1 / 4 + 1 / 8 + 1 / 16))


# ---- the formulas, written out --------------------------------------------------------------------------------------


def weight(one: int, two: int, weights: str) -> float:
    values = (1, 2, 3, 5)
    if weights == "none":
        return float(one == two)
    if weights == "ordinal":
        apart = abs(values.index(one) - values.index(two))
        return 1 - math.comb(apart + 1, 2) / math.comb(4, 2)
    return 1 - (abs(one - two) / 4) ** (1 if weights == "linear" else 2)


def by_formula(name: str, rows: Rows, weights: str) -> float:
    """Pair by pair, as in Gwet (2014)."""
    values = (1, 2, 3, 5)
    of_units = [[grade for grade in row if grade is not None] for row in rows]
    pairs = [list(permutations(grades, 2)) for grades in of_units if len(grades) > 1]
    if not pairs:
        return math.nan
    agreed = sum(sum(weight(*pair, weights) for pair in unit) / len(unit) for unit in pairs) / len(pairs)
    share = {value: sum(unit.count(value) / len(unit) for unit in of_units) / len(of_units) for value in values}
    total = sum(weight(one, two, weights) for one in values for two in values)
    if name == "fleiss":
        expected = sum(weight(c, d, weights) * share[c] * share[d] for c in values for d in values)
    elif name == "gwet":
        expected = total / (4 * 3) * sum(each * (1 - each) for each in share.values())
    elif name == "brennan_prediger":
        expected = total / 16
    else:
        given = [[grade for grade in column if grade is not None] for column in zip(*rows, strict=True)]
        raters = [column for column in given if column]
        chances = [
            sum(weight(c, d, weights) for c in one for d in two) / (len(one) * len(two))
            for one, two in combinations(raters, 2)
        ]
        expected = sum(chances) / len(chances)
    return math.nan if expected > 1 - 1e-12 else (agreed - expected) / (1 - expected)


@each
@weighted
@settings(max_examples=60)
@given(rows=tables())
def test_the_value_is_the_formula(name: str, weights: str, rows: Rows) -> None:
    found = FAMILY[name](ratings(rows), weights=weights)
    wanted = by_formula(name, rows, weights)
    assert found.value == pytest.approx(wanted, abs=1e-9, nan_ok=True)
    assert found.defined or found.reason


@each
@weighted
@pytest.mark.parametrize("seed", range(2))
def test_the_error_is_the_effect_of_one_more_of_each_unit(name: str, weights: str, seed: int) -> None:
    # The delta method asks what a grain more of each unit does to the value; here, one more in a thousand copies.
    random = np.random.default_rng(seed)
    latent = random.normal(size=(20, 1)) + 0.8 * random.normal(size=(20, 3))
    rows = np.array([1, 2, 3, 5])[np.digitize(latent, [-0.8, 0, 0.8])].tolist()
    sample, n, copies = ratings(rows), len(rows), 400
    found = FAMILY[name](sample, weights=weights)
    many = np.tile(sample.codes, (copies, 1))

    def with_one_more(codes: Any) -> float:
        units = tuple(map(str, range(n * copies + 1)))
        larger = replace(sample, units=units, codes=np.vstack([many, codes]))
        return FAMILY[name](larger, weights=weights, bootstrap=Bootstrap(0)).value

    effects = [(with_one_more(codes) - found.value) * (n * copies + 1) for codes in sample.codes]
    assert found.se == pytest.approx(math.sqrt(sum(effect**2 for effect in effects) / (n * (n - 1))), rel=2e-3)


@weighted
@settings(max_examples=40)
@given(rows=tables(gaps=False))
def test_relations_of_two_raters(weights: Any, rows: Rows) -> None:
    pair = ratings([row[:2] for row in rows])
    one, two = conger_kappa(pair, weights=weights), cohen_kappa(pair, weights=weights)
    assert one.value == pytest.approx(two.value, abs=1e-9, nan_ok=True)
    pi, fleiss = scott_pi(pair, weights=weights), fleiss_kappa(pair, weights=weights)
    assert (pi.value, pi.low, pi.se) == pytest.approx((fleiss.value, fleiss.low, fleiss.se), abs=1e-12, nan_ok=True)


@settings(max_examples=40)
@given(rows=tables())
def test_scott_leaves_lone_ratings_out(rows: Rows) -> None:
    pairs = [row[:2] for row in rows]
    both = [row for row in pairs if None not in row]
    if both:
        assert scott_pi(ratings(pairs)).value == pytest.approx(scott_pi(ratings(both)).value, nan_ok=True)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
@pytest.mark.parametrize("seed", range(4))
def test_cohen_and_light_as_scikit_learn(weights: Any, seed: int) -> None:
    random = np.random.default_rng(seed)
    table = random.integers(1, 5, size=(40, 3))
    table[:, 1] = np.where(random.random(40) < 0.6, table[:, 0], table[:, 1])
    given_ = Ratings.from_array(table.astype(float), scale=Scale("ordinal", (1, 2, 3, 4)))
    theirs = [
        cohen_kappa_score(table[:, a], table[:, b], labels=[1, 2, 3, 4], weights=None if weights == "none" else weights)
        for a, b in combinations(range(3), 2)
    ]
    assert light_kappa(given_, weights=weights).value == pytest.approx(sum(theirs) / 3, abs=1e-12)


# ---- what must hold -------------------------------------------------------------------------------------------------


@each
@weighted
@settings(max_examples=30)
@given(rows=tables())
def test_limits_or_a_reason(name: str, weights: str, rows: Rows) -> None:
    found = FAMILY[name](ratings(rows), weights=weights)
    if math.isnan(found.low):
        assert found.reason
    else:
        assert found.low <= found.value <= found.high <= 1
        assert found.se > 0
    resampled = FAMILY[name](ratings(rows), weights=weights, bootstrap=Bootstrap(60))
    assert resampled.value == pytest.approx(found.value, nan_ok=True)
    assert "bootstrap" in resampled.method or resampled.reason


@each
def test_resampling_gives_the_same_error_on_a_large_sample(name: str) -> None:
    random = np.random.default_rng(5)
    latent = random.normal(size=(600, 1)) + 0.8 * random.normal(size=(600, 3))
    table = np.array([1.0, 2, 3, 5])[np.digitize(latent, [-0.8, 0, 0.8])]
    table[random.random(table.shape) < 0.1] = math.nan
    sample = Ratings.from_array(table, scale=GRADES)
    for weights in WEIGHTS:
        analytic = FAMILY[name](sample, weights=weights)
        resampled = FAMILY[name](sample, weights=weights, bootstrap=Bootstrap(4000))
        assert resampled.se == pytest.approx(analytic.se, rel=0.06)
        assert (resampled.low, resampled.high) == pytest.approx((analytic.low, analytic.high), abs=0.01)


def test_all_the_same_is_one_where_chance_does_not_learn_from_it() -> None:
    constant = ratings([[1, 1, 1]] * 6)
    assert (gwet_ac(constant).value, brennan_prediger(constant).value) == (1, 1)
    assert [fleiss_kappa(constant).defined, conger_kappa(constant).defined] == [False, False]
    single = Ratings.from_lists(ann=[1, 1], bob=[1, 1])
    assert "only one category" in (gwet_ac(single).reason or "")
    assert "only one category" in (brennan_prediger(single).reason or "")


def test_many_categories_take_the_sparse_path() -> None:
    random = np.random.default_rng(1)
    table = random.integers(0, 90, size=(300, 1)) + random.integers(0, 2, size=(300, 3))
    few = {f"r{at}": [f"n{value}" for value in column] for at, column in enumerate(table.T.tolist())}
    sample = Ratings.from_lists(**few)
    assert len(sample.categories) > 64
    for name, statistic in FAMILY.items():
        shares = np.bincount(table.ravel()) / table.size
        agreed = np.mean([(row[0] == row[1]) + (row[0] == row[2]) + (row[1] == row[2]) for row in table.tolist()]) / 3
        q = len(sample.categories)
        expected = {"fleiss": shares @ shares, "gwet": (1 - shares @ shares) / (q - 1), "brennan_prediger": 1 / q}
        if name in expected:
            wanted = (agreed - expected[name]) / (1 - expected[name])
            assert statistic(sample).value == pytest.approx(wanted)
        assert statistic(sample).se > 0
        assert statistic(sample, bootstrap=Bootstrap(50)).defined


@pytest.mark.parametrize("statistic", [scott_pi, cohen_kappa])
def test_more_raters_are_sent_elsewhere(statistic: Callable[..., Statistic]) -> None:
    reason = statistic(THREE).reason or ""
    assert "needs exactly two raters, but there are 3" in reason
    assert "Fleiss" in reason


def test_clusters_are_resampled_without_being_asked() -> None:
    clustered = replace(THREE, clusters=("q1", "q1", "q2", "q3"))
    for statistic in (*FAMILY.values(), percent_agreement):
        assert "by cluster" in statistic(clustered).method or "cluster" in (statistic(clustered).reason or "")


@weighted
@settings(max_examples=40)
@given(rows=tables(gaps=False))
def test_light_without_gaps_is_the_mean_of_the_pairs(weights: Any, rows: Rows) -> None:
    sample = ratings(rows)
    pairs = [cohen_kappa(sample.of(*pair), weights=weights).value for pair in combinations(sample.raters, 2)]
    found = light_kappa(sample, weights=weights, bootstrap=Bootstrap(30))
    assert found.value == pytest.approx(sum(pairs) / len(pairs), abs=1e-9, nan_ok=True)
    assert found.defined or "Kappa is undefined for" in (found.reason or "")


def test_light_names_the_pair_without_a_kappa() -> None:
    table = Ratings.from_lists(ann=[1, 2, 1, 1], bob=[1, 2, None, None], eva=[None, None, 1, 2])
    assert (light_kappa(table).reason or "").startswith("Kappa is undefined for bob and eva, who share no unit")


def test_agreement_within_a_tolerance_by_hand() -> None:
    """Heights in metres by three people; 0.05 is exact, though 1.2 - 1.15 in a machine's fractions is more."""
    given = {"ann": [1.1, 2.0, 3.0, 0.0], "bob": [1.15, 2.1, 3.0, 0.0], "eva": [1.2, 2.05, None, 0.04]}
    rows = [
        Rating(unit=str(at), criterion="tall", rater=name, value=value)
        for name, values in given.items()
        for at, value in enumerate(values)
    ]

    def found(tolerance: Tolerance | None) -> dict[str, float | None]:
        scales = {"tall": Scale("interval", tolerance=tolerance)}
        results = summarise(rows, scales=scales, statistics=["percent_agreement", "fleiss_kappa"])
        return {each.title: each.value for each in results if "pair" not in each.args}

    exact = found(None)
    # pairs that agree: 0 of 3, 0 of 3, 1 of 1, 1 of 3
    assert exact["Percent agreement"] == pytest.approx((0 + 0 + 1 + 1 / 3) / 4)
    near = found(Tolerance(absolute=Fraction(1, 20)))
    assert {name: near[name] for name in exact} == exact, "nothing but the new line looks at a tolerance"
    # 1.1-1.15 and 1.15-1.2 of 3 pairs; 2-2.05 and 2.05-2.1 of 3; 3-3; all 3 of 0, 0, 0.04
    assert near["Percent agreement within the tolerance, 0.05"] == pytest.approx((2 / 3 + 2 / 3 + 1 + 1) / 4)
    # a tenth of the larger: all of the first three units, and of 0, 0, 0.04 only the zeros
    relative = found(Tolerance(relative=Fraction(1, 10)))
    assert relative["Percent agreement within the tolerance, 10 %"] == pytest.approx((1 + 1 + 1 + 1 / 3) / 4)
    # in decimetres, halves up: 11, 12, 12 / 20, 21, 21 / 30, 30 / 0, 0, 0
    rounded = found(Tolerance(rounded=Fraction(1, 10)))
    assert rounded["Percent agreement within the tolerance, rounded to 0.1"] == pytest.approx(
        (1 / 3 + 1 / 3 + 1 + 1) / 4
    )

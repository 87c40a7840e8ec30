"""Correlations, intraclass correlations and differences: peers, published and worked values, what must not count."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from sklearn.metrics import mean_absolute_error, root_mean_squared_error

from agreement import (
    BlandAltman,
    Bootstrap,
    Ratings,
    Scale,
    Statistic,
    bias,
    bland_altman,
    icc,
    kendall_tau,
    kendall_w,
    lins_concordance,
    mae,
    mean_pearson,
    mean_squares,
    paired,
    pearson,
    rmse,
    spearman,
    variance_components,
)
from agreement.icc import FORMS
from domain.errors import RatingsError
from tests.agreement.published import golden, ratings_of
from tests.paths import SHARED

pytestmark = pytest.mark.thorough

NONE = Bootstrap(0)
SEEDS = range(8)

SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float
)
"""Shrout & Fleiss 1979, table 2: six units, four raters."""

Case = Mapping[str, Any]


def two(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Paired values, graded (with ties) or continuous."""
    random = np.random.default_rng(seed)
    n = 5 + 7 * seed
    if seed % 2:
        x = random.integers(1, 5, n).astype(float)
        return x, np.where(random.random(n) < 0.5, x, random.integers(0, 8, n))
    x = random.normal(size=n)
    return x, x + random.normal(size=n)


# ---------------------------------------------------------------------------------------------------- golden


def entries() -> Iterator[Any]:
    if not (SHARED / "golden").is_dir():
        yield pytest.param(None, None, id="absent")
        return
    ours = ("icc", "anova_mean_square", "variance_components", "pearson", "spearman", "kendall_tau_b", "kendall_w")
    ours += ("human_human_mean_pairwise_pearson", "judge_human_mean_pairwise_pearson")
    for case in golden()["cases"]:
        for entry in case["expected"]:
            if entry["stat"] in ours:
                args = ",".join(map(str, entry["args"].values()))
                yield pytest.param(case, entry, id=f"{case['id']}-{entry['stat']}-{entry['field']}-{args}")


@pytest.mark.parametrize(("case", "entry"), list(entries()))
def test_the_published_value(case: Case | None, entry: Case | None) -> None:
    if case is None or entry is None:
        golden()  # skips, and says why
        return
    assert abs(computed(case, entry) - entry["value"]) <= entry["abs_tol"]


def computed(case: Case, entry: Case) -> float:
    stat, args, field = entry["stat"], entry["args"], entry["field"]
    if stat == "anova_mean_square":
        squares = mean_squares(np.array(case["data"]["items_by_raters"], dtype=float))
        return {"BMS": squares.units, "WMS": squares.within, "JMS": squares.raters, "EMS": squares.error}[field]
    if stat == "variance_components":
        found_variances = variance_components(ratings_of(case["data"], args))
        return getattr(found_variances, field[5:].replace("items", "units"))
    keywords: dict[str, Any] = {"bootstrap": Bootstrap()} if field.startswith("bootstrap") else {}
    if stat.endswith("pairwise_pearson"):
        people = np.array(case["data"]["items_by_raters"])
        if stat.startswith("human"):
            return mean_pearson(Ratings.from_array(people), bootstrap=NONE).value
        table = np.column_stack([people, case["data"]["judge"]])
        names = ["a", "b", "c", "judge"]
        return mean_pearson(Ratings.from_array(table, raters=names), against="judge", bootstrap=NONE).value
    if stat == "icc":
        keywords |= {"form": args["form"]} | ({"missing": "reml"} if args.get("missing") == "reml" else {})
    statistic = {"icc": icc, "pearson": pearson, "spearman": spearman, "kendall_w": kendall_w}.get(stat, kendall_tau)
    found: Statistic = statistic(ratings_of(case["data"], args), **keywords)
    if field in ("F", "p_value"):
        assert found.test is not None
        return found.test.value if field == "F" else found.test.p_value
    names_of = {"estimate": found.value, "ci_low": found.low, "ci_high": found.high, "se": found.se}
    return names_of[field.removeprefix("bootstrap_")]


# ---------------------------------------------------------------------------------------------------- peers


@pytest.mark.parametrize("seed", SEEDS)
def test_correlations_as_scipy(seed: int) -> None:
    x, y = two(seed)
    table = paired(x, y)
    for ours, theirs in (
        (pearson(table), stats.pearsonr(x, y)),
        (spearman(table), stats.spearmanr(x, y)),
        (kendall_tau(table), stats.kendalltau(x, y, method="asymptotic")),
        (kendall_tau(table, variant="c", bootstrap=NONE), stats.kendalltau(x, y, variant="c", method="asymptotic")),
    ):
        assert ours.value == pytest.approx(theirs.statistic, abs=1e-12)
        assert ours.test is not None
        assert ours.test.p_value == pytest.approx(theirs.pvalue, abs=1e-10)
    ours, theirs = pearson(table, confidence=0.9), stats.pearsonr(x, y).confidence_interval(0.9)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_kendall_w_as_friedman(seed: int) -> None:
    random = np.random.default_rng(seed)
    n, m = 3 + seed, 3 + seed % 3
    table = random.integers(1, 6, (n, m)).astype(float)
    chi2, p = stats.friedmanchisquare(*table)
    ours = kendall_w(Ratings.from_array(table), bootstrap=NONE)
    assert ours.value == pytest.approx(chi2 / (m * (n - 1)), abs=1e-12)
    assert ours.test is not None
    assert ours.test.p_value == pytest.approx(p, abs=1e-10)


@pytest.mark.parametrize("name", ["pearson", "spearman", "tau b", "tau c", "lin", "rmse", "upper"])
def test_resampling_as_a_loop_over_peers(name: str) -> None:
    """Limits of the vectorised bootstrap lie where those of a plain loop over units do."""
    random = np.random.default_rng(1)
    x, y = two(9)
    at = random.integers(0, len(x), (1500, len(x)))

    def lin(x: np.ndarray, y: np.ndarray) -> float:
        return float(2 * np.cov(x, y, ddof=0)[0, 1] / (x.var() + y.var() + (x.mean() - y.mean()) ** 2))

    def upper(table: Ratings, bootstrap: Bootstrap) -> Statistic:
        found = bland_altman(table, bootstrap=bootstrap)
        assert isinstance(found, BlandAltman)
        return found.upper

    peers: dict[str, tuple[Any, Any]] = {
        "pearson": (pearson, lambda x, y: stats.pearsonr(x, y)[0]),
        "spearman": (spearman, lambda x, y: stats.spearmanr(x, y)[0]),
        "tau b": (kendall_tau, lambda x, y: stats.kendalltau(x, y)[0]),
        "tau c": (
            lambda table, bootstrap: kendall_tau(table, variant="c", bootstrap=bootstrap),
            lambda x, y: stats.kendalltau(x, y, variant="c")[0],
        ),
        "lin": (lins_concordance, lin),
        "rmse": (rmse, root_mean_squared_error),
        "upper": (upper, lambda x, y: (y - x).mean() + 1.959963984540054 * (y - x).std(ddof=1)),
    }
    ours, theirs = peers[name]
    found = ours(paired(x, y), bootstrap=Bootstrap(3000))
    looped = np.array([theirs(x[draw], y[draw]) for draw in at])
    width = looped.std(ddof=1)
    assert found.se == pytest.approx(width, rel=0.1)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(looped, [0.025, 0.975])), abs=0.45 * width)


@pytest.mark.parametrize("form", FORMS)
def test_resampled_mean_squares_are_those_of_the_draw(form: Any) -> None:
    random = np.random.default_rng(5)
    table = np.round(random.normal(size=(30, 1)) + 0.6 * random.normal(size=(30, 3)) + [0, 0.5, 0.2], 0)
    found = icc(Ratings.from_array(table), form=form, bootstrap=Bootstrap(3000))
    again = np.random.default_rng(6).integers(0, 30, (1500, 30))
    looped = np.array([icc(Ratings.from_array(table[draw]), form=form).value for draw in again])
    width = looped.std(ddof=1)
    assert found.se == pytest.approx(width, rel=0.1)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(looped, [0.025, 0.975])), abs=0.45 * width)


# ---------------------------------------------------------------------------------------------------- published, worked


def test_shrout_and_fleiss() -> None:
    table = Ratings.from_array(SHROUT_FLEISS)
    assert {form: round(icc(table, form=form).value, 2) for form in FORMS} == {
        "ICC(1,1)": 0.17,
        "ICC(2,1)": 0.29,
        "ICC(3,1)": 0.71,
        "ICC(1,k)": 0.44,
        "ICC(2,k)": 0.62,
        "ICC(3,k)": 0.91,
    }


def test_limits_say_whom_they_speak_of() -> None:
    table = Ratings.from_array(SHROUT_FLEISS)
    for form in ("ICC(2,1)", "ICC(2,k)"):
        assert icc(table, form=form).method.endswith("for raters like these")  # type: ignore[arg-type]
    again = Ratings.from_array(np.repeat(SHROUT_FLEISS, 3, axis=0))
    assert icc(again, form="ICC(2,1)", bootstrap=Bootstrap()).method.endswith("for these raters only")


@pytest.mark.parametrize("seed", SEEDS)
def test_consistency_of_the_mean_is_cronbachs_alpha(seed: int) -> None:
    table = np.random.default_rng(seed).integers(1, 6, (10, 4)).astype(float)
    k = table.shape[1]
    alpha = k / (k - 1) * (1 - table.var(axis=0, ddof=1).sum() / table.sum(axis=1).var(ddof=1))
    assert icc(Ratings.from_array(table), form="ICC(3,k)").value == pytest.approx(alpha, abs=1e-12)


@pytest.mark.parametrize("form", ["ICC(1,1)", "ICC(2,1)", "ICC(3,1)"])
def test_the_mean_of_raters_is_the_single_one_stepped_up(form: str) -> None:
    table = Ratings.from_array(SHROUT_FLEISS)
    one, mean = icc(table, form=form), icc(table, form=form.replace("1)", "k)"))  # type: ignore[arg-type]
    for single, average in ((one.value, mean.value), (one.low, mean.low), (one.high, mean.high)):
        assert average == pytest.approx(4 * single / (1 + 3 * single), abs=1e-12)


def test_raters_who_only_differ_in_how_strict_they_are() -> None:
    table = Ratings.from_lists(ann=[1, 2, 3, 4], bob=[2, 3, 4, 5])
    assert icc(table, form="ICC(3,1)").value == 1
    # B = 10/3, J = 2, E = 0: (10/3) / (10/3 + 2 * 2 / 4)
    found = icc(table, form="ICC(2,1)")
    assert found.value == pytest.approx(10 / 13, abs=1e-12)
    assert found.low < found.value < found.high


def test_spearman_limits_by_hand() -> None:
    found = spearman(paired([1, 2, 3, 4, 5, 6], [1, 3, 2, 4, 6, 5]))
    r = 1 - 6 * 4 / (6 * 35)
    half = 1.959963984540054 * math.sqrt((1 + r * r / 2) / 3)
    assert found.value == pytest.approx(r, abs=1e-12)
    assert found.low == pytest.approx(math.tanh(math.atanh(r) - half), abs=1e-12)


def test_kendall_limits_by_hand() -> None:
    found = kendall_tau(paired([1, 2, 3, 4, 5, 6], [1, 3, 2, 4, 6, 5]))
    tau = (13 - 2) / 15
    half = 1.959963984540054 * math.sqrt(0.437 / 2)
    assert found.value == pytest.approx(tau, abs=1e-12)
    assert found.high == pytest.approx(math.tanh(math.atanh(tau) + half), abs=1e-12)


def test_kendall_has_no_analytic_limits_for_c() -> None:
    found = kendall_tau(paired([1, 1, 2, 2, 3, 3] * 3, [1, 2, 2, 3, 3, 3] * 3), variant="c")
    assert "bootstrap" in found.method


def test_lin_by_hand() -> None:
    # means 3 and 4, variances (by n) 2 and 2, covariance 1.6
    found = lins_concordance(paired([1, 2, 3, 4, 5], [3, 2, 4, 6, 5]))
    c, r, u2 = 3.2 / 5, 0.8, 0.5
    variance = (1 - r**2) * c**2 * (1 - c**2) / r**2 + 2 * c**3 * (1 - c) * u2 / r - c**4 * u2**2 / (2 * r**2)
    se = math.sqrt(variance / 3)
    half = 1.959963984540054 * se / (1 - c**2)
    assert found.value == pytest.approx(c, abs=1e-12)
    assert found.se == pytest.approx(se, abs=1e-12)
    assert (found.low, found.high) == pytest.approx(
        (math.tanh(math.atanh(c) - half), math.tanh(math.atanh(c) + half)), abs=1e-12
    )


def test_lin_with_a_constant_rater_is_zero() -> None:
    found = lins_concordance(paired([2, 2, 2, 2], [1, 2, 3, 4]))
    assert found.value == 0
    assert math.isnan(found.low)
    assert math.isnan(lins_concordance(paired([2, 2], [2, 2])).value)


PEAK_FLOW = (
    [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427],
    [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451],
)
"""First readings by the Wright and the mini meter (Bland & Altman 1986, table 1)."""


def test_peak_flow() -> None:
    found = bland_altman(paired(*PEAK_FLOW, names=("large", "mini")), reference="mini")
    assert isinstance(found, BlandAltman)
    assert found.bias.value == pytest.approx(-2.1, abs=0.05)
    # the paper: mean -2.1, standard deviation 38.8, with 2 in place of 1.96
    d = np.array(PEAK_FLOW[0]) - np.array(PEAK_FLOW[1])
    assert d.std(ddof=1) == pytest.approx(38.8, abs=0.05)
    assert found.lower.value == pytest.approx(d.mean() - 1.959963984540054 * d.std(ddof=1), abs=1e-9)
    assert (found.bias.low, found.bias.high) == pytest.approx((-22.0, 17.8), abs=0.1)
    assert found.upper.high - found.upper.value == pytest.approx(
        2.119905299 * 38.7651 * math.sqrt(1 / 17 + 1.959963985**2 / 32), abs=1e-3
    )
    assert found.differences.tolist() == d.tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_differences_as_peers(seed: int) -> None:
    x, y = two(seed)
    table = paired(x, y, names=("human", "judge"))
    theirs = stats.ttest_rel(y, x)
    ours = bias(table, reference="human")
    limits = theirs.confidence_interval()
    assert ours.test is not None
    assert (ours.value, ours.low, ours.high, ours.test.value, ours.test.p_value) == pytest.approx(
        ((y - x).mean(), limits.low, limits.high, theirs.statistic, theirs.pvalue), abs=1e-10
    )
    assert bias(table, reference="judge").value == pytest.approx(-ours.value, abs=1e-12)
    assert mae(table).value == pytest.approx(mean_absolute_error(x, y), abs=1e-12)
    assert rmse(table).value == pytest.approx(root_mean_squared_error(x, y), abs=1e-12)
    assert 0 <= rmse(table).low <= rmse(table).value <= rmse(table).high


def test_mean_over_pairs_uses_the_units_of_each_pair() -> None:
    table = np.random.default_rng(3).normal(size=(20, 3)).cumsum(axis=1)
    table[np.random.default_rng(4).random(table.shape) < 0.2] = np.nan
    each = []
    for i, j in combinations(range(3), 2):
        both = ~np.isnan(table[:, [i, j]]).any(axis=1)
        each.append(stats.pearsonr(table[both, i], table[both, j])[0])
    found = mean_pearson(Ratings.from_array(table))
    assert found.value == pytest.approx(sum(each) / 3, abs=1e-12)
    assert found.low < found.value < found.high


def test_clusters_are_resampled_whole() -> None:
    x, y = two(11)
    alone = paired(x, y)
    copies = 6
    crowd = Ratings(
        tuple(map(str, range(len(x) * copies))),
        alone.raters,
        np.repeat(alone.codes, copies, axis=0),
        alone.categories,
        alone.scale,
        tuple(map(str, np.repeat(np.arange(len(x)), copies))),
    )
    found, single = pearson(crowd), pearson(alone, bootstrap=Bootstrap())
    assert "cluster" in found.method
    assert found.se == pytest.approx(single.se, rel=0.1)  # copies of a unit are no further units


# ---------------------------------------------------------------------------------------------------- bad input


@settings(max_examples=40)
@given(
    pairs=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=14),
    form=st.sampled_from(FORMS),
)
def test_a_value_or_a_reason(pairs: list[tuple[int, int]], form: Any) -> None:
    table = Ratings.from_array(np.array(pairs, dtype=float))
    few = Bootstrap(50)
    around = [
        *(statistic(table) for statistic in (spearman, kendall_tau, lins_concordance, bias, mae, rmse)),
        icc(table, form=form),
    ]
    resampled = [
        *(statistic(table, bootstrap=few) for statistic in (pearson, spearman, kendall_tau, kendall_w, mae)),
        icc(table, form=form, bootstrap=few),
    ]
    for each in around + resampled:
        assert each.defined or each.reason
        if math.isnan(each.low):
            assert each.reason
        else:
            assert each.low < each.high
    for each in around:  # few draws of few units need not have the value between their percentiles
        assert math.isnan(each.low) or each.low - 1e-9 <= each.value <= each.high + 1e-9


def test_three_raters_are_offered_another_name() -> None:
    table = Ratings.from_array(SHROUT_FLEISS[:, :3])
    for statistic, offer in ((pearson, "mean_pearson"), (spearman, "kendall_w"), (lins_concordance, "ICC(2,1)")):
        found = statistic(table)
        assert math.isnan(found.value)
        assert offer in str(found.reason)


def test_an_order_is_enough_for_ranks() -> None:
    scale = Scale("ordinal", ("poor", "fair", "good"))
    table = Ratings.from_lists(scale=scale, ann=["poor", "fair", "good", "good"], bob=["fair", "fair", "good", "poor"])
    x, y = [0, 1, 2, 2], [1, 1, 2, 0]
    assert spearman(table).value == pytest.approx(stats.spearmanr(x, y)[0], abs=1e-12)
    assert kendall_tau(table).value == pytest.approx(stats.kendalltau(x, y)[0], abs=1e-12)
    assert "these ratings are text" in str(pearson(table).reason)


def test_sentences_for_what_cannot_be_asked() -> None:
    table = Ratings.from_array(SHROUT_FLEISS)
    for ask in (
        lambda: icc(table, form="ICC(4,1)"),  # type: ignore[arg-type]
        lambda: kendall_tau(table, variant="a"),  # type: ignore[arg-type]
        lambda: icc(table, confidence=95),
        lambda: paired([1, 2], [1]),
        lambda: paired(["a"], [1]),  # type: ignore[list-item]
        lambda: bias(table, reference="nobody"),
        lambda: mean_pearson(table, against="nobody"),
        lambda: mean_squares(SHROUT_FLEISS[:1]),
    ):
        with pytest.raises(RatingsError):
            ask()


# ---------------------------------------------------------------------------------------------------- gaps


def with_gaps(seed: int, n: int = 12, k: int = 4, gaps: float = 0.25) -> np.ndarray:
    random = np.random.default_rng(seed)
    table = 1.5 * random.normal(size=(n, 1)) + random.normal(size=(1, k)) + random.normal(size=(n, k))
    if seed % 2:
        table = np.round(table)
    table[random.random((n, k)) < gaps] = np.nan
    return table[~np.isnan(table).all(axis=1)]


def dense(table: np.ndarray, variances: tuple[float, float, float]) -> float:
    """-2 times the restricted log likelihood by its definition, with the whole covariance matrix."""
    unit, rater = np.nonzero(~np.isnan(table))
    y, ones = table[unit, rater], np.ones(len(unit))
    u, v, e = variances
    covariance = u * (unit[:, None] == unit) + v * (rater[:, None] == rater) + e * np.eye(len(y))
    inverse = np.linalg.inv(covariance)
    left = y - (ones @ inverse @ y) / (ones @ inverse @ ones)
    return float(np.linalg.slogdet(covariance)[1] + np.log(ones @ inverse @ ones) + left @ inverse @ left)


@pytest.mark.parametrize("raters", [True, False])
@pytest.mark.parametrize("seed", SEEDS)
def test_variances_are_the_most_likely_ones(seed: int, raters: bool) -> None:
    table = with_gaps(seed)
    found = variance_components(Ratings.from_array(table), raters=raters)
    assert found.reason is None
    at = np.array([found.units, found.raters, found.residual])
    least = dense(table, tuple(at))
    for i in range(3 if raters else 1):
        for aside in (-0.01, 0.01):
            moved = at.copy()
            moved[i] = max(0.0, moved[i] * (1 + aside) if moved[i] > 0 else aside)
            assert dense(table, tuple(moved)) >= least - 1e-10
    for start in ((1, 1, 1), (3, 0.1, 1), (0.1, 3, 1), (0.1, 0.1, 3)):  # nor is there a better place elsewhere
        bounds = [(1e-9, 50), (0, 50 if raters else 0), (1e-3, 50)]
        other = optimize.minimize(
            lambda at: dense(table, tuple(at)), np.clip(start, *zip(*bounds, strict=True)), bounds=bounds
        )
        assert other.fun >= least - 1e-6


@pytest.mark.parametrize("form", FORMS)
def test_without_gaps_the_mixed_model_says_what_mean_squares_say(form: Any) -> None:
    random = np.random.default_rng(7)
    table = Ratings.from_array(
        random.normal(size=(40, 1)) + 0.5 * random.normal(size=(1, 4)) + random.normal(size=(40, 4))
    )
    ours, squares = icc(table, form=form, missing="reml"), icc(table, form=form)
    assert ours.value == pytest.approx(squares.value, abs=1e-9)
    if form[4] != "2":  # there the two approximations differ
        assert (ours.low, ours.high) == pytest.approx((squares.low, squares.high), abs=0.02)


@pytest.mark.parametrize("form", FORMS)
def test_limits_with_gaps(form: Any) -> None:
    table = Ratings.from_array(with_gaps(4, 40))
    found = icc(table, form=form, missing="reml")
    assert found.low < found.value < found.high
    assert found.n_left_out == 0
    assert icc(table, form=form, missing="listwise").n_left_out > 10
    assert ("raters like these" in found.method) == (form[4] == "2")
    drawn = icc(table, form=form, missing="reml", bootstrap=Bootstrap(300))
    assert drawn.value == found.value
    assert drawn.low < found.value < drawn.high
    assert ("these raters only" in drawn.method) == (form[4] == "2")


def test_the_profile_falls_by_the_quantile_at_the_limits() -> None:
    table = with_gaps(6, 20)
    found = icc(Ratings.from_array(table), form="ICC(1,1)", missing="reml")
    least = variance_components(Ratings.from_array(table), raters=False)
    at_best = dense(table, (least.units, 0, least.residual))
    for end in (found.low, found.high):
        profile = optimize.minimize_scalar(
            lambda total, r=end: dense(table, (r * np.exp(total), 0, (1 - r) * np.exp(total))), bracket=(0, 1)
        )
        assert profile.fun - at_best == pytest.approx(3.841458820694124, abs=1e-3)


def test_many_raters_by_curvature(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(2)
    values = random.normal(size=(300, 1)) + 0.5 * random.normal(size=(1, 30)) + random.normal(size=(300, 30))
    values[random.random(values.shape) < 0.8] = np.nan
    table = Ratings.from_array(values)
    for form in ("ICC(2,1)", "ICC(3,1)"):
        monkeypatch.undo()
        profile = icc(table, form=form, missing="reml")
        monkeypatch.setattr("agreement.components._CROWD", 20)
        curvature = icc(table, form=form, missing="reml")
        assert "curvature" in curvature.method
        assert (curvature.low, curvature.high) == pytest.approx((profile.low, profile.high), abs=0.015)


@settings(max_examples=25)
@given(seed=st.integers(0, 1000), shift=st.sampled_from([-100.0, 3.0]), scale=st.sampled_from([0.01, 7.0]))
def test_order_shift_and_scale_do_not_count_with_gaps(seed: int, shift: float, scale: float) -> None:
    table = with_gaps(seed)
    random = np.random.default_rng(seed)
    moved = (table * scale + shift)[random.permutation(len(table))][:, random.permutation(4)]
    ours, other = (variance_components(Ratings.from_array(each)) for each in (table, moved))
    assert ours.reason == other.reason
    if ours.reason is None:
        expected = [variance * scale**2 for variance in (ours.units, ours.raters, ours.residual)]
        assert [other.units, other.raters, other.residual] == pytest.approx(expected, rel=1e-5, abs=1e-6 * scale**2)


def test_gaps_without_a_rest() -> None:
    nan = math.nan
    table = Ratings.from_array(np.array([[1, 2, nan], [2, 3, 4], [4, nan, 6], [nan, 6, 7]]))
    components = variance_components(table)
    assert components.residual == 0
    assert components.units == pytest.approx(np.var([1, 2, 4, 5], ddof=1), abs=1e-12)
    assert components.raters == pytest.approx(1, abs=1e-12)
    assert icc(table, form="ICC(3,1)", missing="reml").value == 1
    found = icc(table, form="ICC(2,1)", missing="reml")
    assert found.value == pytest.approx(10 / 13, abs=1e-12)  # 10/3 of units, 1 of raters
    assert "width of zero" in str(found.reason)


@settings(max_examples=40)
@given(
    rows=st.lists(st.lists(st.sampled_from([1, 2, 3, None]), min_size=3, max_size=3), min_size=1, max_size=8),
    form=st.sampled_from(FORMS),
)
def test_gaps_of_any_kind_give_a_value_or_a_reason(rows: list[list[int | None]], form: Any) -> None:
    table = Ratings.from_array(np.array(rows, dtype=float))
    for found in (
        icc(table, form=form, missing="reml"),
        icc(table, form=form, missing="reml", bootstrap=Bootstrap(20)),
    ):
        assert found.defined or found.reason
        if math.isnan(found.low):
            assert found.reason
        else:
            assert found.low - 1e-9 <= found.value <= found.high + 1e-9


def test_what_gaps_can_hide() -> None:
    nan = math.nan
    for table in ([[1, nan], [nan, 2], [3, nan]], [[1, 2]], [[1, 1], [1, 1]], [[1, 2], [2, nan]]):
        found = variance_components(Ratings.from_array(np.array(table)))
        assert math.isnan(found.units)
        assert found.reason


@pytest.mark.parametrize("size", [1e-300, 1e-8, 1e300])
def test_the_size_of_numbers_is_no_trouble(size: float) -> None:
    x, y = two(5)
    plain, sized = paired(x, y), paired(x * size, y * size)
    for statistic in (pearson, spearman, kendall_tau, lins_concordance, icc):
        assert statistic(sized).low == pytest.approx(statistic(plain).low, abs=1e-9)
    for statistic in (bias, mae, rmse):
        assert statistic(sized, bootstrap=Bootstrap(50)).value == pytest.approx(statistic(plain).value * size, rel=1e-9)
        assert statistic(sized).high == pytest.approx(statistic(plain).high * size, rel=1e-9)
    assert math.isnan(bias(paired([1e308, 2], [-1e308, 3])).value)

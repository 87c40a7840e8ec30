"""What holds for all statistics, and what none of them may do with bad input."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agreement import (
    Bootstrap,
    Ratings,
    Scale,
    Statistic,
    cohen_kappa,
    fleiss_kappa,
    icc,
    kendall_tau,
    kendall_w,
    krippendorff_alpha,
    light_kappa,
    lins_concordance,
    mean_pearson,
    pearson,
    percent_agreement,
    spearman,
)
from agreement.icc import FORMS
from domain.errors import RatingsError
from domain.records import Rating

pytestmark = pytest.mark.thorough

FEW = Bootstrap(draws=40)
Table = list[list[Any]]
Compute = Callable[[Ratings], Statistic]

NOMINAL: Mapping[str, Compute] = {
    "percent_agreement": partial(percent_agreement, bootstrap=FEW),
    "cohen_kappa": cohen_kappa,
    "light_kappa": partial(light_kappa, bootstrap=FEW),
    "fleiss_kappa": fleiss_kappa,
    "alpha_nominal": partial(krippendorff_alpha, bootstrap=FEW),
}
"""Names are enough."""

ORDERED: Mapping[str, Compute] = {
    "alpha_ordinal": partial(krippendorff_alpha, level="ordinal", bootstrap=FEW),
    "spearman": spearman,
    "kendall_tau_b": kendall_tau,
    "kendall_w": partial(kendall_w, bootstrap=FEW),
}
"""An order is enough."""

NUMBERS: Mapping[str, Compute] = {
    "cohen_kappa_linear": partial(cohen_kappa, weights="linear"),
    "cohen_kappa_quadratic": partial(cohen_kappa, weights="quadratic"),
    "light_kappa_linear": partial(light_kappa, weights="linear", bootstrap=FEW),
    "light_kappa_quadratic": partial(light_kappa, weights="quadratic", bootstrap=FEW),
    "alpha_interval": partial(krippendorff_alpha, level="interval", bootstrap=FEW),
    "pearson": pearson,
    "mean_pearson": partial(mean_pearson, bootstrap=FEW),
    "lins_concordance": lins_concordance,
    **{form: partial(icc, form=form) for form in FORMS},
}
"""Differences count."""

ALL = {**NOMINAL, **ORDERED, **NUMBERS}
OF_TWO = ("cohen_kappa", "cohen_kappa_linear", "cohen_kappa_quadratic", "pearson")
OF_TWO += ("spearman", "kendall_tau_b", "lins_concordance")
OF_FINITE_TABLE = ("alpha_nominal", "alpha_ordinal", "alpha_interval", "kendall_w", *FORMS)
"""Their formulas have n - 1, so a table that is there twice gives another value."""

each_statistic = pytest.mark.parametrize("name", ALL)


@st.composite
def tables(draw: st.DrawFn, *, gaps: bool = True, raters: int | None = None) -> Table:
    """Rows of grades 1 to 4 by two to four raters."""
    k = raters or draw(st.integers(2, 4))
    grade = st.sampled_from([1, 2, 3, 4, None] if gaps else [1, 2, 3, 4])
    return draw(st.lists(st.lists(grade, min_size=k, max_size=k), min_size=1, max_size=12))


def ratings(rows: Table, scale: Scale | None = None) -> Ratings:
    names = [f"r{place}" for place in range(len(rows[0]) if rows else 0)]
    return Ratings.from_rows(
        (
            Rating(f"u{unit}", name, "c", value)
            for unit, row in enumerate(rows)
            for name, value in zip(names, row, strict=True)
        ),
        scale=scale,
    )


def value(name: str, rows: Table, scale: Scale | None = None) -> float:
    return ALL[name](ratings(rows, scale)).value


def same(first: float, second: float) -> bool:
    return (math.isnan(first) and math.isnan(second)) or math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-9)


def rows_for(name: str, rows: Table) -> Table:
    return [row[:2] for row in rows] if name in OF_TWO else rows


@each_statistic
@settings(max_examples=40)
@given(rows=tables())
@example(rows=[[1, 2], [1, None]])  # gaps bring Fleiss' kappa below -1
def test_a_value_or_a_reason(name: str, rows: Table) -> None:
    found = ALL[name](ratings(rows_for(name, rows)))
    assert found.n_units + found.n_left_out <= len(rows)
    if math.isnan(found.value):
        assert found.reason
        assert math.isnan(found.low)
        assert math.isnan(found.high)
    else:
        assert found.value <= 1 + 1e-12
    if math.isnan(found.low):
        assert found.reason
        assert found.method == "none"
    else:
        assert found.low - 1e-9 <= found.value <= found.high + 1e-9
        assert found.low < found.high
        assert found.reason is None


@each_statistic
@settings(max_examples=25)
@given(rows=tables(), random=st.randoms(use_true_random=False))
def test_the_order_of_units_does_not_count(name: str, rows: Table, random: Any) -> None:
    rows = rows_for(name, rows)
    shuffled = random.sample(rows, len(rows))
    first, second = ALL[name](ratings(rows)), ALL[name](ratings(shuffled))
    assert [same(*pair) for pair in ((first.value, second.value), (first.low, second.low))] == [True, True]


@each_statistic
@settings(max_examples=25)
@given(rows=tables())
def test_the_order_of_raters_does_not_count(name: str, rows: Table) -> None:
    rows = rows_for(name, rows)
    assert same(value(name, rows), value(name, [row[::-1] for row in rows]))


@pytest.mark.parametrize("name", NOMINAL)
@settings(max_examples=25)
@given(rows=tables(), names=st.permutations(["kiwi", "fig", "date", "plum"]))
def test_what_categories_are_called_does_not_count(name: str, rows: Table, names: list[str]) -> None:
    rows = rows_for(name, rows)
    renamed = [[None if grade is None else names[grade - 1] for grade in row] for row in rows]
    assert same(value(name, rows), value(name, renamed))


@pytest.mark.parametrize("name", [*ORDERED, *NOMINAL])
@settings(max_examples=25)
@given(rows=tables())
def test_an_order_is_all_that_ordinal_alpha_sees(name: str, rows: Table) -> None:
    rows = rows_for(name, rows)
    stretched = [[None if grade is None else grade**3 for grade in row] for row in rows]
    assert same(value(name, rows), value(name, stretched))


@each_statistic
@settings(max_examples=25)
@given(rows=tables(), shift=st.integers(-1000, 1000), scale=st.sampled_from([0.001, 0.5, 3, 1000]))
def test_shifting_and_stretching_do_not_count(name: str, rows: Table, shift: int, scale: float) -> None:
    rows = rows_for(name, rows)
    moved = [[None if grade is None else (grade + shift) * scale for grade in row] for row in rows]
    assert same(value(name, rows), value(name, moved))


@each_statistic
@settings(max_examples=25)
@given(grades=st.lists(st.integers(1, 4), min_size=2, max_size=12), k=st.integers(2, 4))
def test_perfect_agreement_is_one_where_grades_differ(name: str, grades: list[int], k: int) -> None:
    found = ALL[name](ratings(rows_for(name, [[grade] * k for grade in grades])))
    if len(set(grades)) > 1 or name == "percent_agreement":
        assert found.value == pytest.approx(1, abs=1e-12)
    else:
        assert math.isnan(found.value)
        assert found.reason


@pytest.mark.parametrize("name", [name for name in ALL if name not in OF_FINITE_TABLE])
@settings(max_examples=25)
@given(rows=tables())
def test_repeating_all_units_changes_only_their_number(name: str, rows: Table) -> None:
    rows = rows_for(name, rows)
    once, twice = ALL[name](ratings(rows)), ALL[name](ratings(rows + rows))
    assert same(once.value, twice.value) or once.n_units < 2
    assert (twice.n_units, twice.n_left_out) == (2 * once.n_units, 2 * once.n_left_out)


@pytest.mark.parametrize("name", [name for name in ALL if name != "fleiss_kappa"])
@settings(max_examples=25)
@given(rows=tables(), grade=st.integers(1, 4))
def test_a_lone_rating_is_left_out_and_counted(name: str, rows: Table, grade: int) -> None:
    rows = rows_for(name, [row for row in rows if any(each is not None for each in row)])
    rows = [row for row in rows if any(each is not None for each in row)] or [[1] * 2]
    lone = [*rows, [grade] + [None] * (len(rows[0]) - 1)]
    before, after = ALL[name](ratings(rows)), ALL[name](ratings(lone))
    if before.n_raters == after.n_raters:  # else the lone rating brought in someone new
        assert same(before.value, after.value)
        assert (after.n_units, after.n_left_out) == (before.n_units, before.n_left_out + 1)


@settings(max_examples=50)
@given(rows=tables(gaps=False))
def test_alpha_and_fleiss_differ_by_a_known_factor_on_complete_names(rows: Table) -> None:
    n = len(rows) * len(rows[0])
    assert same(value("alpha_nominal", rows), 1 - (1 - value("fleiss_kappa", rows)) * (n - 1) / n)


@settings(max_examples=50)
@given(rows=st.lists(st.lists(st.sampled_from([0, 1]), min_size=2, max_size=2), min_size=1, max_size=12))
def test_weights_do_not_count_for_two_categories(rows: Table) -> None:
    plain = value("cohen_kappa", rows)
    assert same(plain, value("cohen_kappa_linear", rows))
    assert same(plain, value("cohen_kappa_quadratic", rows))


# ---- bad input ------------------------------------------------------------------------------------------------------

WITHOUT_PAIRS: Mapping[str, Table] = {
    "nothing": [],
    "all_missing": [[None, None], [None, None]],
    "one_rater": [[1], [2], [3]],
    "nobody_meets": [[1, None], [None, 2], [3, None]],
}


@each_statistic
@pytest.mark.parametrize("data", WITHOUT_PAIRS)
def test_without_pairs_there_is_a_reason_and_no_number(name: str, data: str) -> None:
    found = ALL[name](ratings(WITHOUT_PAIRS[data]))
    assert math.isnan(found.value)
    assert found.reason
    assert found.reason.endswith(".")
    assert found.n_units == 0 or name.startswith("ICC")


@each_statistic
@pytest.mark.parametrize("grade", [0, 0.1, 1e300, -1e-300, 7])
def test_a_constant_has_no_reliability(name: str, grade: float) -> None:
    found = ALL[name](ratings([[grade, grade]] * 5))
    if name == "percent_agreement":
        assert found.value == 1
    else:
        assert math.isnan(found.value)
        assert found.reason


@each_statistic
@pytest.mark.parametrize("size", [1e-300, 1e-8, 1e8, 1e150, 1e307])
def test_tiny_and_huge_numbers_are_numbers(name: str, size: float) -> None:
    rows = [[1, 1], [2, 3], [3, 3], [4, 2], [5, 5]]
    assert same(value(name, rows), value(name, [[grade * size for grade in row] for row in rows]))


@each_statistic
def test_one_unit_is_no_sample(name: str) -> None:
    found = ALL[name](ratings([[1, 2]]))
    assert math.isnan(found.low) or found.method == "Wilson score"
    assert found.reason or found.method == "Wilson score"


@pytest.mark.parametrize("name", [*ORDERED, *NUMBERS])
def test_names_have_no_order(name: str) -> None:
    for scale in (None, Scale("nominal")):
        found = ALL[name](ratings([["yes", "no"], ["no", "no"], ["yes", "yes"]], scale))
        assert math.isnan(found.value)
        assert found.reason


@pytest.mark.parametrize("name", [*ORDERED, *NUMBERS])
def test_numbers_that_are_declared_names_have_no_order(name: str) -> None:
    found = ALL[name](ratings([[1, 2], [2, 2], [3, 3]], Scale("nominal", (1, 2, 3))))
    assert math.isnan(found.value)
    assert "nominal" in (found.reason or "")


@pytest.mark.parametrize("name", ["alpha_interval", "pearson", "ICC(1,1)"])
def test_ordered_names_are_no_numbers(name: str) -> None:
    rows = [["low", "mid"], ["mid", "mid"], ["top", "top"]]
    found = ALL[name](ratings(rows, Scale("ordinal", ("low", "mid", "top"))))
    assert math.isnan(found.value)
    assert "numbers" in (found.reason or "")


@pytest.mark.parametrize("name", OF_TWO)
def test_what_is_for_two_says_so(name: str) -> None:
    found = ALL[name](ratings([[1, 2, 1], [2, 2, 2], [3, 3, 1]]))
    assert math.isnan(found.value)
    assert "two raters" in (found.reason or "")


REFUSED: Mapping[str, tuple[list[Rating], Scale | None, str]] = {
    "twice": ([Rating("u", "ann", "c", 1), Rating("u", "ann", "c", 2)], None, "twice"),
    "off_the_scale": ([Rating("u", "ann", "c", 6)], Scale("ordinal", (1, 2, 3)), "not on the declared scale"),
    "not_finite": ([Rating("u", "ann", "c", math.inf)], None, "not a finite number"),
    "not_a_number": ([Rating("u", "ann", "c", math.nan)], None, "not a finite number"),
    "text_without_order": ([Rating("u", "ann", "c", "low")], Scale("ordinal"), "listed in order"),
    "text_as_interval": ([Rating("u", "ann", "c", "low")], Scale("interval", (1, 2)), "numbers"),
    "numbers_as_text": ([Rating("u", "ann", "c", 1)], Scale("nominal", ("a", "b")), "not on the declared scale"),
    "value_listed_twice": ([Rating("u", "ann", "c", 1)], Scale("ordinal", (1, 2, 1)), "twice"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_refused_with_a_sentence(case: str) -> None:
    rows, scale, words = REFUSED[case]
    with pytest.raises(RatingsError, match=words) as caught:
        Ratings.from_rows(rows, scale=scale)
    assert str(caught.value).endswith(".")


def test_a_number_among_declared_names_is_a_name() -> None:
    table = ratings([["1", "2"], [1, 2.0]], Scale("nominal", ("1", "2", "unclear")))
    assert table.codes.tolist() == [[0, 1], [0, 1]]


def test_mixed_names_and_numbers_stay_apart() -> None:
    table = ratings([[0.1234567, 0.1234568], ["tie", 1.0], [True, "true"]])
    assert set(table.categories) == {"0.1234567", "0.1234568", "tie", "1", "true"}
    assert table.scale == Scale("nominal", inferred=True)

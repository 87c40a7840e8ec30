"""What holds for all statistics, and what none of them may do with bad input."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache, wraps
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement import Ratings, Scale
from domain.errors import RatingsError
from domain.records import Rating
from domain.statistics import Needs, SingleRatingEffect
from tests.agreement.of_raters import OF_RATERS, OfRaters, each_of_raters, of, trying

pytestmark = pytest.mark.thorough

Table = list[list[Any]]
Test = Callable[..., None]

BY_ID = {each.id: each for each in OF_RATERS}


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


def value(statistic: OfRaters, rows: Table) -> float:
    return statistic(ratings(rows)).value


def same(first: float, second: float) -> bool:
    return (math.isnan(first) and math.isnan(second)) or math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-9)


def rows_for(statistic: OfRaters, rows: Table) -> Table:
    return [row[: statistic.raters] for row in rows]


def drawn(max_examples: int, **strategies: st.SearchStrategy[Any]) -> Callable[[Test], Test]:
    """The test of a statistic is called with this many examples; with few of them where each takes long.

    The examples are drawn once for all statistics: drawing one takes longer than most statistics of it. Where one
    fails, Hypothesis looks for the smallest that does.
    """

    @cache
    def examples() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []

        @settings(max_examples=max_examples)
        @given(**strategies)
        def each(**drawn: Any) -> None:
            found.append(drawn)

        each()
        return found

    def smallest(check: Test, statistic: OfRaters) -> None:
        @settings(max_examples=max_examples)
        @given(**strategies)
        def each(**drawn: Any) -> None:
            check(statistic, **drawn)

        each()

    def decorated(check: Test) -> Test:
        @wraps(check, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
        def test(statistic: OfRaters) -> None:
            n = max_examples // 5 if statistic.fitted else max_examples
            try:
                for example in examples()[-n:]:  # the first ones are the smallest
                    check(statistic, **example)
            except Exception:
                smallest(check, statistic)
                raise

        del test.__wrapped__  # pytest would ask it for fixtures
        return test

    return decorated


@each_of_raters
def test_a_value_or_a_reason_where_gaps_bring_fleiss_kappa_below_minus_one(statistic: OfRaters) -> None:
    _value_or_reason(statistic, [[1, 2], [1, None]])


@each_of_raters
@drawn(25, rows=tables())
def test_a_value_or_a_reason(statistic: OfRaters, rows: Table) -> None:
    _value_or_reason(statistic, rows)


def _value_or_reason(statistic: OfRaters, rows: Table) -> None:
    found = statistic(ratings(rows_for(statistic, rows)))
    assert found.n_units + found.n_left_out <= len(rows)
    if math.isnan(found.value):
        assert found.reason
        assert math.isnan(found.low)
        assert math.isnan(found.high)
    elif not statistic.row.in_units:
        assert found.value <= 1 + 1e-12
    if math.isnan(found.low):
        assert found.reason
        assert found.method == "none"
    else:
        assert found.low - 1e-9 <= found.value <= found.high + 1e-9
        assert found.low < found.high
        assert found.reason is None


@each_of_raters
@drawn(15, rows=tables(), seed=st.integers(0, 999))
def test_the_order_of_units_does_not_count(statistic: OfRaters, rows: Table, seed: int) -> None:
    rows = rows_for(statistic, rows)
    shuffled = Random(seed).sample(rows, len(rows))
    first, second = statistic(ratings(rows)), statistic(ratings(shuffled))
    assert [same(*pair) for pair in ((first.value, second.value), (first.low, second.low))] == [True, True]


@of(each for each in OF_RATERS if each.known.swapped)
@drawn(15, rows=tables())
def test_the_order_of_raters_does_not_count(statistic: OfRaters, rows: Table) -> None:
    rows = rows_for(statistic, rows)
    assert same(value(statistic, rows) * statistic.known.swapped, value(statistic, [row[::-1] for row in rows]))


@of(each for each in OF_RATERS if each.needs is Needs.NAMES and each.known.moved)
@drawn(15, rows=tables(), names=st.permutations(["kiwi", "fig", "date", "plum"]))
def test_what_categories_are_called_does_not_count(statistic: OfRaters, rows: Table, names: list[str]) -> None:
    rows = rows_for(statistic, rows)
    renamed = [[None if grade is None else names[grade - 1] for grade in row] for row in rows]
    assert same(value(statistic, rows), value(statistic, renamed))


@of(each for each in OF_RATERS if each.needs in (Needs.NAMES, Needs.ORDER) and each.known.moved)
@drawn(15, rows=tables())
def test_an_order_is_all_that_counts_where_it_is_enough(statistic: OfRaters, rows: Table) -> None:
    rows = rows_for(statistic, rows)
    stretched = [[None if grade is None else grade**3 for grade in row] for row in rows]
    assert same(value(statistic, rows), value(statistic, stretched))


@of(each for each in OF_RATERS if each.known.moved)
@drawn(15, rows=tables(), shift=st.integers(-1000, 1000), scale=st.sampled_from([0.001, 0.5, 3, 1000]))
def test_shifting_and_stretching_do_not_count(statistic: OfRaters, rows: Table, shift: int, scale: float) -> None:
    rows = rows_for(statistic, rows)
    moved = [[None if grade is None else (grade + shift) * scale for grade in row] for row in rows]
    assert same(value(statistic, rows), value(statistic, moved))


@each_of_raters
@drawn(15, grades=st.lists(st.integers(1, 4), min_size=2, max_size=12), k=st.integers(2, 4))
def test_perfect_agreement_is_what_the_row_says(statistic: OfRaters, grades: list[int], k: int) -> None:
    differ = len(set(grades)) > 1
    rows = rows_for(statistic, [[grade] * k for grade in grades])
    found = statistic(ratings(rows, None if differ else GRADES))
    expected = statistic.known.perfect if differ else statistic.known.constant
    if expected is not None:
        assert found.value == pytest.approx(expected, abs=1e-12)
    elif not differ:
        assert math.isnan(found.value)
        assert found.reason


@of(each for each in OF_RATERS if each.known.repeated)
@drawn(15, rows=tables())
def test_repeating_all_units_changes_only_their_number(statistic: OfRaters, rows: Table) -> None:
    rows = rows_for(statistic, rows)
    once, twice = statistic(ratings(rows)), statistic(ratings(rows + rows))
    assert same(once.value, twice.value) or once.n_units < 2
    assert (twice.n_units, twice.n_left_out) == (2 * once.n_units, 2 * once.n_left_out)


GRADES = Scale("interval", (1, 2, 3, 4))
"""Declared, so that no rating widens the scale."""


@each_of_raters
@drawn(15, rows=tables(), grade=st.integers(1, 4))
def test_a_lone_rating_is_what_the_row_says(statistic: OfRaters, rows: Table, grade: int) -> None:
    rows = rows_for(statistic, [row for row in rows if any(each is not None for each in row)])
    rows = [row for row in rows if any(each is not None for each in row)] or [[1] * 2]
    lone = [*rows, [grade] + [None] * (len(rows[0]) - 1)]
    before, after = statistic(ratings(rows, GRADES)), statistic(ratings(lone, GRADES))
    if before.n_raters != after.n_raters:  # the lone rating brought in someone new
        return
    if statistic.known.lone is SingleRatingEffect.A_UNIT:
        undefined = math.isnan(before.value) or math.isnan(after.value)
        assert undefined or (after.n_units, after.n_left_out) == (before.n_units + 1, before.n_left_out)
    else:
        assert (after.n_units, after.n_left_out) == (before.n_units, before.n_left_out + 1)
    if statistic.known.lone is SingleRatingEffect.LEFT_OUT:
        assert same(before.value, after.value)


@of(each for each in OF_RATERS if each.known.lone is not SingleRatingEffect.LEFT_OUT)
def test_a_lone_rating_that_is_not_left_out_changes_the_value(statistic: OfRaters) -> None:
    rows: Table = [[1, 2], [2, 3], [4, 3], [1, 1]]
    before, after = (statistic(ratings(each, GRADES)).value for each in (rows, [*rows, [2, None]]))
    assert math.isfinite(before)
    assert math.isfinite(after)
    assert abs(before - after) > 1e-4


@settings(max_examples=50)
@given(rows=tables(gaps=False))
def test_alpha_and_fleiss_differ_by_a_known_factor_on_complete_names(rows: Table) -> None:
    n = len(rows) * len(rows[0])
    assert same(
        value(BY_ID["krippendorff_alpha-nominal"], rows), 1 - (1 - value(BY_ID["fleiss_kappa"], rows)) * (n - 1) / n
    )


@settings(max_examples=50)
@given(rows=st.lists(st.lists(st.sampled_from([0, 1]), min_size=2, max_size=2), min_size=1, max_size=12))
def test_weights_do_not_count_for_two_categories(rows: Table) -> None:
    plain = value(BY_ID["cohen_kappa-none"], rows)
    assert same(plain, value(BY_ID["cohen_kappa-linear"], rows))
    assert same(plain, value(BY_ID["cohen_kappa-quadratic"], rows))


# ---- bad input ------------------------------------------------------------------------------------------------------

WITHOUT_PAIRS: Mapping[str, Table] = {
    "nothing": [],
    "all_missing": [[None, None], [None, None]],
    "one_rater": [[1], [2], [3]],
    "nobody_meets": [[1, None], [None, 2], [3, None]],
}


@each_of_raters
@trying("data", WITHOUT_PAIRS)
def test_without_pairs_there_is_a_reason_and_no_number(statistic: OfRaters, data: str) -> None:
    found = statistic(ratings(WITHOUT_PAIRS[data]))
    assert math.isnan(found.value)
    assert math.isnan(found.low)
    assert found.reason
    assert found.reason.endswith(".")
    assert found.n_units == 0 or statistic.known.lone is SingleRatingEffect.A_UNIT


@each_of_raters
@trying("grade", [0, 0.1, 1e300, -1e-300, 7])
def test_a_constant_has_no_reliability(statistic: OfRaters, grade: float) -> None:
    rows = [[grade, grade]] * 5
    for found in (statistic(ratings(rows)), statistic(ratings(rows, Scale("interval", (grade, 5))))):
        if math.isnan(found.value):
            assert found.reason
        else:
            assert found.value == statistic.known.constant
    if statistic.known.constant is not None:  # of a declared scale
        assert found.value == statistic.known.constant


@of(each for each in OF_RATERS if each.known.moved)
@trying("size", [1e-300, 1e-8, 1e8, 1e150, 1e307])
def test_tiny_and_huge_numbers_are_numbers(statistic: OfRaters, size: float) -> None:
    rows = [[1, 1], [2, 3], [3, 3], [4, 2], [5, 5]]
    assert same(value(statistic, rows), value(statistic, [[grade * size for grade in row] for row in rows]))


@each_of_raters
@trying("row", [[1, 2], [2, 2]])
def test_one_unit_is_no_sample(statistic: OfRaters, row: list[int]) -> None:
    found = statistic(ratings([row]))
    assert math.isnan(found.low) or found.method == "Wilson score"
    assert found.reason or found.method == "Wilson score"


@of(each for each in OF_RATERS if each.needs is not Needs.NAMES)
def test_names_have_no_order(statistic: OfRaters) -> None:
    for scale in (None, Scale("nominal")):
        found = statistic(ratings([["yes", "no"], ["no", "no"], ["yes", "yes"]], scale))
        assert math.isnan(found.value)
        assert found.reason


@of(each for each in OF_RATERS if each.needs is not Needs.NAMES)
def test_numbers_that_are_declared_names_have_no_order(statistic: OfRaters) -> None:
    found = statistic(ratings([[1, 2], [2, 2], [3, 3]], Scale("nominal", (1, 2, 3))))
    assert math.isnan(found.value)
    assert "nominal" in (found.reason or "")


@of(each for each in OF_RATERS if each.needs in (Needs.NUMBERS, Needs.RATIO) and "weights" not in each.variant.args)
def test_ordered_names_are_no_numbers(statistic: OfRaters) -> None:
    rows = [["low", "mid"], ["mid", "mid"], ["top", "top"]]
    found = statistic(ratings(rows, Scale("ordinal", ("low", "mid", "top"))))
    assert math.isnan(found.value)
    assert "numbers" in (found.reason or "")


@of(each for each in OF_RATERS if each.raters == 2)
def test_what_is_for_two_says_so(statistic: OfRaters) -> None:
    found = statistic(ratings([[1, 2, 1], [2, 2, 2], [3, 3, 1]]))
    assert math.isnan(found.value)
    assert "two raters" in (found.reason or "")


REFUSED: Mapping[str, tuple[list[Rating], Scale | None, str]] = {
    "twice": ([Rating("u", "ann", "c", 1), Rating("u", "ann", "c", 2)], None, "twice"),
    "off_the_scale": ([Rating("u", "ann", "c", 6)], Scale("ordinal", (1, 2, 3)), "not on the declared scale"),
    "not_finite": ([Rating("u", "ann", "c", math.inf)], None, "not a finite number"),
    "not_a_number": ([Rating("u", "ann", "c", math.nan)], None, "not a finite number"),
    "text_without_order": ([Rating("u", "ann", "c", "low")], Scale("ordinal"), "list the values in order"),
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

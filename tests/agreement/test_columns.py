"""Ratings from columns and data frames are the ratings from rows, and what they cannot be is said in a sentence."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import LongTable, Ratings, Scale
from agreement.columns import column
from domain.errors import RatingsError
from domain.records import Rating

VALUES = st.sampled_from([0, 1, 0.5, "1", "yes", "0.5", True, None])


@pytest.mark.thorough
@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abc"), VALUES), unique_by=lambda row: row[:2]))
def test_columns_are_rows(rows: list[tuple[int, str, Any]]) -> None:
    by_row = Ratings.from_rows(Rating(str(unit), rater, "c", value) for unit, rater, value in rows)
    by_column = Ratings.from_columns(*(list(each) for each in zip(*rows, strict=True)) if rows else ([], [], []))
    assert by_column.codes.tolist() == by_row.codes.tolist()
    assert (by_column.units, by_column.raters, by_column.categories, by_column.scale) == (
        by_row.units,
        by_row.raters,
        by_row.categories,
        by_row.scale,
    )


@pytest.mark.thorough
@given(st.lists(st.one_of(st.none(), st.booleans(), st.integers(-2, 2), st.sampled_from(["1", "a"]))))
def test_a_column_gives_back_what_it_was_given(values: list[Any]) -> None:
    found = column(values)
    assert [(type(value), value) for value in found.values()] == [(type(value), value) for value in values]
    kept = np.arange(len(values)) % 2 == 0
    assert list(found.of(kept).values()) == values[::2]
    assert list(found.of(kept).names) == [
        value
        for at, value in enumerate(values[::2])
        if value is not None and repr(value) not in map(repr, values[: 2 * at : 2])
    ]


@pytest.mark.parametrize(
    "values",
    [
        np.array([0.5, math.nan, 1.0]),
        [0.5, None, 1],
        [0.5, math.nan, 1],
        pd.Series([0.5, None, 1]),
        pd.Series([0.5, None, 1], dtype="Float64"),
        pd.Series(["0.5", None, "1"], dtype="string"),
        pd.Series([0.5, None, 1], dtype="category"),
    ],
    ids=["array", "none", "nan", "series", "nullable", "string", "category"],
)
def test_a_missing_value_is_no_rating(values: Any) -> None:
    ratings = Ratings.from_columns(np.array([1, 2, 3]), ["ann"] * 3, values)
    assert ratings.units == ("1", "3")
    assert ratings.categories == (0.5, 1.0)
    assert ratings.codes.tolist() == [[0], [1]]


def test_a_million_ratings_of_names_keep_their_places() -> None:
    units = np.repeat(np.arange(50_000), 4)
    values = units * 7 % 5
    ratings = Ratings.from_columns(units, np.tile(list("dcba"), 50_000), values, scale=Scale("ordinal", range(5)))
    assert ratings.raters == ("a", "b", "c", "d")
    assert (ratings.codes == (np.arange(50_000) * 7 % 5)[:, None]).all()


def test_clusters_go_with_their_units() -> None:
    ratings = Ratings.from_columns(
        ["u", "v", "u", "w"], ["ann", "ann", "bob", "bob"], [1, 2, 1, 2], clusters=["q", 5, None, None]
    )
    assert dict(zip(ratings.units, ratings.clusters or (), strict=True)) == {"u": "q", "v": "5", "w": "w"}
    assert Ratings.from_columns(["u"], ["ann"], [1], clusters=[None]).clusters is None


FRAME = pd.DataFrame(
    {
        "unit": ["u", "u", "v", "v", "u"],
        "rater": ["ann", "bob", "ann", "bob", "ann"],
        "criterion": ["score", "score", "score", "score", "fits"],
        "value": [1, 2, 2, 2, "yes"],
        "dimension": ["x", "x", None, None, "x"],
    }
)


def test_a_data_frame_is_a_long_table() -> None:
    table = LongTable.from_frame(FRAME)
    assert table.criterion.names == ("score", "fits")
    assert table.ratings("score").codes.tolist() == [[0, 1], [1, 1]]
    assert table.ratings("fits").categories == ("yes",)
    assert [(name, len(part)) for name, part in table.by_dimension()] == [("x", 3), (None, 2)]
    assert table.of_raters(["bob"]).rater.names == ("bob",)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Ratings.from_columns([1, 2], ["a"], [1]), "have 2 and 1 and 1 rows"),
        (lambda: Ratings.from_columns([1, None], ["a", "b"], [1, 2]), "Row 2 of the columns has no unit"),
        (lambda: Ratings.from_columns([1], ["a"], [[1]]), "contains \\[1\\]"),
        (lambda: Ratings.from_columns(np.ones((2, 2)), ["a"], [1]), "2-dimensional"),
        (
            lambda: Ratings.from_columns([1], ["a"], [6], scale=Scale("interval", (1, 2))),
            "a rated 1 as 6.0, which is not",
        ),
        (lambda: Ratings.from_columns([1, 1], ["a", "a"], [1, 1]), "a rated 1 twice"),
        (lambda: Ratings.from_columns([1], ["a"], [math.inf]), "not a finite number"),
        (lambda: Ratings.from_columns(range(10_000), range(10_000), [1] * 10_000), "100,000,000 cells"),
        (
            lambda: Ratings.from_columns([1, 1], ["a", "b"], [1, 1], clusters=["x", "y"]),
            "1 is in cluster x in one row and in y",
        ),
        (
            lambda: LongTable.from_frame(FRAME, value="grade"),
            "no column 'grade' for the value. Choose one of these columns: unit",
        ),
        (lambda: LongTable.from_frame(pd.concat([FRAME, FRAME], axis=1)), "2 columns called 'unit'"),
        (lambda: LongTable.from_frame(FRAME, rater="dimension"), "Row 3 of the data frame has no rater"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_sentence(call: Any, words: str) -> None:
    with pytest.raises(RatingsError, match=words) as caught:
        call()
    assert str(caught.value).endswith(".")

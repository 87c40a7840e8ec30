"""Search and sorting of a list of people. Both are in the address, so that a link opens the same list."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

Row = TypeVar("Row")
Value = str | float | None
"""A value to sort by. None and nan are unknown values, which come last in either direction."""

LONGEST = 200
FIND, SORT, DOWN = "find", "sort", "down"
"""The parameters in the address."""


def arranged(
    rows: Sequence[Row],
    columns: Mapping[str, Callable[[Row], Value]],
    *,
    names: Callable[[Row], tuple[str, str]],
    key: str,
) -> list[Row]:
    """Draw a search box and a choice of the column. Return the rows whose name or login matches, in sorted order.

    ``columns`` maps each column's title to a function that returns a row's value. The first column is the default. Rows
    with equal values keep their order.
    """
    titles = list(columns)
    find = st.query_params.get(FIND, "")[:LONGEST]
    by = st.query_params.get(SORT, titles[0])
    by = by if by in columns else titles[0]
    down = st.query_params.get(DOWN) == "1"
    drawn = {FIND: f"{key}.find", SORT: f"{key}.sort", DOWN: f"{key}.down"}
    for part, value in ((FIND, find), (SORT, by), (DOWN, down)):
        st.session_state[drawn[part]] = value  # the address decides what is shown, whoever wrote it

    def keep() -> None:
        choices = {FIND: st.session_state[drawn[FIND]].strip(), SORT: st.session_state[drawn[SORT]]}
        wanted = {**choices, DOWN: "1" if st.session_state[drawn[DOWN]] else ""}
        for part, value in wanted.items():
            if value and not (part == SORT and value == titles[0]):
                st.query_params[part] = value
            elif part in st.query_params:
                del st.query_params[part]

    with st.container(horizontal=True, vertical_alignment="bottom", key=key):
        st.text_input(
            "Find a person", key=drawn[FIND], placeholder="Part of a name or login", max_chars=LONGEST, on_change=keep
        )
        st.selectbox("Order by", titles, key=drawn[SORT], on_change=keep, width=220)
        st.toggle("Last first", key=drawn[DOWN], on_change=keep)
    return ordered(matching_rows(rows, find, names), columns[by], down=down)


def matching_rows(rows: Sequence[Row], words: str, names: Callable[[Row], tuple[str, str]]) -> list[Row]:
    """Return the rows whose name or login contains all of these words, whatever the case."""
    asked = words.casefold().split()
    return [row for row in rows if all(any(word in name.casefold() for name in names(row)) for word in asked)]


def ordered(rows: Sequence[Row], value: Callable[[Row], Value], *, down: bool = False) -> list[Row]:
    """Return the rows sorted by this value, texts whatever the case. Unknown values come last."""
    known = [row for row in rows if not _unknown(value(row))]
    unknown = [row for row in rows if _unknown(value(row))]
    return [*sorted(known, key=lambda row: _comparable(value(row)), reverse=down), *unknown]


def _unknown(value: Value) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _comparable(value: Value) -> Any:
    return value.casefold() if isinstance(value, str) else value

"""How far a text is from another, against the table that the definition gives."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from extensions.drafting.edit_distance import edit_distance, share_changed


def by_the_table(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        new = [at]
        for column, wanted in enumerate(other, 1):
            new.append(min(row[column] + 1, new[-1] + 1, row[column - 1] + (letter != wanted)))
        row = new
    return row[-1]


@given(st.text("abé😀", max_size=12), st.text("abé😀", max_size=12))
def test_it_is_what_the_table_says(one: str, other: str) -> None:
    assert edit_distance(one, other) == by_the_table(one, other)


def test_long_texts_and_shares() -> None:
    assert edit_distance("a" * 5000, "a" * 4000 + "b" * 1000) == 1000
    assert share_changed("cup?", "mug?") == 0.5  # c to m, p to g, of four
    assert share_changed("", "new") == 1

"""An answer is an option, its letter, or both; nothing is guessed from a sentence."""

from __future__ import annotations

import pytest

from domain.options import option_meant

OPTIONS = ["take cup", "close the drawer", "count", "count"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("take cup", 0),
        (" Take  cup. ", 0),
        ("count", 2),
        ("B", 1),
        ("b.", 1),
        ("(B)", 1),
        ("B)", 1),
        ("B. close the drawer", 1),
        ("(b) Close the drawer.", 1),
        ("D", 3),
        ("D: count", 3),
        ("Close the cupboard", None),
        ("A cup", None),
        ("B. take cup", None),
        ("A or B", None),
        ("The answer is B", None),
        ("E", None),
        ("", None),
        ("...", None),
        ("1", None),
        ("Ä", None),
    ],
)
def test_the_option_that_is_meant(text: str, place: int | None) -> None:
    assert option_meant(text, OPTIONS) == place


def test_an_option_that_is_a_letter_is_itself() -> None:
    assert option_meant("B", ["C", "B", "A"]) == 1
    assert option_meant("A", ["C", "B", "A"]) == 2

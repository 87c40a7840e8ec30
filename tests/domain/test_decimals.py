"""Decimal numbers are what is written, and two are as far apart as pen and paper say."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation_schemas.model import Tolerance
from domain.decimals import exact, normal, problem


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("0.10", "0.10"),
        (0.1, "0.1"),
        (3, "3"),
        (3.0, "3.0"),
        (-2.5, "-2.5"),
        (1e-7, "0.0000001"),  # no exponent stays
        (0.1 + 0.2, "0.30000000000000004"),  # another machine's slip is not ours to mend
        (" +007.50 ", "7.50"),
        (".5", "0.5"),
        ("1.", "1"),
        ("-0.00", "0.00"),
        ("00", "0"),
    ],
)
def test_what_is_kept_of_a_number(given: Any, kept: str) -> None:
    assert normal(given) == kept
    assert normal(kept) == kept
    assert problem(given) is None


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("1,5", "use a decimal point and no thousands separators"),
        ("1,200", "no thousands separators"),
        ("1 200.5", "no thousands separators"),
        ("1.200,5", "no thousands separators"),
        ("1\u2019200", "no thousands separators"),
        ("1e3", "in digits"),
        ("5 cm", "in digits"),
        ("", "in digits"),
        ("-", "in digits"),
        ("٣", "in digits"),  # not the digits that others compute with
        (True, "in digits"),
        (float("inf"), "in digits"),
        ("0." + "1" * 41, "the value has 42 digits; use at most 40 digits"),
    ],
)
def test_what_is_no_number(given: Any, says: str) -> None:
    assert says in str(problem(given))


@pytest.mark.parametrize(
    ("said", "unit", "one", "other", "right", "same"),
    [
        # 0.15 - 0.1 is 0.05, which 0.1 + 0.05 in a machine's fractions is not
        ({"absolute": 0.05}, None, 0.15, 0.1, 0.1, True),
        ({"absolute": 0.05}, None, 10.05, 10, 10, True),  # a machine's 10.05 - 10 is more
        ({"absolute": 0.05}, None, 0.1500001, 0.1, 0.1, False),
        ({"absolute": 0.5}, None, -0.25, 0.25, 0.25, True),
        # 5 % of 40 is 2; of 0 it is nothing
        ({"relative": 0.05}, None, 42, 40, 40, True),
        ({"relative": 0.05}, None, 42.001, 40, 40, False),
        ({"relative": 0.05}, None, 38, 40, 40, True),
        ({"relative": 0.05}, None, -42, -40, -40, True),
        ({"relative": 0.05}, None, 0, 0, 0, True),
        ({"relative": 0.5}, None, 0.0001, 0, 0, False),
        # of two raters' numbers: 10 % of 11 is 1.1, of 10 only 1
        ({"relative": 0.1}, None, 10, 11.1, None, True),
        ({"relative": 0.1}, None, 10, 11.12, None, False),
        # whole centimetres: 1.245 m and 1.254 m are 125 (halves away from 0), 1.2449 m is 124
        ({"within": "cm"}, "m", "1.245", "1.254", None, True),
        ({"within": "cm"}, "m", "1.2449", "1.245", None, False),
        ({"within": "cm"}, "m", "-1.245", "-1.254", None, True),
        ({"within": "min"}, "s", 89.9, 30, None, True),  # 1.498 and 0.5 minutes are 1
    ],
)
def test_how_far_two_may_be_apart(
    said: dict[str, Any], unit: str | None, one: Any, other: Any, right: Any, same: bool
) -> None:
    numbers = [exact(each) for each in (one, other)]
    wanted = None if right is None else exact(right)
    assert None not in numbers
    tolerance = Tolerance(**said).of(unit)
    assert tolerance.holds(numbers[0], numbers[1], right=wanted) is same  # type: ignore[arg-type]
    assert tolerance.holds(numbers[1], numbers[0], right=wanted) is same  # type: ignore[arg-type]


@settings(max_examples=60)
@given(st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-9999, max_value=9999))
def test_a_decimal_is_itself_whatever_its_zeros(number: Decimal) -> None:
    assert exact(str(number)) == exact(f"{number:.6f}") == Fraction(number)

"""Exact arithmetic with decimal numbers as people write them, and tolerances for comparing them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from domain.reading.units import unit_of

MOST_DIGITS = 40
"""The maximum number of digits; more are a typing error."""
_WRITTEN = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?")
_SEPARATED = re.compile(r"[+-]?[0-9]{1,3}(?:[,.'\u2019\s][0-9]{3})+(?:[.,][0-9]+)?|[+-]?[0-9]*,[0-9]+")


def normal(value: Any) -> Any:
    """Return a number as the text that is stored, keeping its digits: ``0.10`` stays ``0.10``.

    Other values are returned unchanged.

    >>> normal("+0.10"), normal(0.1), normal(7), normal("007.50"), normal("1,5")
    ('0.10', '0.1', '7', '7.50', '1,5')
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return value
    if not isinstance(value, str):
        return format(Decimal(repr(value)), "f") if math.isfinite(value) else value
    match = _WRITTEN.fullmatch(value.strip())
    if match is None or not (match[2] or match[3]):
        return value
    sign, whole, part = match[1], match[2].lstrip("0") or "0", match[3] or ""
    minus = "-" if sign == "-" and (whole + part).strip("0") else ""
    return f"{minus}{whole}{'.' if part else ''}{part}"


def problem(value: Any) -> str | None:
    """Return the reason why a value is not a decimal number, as half a sentence, or None if it is one."""
    if exact(value) is not None:
        digits = sum(map(str.isdigit, normal(value)))
        return f"the value has {digits} digits; use at most {MOST_DIGITS} digits." if digits > MOST_DIGITS else None
    if isinstance(value, str) and _SEPARATED.fullmatch(value.strip()):
        return "use a decimal point and no thousands separators, for example 1200.5."
    return "the value must be a number in digits, such as 12 or 0.5."


def exact(value: Any) -> Fraction | None:
    """Return the exact number: 0.1 and ``0.10`` are one tenth. Return None for other values, and a fraction unchanged.

    >>> exact(0.1) == exact("0.10") == Fraction(1, 10), exact(True), exact("1 m")
    (True, None, None)
    """
    if isinstance(value, Fraction):
        return value
    kept = normal(value)
    if not isinstance(kept, str) or not (match := _WRITTEN.fullmatch(kept)) or not match[2]:
        return None
    return Fraction(kept)


@dataclass(frozen=True)
class Tolerance:
    """The largest difference at which two numbers agree, given by one of these fields. The limit itself counts."""

    absolute: Fraction | None = None
    relative: Fraction | None = None
    """A share of the right number. If neither number is known to be right, a share of the larger absolute value."""
    rounded: Fraction | None = None
    """The unit of rounding: numbers agree if they round to the same multiple, with halves away from 0."""

    def holds(self, one: Fraction, other: Fraction, *, right: Fraction | None = None) -> bool:
        """Whether two numbers agree. ``right`` is the number that a relative tolerance refers to; it may be one of the
        two.
        """
        if self.rounded is not None:
            return _rounded(one / self.rounded) == _rounded(other / self.rounded)
        base = max(abs(one), abs(other)) if right is None else abs(right)
        return abs(one - other) <= (self.absolute or 0) + (self.relative or 0) * base

    def in_words(self) -> str:
        """Return the tolerance in words, such as ``0.5``, ``5 %`` or ``rounded to 0.01``."""
        if self.rounded is not None:
            return f"rounded to {_short(self.rounded)}"
        return _short(self.absolute or 0) if self.relative is None else f"{_short(self.relative * 100)} %"


EXACT = Tolerance()
"""No tolerance: numbers must be equal."""


def step_of(unit: str | None, within: str) -> Fraction | None:
    """Return the size of unit ``within`` in ``unit``: 1 cm is a hundredth of a meter.

    The result is None if the units measure different quantities.

    >>> step_of("m", "cm"), step_of("s", "min"), step_of("m", "kg"), step_of(None, "cm")
    (Fraction(1, 100), Fraction(60, 1), None, None)
    """
    own, other = unit_of(unit or ""), unit_of(within)
    return other[1] / own[1] if own and other and own[0] == other[0] else None


def _rounded(value: Fraction) -> int:
    whole = math.floor(abs(value) + Fraction(1, 2))
    return -whole if value < 0 else whole


def _short(value: Fraction | int) -> str:
    return f"{float(value):g}"

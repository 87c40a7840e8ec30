"""Exact frame rates and frame numbers: 0.35 s at 60 frames per second is frame 21, not frame 20."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction

LEAST, MOST = 1, 1000
_DECIMAL = re.compile(r"[0-9]{1,4}(?:\.([0-9]{0,30}))?", re.ASCII)
_FRACTION = re.compile(r"([0-9]{1,9})/([0-9]{1,9})", re.ASCII)
_AS_WRITTEN = Fraction(1, 10**9)
"""Largest difference between a rounded number and the rate that it stands for."""


def rate(text: str) -> Fraction | None:
    """Return the frames per second of a number or fraction, or None outside 1 to 1000.

    A television rate, such as 29.97, becomes the exact fraction, whatever the number of digits.

    >>> [str(rate(text)) for text in ("59.94", "59.9400599400599", "29.97", "47.952047952047955", "50.0", "12.5")]
    ['60000/1001', '60000/1001', '30000/1001', '48000/1001', '50', '25/2']
    >>> str(rate("30000/1001")), rate("0"), rate("fast")
    ('30000/1001', None, None)
    """
    text = text.strip()
    if match := _FRACTION.fullmatch(text):
        exact = Fraction(int(match[1]), int(match[2])) if int(match[2]) else Fraction(0)
    elif match := _DECIMAL.fullmatch(text):
        exact = Fraction(text.rstrip("."))
        television = Fraction(1000 * math.ceil(exact), 1001)
        apart = max(Fraction(1, 2 * 10 ** len(match[1] or "")), _AS_WRITTEN)
        if exact.denominator > 1 and abs(exact - television) <= apart:
            exact = television
    else:
        return None
    return exact if LEAST <= exact <= MOST else None


def frame_at(seconds: Decimal, rate: Fraction) -> int:
    """Return the frame on screen at a time, counted from 0.

    >>> frame_at(Decimal("1.89"), Fraction(60)), frame_at(Decimal("0.35"), Fraction(60))
    (113, 21)
    """
    n, of = seconds.as_integer_ratio()
    return n * rate.numerator // (of * rate.denominator)


def first_frame_from(seconds: Decimal, rate: Fraction) -> int:
    """Return the first frame that appears at a time or after it, counted from 0.

    >>> first_frame_from(Decimal("0.35"), Fraction(60)), first_frame_from(Decimal("0.36"), Fraction(60))
    (21, 22)
    """
    n, of = seconds.as_integer_ratio()
    return -(-n * rate.numerator // (of * rate.denominator))


def as_text(rate: Fraction) -> str:
    """Return a rate as files have it: 50, or 60000/1001."""
    return str(rate)

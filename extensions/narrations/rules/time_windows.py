"""Windows around single moments, for narrations of which only one moment is known.

The rule is that of EgoVLP (Lin et al., 2022, arXiv 2206.01670, section 3.1), which EgoPlan-Bench names: a narration at
``t`` lasts from ``t - b / 2a`` to ``t + b / 2a``, where ``b`` is the mean time between neighbouring narrations of its
video and ``a`` the mean of ``b`` over all videos, 4.9 s in Ego4D.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal

MICROSECOND = Decimal("0.000001")
EGO4D_SPACING = Decimal("4.9")
"""The mean of all videos of Ego4D, in seconds."""


def to_microsecond(seconds: Decimal) -> Decimal:
    """The nearest whole microsecond."""
    return seconds.quantize(MICROSECOND, ROUND_HALF_EVEN).normalize() + 0


def spacing(moments: Sequence[Decimal]) -> Decimal | None:
    """The mean time between neighbours; None where no two moments differ.

    >>> spacing([Decimal(2), Decimal(5), Decimal(10)])
    Decimal('4')
    """
    if len(moments) < 2 or max(moments) == min(moments):
        return None
    return (max(moments) - min(moments)) / (len(moments) - 1)


def window(moment: Decimal, spacing: Decimal, whole: Decimal) -> tuple[Decimal, Decimal]:
    """From when to when a narration lasts that was given one moment; never before the video begins.

    >>> [str(each) for each in window(Decimal("3.3445"), Decimal("3.6946"), Decimal("4.9"))]
    ['2.9675', '3.7215']
    """
    half = spacing / (2 * whole)
    return to_microsecond(max(moment - half, Decimal(0))), to_microsecond(moment + half)

"""Time windows around single moments, for narrations with one moment instead of a span.

EgoPlan-Bench names the rule of EgoVLP (Lin et al., 2022, arXiv 2206.01670, section 3.1). A narration at ``t`` lasts
from ``t - b / 2a`` to ``t + b / 2a``. Here ``b`` is the mean time between neighboring narrations of its video, and
``a`` is the mean of ``b`` over all videos, 4.9 s in Ego4D.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal

MICROSECOND = Decimal("0.000001")
EGO4D_SPACING = Decimal("4.9")
"""Mean of all videos of Ego4D, in seconds."""


def to_microsecond(seconds: Decimal) -> Decimal:
    """Return the nearest whole microsecond."""
    return seconds.quantize(MICROSECOND, ROUND_HALF_EVEN).normalize() + 0


def spacing(moments: Sequence[Decimal]) -> Decimal | None:
    """Return the mean time between neighboring moments, or None if all moments are the same.

    >>> spacing([Decimal(2), Decimal(5), Decimal(10)])
    Decimal('4')
    """
    if len(moments) < 2 or max(moments) == min(moments):
        return None
    return (max(moments) - min(moments)) / (len(moments) - 1)


def window(moment: Decimal, spacing: Decimal, whole: Decimal) -> tuple[Decimal, Decimal]:
    """Return the start and stop of a narration with one moment; the start is never before the video.

    >>> [str(each) for each in window(Decimal("3.3445"), Decimal("3.6946"), Decimal("4.9"))]
    ['2.9675', '3.7215']
    """
    half = spacing / (2 * whole)
    return to_microsecond(max(moment - half, Decimal(0))), to_microsecond(moment + half)

"""Decide the facts of a file once, from its decoded content, for pages, models, releases and boxes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from media import orientation


@dataclass(frozen=True)
class MediaFacts:
    """Size, orientation and length of an image or a clip."""

    width: int
    """Width in pixels in the displayed orientation: upright."""
    height: int
    orientation: int = orientation.UPRIGHT
    """Rotation of the stored pixels for display, as an EXIF number (1 to 8)."""
    times: tuple[float, ...] = ()
    """For a clip: the time when each frame comes on screen, in seconds, rising."""
    duration: float | None = None
    """For a clip: the end of its last frame or sound, in seconds. Headers do not decide it."""


def displayed_size(width: int, height: int, pixel: Fraction) -> tuple[int, int]:
    """Return the size at which stored pixels are displayed, before they are turned.

    ``pixel`` is the width of a pixel over its height. As in browsers, pixels are stretched, and nothing shrinks.

    >>> displayed_size(720, 576, Fraction(16, 15)), displayed_size(720, 480, Fraction(8, 9))
    ((768, 576), (720, 540))
    """
    return (round(width * pixel), height) if pixel > 1 else (width, round(height / pixel))

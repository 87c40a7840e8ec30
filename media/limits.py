"""Limits on the size of a file. ``docs/media.md`` lists the same numbers for operators."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """The limits for one file. Pixels are counted from the header, before anything is decoded."""

    image_bytes: int = 64 * MIB
    image_pixels: int = 80_000_000
    image_side: int = 30_000
    """Longest side in pixels."""
    clip_bytes: int = 512 * MIB
    clip_pixels: int = 3840 * 2160
    """Pixels of one frame."""
    clip_seconds: float = 600.0


LIMITS = Limits()

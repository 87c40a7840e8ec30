"""Measure how similar two pictures look."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

BITS = 64

ALIKE = 6
"""Largest number of different bits between the hashes of images that look alike."""


def difference_hash(picture: Image.Image) -> int:
    """Return 64 bits that say where the brightness rises from left to right, on 9 x 8 gray pixels.

    The number is signed, as in databases. Similar pictures differ in few bits (``distance``), whatever their size,
    format or quality. A uniform picture has no bit set.
    """
    small = picture.convert("L").resize((9, 8), Image.Resampling.BOX)
    grey = small.tobytes()
    bits = 0
    for row in range(8):
        for column in range(8):
            at = 9 * row + column
            bits = bits << 1 | (grey[at + 1] > grey[at])
    return bits - (1 << BITS) if bits >> (BITS - 1) else bits


def hash_of_file(path: Path) -> int:
    """Return the hash of a copy that the media store has made."""
    with Image.open(path, formats=["JPEG", "WEBP"]) as picture:
        return difference_hash(picture)


def distance(one: int, other: int) -> int:
    """Return the number of bits in which two hashes differ.

    >>> distance(-1, 0)
    64
    """
    return ((one ^ other) & ((1 << BITS) - 1)).bit_count()

"""Paint over rectangles of a picture, so that nothing inside them is left.

Each rectangle is filled with one color: the mean of the pixels around it that lie in no rectangle. No pixel inside
affects the result, so nothing can be restored, unlike with blurring or large pixels (Hill et al., PoPETs 2016).
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

VERSION = 1
"""Increased whenever the same rectangles give other pixels."""
GREY = (128, 128, 128)
"""The color where all of the picture is covered."""
_LARGE = 4_000_000
"""A JPEG photo with more pixels is written as JPEG again, not as PNG."""

Edges = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels. Right and bottom lie outside."""


def edges(size: tuple[int, int], box: Mapping[str, float], *, margin: float) -> Edges:
    """Return the pixels to paint for a box in fractions of the picture.

    The box grows by ``margin`` of its width and height on every side. Every pixel that it touches is painted.

    >>> edges((100, 50), {"x": 0.2, "y": 0.2, "w": 0.1, "h": 0.2}, margin=0.1)
    (19, 9, 31, 21)
    """
    width, height = size
    wider, higher = box["w"] * margin, box["h"] * margin
    left, top = (box["x"] - wider) * width, (box["y"] - higher) * height
    right, bottom = (box["x"] + box["w"] + wider) * width, (box["y"] + box["h"] + higher) * height
    return (
        max(0, _down(left)),
        max(0, _down(top)),
        min(width, -_down(-right)),
        min(height, -_down(-bottom)),
    )


def _down(at: float) -> int:
    """Return the pixel of a position. A position just before the next pixel counts as that pixel."""
    return math.floor(at + 1e-6)


def covered(picture: Image.Image, areas: Sequence[Edges]) -> Image.Image:
    """Return a copy of an RGB picture with these areas painted over, in their order."""
    pixels = np.array(picture, dtype=np.uint8)
    open_ = np.ones(pixels.shape[:2], dtype=bool)
    for left, top, right, bottom in areas:
        open_[top:bottom, left:right] = False
    made = pixels.copy()
    for left, top, right, bottom in areas:
        made[top:bottom, left:right] = _around(pixels, open_, (left, top, right, bottom))
    return Image.fromarray(made)


def _around(pixels: NDArray[np.uint8], open_: NDArray[np.bool_], area: Edges) -> tuple[int, ...]:
    """Return the mean color of the pixels next to an area that lie in no area."""
    left, top, right, bottom = area
    outer = np.zeros_like(open_)
    outer[max(0, top - 1) : bottom + 1, max(0, left - 1) : right + 1] = True
    ring = pixels[outer & open_].astype(np.int64)
    if not len(ring):
        ring = pixels[open_].astype(np.int64)
    if not len(ring):
        return GREY
    return tuple(int(channel) for channel in (2 * ring.sum(axis=0) + len(ring)) // (2 * len(ring)))


def covered_file(picture: Image.Image, areas: Sequence[Edges], *, mime: str) -> bytes:
    """Return a picture (upright, RGB) with covered areas, as a file without metadata: PNG, or JPEG of a large photo."""
    picture = covered(picture, areas)
    out = io.BytesIO()
    if mime == "image/jpeg" and picture.width * picture.height > _LARGE:
        picture.save(out, "JPEG", quality=95, subsampling=0)
    else:
        picture.save(out, "PNG")
    return out.getvalue()

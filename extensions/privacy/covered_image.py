"""Rectangles of a picture painted over, so that nothing of what was in them is left.

Each is filled with one colour: the mean of the pixels that lie around it, outside of every rectangle. No pixel from
within has any part in what is written, so there is nothing to be worked out again, as there is with a blur or large
pixels (Hill et al., PoPETs 2016): pictures that differ within the rectangles alone come out alike.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

VERSION = 1
"""Goes up whenever the same rectangles come out as other pixels."""
GREY = (128, 128, 128)
"""Where all of the picture is covered."""
_LARGE = 4_000_000
"""Pixels beyond which a photo that came as JPEG is written as JPEG again."""

Edges = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels; right and bottom are the first that lie outside."""


def edges(size: tuple[int, int], box: Mapping[str, float], *, margin: float) -> Edges:
    """The pixels that are painted for a box (fractions of the picture), made wider by ``margin`` of its own width on
    either side, and higher likewise: every pixel of which a part lies within, as far as there are any.

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
    """The pixel in which a place lies; a hair before the next one counts as there."""
    return math.floor(at + 1e-6)


def covered(picture: Image.Image, areas: Sequence[Edges]) -> Image.Image:
    """A copy of the picture (RGB) with these areas painted over, in their order."""
    pixels = np.array(picture, dtype=np.uint8)
    open_ = np.ones(pixels.shape[:2], dtype=bool)
    for left, top, right, bottom in areas:
        open_[top:bottom, left:right] = False
    made = pixels.copy()
    for left, top, right, bottom in areas:
        made[top:bottom, left:right] = _around(pixels, open_, (left, top, right, bottom))
    return Image.fromarray(made)


def _around(pixels: NDArray[np.uint8], open_: NDArray[np.bool_], area: Edges) -> tuple[int, ...]:
    """The mean colour of the pixels next to an area that lie in no area."""
    left, top, right, bottom = area
    outer = np.zeros_like(open_)
    outer[max(0, top - 1) : bottom + 1, max(0, left - 1) : right + 1] = True
    ring = pixels[outer & open_].astype(np.int64)
    if not len(ring):
        ring = pixels[open_].astype(np.int64)
    if not len(ring):
        return GREY
    return tuple(int(each) for each in (2 * ring.sum(axis=0) + len(ring)) // (2 * len(ring)))


def written(picture: Image.Image, areas: Sequence[Edges], *, mime: str) -> bytes:
    """Return a picture (upright, RGB) with covered areas, as a file without metadata: PNG, or JPEG of a large photo."""
    picture = covered(picture, areas)
    out = io.BytesIO()
    if mime == "image/jpeg" and picture.width * picture.height > _LARGE:
        picture.save(out, "JPEG", quality=95, subsampling=0)
    else:
        picture.save(out, "PNG")
    return out.getvalue()

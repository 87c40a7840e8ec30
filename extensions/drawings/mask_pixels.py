"""Masks on pictures: the pixels that they fill, and how these pixels are tinted, outlined, or painted over.

A pixel is filled if its center lies in the mask. Polygons use the even-odd rule: a ray from the center crosses an odd
number of their lines. A mask of pixels is stretched over the picture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from annotation_schemas.drawing import GREY, RED, TINT
from domain.errors import InvalidMediaError
from extensions.drawings.run_lengths import counts_of
from media.drawn import WHITE

Filled = npt.NDArray[np.bool_]


def paint(picture: Image.Image, masks: Sequence[Mapping[str, Any]], line: int) -> None:
    """Draw the masks on a picture (RGB): first the covered areas, then the tints and outlines of the other masks."""
    if not masks:
        return
    pixels = np.array(picture)
    left = np.zeros(pixels.shape[:2], dtype=np.bool_)
    for area in (outside := [mask for mask in masks if mask.get("cover") == "outside"]):
        left |= filled(area, picture.size)
    if outside:
        pixels[~left] = GREY
    for mask in masks:
        if mask.get("cover") == "inside":
            pixels[filled(mask, picture.size)] = GREY
    for mask in masks:
        if mask.get("cover") is None:
            _tinted(pixels, filled(mask, picture.size), line)
    picture.paste(Image.fromarray(pixels))


def filled(mask: Mapping[str, Any], size: tuple[int, int]) -> Filled:
    """Return which pixels a mask fills in a picture of this width and height. Shape: (height, width)."""
    if "rle" in mask:
        return _of_runs(mask["rle"], *size)
    return _of_rings(mask["rings"], *size)


def _of_rings(rings: Sequence[Sequence[Sequence[float]]], width: int, height: int) -> Filled:
    """Return the pixels inside of the rings. Each line flips all pixels to its right, in the rows between its ends."""
    turns = np.zeros((height, width + 1), dtype=np.uint8)
    for ring in rings:
        points = [(x * width - 0.5, y * height - 0.5) for x, y in ring]  # the centers of pixels are now whole numbers
        for one, other in zip(points, [*points[1:], points[0]], strict=True):
            (left, top), (right, bottom) = sorted((one, other), key=lambda point: point[1])
            rows = np.arange(max(int(np.ceil(top)), 0), min(int(np.ceil(bottom)), height))
            if rows.size:
                at = left + (rows - top) * ((right - left) / (bottom - top))
                turns[rows, np.clip(np.ceil(at), 0, width).astype(np.intp)] ^= 1
    return np.bitwise_xor.accumulate(turns, axis=1)[:, :width].astype(np.bool_)


def _of_runs(rle: Mapping[str, Any], width: int, height: int) -> Filled:
    high, wide = rle["size"]
    if abs(wide * height - high * width) >= max(width, height):
        raise InvalidMediaError(
            f"A mask of {wide} x {high} pixels does not fit an image of {width} x {height}, because the proportions "
            "differ. Set `size` to `[height, width]` of the upright image."
        )
    counts = counts_of(rle["counts"]) or []
    columns = np.repeat(np.arange(len(counts)) % 2 == 1, counts).reshape(wide, high)
    across = (2 * np.arange(width) + 1) * wide // (2 * width)
    down = (2 * np.arange(height) + 1) * high // (2 * height)
    return np.ascontiguousarray(columns[np.ix_(across, down)].T)


def _tinted(pixels: npt.NDArray[np.uint8], area: Filled, line: int) -> None:
    """Tint the area, and draw a red line between two white lines along its inner edge."""
    halo = max(1, line // 2)
    rows, columns = (np.flatnonzero(area.any(axis=axis)) for axis in (1, 0))
    if not rows.size:
        return
    top, left = max(rows[0] - halo, 0), max(columns[0] - halo, 0)
    part = np.s_[top : rows[-1] + halo + 1, left : columns[-1] + halo + 1]
    inside, there = area[part], pixels[part]
    share, whole = TINT
    tint = (there.astype(np.uint16) * (whole - share) + np.array(RED, dtype=np.uint16) * share) // whole
    there[inside] = tint.astype(np.uint8)[inside]
    outer, inner = _grown(inside, halo), ~_grown(~inside, line, edge=True)
    there[outer & ~inside] = WHITE
    there[inside & ~inner] = RED
    there[inner & _grown(~inner, halo)] = WHITE


def _grown(area: Filled, by: int, *, edge: bool = False) -> Filled:
    """Return the area grown by ``by`` pixels, diagonals included.

    ``edge``: the outside of the picture counts as filled.
    """
    import cv2  # imported only when a mask is drawn

    around = np.ones((2 * by + 1, 2 * by + 1), dtype=np.uint8)
    grown = cv2.dilate(area.view(np.uint8), around, borderType=cv2.BORDER_CONSTANT, borderValue=int(edge))
    return np.asarray(grown, dtype=np.bool_)

"""Drawing soft, lit shapes with Pillow and numpy: masks drawn too large, and light laid over them.

A ``Tile`` is a small transparent picture with a coordinate system of its own: the origin is the point where the thing
stands on the table, y points up, and one unit is about the height of a cup. Shapes are put on it one over the other;
then the tile is finished and stamped on the ``Canvas``, after its shadow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from scipy import ndimage

Array = NDArray[Any]
"""Of float32; what is computed along the way may be wider."""
Colour = tuple[float, float, float]
Point = tuple[float, float]

OVERSAMPLING = 3
SQUASH = 0.55
"""How much shorter the depth of a thing lying on the table looks than its width: the eye looks down at it aslant."""


def hex_colour(text: str) -> Colour:
    """``#rrggbb`` as three numbers in 0..1."""
    return (int(text[1:3], 16) / 255, int(text[3:5], 16) / 255, int(text[5:7], 16) / 255)


def mixed(a: Colour, b: Colour, t: float) -> Colour:
    """``a`` at 0, ``b`` at 1."""
    return (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t)


def darker(colour: Colour, by: float = 0.25) -> Colour:
    return mixed(colour, (colour[0] * 0.3, colour[1] * 0.25, colour[2] * 0.32), by)


def lighter(colour: Colour, by: float = 0.25) -> Colour:
    return mixed(colour, (1.0, 0.99, 0.96), by)


def turned(points: Iterable[Point], degrees: float, *, about: Point = (0, 0)) -> list[Point]:
    """Points turned counter-clockwise."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [
        (about[0] + (x - about[0]) * cos - (y - about[1]) * sin, about[1] + (x - about[0]) * sin + (y - about[1]) * cos)
        for x, y in points
    ]


def on_table(points: Iterable[Point], degrees: float = 0.0, *, height: float = 0.0) -> list[Point]:
    """Points of the table's plane as they are seen from above, aslant; ``height`` lifts them."""
    return [(x, y * SQUASH + height) for x, y in turned(points, degrees)]


def smooth(points: Sequence[Point], *, closed: bool = True, steps: int = 10) -> list[Point]:
    """A curve through all the points (Catmull-Rom)."""
    n = len(points)
    out: list[Point] = []
    for i in range(n if closed else n - 1):
        p0, p1 = points[(i - 1) % n] if closed or i else points[0], points[i]
        p2 = points[(i + 1) % n]
        p3 = points[(i + 2) % n] if closed or i + 2 < n else points[-1]
        for k in range(steps):
            t = k / steps
            out.append(
                tuple(  # type: ignore[arg-type]
                    0.5
                    * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t * t * t)
                    for a, b, c, d in zip(p0, p1, p2, p3, strict=True)
                )
            )
    if not closed:
        out.append(points[-1])
    return out


def rounded(width: float, height: float, radius: float, *, at: Point = (0, 0)) -> list[Point]:
    """A rectangle with round corners around ``at``."""
    out = []
    for cx, cy, start in (
        (width / 2 - radius, height / 2 - radius, 0),
        (-width / 2 + radius, height / 2 - radius, 90),
        (-width / 2 + radius, -height / 2 + radius, 180),
        (width / 2 - radius, -height / 2 + radius, 270),
    ):
        for k in range(7):
            angle = math.radians(start + 15 * k)
            out.append((at[0] + cx + radius * math.cos(angle), at[1] + cy + radius * math.sin(angle)))
    return out


def circle(radius: float, *, at: Point = (0, 0), squash: float = 1.0, n: int = 56) -> list[Point]:
    """A circle, or an ellipse ``squash`` times as high as wide."""
    return [
        (at[0] + radius * math.cos(2 * math.pi * k / n), at[1] + radius * squash * math.sin(2 * math.pi * k / n))
        for k in range(n)
    ]


def blurred(array: Array, radius: float) -> Array:
    """Gaussian blur; wide ones are made on a smaller copy, which no one can tell apart."""
    if radius <= 0.3:
        return array
    factor = min(int(radius / 2.5), min(array.shape) // 4)
    if factor < 2:
        fine: Array = ndimage.gaussian_filter(array, radius, mode="constant", truncate=2.5)
        return fine
    height, width = array.shape
    image = Image.fromarray(array.astype(np.float32))
    small = image.resize((math.ceil(width / factor), math.ceil(height / factor)), Image.Resampling.BOX)
    soft = ndimage.gaussian_filter(np.asarray(small), radius / factor, mode="constant", truncate=2.5)
    out: Array = np.asarray(Image.fromarray(soft).resize((width, height), Image.Resampling.BICUBIC)).clip(0, 1)
    return out


Window = tuple[slice, slice]


def _window(mask: Array, margin: float = 0) -> Window:
    """The part of a mask that is not empty, and ``margin`` pixels around it."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return slice(0, 0), slice(0, 0)
    m = math.ceil(margin)
    return (
        slice(max(0, int(rows[0]) - m), min(mask.shape[0], int(rows[-1]) + 1 + m)),
        slice(max(0, int(columns[0]) - m), min(mask.shape[1], int(columns[-1]) + 1 + m)),
    )


class Tile:
    """A transparent picture of ``width`` x ``height`` pixels in which one unit is ``unit`` pixels long."""

    def __init__(self, *, left: float, right: float, up: float, down: float, unit: float) -> None:
        self.unit = unit
        self.origin = (math.ceil(left * unit) + 2, math.ceil(up * unit) + 2)
        self.width = self.origin[0] + math.ceil(right * unit) + 2
        self.height = self.origin[1] + math.ceil(down * unit) + 2
        self.rgb: Array = np.zeros((self.height, self.width, 3), np.float32)  # premultiplied
        self.alpha: Array = np.zeros((self.height, self.width), np.float32)

    # ---- masks ----------------------------------------------------------------------------------------------------

    def _pixels(self, points: Iterable[Point]) -> list[Point]:
        scale = OVERSAMPLING
        x0, y0 = self.origin
        return [((x0 + x * self.unit) * scale, (y0 - y * self.unit) * scale) for x, y in points]

    def _mask(self, points: list[Point], margin: float, draw: Callable[[ImageDraw.ImageDraw, Point], None]) -> Array:
        """What ``draw`` draws, on a large copy of no more than the part of the tile around ``points``."""
        scale = OVERSAMPLING
        mask: Array = np.zeros((self.height, self.width), np.float32)
        xs, ys = [x for x, _ in points], [y for _, y in points]
        left, top = max(0, int((min(xs) - margin) / scale) - 1), max(0, int((min(ys) - margin) / scale) - 1)
        right = min(self.width, int((max(xs) + margin) / scale) + 2)
        bottom = min(self.height, int((max(ys) + margin) / scale) + 2)
        if left >= right or top >= bottom:
            return mask
        big = Image.new("L", ((right - left) * scale, (bottom - top) * scale), 0)
        draw(ImageDraw.Draw(big), (left * scale, top * scale))
        mask[top:bottom, left:right] = np.asarray(big.reduce(scale), dtype=np.float32) / 255
        return mask

    def polygon(self, *shapes: Sequence[Point]) -> Array:
        """The mask of one or several closed shapes together."""
        outlines = [self._pixels(shape) for shape in shapes]

        def draw(pen: ImageDraw.ImageDraw, corner: Point) -> None:
            for outline in outlines:
                pen.polygon([(x - corner[0], y - corner[1]) for x, y in outline], fill=255)

        return self._mask([point for outline in outlines for point in outline], 0, draw)

    def stroke(self, points: Sequence[Point], width: float | Sequence[float]) -> Array:
        """The mask of a line with round ends; ``width`` may change along it."""
        widths = [float(width)] * 2 if isinstance(width, int | float) else [float(w) for w in width]
        pixels = self._pixels(_dense(points, step=min(0.02, max(0.004, min(widths) / 5))))
        places = np.linspace(0, len(widths) - 1, len(pixels))
        radii = np.interp(places, np.arange(len(widths)), widths) * self.unit * OVERSAMPLING / 2

        def draw(pen: ImageDraw.ImageDraw, corner: Point) -> None:
            for (x, y), r in zip(pixels, radii.tolist(), strict=True):
                cx, cy = x - corner[0], y - corner[1]
                pen.ellipse((cx - r, cy - r, cx + r, cy + r), fill=255)

        return self._mask(pixels, float(radii.max()), draw)

    def soft(self, points: Sequence[Point], radius: float, blur: float) -> Array:
        """Blurred discs around these points, as a mask."""
        spots = self.polygon(*(circle(radius, at=point, n=24) for point in points))
        part = _window(spots, blur * self.unit * 2.5)
        spots[part] = blurred(spots[part], blur * self.unit)
        return spots

    # ---- light ----------------------------------------------------------------------------------------------------

    def across(self, left: float, right: float, stops: Sequence[tuple[float, float]]) -> Array:
        """Brightness that changes from left to right (in units); ``stops`` are (place in 0..1, factor)."""
        x = (np.arange(self.width, dtype=np.float32) - self.origin[0]) / self.unit
        t = np.clip((x - left) / (right - left), 0, 1)
        row = np.interp(t, [s for s, _ in stops], [f for _, f in stops]).astype(np.float32)
        return np.broadcast_to(row[None, :], (self.height, self.width))

    def upward(self, low: float, high: float, stops: Sequence[tuple[float, float]]) -> Array:
        """Brightness that changes from ``low`` to ``high`` (in units)."""
        y = (self.origin[1] - np.arange(self.height, dtype=np.float32)) / self.unit
        t = np.clip((y - low) / (high - low), 0, 1)
        column = np.interp(t, [s for s, _ in stops], [f for _, f in stops]).astype(np.float32)
        return np.broadcast_to(column[:, None], (self.height, self.width))

    def ball(self, centre: Point, radius: float, *, squash: float = 1.0) -> Array:
        """Brightness of a ball lit from the upper left."""
        y, x = np.mgrid[0 : self.height, 0 : self.width].astype(np.float32)
        dx = ((x - self.origin[0]) / self.unit - centre[0]) / radius
        dy = ((self.origin[1] - y) / self.unit - centre[1]) / (radius * squash)
        height = np.sqrt(np.clip(1 - dx * dx - dy * dy, 0, 1))
        lit = np.clip(-0.45 * dx + 0.6 * dy + 0.66 * height, 0, 1)
        shade: Array = (0.5 + 0.68 * lit).astype(np.float32)
        return shade

    def clay(self, mask: Array, roundness: float, strength: float = 0.5) -> Array:
        """Brightness of a soft solid of this outline: its upper left edge catches light, its lower right loses it."""
        radius = roundness * self.unit
        shade: Array = np.ones_like(mask)
        part = _window(mask, radius * 2.5)
        if part[0].stop - part[0].start < 3 or part[1].stop - part[1].start < 3:
            return shade
        gy, gx = np.gradient(blurred(mask[part], radius))
        shade[part] = np.clip(1 + strength * (gx * 0.6 + gy * 0.8) * radius * 2.2, 0.45, 1.5)
        return shade

    # ---- putting on -----------------------------------------------------------------------------------------------

    def put(self, mask: Array, colour: Colour, *, light: Array | float = 1.0, opacity: float = 1.0) -> None:
        """Lay a shape over what is there. Light above 1 goes towards white, below 1 towards a deeper colour."""
        part = _window(mask)
        alpha = mask[part] * opacity
        base = np.asarray(colour, np.float32)
        if isinstance(light, np.ndarray):
            lit = light[part]
            over, under = np.clip(lit - 1, 0, 1)[..., None], np.clip(lit, 0, 1)[..., None]
            paint = base * under ** np.asarray((0.95, 1.1, 1.0), np.float32)
            paint = paint + (1 - paint) * over
        else:
            paint = np.broadcast_to(base * light, (*alpha.shape, 3))
        self.rgb[part] = self.rgb[part] * (1 - alpha[..., None]) + np.clip(paint, 0, 1) * alpha[..., None]
        self.alpha[part] = self.alpha[part] * (1 - alpha) + alpha

    def gloss(self, mask: Array, blur: float, strength: float) -> None:
        """A soft white shine where the mask is, only on what is already there."""
        part = _window(mask, blur * self.unit * 2.5)
        shine = (blurred(mask[part], blur * self.unit) * strength * self.alpha[part])[..., None]
        self.rgb[part] = self.rgb[part] * (1 - shine) + shine

    def dim(self, mask: Array, blur: float, strength: float) -> None:
        """A soft shadow where the mask is, only on what is already there."""
        part = _window(mask, blur * self.unit * 2.5)
        self.rgb[part] *= (1 - blurred(mask[part], blur * self.unit) * strength)[..., None]

    def finished(self) -> Stamp:
        """What was drawn, cut to its outline."""
        rows, columns = _window(self.alpha)
        origin = (self.origin[0] - columns.start, self.origin[1] - rows.start)
        return Stamp(_bytes(self.rgb[rows, columns]), _bytes(self.alpha[rows, columns]), origin)


Bytes = NDArray[np.uint8]


def _bytes(values: Array) -> Bytes:
    scaled: Bytes = (np.clip(values, 0, 1) * 255 + 0.5).astype(np.uint8)
    return scaled


@dataclass(frozen=True)
class Stamp:
    """A finished tile, small enough to be kept: colours (premultiplied), opacity, and the pixel of the origin."""

    rgb: Bytes
    alpha: Bytes
    origin: tuple[int, int]

    def mirrored(self) -> Stamp:
        """With left and right exchanged, the light too."""
        width = self.alpha.shape[1]
        return Stamp(self.rgb[:, ::-1].copy(), self.alpha[:, ::-1].copy(), (width - 1 - self.origin[0], self.origin[1]))


def _dense(points: Sequence[Point], step: float) -> list[Point]:
    out: list[Point] = []
    for (x0, y0), (x1, y1) in pairwise(points):
        n = max(1, int(math.hypot(x1 - x0, y1 - y0) / step))
        out += [(x0 + (x1 - x0) * k / n, y0 + (y1 - y0) * k / n) for k in range(n)]
    out.append(points[-1])
    return out


class Canvas:
    """The picture itself: float RGB in 0..1."""

    def __init__(self, background: Array) -> None:
        self.rgb = background  # painted over
        self.height, self.width = background.shape[:2]

    def _overlap(self, x: int, y: int, height: int, width: int) -> tuple[slice, slice, slice, slice] | None:
        top, left = max(0, y), max(0, x)
        bottom, right = min(self.height, y + height), min(self.width, x + width)
        if top >= bottom or left >= right:
            return None
        return slice(top, bottom), slice(left, right), slice(top - y, bottom - y), slice(left - x, right - x)

    def shadow(self, at: Point, half_width: float, half_height: float, *, strength: float = 0.45) -> None:
        """A soft shadow on the table around ``at``, drawn out to the lower right: light comes from the upper left."""
        reach = int(half_width * 2.6) + 8
        rise = int(half_height * 2.8) + 8
        mask = _soft_ellipse(reach, rise, round(half_width, 1), round(half_height, 1))
        self._darken(
            mask, int(at[0]) - reach + int(half_width * 0.22), int(at[1]) - rise + int(half_height * 0.2), strength
        )

    def _darken(self, mask: Array, x: int, y: int, strength: float) -> None:
        place = self._overlap(x, y, *mask.shape)
        if place is None:
            return
        rows, columns, tile_rows, tile_columns = place
        taken = np.asarray((0.9, 0.93, 0.93), np.float32) * strength
        self.rgb[rows, columns] *= 1 - mask[tile_rows, tile_columns][..., None] * taken

    def cast(
        self, stamp: Stamp, at: Point, *, offset: Point = (16, 12), blur: float = 12, strength: float = 0.35
    ) -> None:
        """The shadow of something that hovers above the table, such as a hand: its own outline, moved and blurred."""
        if not stamp.alpha.size:
            return
        margin = int(blur * 2.5)
        mask = blurred(np.pad(stamp.alpha.astype(np.float32) / 255, margin), blur)
        x, y = int(at[0] + offset[0]) - stamp.origin[0] - margin, int(at[1] + offset[1]) - stamp.origin[1] - margin
        self._darken(mask, x, y, strength)

    def lay(self, stamp: Stamp, at: Point) -> None:
        """Put a stamp so that its origin lies at this pixel."""
        place = self._overlap(int(at[0]) - stamp.origin[0], int(at[1]) - stamp.origin[1], *stamp.alpha.shape)
        if place is None:
            return
        rows, columns, from_rows, from_columns = place
        part = self.rgb[rows, columns]
        part *= 1 - stamp.alpha[from_rows, from_columns, None] * np.float32(1 / 255)
        part += stamp.rgb[from_rows, from_columns] * np.float32(1 / 255)

    def image(self) -> Image.Image:
        scaled = self.rgb * 255
        scaled += 0.5
        return Image.fromarray(np.clip(scaled, 0, 255, out=scaled).astype(np.uint8))


@lru_cache(maxsize=256)
def _soft_ellipse(reach: int, rise: int, half_width: float, half_height: float) -> Array:
    """Dark in the middle, fading outwards: a contact shadow."""
    y, x = np.mgrid[-rise : rise + 1, -reach : reach + 1].astype(np.float32)
    distance = np.sqrt((x / half_width) ** 2 + (y / half_height) ** 2)
    fade: Array = np.clip(1.62 - distance, 0, 1).astype(np.float32) ** 1.6
    return fade

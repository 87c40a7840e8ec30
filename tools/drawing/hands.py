"""Hands and forearms that come in from the lower edge, as their owner sees them.

Everything is drawn for a right hand and mirrored for a left one. The origin is the wrist, the arm points down, one unit
is half the length of the hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tools.drawing.canvas import Colour, Point, Stamp, Tile, circle, hex_colour, lighter, mixed, smooth, turned

SKINS: dict[str, str] = {
    "porcelain": "#f3cdb4",
    "sand": "#e3b08c",
    "honey": "#cf9467",
    "chestnut": "#a96f48",
    "cocoa": "#7f5036",
    "ebony": "#573626",
}
SLEEVES: dict[str, str | None] = {
    "navy": "#33466b",
    "rust": "#a9543a",
    "sage": "#7d9a80",
    "cream": "#e8dfcb",
    "plum": "#74506f",
    "mustard": "#c79a3a",
    "teal": "#2f7478",
    "bare": None,
}

_PALM: list[Point] = [
    *((0.0, -0.28), (-0.28, -0.12), (-0.42, 0.3), (-0.47, 0.75), (-0.36, 0.98), (-0.1, 1.05), (0.2, 1.03)),
    *((0.42, 0.88), (0.46, 0.5), (0.36, 0.15), (0.28, -0.12)),
]


@dataclass(frozen=True)
class Pose:
    """The layers of a hand: ``behind`` what it holds, and ``before`` it; ``grip`` is where it holds, in units."""

    behind: Stamp
    before: Stamp
    grip: Point


class _Painter:
    """Puts skin on a tile; every point is turned about the wrist first."""

    def __init__(self, tile: Tile, skin: Colour, sleeve: Colour | None, degrees: float) -> None:
        self.tile, self.skin, self.sleeve, self.degrees = tile, skin, sleeve, degrees
        self.fingers = np.zeros_like(tile.alpha)
        """All fingers so far: where the hand goes on beyond its back, it has no edge to catch light."""

    def at(self, points: Sequence[Point]) -> list[Point]:
        return turned(points, self.degrees)

    def body(self, palm: Sequence[Point], *, knuckles: Sequence[Point] = ()) -> None:
        """Back of the hand and forearm in one piece, fading into the fingers at their ``knuckles``; and the sleeve."""
        tile = self.tile
        arm = [
            (-0.3, 0.3),
            (0.3, 0.3),
            (0.31, 0.0),
            (0.47, -1.6),
            (0.5, -4.4),
            (-0.5, -4.4),
            (-0.47, -1.6),
            (-0.31, 0.0),
        ]
        mask = tile.polygon(self.at(smooth(list(palm))), self.at(arm))
        light = tile.clay(np.maximum(mask, self.fingers), 0.22, 0.66)
        if knuckles:
            mask = mask * (1 - 0.92 * tile.soft([self.at([point])[0] for point in knuckles], 0.1, 0.06))
        tile.put(mask, self.skin, light=light)
        if self.sleeve is not None:
            self._sleeve(self.sleeve)

    def _sleeve(self, colour: Colour) -> None:
        tile = self.tile
        tile.dim(tile.stroke(self.at([(-0.36, -0.56), (0, -0.64), (0.36, -0.56)]), 0.12), 0.06, 0.42)
        hem = smooth([(-0.44, -0.62), (-0.2, -0.7), (0.2, -0.7), (0.44, -0.62)], closed=False)
        cloth = tile.polygon(self.at([*hem, (0.47, -1.0), (0.62, -4.4), (-0.62, -4.4), (-0.47, -1.0)]))
        tile.put(cloth, colour, light=tile.clay(cloth, 0.2, 0.6))
        seam = self.at(smooth([(-0.46, -0.9), (-0.2, -0.98), (0.2, -0.98), (0.46, -0.9)], closed=False))
        tile.dim(tile.stroke([(x, y - 0.02) for x, y in seam], 0.035), 0.012, 0.4)
        tile.gloss(tile.stroke([(x, y + 0.03) for x, y in seam], 0.03), 0.015, 0.18)
        for x, y0, y1 in ((-0.25, -1.2, -1.9), (0.22, -1.5, -2.3), (-0.05, -2.2, -3.0)):
            fold = tile.stroke(self.at(smooth([(x, y0), (x + 0.1, (y0 + y1) / 2), (x - 0.04, y1)], closed=False)), 0.05)
            tile.dim(fold, 0.05, 0.4)

    def finger(self, points: Sequence[Point], width: Sequence[float], *, nail: bool = True, over: bool = False) -> None:
        """A finger through these points, base first; one that lies ``over`` the hand grows out of it."""
        tile = self.tile
        line = self.at(smooth(list(points), closed=False, steps=6) if len(points) > 2 else points)
        mask = tile.stroke(line, list(width))
        around = tile.stroke([(x + 0.02, y - 0.03) for x, y in line], [w + 0.03 for w in width])
        light = tile.clay(mask, 0.085, 0.75)
        self.fingers = np.maximum(self.fingers, mask)
        if over:
            begun = (1 - 1.25 * tile.soft([line[0]], width[0] * 0.95, 0.12)).clip(0, 1)
            mask, around = mask * begun, around * begun
        tile.dim(around, 0.05, 0.5)
        tile.put(mask, self.skin, light=light)
        if nail:
            self._nail(line, width[-1])

    def _nail(self, line: Sequence[Point], width: float) -> None:
        (x0, y0), (x1, y1) = line[-2], line[-1]
        length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5 or 1
        ux, uy = (x1 - x0) / length * width, (y1 - y0) / length * width
        x, y = x1 + ux * 0.06, y1 + uy * 0.06
        outline = [(x + ux * a * 0.36 - uy * b * 0.3, y + uy * a * 0.36 + ux * b * 0.3) for a, b in circle(1)]
        colour = mixed(lighter(self.skin, 0.38), hex_colour("#f4b8b0"), 0.35)
        self.tile.put(self.tile.polygon(outline), colour, opacity=0.85)

    def knuckles(self, places: Sequence[Point]) -> None:
        tile = self.tile
        for x, y in places:
            for dy in (-0.025, 0.025):
                crease = tile.stroke(self.at([(x - 0.06, y + dy), (x, y + dy * 1.6), (x + 0.06, y + dy)]), 0.014)
                tile.dim(crease, 0.012, 0.3)

    def tendons(self) -> None:
        tile = self.tile
        for x in (-0.25, -0.05, 0.15, 0.32):
            ridge = tile.stroke(self.at([(x * 0.7, 0.4), (x, 0.86)]), 0.06)
            tile.gloss(ridge, 0.06, 0.1)
            tile.gloss(tile.polygon(self.at(circle(0.07, at=(x, 0.95)))), 0.06, 0.16)


_FINGERS: tuple[tuple[float, float, float], ...] = (
    (-0.34, 0.86, 0.8),
    (-0.1, 0.95, 0.92),
    (0.14, 0.93, 0.85),
    (0.35, 0.8, 0.64),
)
"""Base and length of index, middle, ring and little finger."""
_WIDTHS = (0.235, 0.235, 0.225, 0.2)


_KNUCKLES = [(x, y + 0.1) for x, y, _ in _FINGERS]


def _rest(hand: _Painter) -> Point:
    for (x, y, length), width in zip(_FINGERS, _WIDTHS, strict=True):
        lean = (x - 0.02) * 0.3
        points = [(x, y - 0.1), (x + lean * 0.5, y + length * 0.5), (x + lean * 0.9, y + length)]
        hand.finger(points, [width * 1.02, width, width * 0.88])
    hand.finger([(-0.28, 0.12), (-0.62, 0.5), (-0.72, 0.92)], [0.3, 0.27, 0.22])
    hand.body(_PALM, knuckles=[*_KNUCKLES, (-0.44, 0.3)])
    hand.tendons()
    hand.knuckles([(x + (x - 0.02) * 0.15, y + length * 0.48) for x, y, length in _FINGERS])
    return (-0.1, 1.6)


def _reach(hand: _Painter) -> Point:
    """Fingers bent a little, thumb off: about to take something."""
    for (x, y, length), width in zip(_FINGERS, _WIDTHS, strict=True):
        lean = (x - 0.05) * 0.55
        points = [(x, y - 0.1), (x + lean * 0.7, y + length * 0.45), (x + lean * 0.8 - 0.03, y + length * 0.78)]
        hand.finger(points, [width * 1.05, width * 1.05, width * 0.92])
    hand.finger([(-0.28, 0.12), (-0.72, 0.42), (-0.86, 0.82)], [0.3, 0.28, 0.23])
    hand.body(_PALM, knuckles=[*_KNUCKLES, (-0.46, 0.28)])
    hand.tendons()
    hand.knuckles([(x + (x - 0.05) * 0.33, y + length * 0.42) for x, y, length in _FINGERS])
    return (-0.3, 1.8)


def _point(hand: _Painter) -> Point:
    hand.finger([(-0.34, 0.8), (-0.4, 1.3), (-0.44, 1.78)], [0.25, 0.235, 0.2])
    for (x, y, length), width in zip(_FINGERS[1:], _WIDTHS[1:], strict=True):
        hand.finger([(x, y - 0.2), (x + 0.01, y + length * 0.24)], [width * 1.2, width * 1.15], nail=False)
    hand.body([*_PALM[:4], (-0.38, 0.92), (-0.1, 0.96), *_PALM[6:]], knuckles=[(x, y + 0.06) for x, y, _ in _FINGERS])
    hand.tendons()
    hand.finger([(-0.12, 0.2), (-0.44, 0.5), (-0.26, 0.8)], [0.34, 0.28, 0.23], over=True)
    return (-0.44, 1.9)


_FIST: list[Point] = [
    *(
        (-0.28, -0.12),
        (-0.38, 0.25),
        (-0.5, 0.6),
        (-0.46, 0.92),
        (-0.14, 1.06),
        (0.22, 1.0),
        (0.44, 0.74),
        (0.42, 0.35),
    ),
    (0.28, -0.12),
]


def _tool_behind(hand: _Painter) -> Point:
    """What lies below a tool that is held between thumb and fingers."""
    for k, (x, y) in enumerate(((0.18, 0.98), (-0.02, 1.06), (-0.22, 1.12))):
        hand.finger([(x, y - 0.3), (x - 0.18, y + 0.02), (x - 0.4, y - 0.06)], [0.23, 0.24, 0.2 + 0.01 * k], nail=False)
    hand.body(_FIST, knuckles=[(0.16, 0.96), (-0.06, 1.02), (-0.28, 1.0)])
    hand.tendons()
    return (-0.56, 1.1)


def _tool_before(hand: _Painter) -> Point:
    hand.finger([(-0.24, 0.7), (-0.42, 1.18), (-0.66, 1.26)], [0.27, 0.235, 0.2], over=True)
    hand.finger([(-0.16, 0.12), (-0.54, 0.52), (-0.62, 0.98)], [0.34, 0.28, 0.22], over=True)
    return (-0.56, 1.1)


def _hold_behind(hand: _Painter) -> Point:
    """Fingers around the far side of something that stands in the hand."""
    for k in range(4):
        y = 1.18 - 0.25 * k
        hand.finger([(-0.1, y), (-0.8, y + 0.12), (-1.2, y - 0.02)], [0.22, 0.23, 0.19], nail=False)
    return (-0.66, 0.7)


def _hold_before(hand: _Painter) -> Point:
    palm = [(-0.28, -0.12), (-0.34, 0.3), (-0.3, 0.8), (-0.24, 1.16), (0.02, 1.3), (0.24, 1.1), (0.4, 0.7), (0.4, 0.3)]
    hand.body([*palm, (0.28, -0.12)])
    for x, y in ((-0.1, 1.16), (0.06, 1.1), (0.2, 0.96)):
        hand.tile.gloss(hand.tile.polygon(hand.at(circle(0.07, at=(x, y)))), 0.06, 0.14)
    hand.finger([(0.0, 0.2), (-0.46, 0.6), (-0.86, 0.78)], [0.4, 0.29, 0.22], over=True)
    return (-0.66, 0.7)


_POSES = {
    "rest": (None, _rest),
    "reach": (None, _reach),
    "point": (None, _point),
    "tool": (_tool_behind, _tool_before),
    "hold": (_hold_behind, _hold_before),
}
"""Pose -> what is drawn behind the thing in the hand, and what before it."""


@lru_cache(maxsize=256)
def pose(name: str, *, left: bool, skin: str, sleeve: str, unit: float, degrees: float = 0.0) -> Pose:
    """A hand in a pose, turned about the wrist: a right hand counter-clockwise, a left one the other way."""
    if left:
        right = pose(name, left=False, skin=skin, sleeve=sleeve, unit=unit, degrees=degrees)
        return Pose(right.behind.mirrored(), right.before.mirrored(), (-right.grip[0], right.grip[1]))
    colours = hex_colour(SKINS[skin]), hex_colour(SLEEVES[sleeve] or SKINS[skin])
    layers, grip = [], (0.0, 0.0)
    for draw in _POSES[name]:
        tile = Tile(left=1.75, right=2.0, up=2.05, down=2.7 if draw else 0.1, unit=unit)
        if draw is not None:
            painter = _Painter(tile, colours[0], colours[1] if SLEEVES[sleeve] else None, degrees)
            grip = turned([draw(painter)], degrees)[0]
        layers.append(tile.finished())
    return Pose(layers[0], layers[1], grip)

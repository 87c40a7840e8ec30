"""The things that lie on a table, each a function that draws it on a tile of its own.

A thing stands with its foot at the tile's origin; one unit is the height of a cup. Colours come by name, so that a
scene can say in words what is in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from tools.drawing.canvas import (
    Colour,
    Point,
    Stamp,
    Tile,
    circle,
    darker,
    hex_colour,
    lighter,
    mixed,
    on_table,
    rounded,
    smooth,
    turned,
)

COLOURS: dict[str, str] = {
    "red": "#d2493f",
    "blue": "#3f74b8",
    "green": "#4f9a5b",
    "yellow": "#efc23d",
    "orange": "#ea8a35",
    "purple": "#8562b0",
    "white": "#f2efe8",
    "black": "#35373c",
    "pink": "#e58ba3",
    "brown": "#8f6040",
    "grey": "#9aa0a5",
    "turquoise": "#43a9a3",
}

STEEL = hex_colour("#c3c9ce")
WOOD = hex_colour("#c28d55")
DARK_WOOD = hex_colour("#7d5637")
PAPER = hex_colour("#f8f5ec")
GLASS = hex_colour("#dfeef2")

ROUND = [(0, 0.62), (0.16, 0.95), (0.34, 1.14), (0.6, 0.98), (1, 0.58)]
"""How bright a round body is from its left edge to its right one."""
METAL = [(0, 0.6), (0.14, 1.1), (0.26, 0.84), (0.46, 1.22), (0.7, 0.78), (0.88, 1.0), (1, 0.6)]
FLAT = 0.42
"""Height of a level circle seen from the seat, as a part of its width."""


@dataclass(frozen=True)
class Foot:
    """The patch of table that a thing stands on: half its width and half its depth on the screen, in units."""

    width: float
    depth: float
    at: Point = (0, 0)


@dataclass(frozen=True)
class Kind:
    """A kind of thing: how far it reaches around its foot, where it stands, and how it is drawn."""

    draw: Callable[..., None]
    left: float
    right: float
    up: float
    down: float
    feet: tuple[Foot, ...]


def _body(tile: Tile, top: float, low: float, height: float, colour: Colour, *, base: float = 0.0) -> None:
    """A standing round body, ``top`` and ``low`` being its radii."""
    outline = (
        [(-low, base)]
        + [(low * math.cos(math.radians(a)), base + low * FLAT * math.sin(math.radians(a))) for a in range(180, 361, 8)]
        + [(top, height)]
        + [(top * math.cos(math.radians(a)), height + top * FLAT * math.sin(math.radians(a))) for a in range(0, 181, 8)]
    )
    light = tile.across(-max(top, low), max(top, low), ROUND) * tile.upward(
        base - low * FLAT, height, [(0, 0.86), (0.5, 1)]
    )
    tile.put(tile.polygon(outline), colour, light=light)


def _rim(
    tile: Tile, radius: float, height: float, colour: Colour, *, inside: Colour | None = None, lip: float = 0.9
) -> None:
    """An open mouth: the lip, and the inside that lies in shade on the side of the light."""
    tile.put(tile.polygon(circle(radius, at=(0, height), squash=FLAT)), lighter(colour, 0.28))
    within = inside or darker(colour, 0.2)
    light = tile.across(-radius, radius, [(0, 0.62), (0.5, 0.86), (1, 1.12)])
    tile.put(tile.polygon(circle(radius * lip, at=(0, height), squash=FLAT)), within, light=light)


def cup(tile: Tile, colour: Colour, *, filled: str = "", handle: int = 1) -> None:
    ring = [(0.42, 0.78), (0.72, 0.74), (0.74, 0.34), (0.4, 0.22)]
    points = smooth([(x * handle, y) for x, y in ring], closed=False)
    mask = tile.stroke(points, 0.13)
    tile.put(mask, colour, light=tile.clay(mask, 0.06, 0.55))
    _body(tile, 0.47, 0.37, 0.92, colour)
    _rim(tile, 0.47, 0.92, colour)
    if filled:
        drink = {"coffee": "#4a2c1c", "tea": "#a85a22", "milk": "#fbf7ee", "water": "#bfe0ea", "juice": "#f0a030"}[
            filled
        ]
        tile.put(tile.polygon(circle(0.385, at=(0, 0.89), squash=FLAT)), hex_colour(drink))
        tile.gloss(tile.polygon(circle(0.12, at=(-0.12, 0.93), squash=FLAT)), 0.05, 0.35)
    tile.gloss(tile.stroke([(-0.3, 0.74), (-0.26, 0.24)], 0.08), 0.03, 0.45)


def glass(tile: Tile, colour: Colour, *, level: float = 0.6, drink: str = "water") -> None:
    liquid = hex_colour({"water": "#a9d6e6", "juice": "#f2a23a", "milk": "#fbf8f1", "nothing": "#e8f1f3"}[drink])
    low, top, height = 0.29, 0.36, 1.12
    wall = [(-low, 0.0)] + [
        (low * math.cos(math.radians(a)), low * FLAT * math.sin(math.radians(a))) for a in range(180, 361, 10)
    ]
    tile.put(tile.polygon([*wall, (top, height), (-top, height)]), GLASS, opacity=0.34)
    if level > 0:
        radius = low + (top - low) * level
        tile.put(
            tile.polygon([*wall, (radius, height * level), (-radius, height * level)]),
            liquid,
            light=tile.across(-top, top, ROUND),
            opacity=0.82,
        )
        tile.put(tile.polygon(circle(radius, at=(0, height * level), squash=FLAT)), lighter(liquid, 0.4), opacity=0.9)
    rim = tile.polygon(circle(top, at=(0, height), squash=FLAT))
    inner = tile.polygon(circle(top - 0.035, at=(0, height), squash=FLAT))
    tile.put(rim - inner, hex_colour("#ffffff"), opacity=0.75)
    for x in (-1, 1):
        tile.put(tile.stroke([(x * low, 0), (x * top, height)], 0.028), hex_colour("#ffffff"), opacity=0.55)
    tile.gloss(tile.stroke([(-0.22, 0.95), (-0.19, 0.2)], 0.07), 0.02, 0.6)


def bowl(tile: Tile, colour: Colour, *, filled: str = "") -> None:
    outline = smooth(
        [(-0.3, -0.1), (0, -0.16), (0.3, -0.1), (0.68, 0.3), (0.76, 0.5), (0, 0.56), (-0.76, 0.5), (-0.68, 0.3)]
    )
    light = tile.across(-0.76, 0.76, ROUND) * tile.upward(-0.2, 0.5, [(0, 0.75), (0.8, 1.02)])
    tile.put(tile.polygon(outline), colour, light=light)
    _rim(tile, 0.77, 0.5, colour, lip=0.93)
    if filled in ("soup", "rice", "salad", "sugar", "flour"):
        food = hex_colour(
            {"soup": "#e08a3a", "rice": "#fbf8ef", "salad": "#7fae52", "sugar": "#fdfdfb", "flour": "#f4ecdd"}[filled]
        )
        mask = tile.polygon(circle(0.62, at=(0, 0.46), squash=FLAT))
        tile.put(mask, food, light=tile.clay(mask, 0.08, 0.3))
        if filled == "salad":
            for k in range(16):
                x, y = 0.46 * math.cos(k * 2.4) * (0.3 + 0.7 * ((k * 37) % 10) / 10), 0.17 * math.sin(k * 2.4)
                leaf = tile.polygon(circle(0.12, at=(x, 0.47 + y), squash=0.6))
                tile.put(leaf, hex_colour(("#5e9440", "#8cbf5c", "#d2544a")[k % 3]), light=tile.clay(leaf, 0.04, 0.5))


def plate(tile: Tile, colour: Colour, *, filled: str = "") -> None:
    under = tile.polygon(circle(0.86, at=(0, 0.03), squash=FLAT + 0.03))
    tile.put(under, darker(colour, 0.3))
    disc = tile.polygon(circle(0.86, at=(0, 0.08), squash=FLAT))
    tile.put(disc, colour, light=tile.across(-0.86, 0.86, [(0, 1.1), (1, 0.9)]))
    well = tile.polygon(circle(0.58, at=(0, 0.07), squash=FLAT))
    tile.put(well, darker(colour, 0.09), light=tile.across(-0.6, 0.6, [(0, 0.88), (1, 1.08)]))
    inner = tile.polygon(circle(0.54, at=(0, 0.06), squash=FLAT))
    tile.put(inner, colour)
    if filled == "cake":
        side = [(-0.34, 0.02), (0.3, -0.06), (0.3, 0.24), (-0.34, 0.32)]
        tile.put(tile.polygon(side), hex_colour("#e8c98e"))
        tile.put(tile.polygon([(-0.34, 0.15), (0.3, 0.07), (0.3, 0.12), (-0.34, 0.2)]), hex_colour("#d2493f"))
        tile.put(tile.polygon([(-0.34, 0.32), (0.3, 0.24), (0.12, 0.47)]), hex_colour("#fdf3ea"))
        berry = tile.polygon(circle(0.08, at=(0.03, 0.39)))
        tile.put(berry, hex_colour("#c2323c"), light=tile.ball((0.03, 0.39), 0.08))
    if filled == "bread":
        for x in (-0.2, 0.16):
            mask = tile.polygon(smooth([(x - 0.2, 0.02), (x + 0.22, 0), (x + 0.22, 0.26), (x, 0.34), (x - 0.22, 0.28)]))
            tile.put(mask, hex_colour("#c98f4c"), light=tile.clay(mask, 0.05, 0.5))
            inside = tile.polygon(
                smooth([(x - 0.15, 0.05), (x + 0.17, 0.03), (x + 0.17, 0.23), (x, 0.29), (x - 0.17, 0.24)])
            )
            tile.put(inside, hex_colour("#f0d3a0"))


def bottle(tile: Tile, colour: Colour) -> None:
    outline = smooth(
        [
            (-0.26, 0.0),
            (0, -0.11),
            (0.26, 0.0),
            (0.27, 0.5),
            (0.26, 0.95),
            (0.1, 1.24),
            (0.095, 1.5),
            (-0.095, 1.5),
            (-0.1, 1.24),
            (-0.26, 0.95),
            (-0.27, 0.5),
        ]
    )
    tile.put(tile.polygon(outline), colour, light=tile.across(-0.27, 0.27, ROUND), opacity=0.95)
    label = [(-0.267, 0.3), (0, 0.2), (0.267, 0.3), (0.267, 0.72), (0, 0.62), (-0.267, 0.72)]
    tile.put(tile.polygon(label), PAPER, light=tile.across(-0.27, 0.27, ROUND))
    tile.put(tile.stroke([(-0.14, 0.45), (0, 0.41), (0.14, 0.45)], 0.05), colour)
    cap = tile.polygon(rounded(0.24, 0.16, 0.03, at=(0, 1.54)))
    tile.put(cap, hex_colour("#3b3b3f"), light=tile.across(-0.12, 0.12, ROUND))
    tile.gloss(tile.stroke([(-0.16, 0.9), (-0.17, 0.1)], 0.06), 0.02, 0.5)


def jar(tile: Tile, colour: Colour, *, lid: str = "closed") -> None:
    """A jar of jam in the given colour; its lid is on it ("closed") or off ("open")."""
    _body(tile, 0.4, 0.4, 0.74, lighter(colour, 0.1))
    label = [(-0.4, 0.22), (-0.25, 0.12), (0, 0.07), (0.25, 0.12), (0.4, 0.22), (0.4, 0.54), (0.25, 0.44)]
    label += [(0, 0.39), (-0.25, 0.44), (-0.4, 0.54)]
    tile.put(tile.polygon(label), PAPER, light=tile.across(-0.4, 0.4, ROUND))
    tile.put(tile.polygon(circle(0.09, at=(0, 0.25))), colour)
    tile.put(tile.polygon(circle(0.36, at=(0, 0.78), squash=FLAT)), GLASS)
    if lid == "closed":
        _body(tile, 0.42, 0.42, 0.96, hex_colour("#e8e3d8"), base=0.8)
        tile.put(tile.polygon(circle(0.42, at=(0, 0.96), squash=FLAT)), hex_colour("#f5f1e8"))
        tile.put(tile.polygon(circle(0.34, at=(0, 0.96), squash=FLAT)), hex_colour("#eae4d6"))
    else:
        _rim(tile, 0.37, 0.82, GLASS, inside=darker(colour, 0.12))
    tile.gloss(tile.stroke([(-0.3, 0.66), (-0.3, 0.14)], 0.06), 0.02, 0.5)


def can(tile: Tile, colour: Colour) -> None:
    _body(tile, 0.31, 0.31, 0.98, colour)
    band = [(-0.31, 0.36), (-0.2, 0.27), (0, 0.23), (0.2, 0.27), (0.31, 0.36), (0.31, 0.52), (0.2, 0.43)]
    tile.put(
        tile.polygon([*band, (0, 0.39), (-0.2, 0.43), (-0.31, 0.52)]), PAPER, light=tile.across(-0.31, 0.31, ROUND)
    )
    _rim(tile, 0.31, 0.98, STEEL, inside=lighter(STEEL, 0.3))
    tile.put(tile.polygon(circle(0.08, at=(0.03, 0.96), squash=FLAT)), darker(STEEL, 0.3))


def pot(tile: Tile, colour: Colour, *, lid: str = "on") -> None:
    for side in (-1, 1):
        mask = tile.stroke([(side * 0.66, 0.52), (side * 0.92, 0.5), (side * 0.92, 0.42), (side * 0.66, 0.4)], 0.08)
        tile.put(mask, hex_colour("#3d3f44"), light=tile.clay(mask, 0.04))
    _body(tile, 0.7, 0.64, 0.66, colour)
    if lid == "on":
        _rim(tile, 0.7, 0.66, colour, lip=0.96)
        dome = smooth(
            [(-0.66, 0.66), (-0.44, 0.86), (0, 0.95), (0.44, 0.86), (0.66, 0.66), (0.4, 0.43), (0, 0.38), (-0.4, 0.43)]
        )
        tile.put(tile.polygon(dome), lighter(colour, 0.18), light=tile.ball((0, 0.5), 0.7, squash=0.75))
        knob = tile.polygon(circle(0.11, at=(0, 0.98), squash=0.8))
        tile.put(knob, hex_colour("#35373c"), light=tile.ball((0, 0.98), 0.11))
    else:
        _rim(tile, 0.7, 0.66, colour, inside=darker(colour, 0.45), lip=0.93)
        tile.put(tile.polygon(circle(0.58, at=(0, 0.6), squash=FLAT)), hex_colour("#d98a3d"))


def kettle(tile: Tile, colour: Colour) -> None:
    handle = tile.stroke(smooth([(-0.5, 0.72), (-0.42, 1.24), (0.36, 1.26), (0.46, 0.74)], closed=False), 0.11)
    tile.put(handle, hex_colour("#3b3b3f"), light=tile.clay(handle, 0.05))
    spout = tile.polygon([(0.4, 0.34), (0.52, 0.5), (0.86, 0.84), (0.98, 0.8), (0.7, 0.4), (0.5, 0.16)])
    tile.put(spout, colour, light=tile.clay(spout, 0.07))
    outline = smooth(
        [(-0.62, 0.08), (-0.3, -0.12), (0.3, -0.12), (0.62, 0.08), (0.58, 0.5), (0.3, 0.82), (-0.3, 0.82), (-0.58, 0.5)]
    )
    tile.put(tile.polygon(outline), colour, light=tile.across(-0.62, 0.62, ROUND))
    tile.put(tile.polygon(circle(0.3, at=(0, 0.82), squash=FLAT)), lighter(colour, 0.2))
    knob = tile.polygon(circle(0.08, at=(0, 0.92)))
    tile.put(knob, hex_colour("#3b3b3f"), light=tile.ball((0, 0.92), 0.08))
    tile.gloss(tile.stroke([(-0.4, 0.5), (-0.44, 0.16)], 0.09), 0.03, 0.5)


def candle(tile: Tile, colour: Colour, *, lit: bool = False) -> None:
    tile.put(tile.polygon(circle(0.36, at=(0, 0.02), squash=FLAT)), hex_colour("#c9a65a"))
    tile.put(tile.polygon(circle(0.3, at=(0, 0.05), squash=FLAT)), hex_colour("#dcbc75"))
    _body(tile, 0.17, 0.17, 0.86, colour, base=0.06)
    tile.put(tile.polygon(circle(0.17, at=(0, 0.86), squash=FLAT)), lighter(colour, 0.35))
    tile.put(tile.stroke([(0, 0.85), (0.02, 0.98)], 0.03), hex_colour("#33302c"))
    if lit:
        flame = smooth([(0.02, 0.92), (0.1, 1.06), (0.02, 1.34), (-0.06, 1.06)])
        tile.put(tile.polygon(circle(0.3, at=(0.02, 1.1))), hex_colour("#ffd777"), opacity=0.22)
        tile.put(tile.polygon(flame), hex_colour("#ffb02e"))
        tile.put(tile.polygon(smooth([(0.02, 0.94), (0.06, 1.02), (0.02, 1.18), (-0.02, 1.02)])), hex_colour("#fff3c0"))


def plant(tile: Tile, colour: Colour, *, thirsty: bool = False) -> None:
    _body(tile, 0.38, 0.28, 0.52, colour)
    _rim(tile, 0.38, 0.52, colour, inside=hex_colour("#4a3426"))
    droop, green = (0.62, hex_colour("#a9a45c")) if thirsty else (1.0, hex_colour("#4f8f55"))
    for k, (dx, dy) in enumerate(
        ((-0.46, 0.4), (0.44, 0.46), (-0.22, 0.72), (0.2, 0.78), (0.0, 0.92), (-0.6, 0.12), (0.58, 0.16))
    ):
        dy = dy * droop - (0.26 if thirsty else 0)
        tip = (dx, 0.6 + dy)
        bend = (dx * 0.3, 0.62 + max(dy, 0.2) * 0.8)
        normal = (-(tip[1] - 0.52), tip[0])
        length = math.hypot(*normal) or 1
        wide = (normal[0] / length * 0.11, normal[1] / length * 0.11)
        leaf = tile.polygon(
            smooth([(0, 0.5), (bend[0] + wide[0], bend[1] + wide[1]), tip, (bend[0] - wide[0], bend[1] - wide[1])])
        )
        tile.put(leaf, mixed(green, hex_colour("#7fb56a"), (k % 3) * 0.22), light=tile.clay(leaf, 0.05, 0.5))


def lamp(tile: Tile, colour: Colour, *, lit: bool = False) -> None:
    tile.put(tile.polygon(circle(0.34, at=(0, 0.03), squash=FLAT)), darker(colour, 0.2))
    tile.put(tile.polygon(circle(0.34, at=(0, 0.08), squash=FLAT)), colour, light=tile.across(-0.3, 0.3, ROUND))
    tile.put(tile.stroke([(0, 0.1), (-0.16, 0.75), (0.14, 1.32)], 0.06), STEEL)
    if lit:
        tile.put(
            tile.polygon([(0.1, 1.16), (0.52, 1.05), (0.86, 0.18), (-0.2, 0.2)]), hex_colour("#fff0b5"), opacity=0.25
        )
    shade = tile.polygon(smooth([(0.02, 1.4), (0.22, 1.44), (0.6, 1.06), (0.3, 1.0), (0.04, 1.12)]))
    tile.put(shade, colour, light=tile.clay(shade, 0.09))
    if lit:
        tile.put(tile.polygon(circle(0.15, at=(0.32, 1.06), squash=0.5)), hex_colour("#fff7d8"))


# ---- fruit and food -------------------------------------------------------------------------------------------------


def apple(tile: Tile, colour: Colour) -> None:
    outline = smooth(
        [
            (0, -0.06),
            (0.2, -0.09),
            (0.38, 0.12),
            (0.42, 0.38),
            (0.26, 0.62),
            (0, 0.58),
            (-0.26, 0.62),
            (-0.42, 0.38),
            (-0.38, 0.12),
            (-0.2, -0.09),
        ]
    )
    tile.put(tile.polygon(outline), colour, light=tile.ball((0, 0.27), 0.44))
    tile.dim(tile.polygon(circle(0.12, at=(0, 0.56), squash=0.4)), 0.04, 0.45)
    tile.put(tile.stroke([(0, 0.54), (0.05, 0.76)], 0.05), DARK_WOOD)
    leaf = tile.polygon(smooth([(0.05, 0.68), (0.2, 0.8), (0.36, 0.76), (0.2, 0.66)]))
    tile.put(leaf, hex_colour("#5f9a4e"), light=tile.clay(leaf, 0.04))
    tile.gloss(tile.polygon(circle(0.09, at=(-0.17, 0.43))), 0.04, 0.7)


def orange(tile: Tile, colour: Colour) -> None:
    tile.put(tile.polygon(circle(0.4, at=(0, 0.26))), colour, light=tile.ball((0, 0.26), 0.42))
    tile.put(tile.polygon(circle(0.045, at=(0.04, 0.56), squash=0.6)), hex_colour("#6b7d3a"))
    tile.gloss(tile.polygon(circle(0.08, at=(-0.15, 0.42))), 0.04, 0.6)


def lemon(tile: Tile, colour: Colour) -> None:
    outline = smooth(
        [(-0.46, 0.2), (-0.32, 0.38), (0, 0.5), (0.3, 0.4), (0.46, 0.22), (0.3, 0.0), (0, -0.09), (-0.32, 0.0)]
    )
    tile.put(tile.polygon(outline), colour, light=tile.ball((0, 0.2), 0.48, squash=0.7))
    tile.gloss(tile.polygon(circle(0.09, at=(-0.15, 0.34), squash=0.6)), 0.04, 0.6)


def pear(tile: Tile, colour: Colour) -> None:
    outline = smooth(
        [
            (0, -0.09),
            (0.3, -0.02),
            (0.4, 0.22),
            (0.28, 0.46),
            (0.16, 0.72),
            (0, 0.84),
            (-0.16, 0.72),
            (-0.28, 0.46),
            (-0.4, 0.22),
            (-0.3, -0.02),
        ]
    )
    mask = tile.polygon(outline)
    tile.put(mask, colour, light=tile.across(-0.42, 0.42, ROUND))
    tile.put(tile.stroke([(0, 0.8), (0.06, 1.0)], 0.05), DARK_WOOD)
    tile.gloss(tile.polygon(circle(0.08, at=(-0.17, 0.28))), 0.05, 0.6)


def banana(tile: Tile, colour: Colour) -> None:
    outline = smooth(
        [
            (-0.6, 0.32),
            (-0.36, 0.02),
            (0, -0.09),
            (0.36, 0.0),
            (0.62, 0.34),
            (0.54, 0.38),
            (0.32, 0.2),
            (0, 0.14),
            (-0.3, 0.2),
            (-0.52, 0.38),
        ]
    )
    mask = tile.polygon(outline)
    tile.put(mask, colour, light=tile.clay(mask, 0.1, 0.7))
    ridge = tile.stroke(smooth([(-0.54, 0.33), (-0.3, 0.1), (0, 0.03), (0.32, 0.1), (0.56, 0.33)], closed=False), 0.025)
    tile.put(ridge, darker(colour, 0.3), opacity=0.6)
    for x in (-0.57, 0.59):
        tile.put(tile.polygon(circle(0.05, at=(x, 0.35))), hex_colour("#5b4424"))


def tomato(tile: Tile, colour: Colour) -> None:
    tile.put(
        tile.polygon(circle(0.4, at=(0, 0.22), squash=0.84)), colour, light=tile.ball((0, 0.22), 0.42, squash=0.84)
    )
    for k in range(5):
        tip = turned([(0, 0.2)], 72 * k)[0]
        side = [turned([(0.045, 0.06)], 72 * k)[0], turned([(-0.045, 0.06)], 72 * k)[0]]
        star = [(x, 0.5 + y * 0.5) for x, y in (side[0], tip, side[1], (0, 0))]
        tile.put(tile.polygon(star), hex_colour("#4d8a45"))
    tile.gloss(tile.polygon(circle(0.08, at=(-0.17, 0.38))), 0.04, 0.7)


def egg(tile: Tile, colour: Colour) -> None:
    outline = smooth(
        [(0, -0.07), (0.22, -0.01), (0.29, 0.2), (0.19, 0.46), (0, 0.58), (-0.19, 0.46), (-0.29, 0.2), (-0.22, -0.01)]
    )
    tile.put(tile.polygon(outline), colour, light=tile.ball((0, 0.22), 0.36))


def carrot(tile: Tile, colour: Colour, *, angle: float = 20) -> None:
    body = smooth(
        on_table([(-0.75, 0), (-0.3, 0.1), (0.35, 0.17), (0.48, 0), (0.35, -0.17), (-0.3, -0.1)], angle, height=0.08)
    )
    mask = tile.polygon(body)
    for k in (-0.18, 0, 0.18):
        leaf = tile.stroke(on_table([(0.42, 0), (0.85, k * 1.6)], angle, height=0.08), [0.05, 0.11])
        tile.put(leaf, hex_colour("#5b9a4d"), light=tile.clay(leaf, 0.04))
    tile.put(mask, colour, light=tile.clay(mask, 0.08, 0.7))
    for x in (-0.35, -0.05, 0.22):
        tile.put(tile.stroke(on_table([(x, 0.1), (x + 0.03, 0.02)], angle, height=0.1), 0.02), darker(colour, 0.3))


# ---- toys and parcels -----------------------------------------------------------------------------------------------


def block(tile: Tile, colour: Colour) -> None:
    """A wooden cube, a corner towards the eye."""
    a, b, h = 0.4, 0.2, 0.52
    left = [(-a, 0.05), (-0.04, -b + 0.05), (-0.04, h - b + 0.05), (-a, h + 0.05)]
    right = [(-0.04, -b + 0.05), (a, 0.09), (a, h + 0.09), (-0.04, h - b + 0.05)]
    top = [(-a, h + 0.05), (-0.04, h - b + 0.05), (a, h + 0.09), (0.04, h + b + 0.1)]
    tile.put(tile.polygon(left), lighter(colour, 0.04), light=tile.upward(-0.2, 0.6, [(0, 0.86), (1, 1.02)]))
    tile.put(tile.polygon(right), darker(colour, 0.3), light=tile.upward(-0.2, 0.6, [(0, 0.86), (1, 1.02)]))
    tile.put(tile.polygon(top), lighter(colour, 0.22))
    tile.gloss(tile.stroke([left[3], left[2], right[2]], 0.02), 0.008, 0.5)


def ball(tile: Tile, colour: Colour) -> None:
    tile.put(tile.polygon(circle(0.4, at=(0, 0.28))), colour, light=tile.ball((0, 0.28), 0.42))
    stripe = tile.stroke(smooth([(-0.37, 0.38), (-0.1, 0.22), (0.2, 0.22), (0.38, 0.36)], closed=False), 0.1)
    stripe = stripe * tile.polygon(circle(0.4, at=(0, 0.28)))
    tile.put(stripe, hex_colour("#f7f3ea"), light=tile.ball((0, 0.28), 0.42), opacity=0.95)
    tile.gloss(tile.polygon(circle(0.08, at=(-0.15, 0.46))), 0.03, 0.7)


def box(tile: Tile, colour: Colour, *, lid: str = "closed") -> None:
    front = [(-0.7, -0.12), (0.62, -0.12), (0.62, 0.46), (-0.7, 0.46)]
    side = [(0.62, -0.12), (0.84, 0.14), (0.84, 0.72), (0.62, 0.46)]
    top = [(-0.7, 0.46), (0.62, 0.46), (0.84, 0.72), (-0.46, 0.72)]
    tile.put(tile.polygon(front), colour, light=tile.upward(-0.12, 0.5, [(0, 0.88), (1, 1.04)]))
    tile.put(tile.polygon(side), darker(colour, 0.3))
    if lid == "closed":
        tile.put(tile.polygon(top), lighter(colour, 0.18))
        tape = [(-0.13, 0.46), (0.05, 0.46), (0.27, 0.72), (0.1, 0.72)]
        tile.put(tile.polygon(tape), hex_colour("#efe2c4"), opacity=0.9)
        tile.put(
            tile.polygon([(-0.13, 0.46), (0.05, 0.46), (0.05, 0.3), (-0.13, 0.3)]), hex_colour("#e3d4b2"), opacity=0.9
        )
    else:
        tile.put(tile.polygon(top), darker(colour, 0.6))
        tile.put(tile.polygon([(-0.7, 0.46), (-0.46, 0.72), (-0.74, 0.98), (-0.98, 0.7)]), lighter(colour, 0.1))
        tile.put(tile.polygon([(0.62, 0.46), (0.84, 0.72), (1.12, 0.84), (0.9, 0.58)]), lighter(colour, 0.2))
        tile.put(tile.polygon([(-0.46, 0.72), (0.84, 0.72), (0.8, 1.02), (-0.5, 1.02)]), darker(colour, 0.08))


# ---- flat things ----------------------------------------------------------------------------------------------------


def _flat(
    tile: Tile, points: list[Point], colour: Colour, angle: float, *, thick: float = 0.05, round_off: float = 0.03
) -> None:
    """A thin board of this outline lying on the table."""
    low = on_table(points, angle)
    tile.put(tile.polygon(low), darker(colour, 0.45))
    for k in (0.33, 0.66):
        tile.put(tile.polygon(on_table(points, angle, height=thick * k)), darker(colour, 0.35))
    mask = tile.polygon(on_table(points, angle, height=thick))
    tile.put(mask, colour, light=tile.clay(mask, round_off, 0.3))


def book(tile: Tile, colour: Colour, *, angle: float = 12) -> None:
    cover = rounded(1.25, 1.6, 0.05)
    _flat(tile, cover, darker(colour, 0.15), angle, thick=0.03)
    for k in range(4):
        pages = rounded(1.16, 1.52, 0.02, at=(0.02, 0))
        tile.put(tile.polygon(on_table(pages, angle, height=0.05 + 0.03 * k)), PAPER, light=0.86 + 0.04 * (k % 2))
    top = tile.polygon(on_table(cover, angle, height=0.19))
    tile.put(top, colour, light=tile.clay(top, 0.05, 0.3))
    title = on_table([(-0.4, 0.42), (0.4, 0.42), (0.4, 0.56), (-0.4, 0.56)], angle, height=0.19)
    tile.put(tile.polygon(title), PAPER, opacity=0.9)
    tile.put(tile.polygon(on_table(circle(0.2, at=(0, -0.1)), angle, height=0.19)), lighter(colour, 0.45), opacity=0.9)
    tile.put(tile.stroke(on_table([(-0.55, -0.76), (-0.55, 0.76)], angle, height=0.19), 0.02), darker(colour, 0.35))


def notebook(tile: Tile, colour: Colour, *, angle: float = 8, written: float = 0.0) -> None:
    """An open notebook; ``written`` is the part of its lines that is filled."""
    _flat(tile, rounded(2.2, 1.5, 0.06), colour, angle, thick=0.04)
    for side in (-1, 1):
        page = rounded(1.04, 1.4, 0.03, at=(side * 0.53, 0))
        mask = tile.polygon(on_table(page, angle, height=0.08))
        tile.put(mask, PAPER, light=tile.clay(mask, 0.06, 0.22))
    tile.dim(tile.stroke(on_table([(0, -0.68), (0, 0.68)], angle, height=0.08), 0.06), 0.03, 0.4)
    lines = [(side, 0.5 - 0.16 * k) for side in (-1, 1) for k in range(7)]
    for number, (side, y) in enumerate(lines):
        ends = on_table([(side * 0.53 - 0.42, y), (side * 0.53 + 0.42, y)], angle, height=0.085)
        tile.put(tile.stroke(ends, 0.012), hex_colour("#a9bfd0"))
        if number < written * len(lines):
            wave = [
                (side * 0.53 - 0.4 + 0.04 * k, y + 0.05 + 0.03 * math.sin(k * 1.9 + number * 2))
                for k in range(19 - (number * 5) % 6)
            ]
            tile.put(tile.stroke(on_table(wave, angle, height=0.085), 0.02), hex_colour("#35507a"))


def sheet(tile: Tile, colour: Colour, *, angle: float = -6, drawing: str = "") -> None:
    """A sheet of paper, with a drawing on it or none."""
    mask = tile.polygon(on_table(rounded(1.4, 1.75, 0.01), angle, height=0.01))
    tile.put(mask, PAPER, light=tile.clay(mask, 0.04, 0.15))
    ink = colour
    if drawing == "house":
        for points in (
            [(-0.4, -0.5), (0.4, -0.5), (0.4, 0.15), (-0.4, 0.15), (-0.4, -0.5)],
            [(-0.52, 0.12), (0, 0.6), (0.52, 0.12)],
            [(-0.1, -0.5), (-0.1, -0.15), (0.14, -0.15), (0.14, -0.5)],
        ):
            tile.put(tile.stroke(on_table(points, angle, height=0.015), 0.045), ink)
    if drawing == "sun":
        tile.put(tile.polygon(on_table(circle(0.26), angle, height=0.015)), ink)
        for k in range(10):
            ray = turned([(0.36, 0), (0.56, 0)], 36 * k)
            tile.put(tile.stroke(on_table(ray, angle, height=0.015), 0.05), ink)
    if drawing == "flower":
        tile.put(tile.stroke(on_table([(0, 0.1), (0.02, -0.7)], angle, height=0.015), 0.05), hex_colour("#4f9a5b"))
        for k in range(6):
            petal = circle(0.15, at=turned([(0.24, 0)], 60 * k)[0])
            petal = [(x, y + 0.22) for x, y in petal]
            tile.put(tile.polygon(on_table(petal, angle, height=0.015)), ink)
        tile.put(tile.polygon(on_table(circle(0.13, at=(0, 0.22)), angle, height=0.015)), hex_colour("#efc23d"))


def phone(tile: Tile, colour: Colour, *, angle: float = 18, ringing: bool = False) -> None:
    _flat(tile, rounded(0.72, 1.4, 0.11), colour, angle, thick=0.06)
    glow = hex_colour("#8fd3ff") if ringing else hex_colour("#20242b")
    tile.put(tile.polygon(on_table(rounded(0.64, 1.3, 0.08), angle, height=0.065)), glow)
    if ringing:
        tile.put(tile.polygon(on_table(circle(0.13, at=(0, 0.3)), angle, height=0.066)), hex_colour("#ffffff"))
        tile.put(tile.polygon(on_table(circle(0.1, at=(-0.14, -0.4)), angle, height=0.066)), hex_colour("#d2493f"))
        tile.put(tile.polygon(on_table(circle(0.1, at=(0.14, -0.4)), angle, height=0.066)), hex_colour("#4f9a5b"))
    else:
        tile.gloss(tile.polygon(on_table([(-0.3, 0.6), (0.05, 0.6), (-0.3, -0.2)], angle, height=0.066)), 0.01, 0.14)


def laptop(tile: Tile, colour: Colour) -> None:
    base = on_table([(-1.2, -0.85), (1.2, -0.85), (1.05, 0.75), (-1.05, 0.75)], 0)
    tile.put(tile.polygon([(x, y - 0.06) for x, y in base]), darker(colour, 0.5))
    mask = tile.polygon(base)
    tile.put(mask, colour, light=tile.clay(mask, 0.04, 0.25))
    for row in range(4):
        y = 0.5 - row * 0.2
        half = 0.95 + (0.5 - y) * 0.06
        keys = [(-half, y - 0.14), (half, y - 0.14), (half - 0.01, y), (-half + 0.01, y)]
        tile.put(tile.polygon(on_table(keys, 0)), hex_colour("#33363b"))
        for k in range(1, 13):
            x = -half + k * 2 * half / 13
            tile.put(tile.stroke(on_table([(x, y - 0.13), (x, y - 0.01)], 0), 0.014), colour)
    tile.put(tile.polygon(on_table(rounded(0.66, 0.36, 0.04, at=(0, -0.6)), 0)), darker(colour, 0.12))
    screen = [(-1.06, 0.42), (1.06, 0.42), (1.1, 1.66), (-1.1, 1.66)]
    tile.put(tile.polygon(screen), darker(colour, 0.35))
    tile.put(tile.polygon([(-1.0, 0.5), (1.0, 0.5), (1.03, 1.6), (-1.03, 1.6)]), hex_colour("#27445c"))
    for k, length in enumerate((1.1, 0.7, 1.3, 0.5, 0.95)):
        y = 1.42 - k * 0.17
        tile.put(tile.stroke([(-0.85, y), (-0.85 + length, y)], 0.06), hex_colour(("#9bd0e8", "#e8c87a")[k % 2]))


def keyboard(tile: Tile, colour: Colour, *, angle: float = 0) -> None:
    _flat(tile, rounded(2.2, 0.85, 0.08), colour, angle, thick=0.08)
    for row in range(4):
        for k in range(13):
            key = rounded(0.135, 0.15, 0.02, at=(-0.96 + k * 0.16, 0.28 - row * 0.19))
            tile.put(tile.polygon(on_table(key, angle, height=0.1)), lighter(colour, 0.5))


def board(tile: Tile, colour: Colour, *, angle: float = 4) -> None:
    """A cutting board."""
    _flat(tile, rounded(2.1, 1.3, 0.14), colour, angle, thick=0.09, round_off=0.05)
    for k in range(5):
        y = -0.45 + 0.22 * k
        tile.put(
            tile.stroke(on_table([(-0.9, y), (0.9, y + 0.05)], angle, height=0.09), 0.012),
            darker(colour, 0.2),
            opacity=0.5,
        )
    tile.put(tile.polygon(on_table(circle(0.1, at=(0.86, 0)), angle, height=0.09)), darker(colour, 0.6))


def _blade(tile: Tile, points: list[Point], angle: float, *, height: float = 0.04) -> None:
    mask = tile.polygon(on_table(points, angle, height=height))
    tile.put(mask, STEEL, light=tile.clay(mask, 0.05, 0.8))


def knife(tile: Tile, colour: Colour, *, angle: float = 60) -> None:
    _blade(tile, smooth([(0.1, 0.1), (0.8, 0.1), (1.15, -0.02), (0.7, -0.1), (0.1, -0.1)]), angle)
    handle = tile.stroke(on_table([(0.05, 0), (-0.62, 0)], angle, height=0.06), [0.17, 0.2, 0.22])
    tile.put(handle, colour, light=tile.clay(handle, 0.05, 0.6))
    for x in (-0.15, -0.4):
        tile.put(tile.polygon(on_table(circle(0.035, at=(x, 0)), angle, height=0.07)), STEEL)


def spoon(tile: Tile, colour: Colour, *, angle: float = 80) -> None:
    shaft = tile.stroke(on_table([(-0.8, 0), (0.4, 0)], angle, height=0.05), [0.12, 0.07])
    tile.put(shaft, colour, light=tile.clay(shaft, 0.03, 0.8))
    bowl_points = circle(0.3, at=(0.62, 0), squash=0.62)
    mask = tile.polygon(on_table(bowl_points, angle, height=0.05))
    tile.put(mask, colour, light=tile.clay(mask, 0.06, 0.9))
    tile.dim(tile.polygon(on_table(circle(0.19, at=(0.62, 0), squash=0.6), angle, height=0.05)), 0.04, 0.3)


def fork(tile: Tile, colour: Colour, *, angle: float = 80) -> None:
    shaft = tile.stroke(on_table([(-0.8, 0), (0.42, 0)], angle, height=0.05), [0.12, 0.08])
    tile.put(shaft, colour, light=tile.clay(shaft, 0.03, 0.8))
    head = tile.polygon(
        on_table(smooth([(0.34, 0), (0.5, 0.16), (0.62, 0.17), (0.62, -0.17), (0.5, -0.16)]), angle, height=0.05)
    )
    tile.put(head, colour, light=tile.clay(head, 0.04, 0.8))
    for y in (-0.135, -0.045, 0.045, 0.135):
        tine = tile.stroke(on_table([(0.58, y), (0.96, y)], angle, height=0.05), 0.05)
        tile.put(tine, colour, light=tile.clay(tine, 0.02, 0.8))


def pencil(tile: Tile, colour: Colour, *, angle: float = 30) -> None:
    body = tile.stroke(on_table([(-0.8, 0), (0.6, 0)], angle, height=0.05), 0.11)
    tile.put(body, colour, light=tile.clay(body, 0.03, 0.7))
    tip = tile.polygon(on_table([(0.58, 0.055), (0.58, -0.055), (0.84, 0)], angle, height=0.05))
    tile.put(tip, hex_colour("#ecc994"))
    tile.put(
        tile.polygon(on_table([(0.75, 0.02), (0.75, -0.02), (0.84, 0)], angle, height=0.05)), hex_colour("#333333")
    )
    tile.put(tile.stroke(on_table([(-0.8, 0), (-0.7, 0)], angle, height=0.05), 0.12), hex_colour("#e58ba3"))
    tile.put(tile.stroke(on_table([(-0.66, 0), (-0.64, 0)], angle, height=0.05), 0.12), STEEL)


def brush(tile: Tile, colour: Colour, *, angle: float = 30) -> None:
    body = tile.stroke(on_table([(-0.95, 0), (0.3, 0)], angle, height=0.05), [0.06, 0.13, 0.1])
    tile.put(body, WOOD, light=tile.clay(body, 0.03, 0.7))
    band = tile.stroke(on_table([(0.3, 0), (0.48, 0)], angle, height=0.05), 0.13)
    tile.put(band, STEEL, light=tile.clay(band, 0.03, 0.8))
    hair = tile.polygon(
        on_table(smooth([(0.46, 0.09), (0.7, 0.13), (1.0, 0), (0.7, -0.13), (0.46, -0.09)]), angle, height=0.05)
    )
    tile.put(hair, colour, light=tile.clay(hair, 0.04))


def scissors(tile: Tile, colour: Colour, *, angle: float = 40) -> None:
    for tilt in (-11, 11):
        _blade(tile, turned([(-0.05, 0.06), (0.95, 0.0), (0.0, -0.06)], tilt), angle)
    for side in (-1, 1):
        ring = turned(circle(0.24, at=(-0.55, side * 0.2), squash=0.75), -side * 8)
        hole = turned(circle(0.14, at=(-0.55, side * 0.2), squash=0.7), -side * 8)
        mask = tile.polygon(on_table(ring, angle, height=0.05)) - tile.polygon(on_table(hole, angle, height=0.05))
        arm = tile.stroke(on_table([(-0.36, side * 0.12), (0.05, -side * 0.02)], angle, height=0.05), 0.1)
        both = (mask.clip(0, 1) + arm).clip(0, 1)
        tile.put(both, colour, light=tile.clay(both, 0.04, 0.6))
    tile.put(tile.polygon(on_table(circle(0.045), angle, height=0.06)), darker(STEEL, 0.5))


def screwdriver(tile: Tile, colour: Colour, *, angle: float = 35) -> None:
    shaft = tile.stroke(on_table([(-0.1, 0), (0.95, 0)], angle, height=0.06), 0.07)
    tile.put(shaft, STEEL, light=tile.clay(shaft, 0.02, 0.9))
    handle = tile.stroke(on_table([(-0.75, 0), (-0.15, 0)], angle, height=0.08), [0.2, 0.25, 0.22])
    tile.put(handle, colour, light=tile.clay(handle, 0.06, 0.7))
    tile.put(
        tile.stroke(on_table([(-0.72, 0.02), (-0.2, 0.02)], angle, height=0.09), 0.03),
        lighter(colour, 0.4),
        opacity=0.7,
    )


def hammer(tile: Tile, colour: Colour, *, angle: float = 50) -> None:
    handle = tile.stroke(on_table([(-0.95, 0), (0.5, 0)], angle, height=0.06), [0.17, 0.12])
    tile.put(handle, WOOD, light=tile.clay(handle, 0.04, 0.6))
    grip = tile.stroke(on_table([(-0.95, 0), (-0.4, 0)], angle, height=0.06), [0.2, 0.17])
    tile.put(grip, colour, light=tile.clay(grip, 0.05, 0.6))
    head = tile.polygon(on_table(rounded(0.28, 0.85, 0.06, at=(0.55, 0)), angle, height=0.1))
    tile.put(head, hex_colour("#6c737a"), light=tile.clay(head, 0.06, 0.8))


def wrench(tile: Tile, colour: Colour, *, angle: float = 30) -> None:
    shaft = tile.stroke(on_table([(-0.6, 0), (0.6, 0)], angle, height=0.05), 0.14)
    head = tile.polygon(on_table(circle(0.26, at=(0.74, 0)), angle, height=0.05))
    jaw = tile.polygon(on_table([(0.7, 0.1), (1.1, 0.16), (1.1, -0.08), (0.7, -0.08)], angle, height=0.05))
    ring = tile.polygon(on_table(circle(0.2, at=(-0.7, 0)), angle, height=0.05))
    hole = tile.polygon(on_table(circle(0.1, at=(-0.7, 0)), angle, height=0.05))
    mask = ((shaft + head + ring).clip(0, 1) - jaw - hole).clip(0, 1)
    tile.put(mask, colour, light=tile.clay(mask, 0.04, 0.8))


def key(tile: Tile, colour: Colour, *, angle: float = 25) -> None:
    ring = tile.polygon(on_table(circle(0.22, at=(-0.35, 0)), angle, height=0.03))
    hole = tile.polygon(on_table(circle(0.1, at=(-0.4, 0)), angle, height=0.03))
    shaft = tile.stroke(on_table([(-0.15, 0), (0.55, 0)], angle, height=0.03), 0.09)
    teeth = tile.polygon(
        on_table(
            [
                (0.3, 0),
                (0.3, -0.16),
                (0.38, -0.16),
                (0.38, -0.08),
                (0.46, -0.08),
                (0.46, -0.18),
                (0.54, -0.18),
                (0.54, 0),
            ],
            angle,
            height=0.03,
        )
    )
    mask = ((ring + shaft + teeth).clip(0, 1) - hole).clip(0, 1)
    tile.put(mask, colour, light=tile.clay(mask, 0.03, 0.8))


def sponge(tile: Tile, colour: Colour) -> None:
    side = [(-0.5, -0.1), (0.5, -0.1), (0.5, 0.16), (-0.5, 0.16)]
    tile.put(tile.polygon(side), darker(colour, 0.2))
    top = [(-0.5, 0.16), (0.5, 0.16), (0.62, 0.46), (-0.38, 0.46)]
    tile.put(tile.polygon([(0.5, -0.1), (0.62, 0.18), (0.62, 0.46), (0.5, 0.16)]), darker(colour, 0.35))
    tile.put(tile.polygon(top), colour)
    for k in range(12):
        x, y = -0.34 + 0.08 * ((k * 5) % 11), 0.2 + 0.03 * ((k * 7) % 8)
        tile.put(tile.polygon(circle(0.026, at=(x, y), squash=0.6)), darker(colour, 0.25))


def parcel(tile: Tile, colour: Colour) -> None:
    """A wrapped present."""
    box(tile, colour)
    ribbon = hex_colour("#f4e3a1")
    tile.put(tile.polygon([(-0.13, -0.12), (0.05, -0.12), (0.05, 0.46), (-0.13, 0.46)]), ribbon)
    tile.put(tile.polygon([(-0.13, 0.46), (0.05, 0.46), (0.27, 0.72), (0.1, 0.72)]), lighter(ribbon, 0.2))
    for side in (-1, 1):
        loop = tile.stroke(
            smooth([(0.08, 0.6), (0.08 + side * 0.26, 0.9), (0.08 + side * 0.38, 0.72), (0.08, 0.6)], closed=False),
            0.08,
        )
        tile.put(loop, ribbon, light=tile.clay(loop, 0.03, 0.6))


_LONG = (Foot(0.55, 0.2),)
KINDS: dict[str, Kind] = {
    "cup": Kind(cup, 0.85, 0.85, 1.2, 0.25, (Foot(0.4, 0.17),)),
    "glass": Kind(glass, 0.45, 0.45, 1.35, 0.2, (Foot(0.3, 0.13),)),
    "bowl": Kind(bowl, 0.85, 0.85, 0.9, 0.25, (Foot(0.52, 0.2),)),
    "plate": Kind(plate, 0.95, 0.95, 0.55, 0.45, (Foot(0.8, 0.33),)),
    "bottle": Kind(bottle, 0.35, 0.35, 1.7, 0.2, (Foot(0.28, 0.12),)),
    "jar": Kind(jar, 0.5, 0.5, 1.2, 0.25, (Foot(0.4, 0.17),)),
    "can": Kind(can, 0.4, 0.4, 1.2, 0.2, (Foot(0.31, 0.13),)),
    "pot": Kind(pot, 1.05, 1.05, 1.25, 0.35, (Foot(0.66, 0.28),)),
    "kettle": Kind(kettle, 0.75, 1.1, 1.4, 0.25, (Foot(0.58, 0.22),)),
    "candle": Kind(candle, 0.45, 0.45, 1.5, 0.2, (Foot(0.34, 0.15),)),
    "plant": Kind(plant, 0.85, 0.85, 1.7, 0.2, (Foot(0.32, 0.14),)),
    "lamp": Kind(lamp, 0.45, 1.0, 1.6, 0.25, (Foot(0.34, 0.15),)),
    "apple": Kind(apple, 0.5, 0.5, 0.9, 0.2, (Foot(0.34, 0.13),)),
    "orange": Kind(orange, 0.5, 0.5, 0.8, 0.2, (Foot(0.32, 0.13),)),
    "lemon": Kind(lemon, 0.55, 0.55, 0.6, 0.2, (Foot(0.34, 0.12),)),
    "pear": Kind(pear, 0.5, 0.5, 1.1, 0.2, (Foot(0.32, 0.13),)),
    "banana": Kind(banana, 0.7, 0.7, 0.5, 0.2, (Foot(0.46, 0.12),)),
    "tomato": Kind(tomato, 0.5, 0.5, 0.8, 0.2, (Foot(0.33, 0.13),)),
    "egg": Kind(egg, 0.35, 0.35, 0.7, 0.15, (Foot(0.22, 0.09),)),
    "carrot": Kind(carrot, 1.05, 1.05, 0.8, 0.6, (Foot(0.5, 0.1),)),
    "block": Kind(block, 0.5, 0.5, 0.9, 0.25, (Foot(0.42, 0.17),)),
    "ball": Kind(ball, 0.5, 0.5, 0.8, 0.2, (Foot(0.3, 0.12),)),
    "box": Kind(box, 1.05, 1.2, 1.15, 0.2, (Foot(0.8, 0.2),)),
    "parcel": Kind(parcel, 0.85, 0.95, 1.1, 0.2, (Foot(0.8, 0.2),)),
    "book": Kind(book, 1.1, 1.1, 0.85, 0.75, (Foot(0.75, 0.42),)),
    "notebook": Kind(notebook, 1.35, 1.35, 0.8, 0.7, (Foot(1.1, 0.4),)),
    "sheet": Kind(sheet, 1.1, 1.1, 0.75, 0.75, ()),
    "phone": Kind(phone, 0.75, 0.75, 0.6, 0.6, (Foot(0.42, 0.34),)),
    "laptop": Kind(laptop, 1.35, 1.35, 1.8, 0.7, (Foot(1.15, 0.42),)),
    "keyboard": Kind(keyboard, 1.35, 1.35, 0.6, 0.5, (Foot(1.1, 0.26),)),
    "cutting board": Kind(board, 1.3, 1.3, 0.75, 0.7, (Foot(1.02, 0.38),)),
    "knife": Kind(knife, 1.3, 1.3, 0.85, 0.8, (Foot(0.3, 0.14),)),
    "spoon": Kind(spoon, 1.1, 1.1, 0.75, 0.7, (Foot(0.2, 0.16),)),
    "fork": Kind(fork, 1.1, 1.1, 0.75, 0.7, (Foot(0.2, 0.16),)),
    "pencil": Kind(pencil, 1.0, 1.0, 0.7, 0.65, (Foot(0.4, 0.14),)),
    "paintbrush": Kind(brush, 1.15, 1.15, 0.75, 0.7, (Foot(0.4, 0.14),)),
    "pair of scissors": Kind(scissors, 1.1, 1.1, 0.8, 0.75, (Foot(0.4, 0.18),)),
    "screwdriver": Kind(screwdriver, 1.1, 1.1, 0.75, 0.7, (Foot(0.45, 0.14),)),
    "hammer": Kind(hammer, 1.2, 1.2, 0.85, 0.8, (Foot(0.5, 0.22),)),
    "wrench": Kind(wrench, 1.15, 1.15, 0.75, 0.7, (Foot(0.5, 0.14),)),
    "key": Kind(key, 0.75, 0.75, 0.5, 0.45, (Foot(0.34, 0.1),)),
    "sponge": Kind(sponge, 0.65, 0.75, 0.6, 0.2, (Foot(0.54, 0.16),)),
}
"""Every kind of thing by its name in a sentence."""

NATURAL: dict[str, str] = {
    "orange": "#ee8c2f",
    "lemon": "#f2d23f",
    "banana": "#f4d24c",
    "tomato": "#d8412f",
    "egg": "#f3e2cb",
    "carrot": "#ea7f2c",
    "spoon": "#c9ced3",
    "fork": "#c9ced3",
    "wrench": "#9ba3aa",
    "key": "#d6b354",
    "laptop": "#b9bfc5",
    "box": "#c79a67",
    "cutting board": "#d3a468",
    "pair of scissors": "#d2493f",
    "glass": "#dfeef2",
    "pot": "#aeb5bb",
    "sheet": "#3f74b8",
    "book": "#3f74b8",
    "phone": "#35373c",
    "keyboard": "#4a4e54",
}
"""The colour of things that are not asked about by colour."""


def colour_of(kind: str, name: str | None) -> Colour:
    """The colour a thing of that kind is drawn in; None is the one that it has by nature."""
    if name is None:
        return hex_colour(NATURAL.get(kind, "#9aa0a5"))
    return hex_colour(COLOURS[name])


@lru_cache(maxsize=256)
def thing(kind: str, colour: str | None, unit: float, state: tuple[tuple[str, object], ...] = ()) -> Stamp:
    """A thing, drawn; the same call gives the same stamp."""
    return tile_of(kind, colour, unit, state).finished()


def tile_of(kind: str, colour: str | None, unit: float, state: tuple[tuple[str, object], ...] = ()) -> Tile:
    """The tile on which a thing is drawn."""
    row = KINDS[kind]
    reach = 1.08
    tile = Tile(left=row.left * reach, right=row.right * reach, up=row.up * reach, down=row.down * reach, unit=unit)
    row.draw(tile, colour_of(kind, colour), **dict(state))
    return tile

"""Tables and rooms: what lies behind the things, seen by someone who sits at the table."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from tools.drawing.canvas import Array, Colour, hex_colour

WIDTH, HEIGHT = 1280, 960
FAR_EDGE = 0.29
"""Where the table ends, as a part of the picture's height from above."""
DEEPEST = 2.1
"""How much farther away the table's far edge is than its near one."""
REACH = 0.47
"""Half the width of the table that is in view at its near edge, as a part of the picture's width."""


def on_screen(x: float, depth: float, size: tuple[int, int] = (WIDTH, HEIGHT)) -> tuple[float, float, float]:
    """(pixel x, pixel y, scale) of a place on the table: x in -1 (left) .. 1 (right), depth in 0 (near) .. 1 (far)."""
    width, height = size
    distance = 1 + (DEEPEST - 1) * depth
    nearness = (1 / distance - 1 / DEEPEST) / (1 - 1 / DEEPEST)
    far = FAR_EDGE * height
    return width / 2 + x * REACH * width / distance, far + (height - far) * nearness, 1 / distance * width / WIDTH


@lru_cache(maxsize=4)
def _plane(width: int, height: int) -> tuple[Array, Array]:
    """(across, away) of every pixel below the far edge, in units of the table."""
    rows = np.arange(int(FAR_EDGE * height), height, dtype=np.float32)
    nearness = (rows - FAR_EDGE * height) / (height - FAR_EDGE * height)
    distance = 1 / (nearness * (1 - 1 / DEEPEST) + 1 / DEEPEST)
    columns = (np.arange(width, dtype=np.float32) - width / 2) / (REACH * width)
    return columns[None, :] * distance[:, None], np.broadcast_to(distance[:, None] * 2.2, (len(rows), width))


def _texture(seed: int, n: int = 128, fine: int = 8) -> Array:
    """Smooth random numbers in 0..1 that repeat seamlessly: ``n`` x ``n`` of them, with ``fine`` steps between."""
    points = np.random.default_rng(seed).random((n, n)).astype(np.float32)
    around = np.pad(points, 2, mode="wrap")
    size = (n + 4) * fine
    between = np.asarray(Image.fromarray(around).resize((size, size), Image.Resampling.BICUBIC))
    return np.ascontiguousarray(between[2 * fine : -2 * fine, 2 * fine : -2 * fine])


def _sampled(texture: Array, u: Array, v: Array) -> Array:
    """A texture repeated over the plane; its size is a power of two."""
    size = texture.shape[0]
    x, y = (u * size).astype(np.int32) & (size - 1), (v * size).astype(np.int32) & (size - 1)
    taken: Array = texture.ravel().take(y * size + x)
    return taken


def _smoothly(texture: Array, u: Array, v: Array) -> Array:
    """As ``_sampled``, without steps where the texture is much enlarged."""
    size = texture.shape[0]
    x, y = u * size, v * size
    left, low = np.floor(x).astype(np.int32), np.floor(y).astype(np.int32)
    fx, fy = x - left, y - low
    flat, mask = texture.ravel(), size - 1
    rows = ((low & mask) * size, ((low + 1) & mask) * size)
    columns = (left & mask, (left + 1) & mask)
    near = flat.take(rows[0] + columns[0]) * (1 - fx) + flat.take(rows[0] + columns[1]) * fx
    far = flat.take(rows[1] + columns[0]) * (1 - fx) + flat.take(rows[1] + columns[1]) * fx
    between: Array = near * (1 - fy) + far * fy
    return between


def _paint(a: Colour, b: Colour, t: Array) -> Array:
    low, high = np.asarray(a, np.float32), np.asarray(b, np.float32)
    painted: Array = low + (high - low) * np.clip(t, 0, 1)[..., None]
    return painted


# ---- tables ---------------------------------------------------------------------------------------------------------


def _planks(light: str, dark: str, *, n: float, seed: int) -> Callable[[Array, Array], Array]:
    def draw(u: Array, v: Array) -> Array:
        rng = np.random.default_rng(seed)
        texture = _texture(seed)
        lane = v * n
        plank = np.floor(lane).astype(np.int32)
        tones = rng.random(64).astype(np.float32)
        shift = rng.random(64).astype(np.float32) * 7
        along = u * 0.16 + shift[plank % 64]
        grain = 0.5 * _sampled(texture, along * 0.35, lane * 0.16) + 0.5 * _sampled(texture, along * 0.5, lane * 0.42)
        rings = 0.05 * np.sin(lane * 14 + 7 * _sampled(texture, along * 0.06, lane * 0.03) + np.sin(along * 3))
        t = 0.2 + 0.4 * tones[plank % 64] + 0.4 * (grain - 0.4) + rings
        colour = _paint(hex_colour(light), hex_colour(dark), t)
        edge = np.abs(lane - np.round(lane))
        seam = np.clip(1 - edge / 0.018, 0, 1)[..., None] * 0.45
        return colour * (1 - seam)

    return draw


def _plain(colour: str, *, speck: float = 0.03, seed: int = 0) -> Callable[[Array, Array], Array]:
    def draw(u: Array, v: Array) -> Array:
        texture = _texture(seed)
        noise = (_sampled(texture, u * 0.9, v * 0.9) - 0.5) * speck
        painted: Array = np.asarray(hex_colour(colour), np.float32) + noise[..., None]
        return painted

    return draw


def _marble(base: str, vein: str, seed: int) -> Callable[[Array, Array], Array]:
    def draw(u: Array, v: Array) -> Array:
        texture = _texture(seed, 32, fine=16)
        warp = _smoothly(texture, u * 0.05, v * 0.06) + 0.5 * _smoothly(texture, u * 0.12, v * 0.14)
        fine = _sampled(texture, u * 0.4, v * 0.4)
        veins = np.abs(np.sin((u * 0.7 + v * 0.9 + warp * 3.6) * 2.1))
        strength = np.clip(_sampled(texture, u * 0.09 + 0.3, v * 0.11) * 1.8 - 0.7, 0, 1)
        t = np.clip(1 - veins / 0.3, 0, 1) ** 2 * 0.6 * strength + 0.2 * warp + 0.08 * fine
        return _paint(hex_colour(base), hex_colour(vein), t)

    return draw


def _gingham(colour: str, n: float) -> Callable[[Array, Array], Array]:
    def draw(u: Array, v: Array) -> Array:
        def stripe(t: Array, softness: Array) -> Array:
            wave = np.abs((t % 1) - 0.5) * 2
            soft: Array = np.clip((wave - 0.5) / softness + 0.5, 0, 1)
            return soft

        softness = np.clip(v * n * 0.008, 0.03, 0.5)
        t = 0.5 * stripe(u * n, softness) + 0.5 * stripe(v * n * 0.55, softness * 1.6)
        weave = 0.02 * np.sin(u * 220) * np.sin(v * 160)
        cloth: Array = _paint(hex_colour("#f7f3ea"), hex_colour(colour), t * 0.85) + weave[..., None] * 0.4
        return cloth.astype(np.float32)

    return draw


def _mat(colour: str, line: str, n: float) -> Callable[[Array, Array], Array]:
    def draw(u: Array, v: Array) -> Array:
        def lines(t: Array, width: Array) -> Array:
            drawn: Array = np.clip(1.4 - np.abs(t - np.round(t)) / width, 0, 1)
            return drawn

        thin = np.clip(v * n * 0.0012, 0.006, 0.05)
        grid = np.maximum(lines(u * n, thin), lines(v * n * 0.6, thin * 1.8))
        bold = np.maximum(lines(u * n / 5, thin / 3), lines(v * n * 0.6 / 5, thin * 0.6))
        painted = _paint(hex_colour(colour), hex_colour(line), 0.32 * grid + 0.35 * bold)
        return painted

    return draw


TABLES: dict[str, Callable[[Array, Array], Array]] = {
    "oak": _planks("#dcb483", "#b27f4b", n=1.6, seed=11),
    "walnut": _planks("#8a5f42", "#54362a", n=1.3, seed=5),
    "pine": _planks("#eccf9f", "#cfa468", n=2.1, seed=23),
    "ash": _planks("#d9cdbb", "#b3a48d", n=1.5, seed=31),
    "white": _plain("#e9e7e2", seed=3),
    "slate": _plain("#55606a", speck=0.05, seed=4),
    "teal": _plain("#3f7c7f", speck=0.03, seed=6),
    "marble": _marble("#eeecea", "#9ba1a8", seed=9),
    "green_marble": _marble("#4e6b5e", "#b9cbbd", seed=12),
    "red_cloth": _gingham("#b8433c", n=3.2),
    "blue_cloth": _gingham("#4a6f9c", n=2.7),
    "cutting_mat": _mat("#2f6b5d", "#bfe0cf", n=6.0),
}


# ---- rooms ----------------------------------------------------------------------------------------------------------


class _Wall:
    """The strip above the table's far edge, drawn twice as large; coordinates are parts of its width and height."""

    def __init__(self, width: int, height: int, upper: str, lower: str) -> None:
        self.width, self.height = width * 2, height * 2
        blend = np.linspace(0, 1, self.height, dtype=np.float32)[:, None]
        column = _paint(hex_colour(upper), hex_colour(lower), blend)
        rows = np.broadcast_to(column, (self.height, self.width, 3))
        self.image = Image.fromarray((rows * 255).astype(np.uint8))
        self.pen = ImageDraw.Draw(self.image)

    def box(self, x0: float, y0: float, x1: float, y1: float, fill: str, *, radius: float = 0) -> None:
        w, h = self.width, self.height
        place = (x0 * w, y0 * h, x1 * w, y1 * h)
        self.pen.rounded_rectangle(place, radius=radius * h, fill=fill)

    def oval(self, x: float, y: float, rx: float, ry: float, fill: str) -> None:
        w, h = self.width, self.height
        self.pen.ellipse(((x - rx) * w, (y - ry) * h, (x + rx) * w, (y + ry) * h), fill=fill)

    def shape(self, points: list[tuple[float, float]], fill: str) -> None:
        self.pen.polygon([(x * self.width, y * self.height) for x, y in points], fill=fill)

    def window(self, x0: float, y0: float, x1: float, y1: float, frame: str = "#f4f1ea") -> None:
        self.box(x0 - 0.008, y0 - 0.03, x1 + 0.008, y1 + 0.03, frame)
        self.box(x0, y0, x1, y1, "#bfe0f2")
        self.shape(
            [(x0, y1), (x0, y0 + (y1 - y0) * 0.62), (x0 + (x1 - x0) * 0.4, y0 + (y1 - y0) * 0.5), (x1, y1)], "#a5cc9b"
        )
        self.shape([(x0 + (x1 - x0) * 0.2, y1), (x1, y0 + (y1 - y0) * 0.55), (x1, y1)], "#86b583")
        middle = (x0 + x1) / 2
        self.box(middle - 0.004, y0, middle + 0.004, y1, frame)
        self.box(x0, (y0 + y1) / 2 - 0.012, x1, (y0 + y1) / 2 + 0.012, frame)


def _kitchen(wall: _Wall) -> None:
    for row in range(9):
        for column in range(26):
            shade = ("#e7eef0", "#dde7ea", "#eef3f4")[(row * 7 + column * 3) % 3]
            x = column / 26 + (0.5 / 26 if row % 2 else 0) - 0.02
            wall.box(x, row / 8, x + 0.0365, row / 8 + 0.115, shade)
    for k in range(4):  # cupboards above
        x = 0.02 + k * 0.155
        wall.box(x, -0.1, x + 0.148, 0.44, "#5f7f8c", radius=0.02)
        wall.box(x + 0.012, 0.0, x + 0.136, 0.38, "#6c8d9b", radius=0.015)
        wall.box(x + 0.118, 0.22, x + 0.126, 0.34, "#d9c9a3", radius=0.01)
    wall.window(0.72, 0.04, 0.96, 0.62)
    wall.box(0.0, 0.86, 1, 1, "#cbb79a")  # worktop behind the table
    wall.box(0.08, 0.6, 0.22, 0.88, "#3f4447", radius=0.03)  # stove
    for k in range(2):
        wall.oval(0.115 + k * 0.07, 0.68, 0.012, 0.035, "#9aa1a4")
    wall.box(0.3, 0.56, 0.36, 0.88, "#b85c42", radius=0.05)  # kettle
    wall.box(0.285, 0.6, 0.305, 0.66, "#b85c42", radius=0.02)
    wall.oval(0.33, 0.55, 0.018, 0.03, "#33302d")
    for k, colour in enumerate(("#e5b95c", "#dcd7cb", "#8fa87a")):  # jars
        wall.box(0.44 + k * 0.055, 0.62, 0.485 + k * 0.055, 0.88, colour, radius=0.03)
        wall.box(0.442 + k * 0.055, 0.57, 0.483 + k * 0.055, 0.64, "#7a5a3c", radius=0.02)


def _office(wall: _Wall) -> None:
    wall.box(0.03, 0.08, 0.3, 0.13, "#8b6a4a")
    wall.box(0.03, 0.5, 0.3, 0.55, "#8b6a4a")
    rng = np.random.default_rng(2)
    for y in (0.08, 0.5):
        x = 0.04
        while x < 0.28:
            w = 0.008 + 0.01 * rng.random()
            h = 0.2 + 0.14 * rng.random()
            colour = ("#2f5d7c", "#c0563f", "#e2b44e", "#5b7f5c", "#7a5c86", "#ded6c6")[rng.integers(6)]
            if y > 0.3:
                wall.box(x, y - h, x + w, y, colour)
            else:
                wall.box(x, -0.2, x + w, y, colour)
            x += w + 0.002
    wall.box(0.36, 0.02, 0.67, 0.76, "#22262b", radius=0.03)  # monitor
    wall.box(0.367, 0.05, 0.663, 0.7, "#2c4a63", radius=0.01)
    for k in range(6):
        wall.box(0.385, 0.12 + k * 0.09, 0.385 + (0.2, 0.13, 0.24, 0.09, 0.17, 0.21)[k], 0.155 + k * 0.09, "#8fb4c9")
    wall.box(0.49, 0.76, 0.54, 0.95, "#4a4f55")
    wall.box(0.44, 0.93, 0.59, 1, "#4a4f55", radius=0.03)
    wall.box(0.74, 0.1, 0.92, 0.6, "#fbfaf6", radius=0.01)  # calendar
    wall.box(0.74, 0.1, 0.92, 0.2, "#c0563f")
    for row in range(4):
        for column in range(6):
            wall.box(0.752 + column * 0.027, 0.25 + row * 0.083, 0.772 + column * 0.027, 0.3 + row * 0.083, "#d5dadd")
    wall.box(0.86, 0.72, 0.93, 1, "#c8793e", radius=0.02)  # plant
    for dx, dy in ((-0.035, 0.16), (0.0, 0.28), (0.035, 0.14), (-0.018, 0.24), (0.02, 0.26)):
        wall.oval(0.895 + dx, 0.72 - dy * 0.55, 0.014, 0.16, "#4f8358")


def _workshop(wall: _Wall) -> None:
    wall.box(0.04, -0.05, 0.96, 0.84, "#c79c66", radius=0.02)
    for row in range(9):
        for column in range(44):
            wall.oval(0.055 + column * 0.0207, 0.03 + row * 0.095, 0.0016, 0.0075, "#9d7747")
    wall.box(0.12, 0.12, 0.132, 0.62, "#7d5230", radius=0.02)  # hammer
    wall.box(0.09, 0.08, 0.162, 0.2, "#5a6066", radius=0.03)
    wall.shape([(0.22, 0.16), (0.42, 0.3), (0.42, 0.42), (0.22, 0.5)], "#aeb6bb")  # saw
    wall.box(0.4, 0.22, 0.45, 0.52, "#b5483a", radius=0.05)
    for k, colour in enumerate(("#c9423b", "#e2a93b", "#3f6fa8", "#4d8c57")):  # screwdrivers
        wall.box(0.52 + k * 0.04, 0.12, 0.536 + k * 0.04, 0.36, colour, radius=0.03)
        wall.box(0.526 + k * 0.04, 0.34, 0.53 + k * 0.04, 0.68, "#8c9499")
    wall.box(0.74, 0.16, 0.756, 0.66, "#7f878c", radius=0.02)  # wrench
    wall.oval(0.748, 0.15, 0.022, 0.09, "#7f878c")
    wall.oval(0.748, 0.11, 0.01, 0.055, "#c79c66")
    wall.oval(0.87, 0.36, 0.045, 0.17, "#d8c34a")  # tape
    wall.oval(0.87, 0.36, 0.02, 0.08, "#c79c66")
    wall.box(0, 0.86, 1, 1, "#6b4a31")


def _garden(wall: _Wall) -> None:
    for x, r, colour in (
        *((0.06, 0.13, "#6ea36a"), (0.22, 0.1, "#5b9260"), (0.4, 0.15, "#7fb173"), (0.57, 0.1, "#548a59")),
        *((0.75, 0.16, "#71a768"), (0.93, 0.12, "#5c9562")),
    ):
        wall.oval(x, 0.5, r, r * 3.2, colour)
    wall.oval(0.84, 0.12, 0.03, 0.11, "#fff3c4")
    for k in range(26):  # fence
        x = k / 25
        wall.shape([(x - 0.013, 1), (x - 0.013, 0.55), (x, 0.48), (x + 0.013, 0.55), (x + 0.013, 1)], "#f3ece0")
    wall.box(0, 0.64, 1, 0.7, "#e7decf")
    wall.box(0, 0.9, 1, 1, "#79ab63")
    rng = np.random.default_rng(8)
    for _ in range(46):
        x, y = rng.random(), 0.78 + 0.2 * rng.random()
        wall.oval(x, y, 0.006, 0.022, ("#e05a5a", "#f0c64b", "#d98ac0", "#ffffff")[rng.integers(4)])


def _classroom(wall: _Wall) -> None:
    wall.box(0.12, 0.02, 0.88, 0.78, "#8a6238", radius=0.02)
    wall.box(0.132, 0.06, 0.868, 0.72, "#2f5546")
    chalk = "#e3ebe4"
    w, h = wall.width, wall.height
    for k, points in enumerate(
        (
            [(0.18, 0.55), (0.22, 0.2), (0.26, 0.55)],
            [(0.195, 0.42), (0.245, 0.42)],
            [(0.32, 0.24), (0.4, 0.24)],
            [(0.32, 0.38), (0.44, 0.38)],
            [(0.32, 0.52), (0.38, 0.52)],
            [(0.56, 0.58), (0.56, 0.18)],
            [(0.54, 0.54), (0.8, 0.54)],
            [(0.57, 0.5), (0.64, 0.4), (0.7, 0.44), (0.78, 0.2)],
        )
    ):
        wall.pen.line([(x * w, y * h) for x, y in points], fill=chalk if k < 5 else "#f1d98c", width=7, joint="curve")
    wall.box(0.3, 0.78, 0.7, 0.83, "#a47a4b")
    wall.box(0.4, 0.75, 0.43, 0.79, "#ffffff")
    wall.box(0.52, 0.75, 0.56, 0.79, "#e5b3b3")
    wall.box(0.0, 0.9, 1, 1, "#b89b74")
    wall.oval(0.06, 0.3, 0.032, 0.12, "#f5f2ea")  # clock
    wall.oval(0.06, 0.3, 0.027, 0.1, "#ffffff")
    wall.pen.line([(0.06 * w, 0.3 * h), (0.06 * w, 0.235 * h)], fill="#333333", width=6)
    wall.pen.line([(0.06 * w, 0.3 * h), (0.075 * w, 0.32 * h)], fill="#333333", width=6)


def _living_room(wall: _Wall) -> None:
    wall.box(0.26, 0.44, 0.78, 1.1, "#8d6f8f", radius=0.12)  # sofa
    wall.box(0.2, 0.58, 0.31, 1.1, "#7c6080", radius=0.1)
    wall.box(0.73, 0.58, 0.84, 1.1, "#7c6080", radius=0.1)
    wall.box(0.34, 0.54, 0.46, 0.86, "#e6b656", radius=0.06)
    wall.box(0.6, 0.56, 0.71, 0.86, "#6fa3a0", radius=0.06)
    wall.box(0.4, -0.02, 0.64, 0.34, "#6d4d33")
    wall.box(0.408, 0.01, 0.632, 0.31, "#f0e6d2")
    wall.shape([(0.41, 0.31), (0.47, 0.12), (0.53, 0.26), (0.57, 0.16), (0.63, 0.31)], "#6c93a8")
    wall.oval(0.585, 0.09, 0.012, 0.04, "#e3a04b")
    wall.box(0.1, 0.3, 0.106, 1, "#4b4038")  # lamp
    wall.shape([(0.065, 0.34), (0.085, 0.04), (0.121, 0.04), (0.141, 0.34)], "#f6e2ae")
    wall.box(0.88, 0.66, 0.95, 1, "#b86d4a", radius=0.02)
    for dx, dy, r in (
        (-0.03, 0.32, 0.02),
        (0.03, 0.36, 0.02),
        (0.0, 0.5, 0.022),
        (-0.045, 0.5, 0.017),
        (0.05, 0.52, 0.017),
    ):
        wall.oval(0.915 + dx, 0.8 - dy, r, 0.17, "#5a8a5c")


def _cafe(wall: _Wall) -> None:
    for row in range(12):
        for column in range(20):
            x = column / 19 + (0.026 if row % 2 else 0) - 0.03
            wall.box(x, row / 11, x + 0.05, row / 11 + 0.08, ("#a85f48", "#b36a52", "#9d5641")[(row * 5 + column) % 3])
    wall.box(0.3, 0.06, 0.7, 0.58, "#2b2723", radius=0.02)  # menu
    for k in range(5):
        wall.box(0.34, 0.14 + k * 0.085, 0.34 + (0.2, 0.16, 0.22, 0.13, 0.18)[k], 0.165 + k * 0.085, "#e9dfcb")
        wall.box(0.62, 0.14 + k * 0.085, 0.66, 0.165 + k * 0.085, "#e2b65e")
    for x in (0.14, 0.86):
        wall.box(x - 0.002, -0.1, x + 0.002, 0.18, "#1f1b18")
        wall.shape([(x - 0.05, 0.34), (x - 0.02, 0.16), (x + 0.02, 0.16), (x + 0.05, 0.34)], "#2f2a26")
        wall.oval(x, 0.35, 0.02, 0.06, "#ffe9b0")
    wall.box(0, 0.74, 1, 1, "#5b4030")
    wall.box(0, 0.7, 1, 0.76, "#c9a77e")
    for k in range(5):
        wall.oval(0.2 + k * 0.02, 0.66, 0.008, 0.035, "#f5f1e8")
    wall.box(0.74, 0.4, 0.88, 0.72, "#8e979b", radius=0.03)  # coffee machine
    wall.box(0.76, 0.46, 0.86, 0.54, "#3a3f43", radius=0.01)
    wall.box(0.8, 0.56, 0.82, 0.64, "#3a3f43")


def _laboratory(wall: _Wall) -> None:
    for k in range(8):
        wall.box(k * 0.13 - 0.01, -0.05, k * 0.13 + 0.115, 0.34, "#dfe6e8", radius=0.01)
        wall.box(k * 0.13 + 0.04, 0.28, k * 0.13 + 0.065, 0.31, "#9aa8ad")
    wall.box(0, 0.42, 1, 0.46, "#b7c4c9")
    for k, colour in enumerate(("#6fb7d6", "#8fd0a0", "#e8b45c", "#d67f9a", "#9c8fd0")):
        x = 0.08 + k * 0.062
        wall.box(x + 0.012, 0.5, x + 0.028, 0.66, "#e6f0f3")
        wall.shape([(x + 0.012, 0.64), (x + 0.028, 0.64), (x + 0.048, 0.94), (x - 0.008, 0.94)], "#e6f0f3")
        wall.shape([(x + 0.004, 0.78), (x + 0.036, 0.78), (x + 0.046, 0.93), (x - 0.006, 0.93)], colour)
    wall.box(0.56, 0.88, 0.7, 0.95, "#39434a", radius=0.02)  # microscope
    wall.shape([(0.63, 0.9), (0.66, 0.9), (0.69, 0.6), (0.65, 0.52), (0.63, 0.56), (0.66, 0.64)], "#39434a")
    wall.shape([(0.585, 0.72), (0.625, 0.5), (0.65, 0.53), (0.61, 0.76)], "#566067")
    wall.box(0.57, 0.8, 0.645, 0.84, "#7b868d")
    for k in range(4):  # test tubes
        wall.box(0.79 + k * 0.03, 0.56, 0.806 + k * 0.03, 0.9, "#e6f0f3", radius=0.02)
        wall.box(
            0.79 + k * 0.03, 0.7, 0.806 + k * 0.03, 0.9, ("#d67f9a", "#6fb7d6", "#8fd0a0", "#e8b45c")[k], radius=0.02
        )
    wall.box(0.77, 0.72, 0.91, 0.78, "#a97c4f")
    wall.box(0, 0.94, 1, 1, "#8fa0a6")


ROOMS: dict[str, tuple[str, str, Callable[[_Wall], None]]] = {
    "kitchen": ("#f1f4f2", "#dfe6e4", _kitchen),
    "office": ("#d8dfe0", "#c5cecf", _office),
    "workshop": ("#d3c6b3", "#b6a68f", _workshop),
    "garden": ("#a9d4ef", "#dcefe9", _garden),
    "classroom": ("#efe3c8", "#e0d0ae", _classroom),
    "living room": ("#e9d9c8", "#dcc6b0", _living_room),
    "café": ("#8f4f3c", "#7f4534", _cafe),
    "laboratory": ("#eef3f4", "#dae3e6", _laboratory),
}
"""Room -> colours of the wall above and below, and what stands before it."""


Pixels = NDArray[np.uint8]


@lru_cache(maxsize=16)
def _strip(room: str, width: int, height: int) -> Pixels:
    """The room above the table's far edge, a little out of focus."""
    upper, lower, furnish = ROOMS[room]
    wall = _Wall(width, int(FAR_EDGE * height) + 8, upper, lower)
    furnish(wall)
    return np.asarray(wall.image.reduce(2).filter(ImageFilter.GaussianBlur(2.4 * width / WIDTH)))


@lru_cache(maxsize=16)
def _top(table: str, width: int, height: int) -> Pixels:
    """The table in the light of a window at the upper left."""
    u, v = _plane(width, height)
    away = np.clip((v / 2.2 - 1) / (DEEPEST - 1), 0, 1)
    light = 1.08 - 0.2 * np.clip((u + 1.2) / 3, 0, 1) - 0.06 * away
    lit = TABLES[table](u, v) * light[..., None]
    pixels: Pixels = (np.clip(lit, 0, 1) * 255 + 0.5).astype(np.uint8)
    return pixels


def backdrop(room: str, table: str, size: tuple[int, int] = (WIDTH, HEIGHT)) -> Array:
    """The empty table in its room: float RGB."""
    width, height = size
    far, edge = int(FAR_EDGE * height), max(3, round(height * 0.006))
    picture = np.empty((height, width, 3), np.float32)
    np.multiply(_strip(room, width, height), 1 / 255, out=picture[: far + 8], dtype=np.float32)
    np.multiply(_top(table, width, height), 1 / 255, out=picture[far:], dtype=np.float32)
    picture[far : far + edge] = picture[far : far + edge] * 0.5 + 0.42
    picture[far - edge * 3 : far] *= np.linspace(1, 0.62, edge * 3, dtype=np.float32)[:, None, None]
    picture *= _vignette(width, height)
    return picture


@lru_cache(maxsize=4)
def _vignette(width: int, height: int) -> Array:
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].astype(np.float32)
    shade: Array = (1.03 - 0.2 * np.clip(np.sqrt(x * x * 0.8 + y * y * 0.9) - 0.45, 0, 1) ** 1.4)[..., None]
    return shade.astype(np.float32)


@lru_cache(maxsize=4)
def grain(width: int, height: int) -> Array:
    """The faint noise of a camera."""
    noise = np.random.default_rng(1).normal(0, 0.007, (height, width, 1)).astype(np.float32)
    return noise

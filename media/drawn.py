"""Draw on pictures, for models: boxes and numbered marks, and what extensions add.

Positions are fractions of the upright image (``annotation_schemas.drawing``). Lines and numbers grow with the image.
Each red line lies between white lines, so that it stands out from any background.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from annotation_schemas.drawing import RED
from domain import extensions
from domain.registers import Register

WHITE = (255, 255, 255)

VERSION = 1
"""Increases whenever the same boxes and marks give different pixels."""


@dataclass(frozen=True)
class Painter:
    """How the fields of one kind are drawn."""

    name: str
    """The name of the kind."""
    paint: Callable[[Image.Image, Sequence[Mapping[str, Any]], int], None]
    """Draws entries on a picture (RGB), with lines of this width."""
    below: bool = False
    """Whether boxes and marks are drawn over it."""


PAINTERS: Register[Painter] = Register(lambda: extensions.rows("painters"))
"""The painters of extensions, in the order in which they draw."""

_LEAST_LINE = 2
_LEAST_TEXT = 12


def draw(
    picture: Image.Image,
    *,
    boxes: Sequence[Mapping[str, Any]] = (),
    marks: Sequence[Mapping[str, Any]] = (),
    labels: Mapping[Any, str] | None = None,
    **others: Sequence[Mapping[str, Any]],
) -> Image.Image:
    """Return a copy of the picture (RGB) with these boxes and marks, and entries of ``others`` by their kind.

    ``labels`` maps a box's label to the text that is drawn.

    Raises
    ------
    InvalidMediaError
        A mask of pixels has other proportions than the picture.
    """
    drawn = picture.copy()
    pen = ImageDraw.Draw(drawn)
    line = max(_LEAST_LINE, round(max(picture.size) / 250))
    font = ImageFont.load_default(size=max(_LEAST_TEXT, round(max(picture.size) / 32)))
    painters = [painter for painter in PAINTERS.values() if painter.name in others]
    for painter in painters:
        if painter.below:
            painter.paint(drawn, others[painter.name], line)
    for box in boxes:
        _box(pen, picture.size, box, line)
    for box in boxes:  # after all lines, so that none runs through a label
        if box.get("label") is not None:
            text = (labels or {}).get(box["label"], str(box["label"]))
            _label(pen, picture.size, box, text, line, font)
    for painter in painters:
        if not painter.below:
            painter.paint(drawn, others[painter.name], line)
    for mark in marks:
        _mark(pen, picture.size, mark, line, font)
    return drawn


def _box(pen: ImageDraw.ImageDraw, size: tuple[int, int], box: Mapping[str, Any], line: int) -> None:
    left, top, right, bottom = edges(size, box)
    halo = max(1, line // 2)
    for inset, width, colour in (
        (-halo, halo, WHITE),
        (0, line, RED),
        (line, halo, WHITE),
    ):
        corner = (left + inset, top + inset, right - inset, bottom - inset)
        if corner[2] > corner[0] and corner[3] > corner[1]:
            pen.rectangle(corner, outline=colour, width=width)


def edges(size: tuple[int, int], box: Mapping[str, Any]) -> tuple[int, int, int, int]:
    """Return the first and last pixels of the red line, at least three apart and within the image."""
    width, height = size
    left, top = _within(box["x"] * width, width - 1), _within(box["y"] * height, height - 1)
    right = _within((box["x"] + box["w"]) * width - 1, width - 1)
    bottom = _within((box["y"] + box["h"]) * height - 1, height - 1)
    return left, top, max(right, left), max(bottom, top)


def _within(at: float, last: int) -> int:
    return min(max(round(at), 0), last)


def _label(
    pen: ImageDraw.ImageDraw,
    size: tuple[int, int],
    box: Mapping[str, Any],
    text: str,
    line: int,
    font: Any,
) -> None:
    """Draw a red field with the label above the box, or inside the box without room above."""
    left, top, _, _ = edges(size, box)
    inner = pen.textbbox((0, 0), text, font=font)
    width, height = round(inner[2] - inner[0]) + 2 * line, round(inner[3] - inner[1]) + 2 * line
    x = max(0, min(left, size[0] - width))
    y = top - height if top >= height else top
    pen.rectangle((x, y, x + width - 1, y + height - 1), fill=RED)
    pen.text((x + line - inner[0], y + line - inner[1]), text, fill=WHITE, font=font)


def _mark(pen: ImageDraw.ImageDraw, size: tuple[int, int], mark: Mapping[str, Any], line: int, font: Any) -> None:
    """Draw a red disc with a white ring and the number, centered at the mark, but moved to stay within the image."""
    text = str(mark["number"])
    inner = pen.textbbox((0, 0), text, font=font)
    radius = round(max(inner[2] - inner[0], inner[3] - inner[1]) / 2) + 2 * line
    x = _clear(mark["x"] * size[0], radius, size[0])
    y = _clear(mark["y"] * size[1], radius, size[1])
    pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=WHITE)
    rim = max(1, line // 2)
    pen.ellipse((x - radius + rim, y - radius + rim, x + radius - rim, y + radius - rim), fill=RED)
    pen.text((x - (inner[0] + inner[2]) / 2, y - (inner[1] + inner[3]) / 2), text, fill=WHITE, font=font)


def _clear(at: float, radius: int, length: int) -> int:
    """Return the nearest position to ``at`` with the whole disc inside. Without enough room, return the middle."""
    if length <= 2 * radius:
        return length // 2
    return min(max(round(at), radius), length - 1 - radius)

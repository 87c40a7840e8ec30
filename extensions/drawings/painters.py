"""How arrows, masks and covered rectangles are painted on pictures for models."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from PIL import Image, ImageDraw

from annotation_schemas.drawing import GREY, RED
from extensions.drawings import mask_pixels
from media.drawn import WHITE, Painter, edges


def _cover(picture: Image.Image, boxes: Sequence[Mapping[str, Any]], line: int) -> None:
    pen = ImageDraw.Draw(picture)
    for box in boxes:
        pen.rectangle(edges(picture.size, box), fill=GREY)


def _arrows(picture: Image.Image, arrows: Sequence[Mapping[str, Any]], line: int) -> None:
    pen = ImageDraw.Draw(picture)
    for arrow in arrows:
        _arrow(pen, picture.size, arrow, line)


def _arrow(pen: ImageDraw.ImageDraw, size: tuple[int, int], arrow: Mapping[str, Any], line: int) -> None:
    """Draw a red shaft and a head with a white rim. The head's tip is the target; half of a short arrow is head."""
    tail = (arrow["x"] * (size[0] - 1), arrow["y"] * (size[1] - 1))
    tip = (arrow["to_x"] * (size[0] - 1), arrow["to_y"] * (size[1] - 1))
    far = math.hypot(tip[0] - tail[0], tip[1] - tail[1]) or 1.0
    along = ((tip[0] - tail[0]) / far, (tip[1] - tail[1]) / far)
    head, rim = min(6 * line, far / 2), max(1, line // 2)

    def at(place: tuple[float, float], forth: float, aside: float) -> tuple[int, int]:
        x, y = along
        return round(place[0] + forth * x - aside * y), round(place[1] + forth * y + aside * x)

    for grown, colour in ((rim, WHITE), (0, RED)):
        shaft, wing = line / 2 + grown, 2.5 * line + grown
        right = [at(tail, -grown, shaft), at(tip, -head - grown, shaft), at(tip, -head - grown, wing)]
        left = [at(tip, -head - grown, -wing), at(tip, -head - grown, -shaft), at(tail, -grown, -shaft)]
        pen.polygon([*right, at(tip, 2 * grown, 0), *left], fill=colour)


ROWS = (
    Painter("blur", _cover, below=True),
    Painter("masks", mask_pixels.paint, below=True),
    Painter("arrows", _arrows),
)

"""Faces and number plates, as the cascades find them that OpenCV ships (Viola and Jones 2001).

They find upright faces and plates of some size, and miss many: whoever is turned away, covered by a hand, small, dark,
or tilted. What they find is a proposal, and what they do not find says nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from annotation_schemas.drawing import DECIMALS
from domain.errors import NotAvailable
from domain.installation import install_hint
from domain.overlap import area_iou

FACE, PLATE = "face", "plate"
CASCADES: Mapping[str, tuple[str, str]] = {
    "frontal": (FACE, "haarcascade_frontalface_default.xml"),
    "profile": (FACE, "haarcascade_profileface.xml"),
    "plate": (PLATE, "haarcascade_russian_plate_number.xml"),
    "plate16": (PLATE, "haarcascade_license_plate_rus_16stages.xml"),
}
"""Kind and file of each. That of profiles knows faces that look to one side, so it also gets the picture mirrored."""
SIDE = 1600
"""Pixels of the longer side in which they look; larger pictures are made smaller."""
SCALE = 1.1
"""Each size in which they look is so much larger than the one before."""
NEIGHBOURS = 3
"""How often a place has to be found at neighbouring sizes and places: fewer find more, of both sorts."""
LEAST = 24
"""Pixels of the smallest face that is found, in the picture of ``SIDE``."""
_SAME = 0.3
"""Boxes of one kind that share so much of their union are one."""


@dataclass(frozen=True)
class DetectedBox:
    """A box in fractions of the upright picture, and the cascades that found it."""

    kind: str
    x: float
    y: float
    w: float
    h: float
    by: str


class Finder:
    """The cascades, loaded once.

    Raises
    ------
    NotAvailable
        The extra ``privacy`` is not installed.
    """

    def __init__(self, *, kinds: Sequence[str] = (FACE, PLATE), neighbours: int = NEIGHBOURS) -> None:
        self._cv2 = _opencv()
        self.neighbours = neighbours
        self._loaded = {
            name: (kind, self._cv2.CascadeClassifier(str(_folder() / file)))
            for name, (kind, file) in CASCADES.items()
            if kind in kinds
        }
        broken = [name for name, (_, loaded) in self._loaded.items() if loaded.empty()]
        if broken:
            raise NotAvailable(f"OpenCV's cascade {CASCADES[broken[0]][1]} cannot be read; install the package anew.")

    @property
    def told(self) -> dict[str, Any]:
        """What was looked with: OpenCV's version, the SHA-256 of each cascade, and the settings."""
        return {
            "opencv": self._cv2.__version__,
            "cascades": {CASCADES[name][1]: _sha256(CASCADES[name][1]) for name in self._loaded},
            "side": SIDE,
            "scale": SCALE,
            "neighbours": self.neighbours,
            "least": LEAST,
        }

    def find(self, picture: Image.Image) -> list[DetectedBox]:
        """What they find in a picture (RGB, upright), from the upper left on."""
        grey = picture.convert("L")
        if max(grey.size) > SIDE:
            grey.thumbnail((SIDE, SIDE), Image.Resampling.BILINEAR)
        pixels = self._cv2.equalizeHist(np.asarray(grey))
        found: list[tuple[str, tuple[int, int, int, int], str]] = []
        for name, (kind, cascade) in self._loaded.items():
            boxes = self._boxes(cascade, pixels)
            if name == "profile":
                width = pixels.shape[1]
                mirrored = self._boxes(cascade, np.ascontiguousarray(pixels[:, ::-1]))
                boxes += [(width - x - w, y, w, h) for x, y, w, h in mirrored]
            found += [(kind, box, name) for box in sorted(boxes)]
        return [_fractions(kind, box, by, grey.size) for kind, box, by in _joined(found)]

    def _boxes(self, cascade: Any, pixels: Any) -> list[tuple[int, int, int, int]]:
        if min(pixels.shape) < LEAST:
            return []
        boxes = cascade.detectMultiScale(
            pixels, scaleFactor=SCALE, minNeighbors=self.neighbours, minSize=(LEAST, LEAST // 2)
        )
        return [(int(x), int(y), int(w), int(h)) for x, y, w, h in boxes]


def _joined(
    found: Sequence[tuple[str, tuple[int, int, int, int], str]],
) -> list[tuple[str, tuple[int, int, int, int], str]]:
    """Boxes of one kind that are about the same as one that holds them all, from the upper left on."""
    left = list(found)
    done: list[tuple[str, tuple[int, int, int, int], str]] = []
    while left:
        kind, box, by = left.pop(0)
        at = next((at for at, other in enumerate(left) if other[0] == kind and _share(box, other[1]) >= _SAME), None)
        if at is None:
            done.append((kind, box, by))
            continue
        _, other_box, other_by = left.pop(at)
        names = "+".join(sorted({*by.split("+"), *other_by.split("+")}))
        left.insert(0, (kind, _hull(box, other_box), names))
    return sorted(done, key=lambda each: (each[1][1], each[1][0], each[0]))


def _share(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> float:
    first, second = (dict(zip("xywh", box, strict=True)) for box in (one, other))
    return area_iou(first, second)


def _hull(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    left, top = min(one[0], other[0]), min(one[1], other[1])
    right, bottom = max(one[0] + one[2], other[0] + other[2]), max(one[1] + one[3], other[1] + other[3])
    return left, top, right - left, bottom - top


def _fractions(kind: str, box: tuple[int, int, int, int], by: str, size: tuple[int, int]) -> DetectedBox:
    x, y, w, h = (round(part / size[at % 2], DECIMALS) for at, part in enumerate(box))
    return DetectedBox(kind, x, y, min(w, round(1 - x, DECIMALS)), min(h, round(1 - y, DECIMALS)), by)


def _opencv() -> Any:
    try:
        import cv2
    except ImportError:
        raise NotAvailable(
            "Finding faces and number plates needs OpenCV, which is not installed. You can still draw boxes by hand. "
            + install_hint("privacy")
        ) from None
    return cv2


def _folder() -> Path:
    return Path(_opencv().data.haarcascades)


@cache
def _sha256(file: str) -> str:
    return hashlib.sha256((_folder() / file).read_bytes()).hexdigest()

"""Find faces and number plates with the cascades that OpenCV ships (Viola and Jones 2001).

The cascades find upright faces and plates of a certain size. They miss many faces: turned away, covered by a hand,
small, dark or tilted ones. Every box is a proposal, and a picture without boxes may still show a face.
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
from domain.errors import NotAvailableError
from domain.overlap import area_iou

FACE, PLATE = "face", "plate"
CASCADES: Mapping[str, tuple[str, str]] = {
    "frontal": (FACE, "haarcascade_frontalface_default.xml"),
    "profile": (FACE, "haarcascade_profileface.xml"),
    "plate": (PLATE, "haarcascade_russian_plate_number.xml"),
    "plate16": (PLATE, "haarcascade_license_plate_rus_16stages.xml"),
}
"""The kind and the file of each cascade. ``profile`` knows faces that look to one side, so it gets
the mirrored picture, too."""
SIDE = 1600
"""Length of the longer side in pixels. Larger pictures are scaled down before detection."""
SCALE = 1.1
"""The factor between two sizes at which a cascade searches."""
NEIGHBOURS = 3
"""How often a cascade must find a place at similar sizes and positions. Lower values find more, faces and errors."""
LEAST = 24
"""Size in pixels of the smallest face that can be found, in a picture scaled to ``SIDE``."""
_SAME = 0.3
"""Two boxes of one kind are merged if their intersection over union is at least this."""


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
    NotAvailableError
        OpenCV is installed without one of its cascades.
    """

    def __init__(self, *, kinds: Sequence[str] = (FACE, PLATE), neighbours: int = NEIGHBOURS) -> None:
        import cv2  # not in a process that only serves pages

        self._cv2 = cv2
        self.neighbours = neighbours
        self._loaded = {
            name: (kind, self._cv2.CascadeClassifier(str(_folder() / file)))
            for name, (kind, file) in CASCADES.items()
            if kind in kinds
        }
        broken = [name for name, (_, loaded) in self._loaded.items() if loaded.empty()]
        if broken:
            raise NotAvailableError(
                f"Touchstone cannot read OpenCV's cascade {CASCADES[broken[0]][1]}. Reinstall OpenCV."
            )

    @property
    def settings(self) -> dict[str, Any]:
        """Return OpenCV's version, the SHA-256 of each cascade, and the settings."""
        return {
            "opencv": self._cv2.__version__,
            "cascades": {CASCADES[name][1]: _sha256(CASCADES[name][1]) for name in self._loaded},
            "side": SIDE,
            "scale": SCALE,
            "neighbours": self.neighbours,
            "least": LEAST,
        }

    def find(self, picture: Image.Image) -> list[DetectedBox]:
        """Return the boxes found in an upright RGB picture, ordered from the upper left."""
        grey = picture.convert("L")
        if max(grey.size) > SIDE:
            grey.thumbnail((SIDE, SIDE), Image.Resampling.BILINEAR)
        pixels = self._cv2.equalizeHist(np.asarray(grey))
        detections: list[tuple[str, tuple[int, int, int, int], str]] = []
        for name, (kind, cascade) in self._loaded.items():
            boxes = self._boxes(cascade, pixels)
            if name == "profile":
                width = pixels.shape[1]
                mirrored = self._boxes(cascade, np.ascontiguousarray(pixels[:, ::-1]))
                boxes += [(width - x - w, y, w, h) for x, y, w, h in mirrored]
            detections += [(kind, box, name) for box in sorted(boxes)]
        return [_fractions(kind, box, by, grey.size) for kind, box, by in _joined(detections)]

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
    """Merge boxes of one kind that overlap into one box around them, ordered from the upper left.

    OpenCV keeps one of such boxes (``NMSBoxes``) or their mean (``groupRectangles``). Both may leave a part of a face
    uncovered that a cascade has found.
    """
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


def _folder() -> Path:
    import cv2

    return Path(cv2.data.haarcascades)  # type: ignore[attr-defined]


@cache
def _sha256(file: str) -> str:
    return hashlib.sha256((_folder() / file).read_bytes()).hexdigest()

"""How much a video moves at a frame."""

from __future__ import annotations

import numpy as np
from PIL import Image

SIDE = 320
"""The longer side of a picture in whose pixels it is said, so that videos of other sizes compare."""


def small(picture: Image.Image) -> Image.Image:
    """The picture as it is compared: grey, and no larger than that."""
    grey = picture.convert("L")
    if max(grey.size) > SIDE:
        scale = SIDE / max(grey.size)
        size = (max(1, round(grey.width * scale)), max(1, round(grey.height * scale)))
        grey = grey.resize(size, Image.Resampling.BILINEAR, reducing_gap=2.0)
    return grey


def between(before: Image.Image, now: Image.Image) -> float:
    """The mean length of the optical flow (Farnebäck 2003) from one small grey picture to the next of the same size.

    Returns
    -------
    float
        In pixels of a picture whose longer side has ``SIDE``: where all of it moves by a hundredth of that side, 3.2.
        Even parts, such as a wall, show no motion. Where a scene is cut, it says only that much has changed.
    """
    import cv2  # not in a process that only serves pages

    flow = cv2.calcOpticalFlowFarneback(
        np.asarray(before), np.asarray(now), np.empty((now.height, now.width, 2), dtype=np.float32),
        pyr_scale=0.5, levels=4, winsize=15, iterations=3, poly_n=5, poly_sigma=1.2, flags=0,
    )  # fmt: skip
    lengths = np.hypot(flow[..., 0], flow[..., 1])
    return float(lengths.mean(dtype=np.float64)) * SIDE / max(now.size)

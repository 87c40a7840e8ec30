"""Measure the sharpness of pictures."""

from __future__ import annotations

import numpy as np
from PIL import Image

SIDE = 1024
"""Longer side of the scaled picture, so that pictures of one camera compare at any size."""


def sharpness(picture: Image.Image) -> float:
    """Return the variance of the Laplacian: about 0 for a plain or blurred picture, larger with crisp edges.

    The unit is (gray levels of 0..255) squared. Compare within one video or camera only: the value depends on the
    subject, on noise, and on compression. A picture less than three pixels wide or high gets 0.
    """
    grey = gray(picture, SIDE)
    if min(grey.size) < 3:
        return 0.0
    import cv2  # imported here, because a process that only serves pages must not load it

    laplacian = cv2.Laplacian(np.asarray(grey), cv2.CV_16S)[1:-1, 1:-1]  # without the edge, where pixels count twice
    return float(laplacian.var(dtype=np.float64))


def gray(picture: Image.Image, side: int) -> Image.Image:
    """Return the picture in gray, scaled down to at most ``side`` pixels on its longer side."""
    grey = picture.convert("L")
    if max(grey.size) > side:
        scale = side / max(grey.size)
        size = (max(1, round(grey.width * scale)), max(1, round(grey.height * scale)))
        grey = grey.resize(size, Image.Resampling.BILINEAR, reducing_gap=2.0)
    return grey

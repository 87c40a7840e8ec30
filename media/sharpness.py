"""How sharp a picture is."""

from __future__ import annotations

import numpy as np
from PIL import Image

SIDE = 1024
"""The longer side on which it is measured, so that pictures of one camera compare whatever their size."""


def sharpness(picture: Image.Image) -> float:
    """Variance of the Laplacian of the brightness: about 0 for an even or blurred picture, larger with crisp edges.

    The unit is (grey levels of 0..255) squared. Compare within one video or camera only: the value depends on the
    subject, on noise, and on compression. A picture less than three pixels wide or high has none and gets 0.
    """
    grey = picture.convert("L")
    if max(grey.size) > SIDE:
        scale = SIDE / max(grey.size)
        size = (max(1, round(grey.width * scale)), max(1, round(grey.height * scale)))
        grey = grey.resize(size, Image.Resampling.BILINEAR, reducing_gap=2.0)
    if min(grey.size) < 3:
        return 0.0
    import cv2  # not in a process that only serves pages

    laplacian = cv2.Laplacian(np.asarray(grey), cv2.CV_16S)[1:-1, 1:-1]  # at the edge it takes pixels twice
    return float(laplacian.var(dtype=np.float64))

"""Measuring the motion between two frames of a video."""

from __future__ import annotations

import numpy as np
from PIL import Image

from media.sharpness import gray

SIDE = 320
"""Longer side of the scaled picture; motion is measured in its pixels, so videos of all sizes compare."""


def small(picture: Image.Image) -> Image.Image:
    """Return the picture for the comparison: in gray, at most ``SIDE`` pixels long."""
    return gray(picture, SIDE)


def between(before: Image.Image, now: Image.Image) -> float:
    """Return the mean length of the optical flow (Farnebäck 2003) between two small gray pictures of the same size.

    Returns
    -------
    float
        In pixels of a picture whose longer side is ``SIDE``: 3.2 if everything moves by a hundredth of that side.
        Plain areas, such as a wall, show no motion. At a scene cut, the value shows only that much has changed.
    """
    import cv2  # not in a process that only serves pages

    flow = cv2.calcOpticalFlowFarneback(
        np.asarray(before), np.asarray(now), np.empty((now.height, now.width, 2), dtype=np.float32),
        pyr_scale=0.5, levels=4, winsize=15, iterations=3, poly_n=5, poly_sigma=1.2, flags=0,
    )  # fmt: skip
    lengths = np.hypot(flow[..., 0], flow[..., 1])
    return float(lengths.mean(dtype=np.float64)) * SIDE / max(now.size)

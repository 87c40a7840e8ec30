"""Measuring the motion between two frames of a video."""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image

from domain.errors import NotAvailable
from domain.installation import install_hint

SIDE = 320
"""Longer side of the scaled picture; motion is measured in its pixels, so videos of all sizes compare."""


def small(picture: Image.Image) -> Image.Image:
    """Return the picture in gray, scaled to at most ``SIDE`` pixels."""
    grey = picture.convert("L")
    if max(grey.size) > SIDE:
        scale = SIDE / max(grey.size)
        size = (max(1, round(grey.width * scale)), max(1, round(grey.height * scale)))
        grey = grey.resize(size, Image.Resampling.BILINEAR, reducing_gap=2.0)
    return grey


def between(before: Image.Image, now: Image.Image) -> float:
    """Return the mean length of the optical flow (Farnebäck 2003) between two small gray pictures of the same size.

    Returns
    -------
    float
        In pixels of a picture whose longer side is ``SIDE``: 3.2 if everything moves by a hundredth of that side.
        Plain areas, such as a wall, show no motion. At a scene cut, the value shows only that much has changed.
    """
    flow = opencv().calcOpticalFlowFarneback(
        np.asarray(before), np.asarray(now), None,
        pyr_scale=0.5, levels=4, winsize=15, iterations=3, poly_n=5, poly_sigma=1.2, flags=0,
    )  # fmt: skip
    lengths = np.hypot(flow[..., 0], flow[..., 1])
    return float(lengths.mean(dtype=np.float64)) * SIDE / max(now.size)


def opencv() -> Any:
    """Return the module ``cv2``.

    Raises
    ------
    NotAvailable
        The extra ``motion`` is not installed.
    """
    try:
        import cv2
    except ImportError:
        raise NotAvailable(f"Measuring motion needs OpenCV, which is not installed. {install_hint('motion')}") from None
    return cv2

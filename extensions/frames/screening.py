"""Deciding which frames of a video are kept, and why others are dropped, from their measurements alone."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from media.perceptual_hash import ALIKE

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class ScreeningSettings:
    """Limits of frames that are kept; without any limit, all are kept."""

    at_most: int | None = None
    """Largest number per video, spread evenly over the remaining frames."""
    min_sharpness: float | None = None
    blurred: float | None = None
    """Smallest sharpness, as a share of the median sharpness of the video."""
    brightness: tuple[float, float] | None = None
    """Smallest and largest mean gray level."""
    distinct: bool = False
    """Whether one frame of a group of look-alikes is kept, across all videos."""
    alike: int = ALIKE
    least_motion: float | None = None
    most_motion: float | None = None
    """Smallest and largest motion, for frames with measured motion; the first frame of a video has none."""


class LookAlikes:
    """Groups of frames that look like the first frame of their group."""

    def __init__(self, alike: int) -> None:
        self._alike, self._n = alike, 0
        self._first: NDArray[np.uint64] = np.zeros(1024, dtype=np.uint64)
        self.have = set[int]()
        """Groups with a kept frame."""

    def group(self, look: str) -> int:
        """Return the number of the frame's group, which may be new."""
        bits = np.uint64(int(look, 16))
        near = np.flatnonzero(np.bitwise_count(self._first[: self._n] ^ bits) <= self._alike)
        if len(near):
            return int(near[0])
        if self._n == len(self._first):
            self._first = np.concatenate([self._first, np.zeros_like(self._first)])
        self._first[self._n] = bits
        self._n += 1
        return self._n - 1


def reasons_of(taken: Sequence[dict[str, Any]], keeping: ScreeningSettings, looks: LookAlikes) -> list[str | None]:
    """Return why each frame is dropped, or None, and add the group to each row of ``taken``."""
    sharp = [line["sharpness"] for line in taken if "file" in line]
    median = statistics.median(sharp) if sharp else 0.0
    reasons = [line["why"] if "file" not in line else _poor(line, keeping, median) for line in taken]
    for line in taken:
        if "file" in line:
            line["group"] = looks.group(line["hash"])
    if keeping.distinct:
        _keep_one_of_each(taken, reasons, looks)
    left = [at for at, why in enumerate(reasons) if why is None]
    if keeping.at_most is not None and len(left) > keeping.at_most:
        n = keeping.at_most
        chosen = {left[(2 * k + 1) * len(left) // (2 * n)] for k in range(n)}
        for at in left:
            if at not in chosen:
                reasons[at] = f"the video has enough frames: Touchstone keeps {n} of {len(left)}, evenly spread"
    looks.have |= {line["group"] for line, why in zip(taken, reasons, strict=True) if why is None}
    return reasons


def _keep_one_of_each(taken: Sequence[dict[str, Any]], reasons: list[str | None], looks: LookAlikes) -> None:
    """Drop all frames of a group but the sharpest, or all if an earlier video has a frame of the group."""
    best: dict[int, int] = {}
    for at, line in enumerate(taken):
        if reasons[at] is None:
            leader = best.setdefault(line["group"], at)
            if line["sharpness"] > taken[leader]["sharpness"]:
                best[line["group"]] = at
    for at, line in enumerate(taken):
        if reasons[at] is not None:
            continue
        if line["group"] in looks.have:
            reasons[at] = f"looks alike: group {line['group']} already has a frame of an earlier video"
        elif best[line["group"]] != at:
            reasons[at] = f"looks alike: group {line['group']} already has frame {taken[best[line['group']]]['frame']}"


def _poor(line: Mapping[str, Any], keeping: ScreeningSettings, median: float) -> str | None:
    value = line["sharpness"]
    if keeping.min_sharpness is not None and value < keeping.min_sharpness:
        return f"blurred: sharpness {value:g} is below {keeping.min_sharpness:g}"
    if keeping.blurred is not None and value < keeping.blurred * median:
        return f"blurred: sharpness {value:g} is below {keeping.blurred:g} times the video's median {median:g}"
    if keeping.brightness is not None and not keeping.brightness[0] <= line["brightness"] <= keeping.brightness[1]:
        low, high = keeping.brightness
        return f"badly exposed: brightness {line['brightness']:g} is outside the range {low:g} to {high:g}"
    return _moved(line, keeping)


def _moved(line: Mapping[str, Any], keeping: ScreeningSettings) -> str | None:
    value = line.get("motion")
    if value is None:
        return None
    if keeping.least_motion is not None and value < keeping.least_motion:
        return f"still: motion {value:g} is below {keeping.least_motion:g}"
    if keeping.most_motion is not None and value > keeping.most_motion:
        return f"in motion: motion {value:g} is above {keeping.most_motion:g}"
    return None

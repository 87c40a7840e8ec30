"""Which of a video's frames are kept, and why the others are not: decided from what was measured of each alone."""

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
    """Which of the taken frames are kept; without any of these, all."""

    at_most: int | None = None
    """Of each video, spread over what is left of it."""
    min_sharpness: float | None = None
    blurred: float | None = None
    """Blurred is what is less than so much of its video's median sharpness."""
    brightness: tuple[float, float] | None = None
    """The mean grey level, from and to."""
    distinct: bool = False
    """One of those that look alike, across all videos."""
    alike: int = ALIKE
    least_motion: float | None = None
    most_motion: float | None = None
    """Only for frames of which it was measured: the first one of a video has none."""


class Looks:
    """Groups of frames that look alike: each is alike to the group's first one."""

    def __init__(self, alike: int) -> None:
        self._alike, self._n = alike, 0
        self._first: NDArray[np.uint64] = np.zeros(1024, dtype=np.uint64)
        self.have = set[int]()
        """Groups of which a frame is kept."""

    def group(self, look: str) -> int:
        """The number of its group, which may be a new one."""
        bits = np.uint64(int(look, 16))
        near = np.flatnonzero(np.bitwise_count(self._first[: self._n] ^ bits) <= self._alike)
        if len(near):
            return int(near[0])
        if self._n == len(self._first):
            self._first = np.concatenate([self._first, np.zeros_like(self._first)])
        self._first[self._n] = bits
        self._n += 1
        return self._n - 1


def reasons_of(taken: Sequence[dict[str, Any]], keeping: ScreeningSettings, looks: Looks) -> list[str | None]:
    """For each frame why it is not kept, or None; and notes the group of each."""
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
                reasons[at] = f"enough of its video: {n} of {len(left)} are kept, spread over it"
    looks.have |= {line["group"] for line, why in zip(taken, reasons, strict=True) if why is None}
    return reasons


def _keep_one_of_each(taken: Sequence[dict[str, Any]], reasons: list[str | None], looks: Looks) -> None:
    """Of the frames of a group the sharpest stays; none, where a video before has one."""
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
            reasons[at] = f"looks alike: group {line['group']} has a frame of a video before this one"
        elif best[line["group"]] != at:
            reasons[at] = f"looks alike: group {line['group']} has frame {taken[best[line['group']]]['frame']}"


def _poor(line: Mapping[str, Any], keeping: ScreeningSettings, median: float) -> str | None:
    value = line["sharpness"]
    if keeping.min_sharpness is not None and value < keeping.min_sharpness:
        return f"blurred: its sharpness is {value:g}, below {keeping.min_sharpness:g}"
    if keeping.blurred is not None and value < keeping.blurred * median:
        return f"blurred: its sharpness is {value:g}, below {keeping.blurred:g} of its video's median {median:g}"
    if keeping.brightness is not None and not keeping.brightness[0] <= line["brightness"] <= keeping.brightness[1]:
        low, high = keeping.brightness
        return f"badly exposed: its brightness is {line['brightness']:g}, not {low:g} to {high:g}"
    return _moved(line, keeping)


def _moved(line: Mapping[str, Any], keeping: ScreeningSettings) -> str | None:
    value = line.get("motion")
    if value is None:
        return None
    if keeping.least_motion is not None and value < keeping.least_motion:
        return f"still: its motion is {value:g}, below {keeping.least_motion:g}"
    if keeping.most_motion is not None and value > keeping.most_motion:
        return f"in motion: its motion is {value:g}, above {keeping.most_motion:g}"
    return None

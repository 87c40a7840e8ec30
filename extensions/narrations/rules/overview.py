"""Counts of narrations, before questions are made from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from extensions.narrations.rules.frame_rates import as_text, frame_at
from extensions.narrations.rules.narration import Narration, Narrations, neighbours

_RATES = tuple(
    map(Fraction, ("24000/1001", "24", "25", "30000/1001", "30", "48000/1001", "50", "60000/1001", "60", "90"))
)


@dataclass(frozen=True)
class Look:
    """Counts over all videos."""

    videos: int
    narrations: int
    pairs: int
    """Narrations with a narration before them in the same video."""
    overlapping: int
    """Pairs in which the later narration begins before the earlier one stops."""
    seconds: Decimal
    """Seconds from the first start to the last stop, over all videos."""
    texts: int
    """Number of different phrases."""
    counted: dict[str, int]
    """Number of videos whose frame numbers fit their times at one rate alone, by that rate; empty without frames."""
    unclear: int
    """Number of videos whose frames fit several rates, or none."""


def look(videos: Narrations) -> Look:
    """Return the counts of narrations."""
    pairs = overlapping = 0
    for before, after in neighbours(videos):
        pairs += 1
        overlapping += after.start < before.stop
    rates = [_counted(rows) for rows in videos.values() if any(row.start_frame is not None for row in rows)]
    clear = Counter(fitting_rates[0] for fitting_rates in rates if len(fitting_rates) == 1)
    return Look(
        videos=len(videos),
        narrations=sum(map(len, videos.values())),
        pairs=pairs,
        overlapping=overlapping,
        seconds=sum((max(row.stop for row in rows) - rows[0].start for rows in videos.values()), Decimal(0)),
        texts=len({row.text for rows in videos.values() for row in rows}),
        counted={as_text(rate): n for rate, n in clear.most_common()},
        unclear=sum(len(fitting_rates) != 1 for fitting_rates in rates),
    )


def _counted(rows: Sequence[Narration]) -> list[Fraction]:
    """Return the rates at which the times of a video fit its frame numbers, within one frame."""
    timed_frames = [
        (at, frame)
        for row in rows
        for at, frame in ((row.start, row.start_frame), (row.stop, row.stop_frame))
        if frame is not None
    ]
    return [rate for rate in _RATES if all(abs(frame_at(at, rate) - frame) <= 1 for at, frame in timed_frames)]

"""Find faces and plates in a clip: detect boxes at evenly spaced times, and link them over time.

A box continues in the next sample if both have one kind and overlap enough. One missed sample does not end it. Linked
boxes are one proposal with a time span. The span begins one sample before the first box and ends one sample after the
last one, because no cascade looked in between.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from domain.errors import InvalidMediaError
from domain.overlap import area_iou
from extensions.privacy.boxes import At, Box
from media import frames
from media.limits import LIMITS, Limits

if TYPE_CHECKING:
    from PIL import Image

    from extensions.privacy.cascades import DetectedBox

RATE = 2.0
"""Samples per second."""
RATES = (0.2, 10.0)
"""The lowest and the highest allowed rate."""
MOST_TRACKS = 200
"""The maximum number of proposals for one clip. Nobody can decide about more."""
MOST_PLACES = 300
"""The maximum number of positions in one proposal, which is one cell of a table. A longer track is split."""
SECONDS = 3
"""Decimals of times in tables and decisions."""
_WHOLE = "Import an undamaged copy of the clip instead."
_SAME = 0.1
"""Boxes of neighboring samples are linked if their intersection over union is at least this."""
_MISSED = 1
"""The number of samples in a row that may miss a box without ending its track."""


class Finder(Protocol):
    """Finds faces and plates in a picture."""

    def find(self, picture: Image.Image) -> Sequence[DetectedBox]:
        """Return the boxes, in fractions of the picture."""


def detect_tracks(
    clip: Path, finder: Finder, *, rate: float = RATE, name: str | None = None, limits: Limits = LIMITS
) -> list[Box]:
    """Return the proposals of a finder for a clip, earliest first. Reads the clip once and holds one frame at a time.

    Raises
    ------
    InvalidMediaError
        The clip cannot be read to its end, or it has too many proposals.
    """
    called = name or str(clip)
    step = 1 / Fraction(rate).limit_denominator(1000)
    with frames.opened(clip, name=called, limits=limits) as film:
        if film.broken:
            raise InvalidMediaError(f"{called} breaks off: {film.broken}. {_WHOLE}")
        seen: list[tuple[Fraction, Sequence[DetectedBox]]] = []
        for frame in film.read(film.each_seconds(step)):
            if frame.picture is None:
                raise InvalidMediaError(f"{called} is damaged at {float(frame.time):.2f} s. {_WHOLE}")
            seen.append((frame.time, finder.find(frame.picture)))
        end = film.end
    tracks = link_boxes([(float(time), boxes) for time, boxes in sorted(seen, key=lambda pair: pair[0])], float(step))
    if len(tracks) > MOST_TRACKS:
        raise InvalidMediaError(
            f"{called} has {len(tracks):,} possible faces and plates, more than the limit of {MOST_TRACKS}. Use a "
            "higher threshold or a lower rate, or draw the boxes yourself."
        )
    times = [*sorted(round(float(time), SECONDS) for time, _ in seen), round(float(end), SECONDS)]
    return [_within(track, times) for track in tracks]


@dataclass
class Track:
    """The positions of one object over time."""

    kind: str
    places: list[At] = field(default_factory=list)
    by: set[str] = field(default_factory=set)
    goes_on: bool = False
    """Whether the track begins with the last position of a full track."""

    def add(self, time: float, box: DetectedBox) -> None:
        """Add the position at a time."""
        self.places.append((round(time, SECONDS), box.x, box.y, box.w, box.h))
        self.by |= {*box.by.split("+")}


def link_boxes(seen: Sequence[tuple[float, Sequence[DetectedBox]]], step: float) -> list[Track]:
    """Return the tracks of boxes at increasing times. The pairs with the largest overlap are linked first."""
    open_: list[Track] = []
    done: list[Track] = []
    for time, boxes in seen:
        since = time - (_MISSED + 1.5) * step
        done += [track for track in open_ if track.places[-1][0] < since]
        open_ = [track for track in open_ if track.places[-1][0] >= since]
        pairs = sorted(
            (-_share(track.places[-1], box), at, number)
            for at, track in enumerate(open_)
            for number, box in enumerate(boxes)
            if track.kind == box.kind and _share(track.places[-1], box) >= _SAME
        )
        of_track: set[int] = set()
        of_box: set[int] = set()
        for _, at, number in pairs:
            if at not in of_track and number not in of_box:
                of_track.add(at)
                of_box.add(number)
                open_[at].add(time, boxes[number])
        full = [track for track in open_ if len(track.places) >= MOST_PLACES]
        done += full
        open_ = [track for track in open_ if len(track.places) < MOST_PLACES]
        for number, box in enumerate(boxes):
            if number not in of_box:
                open_.append(Track(box.kind))
                open_[-1].add(time, box)
        # what went on as another begins where the full one ends, so that nothing lies between the two
        for track in full:
            open_.append(Track(track.kind, [track.places[-1]], set(track.by), goes_on=True))
    tracks = [track for track in done + open_ if len(track.places) > track.goes_on]
    return sorted(tracks, key=lambda track: (track.places[0], track.kind))


def _share(place: At, box: DetectedBox) -> float:
    one = dict(zip("xywh", place[1:], strict=True))
    return area_iou(one, {"x": box.x, "y": box.y, "w": box.w, "h": box.h})


def _within(track: Track, times: Sequence[float]) -> Box:
    """Return the track as a proposal, from the sample before it to the sample after it."""
    first, last = track.places[0][0], track.places[-1][0]
    begin = times[max(bisect_left(times, first) - 1, 0)]
    end = times[min(bisect_right(times, last), len(times) - 1)]
    return Box.moving(track.kind, track.places, "+".join(sorted(track.by)), begin=min(begin, first), end=max(end, last))

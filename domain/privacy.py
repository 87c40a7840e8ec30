"""What is covered in pictures and clips so that no one is known by them: boxes, and who found and decided them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

COLUMNS = ("picture", "file", "kind", "x", "y", "w", "h", "found_by", "cover")
"""Of the table in which people decide about pictures."""
CLIP_COLUMNS = ("clip", "file", "kind", "begin", "end", "boxes", "found_by", "cover")
"""Of that about clips: a line for each box, which may move."""
KINDS = ("face", "plate", "other")
HAND = "hand"
"""Who found a box that a person drew."""
MARGIN = 0.15
"""By how much of its own width and height a box is made larger on every side before it is covered."""
MOST_MARGIN = 1.0

At = tuple[float, float, float, float, float]
"""A moment of a clip in seconds, and the x, y, w and h of a box then."""

_OF_CLIPS = ("begin", "end", "path")


@dataclass(frozen=True)
class Box:
    """A box in fractions of the upright picture, and what was decided about it. In a clip it has a span, and may move:
    x, y, w and h then hold all places where it is."""

    kind: str
    x: float
    y: float
    w: float
    h: float
    by: str
    """``HAND``, or the cascades that found it."""
    cover: bool | None = None
    """None: no one has decided."""
    begin: float | None = None
    """The second of a clip from which on it is there; None: it is one of a picture."""
    end: float | None = None
    path: tuple[At, ...] = ()
    """Where a box that moves is, at rising moments; empty: it stays."""

    def as_json(self) -> dict[str, Any]:
        """As the log has it."""
        told = asdict(self)
        if self.begin is None:
            return {name: told[name] for name in told if name not in _OF_CLIPS}
        return {**told, "path": [[*at] for at in self.path]}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Box:
        """The inverse of ``as_json``."""
        known = {name: told[name] for name in cls.__dataclass_fields__ if name not in _OF_CLIPS or name in told}
        return cls(**{**known, "path": tuple(tuple(at) for at in told.get("path", ()))})

    @classmethod
    def moving(cls, kind: str, path: Sequence[At], by: str, *, begin: float, end: float) -> Box:
        """One of a clip that is at these places, one after the other."""
        x, y = min(at[1] for at in path), min(at[2] for at in path)
        w, h = max(at[1] + at[3] for at in path) - x, max(at[2] + at[4] for at in path) - y
        return cls(kind, x, y, w, h, by, begin=begin, end=end, path=tuple(path))

    @property
    def place(self) -> tuple[float, ...]:
        """Where it is, and when."""
        if self.begin is None or self.end is None:
            return self.x, self.y, self.w, self.h
        return (self.x, self.y, self.w, self.h, self.begin, self.end, *(part for at in self.path for part in at))

    def holds(self, other: Box) -> bool:
        """Whether all of another box is covered with this one: it is the same, and in a clip may last longer."""
        if self.begin is None or self.end is None or other.begin is None or other.end is None:
            return self.place == other.place
        same = (self.place[:4], self.path) == (other.place[:4], other.path)
        return same and self.begin <= other.begin and other.end <= self.end

    def at(self, time: float) -> tuple[float, float, float, float]:
        """Where it is at a moment: between two places on the straight line, before and after all as at the nearest."""
        if not self.path or len(self.path) == 1:
            return self.path[0][1:] if self.path else (self.x, self.y, self.w, self.h)
        after = bisect_right(self.path, time, key=lambda each: each[0])
        if after in (0, len(self.path)):
            return self.path[max(after - 1, 0)][1:]
        one, other = self.path[after - 1], self.path[after]
        share = (time - one[0]) / (other[0] - one[0])
        x, y, w, h = (a + share * (b - a) for a, b in zip(one[1:], other[1:], strict=True))
        return x, y, w, h


@dataclass(frozen=True)
class Decision:
    """What someone decided about a picture or clip. The newest about it counts."""

    at: datetime
    by: str | None
    """A login; None: the command on the machine itself."""
    name: str
    """Of the picture in its project."""
    original: str
    """The SHA-256 of what came in."""
    before: str
    """That of what was shown until then."""
    file: str
    """That of what is shown since."""
    boxes: tuple[Box, ...]
    margin: float
    looked: Mapping[str, Any]
    """What was looked with: OpenCV's version, the cascades' hashes, the settings; empty: no cascade did."""

    @property
    def covers(self) -> tuple[Box, ...]:
        """The boxes that are covered."""
        return tuple(box for box in self.boxes if box.cover)


@dataclass(frozen=True)
class Told:
    """What someone has decided about a picture or clip; every box says whether it is covered."""

    name: str
    file: str
    """SHA-256 of what was shown when they decided."""
    boxes: tuple[Box, ...]
    where: str = ""
    """For sentences: the line of a file."""

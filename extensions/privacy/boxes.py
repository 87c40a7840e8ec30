"""Records of privacy protection: the boxes that cover people in pictures and clips, and the decisions about them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

COLUMNS = ("picture", "file", "kind", "x", "y", "w", "h", "found_by", "cover")
"""Columns of the table in which people decide about pictures."""
CLIP_COLUMNS = ("clip", "file", "kind", "begin", "end", "boxes", "found_by", "cover")
"""Columns of the table for clips, with a row for each box, which may move."""
KINDS = ("face", "plate", "other")
HAND = "hand"
"""The value of ``by`` for a box that a person drew."""
MARGIN = 0.15
"""The fraction of its width and height by which a box is enlarged on every side before it is covered."""
MOST_MARGIN = 1.0

At = tuple[float, float, float, float, float]
"""A time in a clip in seconds, and the x, y, w and h of a box at that time."""

_OF_CLIPS = ("begin", "end", "path")


@dataclass(frozen=True)
class Box:
    """A box in fractions of the upright picture, and the decision about it.

    In a clip, a box has a time span and may move; x, y, w and h then enclose all its positions.
    """

    kind: str
    x: float
    y: float
    w: float
    h: float
    by: str
    """``HAND``, or the names of the cascades that found the box."""
    cover: bool | None = None
    """Whether to cover the box; None if it is undecided."""
    begin: float | None = None
    """The start in seconds in a clip; None for a box in a picture."""
    end: float | None = None
    path: tuple[At, ...] = ()
    """Positions of a moving box at increasing times; empty if the box does not move."""

    def as_json(self) -> dict[str, Any]:
        """Return the box as JSON values for the log."""
        values = asdict(self)
        if self.begin is None:
            return {name: values[name] for name in values if name not in _OF_CLIPS}
        return {**values, "path": [[*at] for at in self.path]}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Box:
        """Return the box that ``as_json`` stored."""
        known = {name: values[name] for name in cls.__dataclass_fields__ if name not in _OF_CLIPS or name in values}
        return cls(**{**known, "path": tuple(tuple(at) for at in values.get("path", ()))})

    @classmethod
    def moving(cls, kind: str, path: Sequence[At], by: str, *, begin: float, end: float) -> Box:
        """Return a box of a clip that moves through these positions."""
        x, y = min(at[1] for at in path), min(at[2] for at in path)
        w, h = max(at[1] + at[3] for at in path) - x, max(at[2] + at[4] for at in path) - y
        return cls(kind, x, y, w, h, by, begin=begin, end=end, path=tuple(path))

    @property
    def place(self) -> tuple[float, ...]:
        """Return the position, and for a clip the times."""
        if self.begin is None or self.end is None:
            return self.x, self.y, self.w, self.h
        return (self.x, self.y, self.w, self.h, self.begin, self.end, *(part for at in self.path for part in at))

    def holds(self, other: Box) -> bool:
        """Whether covering this box also covers another one: both are equal, and in a clip this box may last longer."""
        if self.begin is None or self.end is None or other.begin is None or other.end is None:
            return self.place == other.place
        same = (self.place[:4], self.path) == (other.place[:4], other.path)
        return same and self.begin <= other.begin and other.end <= self.end

    def at(self, time: float) -> tuple[float, float, float, float]:
        """Return the position at a time.

        The box moves in a straight line between two positions. Before the first and after the last one, it does not
        move.
        """
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
    """A person's decision about a picture or clip. The newest decision counts."""

    at: datetime
    by: str | None
    """A login; None for the command on the machine itself."""
    name: str
    """The name of the picture in its project."""
    original: str
    """The SHA-256 of the uploaded file."""
    before: str
    """The SHA-256 of the file shown before the decision."""
    file: str
    """The SHA-256 of the file shown since the decision."""
    boxes: tuple[Box, ...]
    margin: float
    looked: Mapping[str, Any]
    """The settings of the detection: OpenCV's version, the cascades' hashes and options; empty if no
    cascade was used.
    """

    @property
    def covers(self) -> tuple[Box, ...]:
        """Return the boxes to cover."""
        return tuple(box for box in self.boxes if box.cover)


@dataclass(frozen=True)
class CoverChoice:
    """A person's choices about a picture or clip. Every box says whether to cover it."""

    name: str
    file: str
    """The SHA-256 of the file that the person saw."""
    boxes: tuple[Box, ...]
    where: str = ""
    """The line of a file, for messages."""

"""What is covered in pictures so that no one is known by them: boxes, and who found and decided them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

COLUMNS = ("picture", "file", "kind", "x", "y", "w", "h", "found_by", "cover")
"""Of the table in which people decide."""
KINDS = ("face", "plate", "other")
HAND = "hand"
"""Who found a box that a person drew."""
MARGIN = 0.15
"""By how much of its own width and height a box is made larger on every side before it is covered."""
MOST_MARGIN = 1.0


@dataclass(frozen=True)
class Box:
    """A box in fractions of the upright picture, and what was decided about it."""

    kind: str
    x: float
    y: float
    w: float
    h: float
    by: str
    """``HAND``, or the cascades that found it."""
    cover: bool | None = None
    """None: no one has decided."""

    def as_json(self) -> dict[str, Any]:
        """As the log has it."""
        return asdict(self)

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Box:
        """The inverse of ``as_json``."""
        return cls(**{name: told[name] for name in cls.__dataclass_fields__})

    @property
    def place(self) -> tuple[float, float, float, float]:
        """Where it is."""
        return self.x, self.y, self.w, self.h


@dataclass(frozen=True)
class Decision:
    """What someone decided about a picture. The newest of a picture counts."""

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
    """What someone has decided about a picture; every box says whether it is covered."""

    name: str
    file: str
    """SHA-256 of what was shown when they decided."""
    boxes: tuple[Box, ...]
    where: str = ""
    """For sentences: the line of a file."""

"""How far two spans of time, or two boxes on an image, overlap.

Spans are ``{"start": 2.0, "end": 3.5}`` in seconds, or ``{"first": 7, "last": 9}`` in frames, of which the last one is
inside. Boxes are ``{"x": 0.1, "y": 0.2, "w": 0.3, "h": 0.25}``, from their upper left corner.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any


class Shape(StrEnum):
    """What raters give where they are compared by overlap; ratings have it as JSON."""

    SPANS = "time_spans"
    BOXES = "boxes"


def time_iou(one: Sequence[Mapping[str, Any]], other: Sequence[Mapping[str, Any]]) -> float:
    """The time that both answers cover, of the time that either covers; 1 where both say that nothing happens.

    Both are in the same unit. The spans of an answer are taken together, so no span has to be matched with another.
    """
    mine, theirs = _covered(one), _covered(other)
    both = sum(max(0.0, min(b, d) - max(a, c)) for a, b in mine for c, d in theirs)
    either = sum(b - a for a, b in mine) + sum(d - c for c, d in theirs) - both
    return both / either if either else 1.0


def area_iou(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    """The area that two boxes share, of the area that either covers. Labels and images are not looked at."""
    (a, b, c, d), (e, f, g, h) = _edges(one), _edges(other)
    both = max(0.0, min(c, g) - max(a, e)) * max(0.0, min(d, h) - max(b, f))
    either = (c - a) * (d - b) + (g - e) * (h - f) - both
    return both / either if either else 0.0


def _edges(box: Mapping[str, Any]) -> tuple[float, float, float, float]:
    """Left, top, right and bottom: of equal boxes they are equal, so that the two share exactly all."""
    return box["x"], box["y"], box["x"] + box["w"], box["y"] + box["h"]


def _covered(spans: Sequence[Mapping[str, Any]]) -> list[tuple[float, float]]:
    """Spans as intervals, those that touch or overlap joined; of frames, the last one is inside."""
    found: list[tuple[float, float]] = []
    for span in spans:
        begins, ends = (span["start"], span["end"]) if "start" in span else (span["first"] - 1, span["last"])
        found.append((float(begins), float(ends)))
    joined: list[tuple[float, float]] = []
    for begins, ends in sorted(found):
        if joined and begins <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], ends))
        else:
            joined.append((begins, ends))
    return joined

"""Overlap (IoU) of time spans and of boxes on images.

Spans are ``{"start": 2.0, "end": 3.5}`` in seconds, or ``{"first": 7, "last": 9}`` in frames, including the last
frame. Boxes are ``{"x": 0.1, "y": 0.2, "w": 0.3, "h": 0.25}``, from their upper left corner.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from domain.comparison import AnyOrder
from domain.decimals import Tolerance, exact


class Shape(StrEnum):
    """The kind of values that are compared by overlap, as ratings store it."""

    SPANS = "time_spans"
    BOXES = "boxes"


NEAR = 1e-6
"""The distance from a threshold within which an IoU is computed again, exactly."""


@dataclass(frozen=True)
class Overlap:
    """The minimum IoU at which two answers agree; this value itself counts."""

    iou: Fraction

    def holds(self, one: Any, other: Any) -> bool:
        """Whether two answers agree. A value that is not a list of spans or boxes agrees with no answer.

        All spans of an answer are compared together (``time_iou``). Each box needs its own partner with the same
        label, on the same image, and with at least the minimum IoU.

        >>> Overlap(Fraction(1, 2)).holds([{"start": 0.1, "end": 0.3}], [{"start": 0.1, "end": 0.2}])
        True
        """
        if not isinstance(one, list | tuple) or not isinstance(other, list | tuple):
            return False
        try:
            if not any("w" in entry for entry in (*one, *other)):
                in_one_unit = len({"start" in entry for entry in (*one, *other)}) < 2
                return in_one_unit and self._reached(time_iou, one, other)
            return len(one) == len(other) and all_paired([[self.one_thing(a, b) for b in other] for a in one])
        except (KeyError, TypeError):
            return False

    def one_thing(self, box: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
        """Whether two boxes may show the same object (``may_match``) and overlap enough."""
        return may_match(box, other) and self._reached(area_iou, box, other)

    def _reached(self, iou: Any, one: Any, other: Any) -> bool:
        """Whether the minimum is reached. Close cases are computed with exact decimals, so rounding errors decide
        nothing.
        """
        overlap = iou(one, other)
        if abs(overlap - self.iou) > NEAR:
            return bool(overlap > self.iou)
        return bool(iou(_exactly(one), _exactly(other)) >= self.iou)

    def in_words(self) -> str:
        """Return the minimum in words, such as ``IoU from 0.5``."""
        return f"IoU from {float(self.iou):g}"


Apart = Tolerance | Overlap | AnyOrder
"""The allowed distance between two equal answers, for numbers, overlaps and sets."""


def _exactly(entries: Any) -> Any:
    """Return the entries with exact numbers: 0.1 becomes one tenth."""
    if isinstance(entries, Mapping):
        return {name: value if (number := exact(value)) is None else number for name, value in entries.items()}
    return [_exactly(entry) for entry in entries]


def may_match(box: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two boxes may show the same object: they have the same label and are on the same image."""
    return bool(box.get("label") == other.get("label") and box.get("image", 1) == other.get("image", 1))


def all_paired(fits: Sequence[Sequence[bool]]) -> bool:
    """Whether each row can get a column of its own that fits.

    >>> all_paired([[True, True], [True, False]]), all_paired([[True, False], [True, False]])
    (True, False)
    """
    taken: dict[int, int] = {}

    def seated(row: int, asked: set[int]) -> bool:
        for column, fit in enumerate(fits[row]):
            if fit and column not in asked:
                asked.add(column)
                if column not in taken or seated(taken[column], asked):
                    taken[column] = row
                    return True
        return False

    return all(seated(row, set()) for row in range(len(fits)))


def time_iou(one: Sequence[Mapping[str, Any]], other: Sequence[Mapping[str, Any]]) -> float:
    """Return the time that both answers cover, divided by the time that either covers.

    The result is 1 if both answers have no spans, or the same moments. Both answers use the same unit. The spans of
    an answer are taken together, so single spans need no partner.
    """
    mine, theirs = _covered(one), _covered(other)
    both = sum(max(0, min(b, d) - max(a, c)) for a, b in mine for c, d in theirs)
    either = sum(b - a for a, b in mine) + sum(d - c for c, d in theirs) - both
    return both / either if either else float(mine == theirs)


def area_iou(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    """Return the area that two boxes share, divided by the area that either covers. Labels and images are ignored."""
    (a, b, c, d), (e, f, g, h) = _edges(one), _edges(other)
    both = max(0, min(c, g) - max(a, e)) * max(0, min(d, h) - max(b, f))
    either = (c - a) * (d - b) + (g - e) * (h - f) - both
    return both / either if either else 0.0


def _edges(box: Mapping[str, Any]) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom. Equal boxes have equal edges, so that their IoU is exactly 1."""
    return box["x"], box["y"], box["x"] + box["w"], box["y"] + box["h"]


def _covered(spans: Sequence[Mapping[str, Any]]) -> list[tuple[float, float]]:
    """Return spans as intervals, joining those that touch or overlap. The last frame is included."""
    stretches: list[tuple[float, float]] = []
    for span in spans:
        stretches.append((span["start"], span["end"]) if "start" in span else (span["first"] - 1, span["last"]))
    joined: list[tuple[float, float]] = []
    for begins, ends in sorted(stretches):
        if joined and begins <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], ends))
        else:
            joined.append((begins, ends))
    return joined

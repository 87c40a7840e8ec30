"""Records of triage: what a page of candidates shows, and the counts of decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from domain.records import AssetView


@dataclass(frozen=True)
class TriageFrame:
    """A candidate image as a page of triage shows it."""

    asset: AssetView
    sharpness: float | None
    blurred: bool
    """True if the image is much less sharp than the other candidates of its source."""
    kept_of_source: int | None = None
    """The number of images of its source that are kept so far; None if the image has no source."""


@dataclass(frozen=True)
class TriageGroup:
    """A candidate and similar images, which one person decides on together."""

    frames: Sequence[TriageFrame]
    reasons: Sequence[tuple[str, str]]
    """The possible reasons for dropping an image: value and label."""
    per_source: int | None
    left: int
    """The number of candidates that wait in the project, including this group."""
    token: str
    """A token that changes with every decision, so that pressing a key twice submits only one decision."""


@dataclass(frozen=True)
class TriageReceipt:
    """A saved decision about candidates. ``repeated`` is True if the same key was already stored."""

    kept: int
    dropped: int
    repeated: bool = False


@dataclass(frozen=True)
class TriageCounts:
    """Counts of kept, dropped and waiting candidates, of one source or of all."""

    left: int
    kept: int
    dropped: Mapping[str, int]
    """Counts by reason."""
    surplus: int = 0
    """The number of waiting candidates whose source has reached its limit."""


@dataclass(frozen=True)
class TriageProgress:
    """Counts of triage in total and by source."""

    total: TriageCounts
    by_source: Mapping[str, TriageCounts]
    """Counts by source; images without a source are under the empty name."""


@dataclass(frozen=True)
class DroppedFrame:
    """A candidate that a person dropped."""

    asset: str
    name: str
    reason: str

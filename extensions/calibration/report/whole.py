"""A whole calibration report, and the source of its ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reports.content import ReportTable, Section


@dataclass(frozen=True)
class RatingSource:
    """The source of the ratings, so that others can check them."""

    name: str
    sha256: str
    what: str
    """The kind of source in words: "file" or "project"."""
    counted: str = ""
    """For a project: which items were counted, as a sentence."""


@dataclass(frozen=True)
class CalibrationReport:
    """A calibration report."""

    title: str
    subtitle: str
    source: RatingSource
    humans: tuple[str, ...]
    judges: tuple[str, ...]
    sections: tuple[Section, ...]
    made_with: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    def tables(self) -> Sequence[ReportTable]:
        """Return all tables, in order."""
        return [block for section in self.sections for block in section.blocks if isinstance(block, ReportTable)]

    def section(self, key: str) -> Section:
        """Return the section of this key."""
        return next(section for section in self.sections if section.key == key)

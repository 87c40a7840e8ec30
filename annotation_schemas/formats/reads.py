"""Results of readers of files: records with their positions, and the rows that could not be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from domain.records import BadRow, FileRecord, PredictionRecord, Rating


@dataclass(frozen=True)
class ReadFiles:
    """The valid and invalid records below a path."""

    files: Sequence[FileRecord]
    bad: Sequence[BadRow] = ()
    single: bool = False
    """The path was a file, not a folder."""
    note: str | None = None
    """Further remarks about the files: how they were read, and which parts were ignored."""
    warnings: Sequence[str] = ()
    """Warnings about the imported items, in sentences."""


@dataclass(frozen=True)
class ReadPredictions:
    """The answers that were found, each with where it stood, and the rows that do not fit."""

    rows: Sequence[tuple[PredictionRecord, BadRow]]
    """The second says where the first came from; its reason is empty."""
    bad: Sequence[BadRow] = ()
    hashes: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of every file, by its path as the rows name it."""
    unread: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The keys and columns of each file that its reader does not read; some of them may hold options."""


@dataclass(frozen=True)
class ReadRatings:
    """The ratings that were found, each with its row, and the rows that do not fit."""

    rows: Sequence[tuple[Rating, BadRow]]
    """The second says where the first came from; its reason is empty."""
    bad: Sequence[BadRow] = ()
    notes: Sequence[str] = ()
    """Sentences about missing ratings, the reading of cells, and ignored columns of the file."""
    warnings: Sequence[str] = ()
    """The ignored keys that may matter."""
    missing: Sequence[Rating] = ()
    """The rows without a rating; their value is None."""

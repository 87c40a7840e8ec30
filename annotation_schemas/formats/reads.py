"""Results of readers of files: records with their positions, and the rows that could not be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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


@dataclass(frozen=True)
class ReadTable:
    """The ratings of a file as columns, and the rows that do not fit."""

    table: Any
    """An ``agreement.table.LongTable``."""
    bad: Sequence[BadRow] = ()
    notes: Sequence[str] = ()
    """Sentences about missing ratings, and about cells that allow several readings."""


@dataclass(frozen=True)
class RatingsReader:
    """The reader of a format of ratings: ``Format.reads`` of its row. It is called to read ratings one by one."""

    ratings: Callable[..., ReadRatings]
    """Takes a path, and by name ``missing`` (words for a missing rating) and ``merge_case`` (labels that differ by case
    only are one label)."""
    table: Callable[..., ReadTable]
    """Takes a path, and by name ``missing``. Labels that differ by case only are one label."""
    patterns: Callable[..., ReadTable]
    """Takes a path of a Parquet file of any size, and by name ``missing``, ``by_dimension`` and ``raters``. In the
    table, a unit stands for all units with the same ratings (``LongTable.times``)."""
    missing_words: Callable[[str | None], tuple[str, ...]]
    """From words that are separated by commas, or None for the usual words, to the words for a missing rating."""

    def __call__(self, path: Path, **options: Any) -> ReadRatings:
        """Return the ratings of a file, one by one. Raises ``InvalidFileError`` for a file of another format."""
        return self.ratings(path, **options)

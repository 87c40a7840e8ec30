"""The reader of the format ``ratings``. Tables are read by modules that take a while to import, so only when needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from annotation_schemas.formats import RatingsReader, ReadRatings, ReadTable


def _ratings(path: Path, **options: Any) -> ReadRatings:
    from extensions.rating_files.ratings import read_ratings

    return read_ratings(path, **options)


def _table(path: Path, **options: Any) -> ReadTable:
    from extensions.rating_files.ratings import read_table

    return read_table(path, **options)


def _patterns(path: Path, **options: Any) -> ReadTable:
    from extensions.rating_files.parquet_patterns import read_patterns

    return read_patterns(path, **options)


def _missing_words(text: str | None) -> tuple[str, ...]:
    from extensions.rating_files.rating_values import missing_words

    return missing_words(text)


READER = RatingsReader(_ratings, _table, _patterns, _missing_words)

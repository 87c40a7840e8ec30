"""Files of ratings and of judges' replies that were made elsewhere, read for imports and for statistics.

``ratings`` reads the tables, ``rating_values`` decides which cells are missing and which spellings are one label, and
``rating_lists`` compares lists of labels as sets. ``reader`` gives the three to core. Core checks ratings against a
project's schema and stores them (``workflow.results.ratings_from_files``), because other files hold ratings, too.

``parquet_patterns`` reads Parquet files larger than memory for statistics, and ``parquet_export`` writes Parquet files.

``reply_files`` has the format of judges' replies. ``judgements`` reads its files, ``import_judgements`` stores the
replies and has our parsers read them, ``replies_look`` previews that, and ``reply_losses`` counts unreadable replies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _formats() -> Sequence[Any]:
    from extensions.rating_files import parquet_export, reply_files

    return (*reply_files.ROWS, *parquet_export.ROWS)


def _readers() -> Sequence[Any]:
    from extensions.rating_files.reader import READER

    return (("ratings", READER),)


EXTENSION = Extension(name="rating_files", title="Files of ratings and replies", formats=_formats, readers=_readers)

"""Files of ratings: tables with a row for each rating, made by other programs, read for imports and for statistics.

``ratings`` reads the tables, ``rating_values`` decides which cells are missing and which spellings are one label, and
``rating_lists`` compares lists of labels as sets. ``reader`` gives the three to core. Core checks ratings against a
project's schema and stores them (``workflow.results.ratings_from_files``), because other files hold ratings, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _readers() -> Sequence[Any]:
    from extensions.rating_files.reader import READER

    return (("ratings", READER),)


EXTENSION = Extension(name="rating_files", title="Files of ratings", readers=_readers)

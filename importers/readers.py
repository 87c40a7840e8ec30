"""The function that reads the files of each format. A reader is imported when its format is first read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation_schemas.formats import Format
from domain.registers import function_of
from importers.harnesses import HARNESSES

READERS: Mapping[str, str] = {
    **HARNESSES,
    "csv": "importers.item_tables:read_items",
    "egoplan": "importers.items:read_items",
    "egothink": "importers.items:read_items",
    "etp_bench": "importers.items:read_items",
    "jsonl": "importers.items:read_items",
    "judgements": "importers.judgements:read_judgements",
    "labels": "importers.attributes:read_labels",
    "models": "importers.attributes:read_models",
    "pca_bench": "importers.items:read_items",
    "predictions": "importers.predictions:read_predictions",
    "ratings": "importers.ratings:read_ratings",
}
"""The reader of each format as ``module:function``. A format of an extension has its reader in its row."""


def reader_of(row: Format) -> Any:
    """Return the function that reads files of a format; see ``Format.reads``. Raises ``KeyError`` without a reader."""
    return row.reads if callable(row.reads) else function_of(READERS[row.name])

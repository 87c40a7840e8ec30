"""The function that reads the files of each format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation_schemas.formats import FORMATS, Format, RatingsReader
from domain import extensions
from domain.errors import NotAvailableError
from importers import attributes, item_tables, items, predictions

READERS: Mapping[str, Any] = {
    "csv": item_tables.read_items,
    "egoplan": items.read_items,
    "egothink": items.read_items,
    "etp_bench": items.read_items,
    "jsonl": items.read_items,
    "labels": attributes.read_labels,
    "models": attributes.read_models,
    "pca_bench": items.read_items,
    "predictions": predictions.read_predictions,
}
"""By the format's name. A format that an extension reads has its reader in its row."""


def reader_of(row: Format) -> Any:
    """Return the function that reads files of a format; see ``Format.reads``. Raises ``KeyError`` without a reader."""
    return row.reads if callable(row.reads) else READERS[row.name]


def ratings_reader() -> RatingsReader:
    """Return the reader of the format ``ratings``.

    Raises
    ------
    NotAvailableError
        No extension reads it.
    """
    reader = FORMATS["ratings"].reads
    if not isinstance(reader, RatingsReader):
        raise NotAvailableError(
            extensions.missing("readers", "ratings")
            or "No installed extension reads files of ratings. Install an extension that reads ratings."
        )
    return reader

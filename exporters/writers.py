"""The functions that write the files of each format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation_schemas.formats import Format
from exporters import item_rows, item_tables, items, tables

WRITERS: Mapping[str, Any] = {
    "csv": item_tables.written,
    "egoplan": items.written,
    "egothink": items.written,
    "etp_bench": items.written,
    "jsonl": items.written,
    "labels": tables.labels,
    "models": tables.models,
    "pca_bench": items.written,
    "predictions": tables.predictions,
    "ratings": tables.ratings,
}
"""By the format's name. A format of an extension has its writer in its row."""

RELEASE_WRITERS: Mapping[str, Any] = {
    "csv": item_rows.csv,
    "egoplan": item_rows.egoplan,
    "egothink": item_rows.egothink,
    "etp_bench": item_rows.etp_bench,
    "jsonl": item_rows.jsonl,
    "pca_bench": item_rows.pca_bench,
}
"""The same for releases."""


def writer_of(row: Format) -> Any:
    """Return the function that writes files of a format; see ``Format.writes``. ``KeyError`` if there is none."""
    return row.writes if callable(row.writes) else WRITERS[row.name]


def release_writer_of(row: Format) -> Any:
    """Return the function that writes a format into a release; see ``Format.releases``. ``KeyError`` if none does."""
    return row.releases if callable(row.releases) else RELEASE_WRITERS[row.name]

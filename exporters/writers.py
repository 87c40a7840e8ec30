"""The functions that write the files of each format. A writer is imported when its format is first written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation_schemas.formats import Format
from domain.registers import function_of

WRITERS: Mapping[str, str] = {
    "csv": "exporters.item_tables:written",
    "egoplan": "exporters.items:written",
    "egothink": "exporters.items:written",
    "etp_bench": "exporters.items:written",
    "jsonl": "exporters.items:written",
    "labels": "exporters.tables:labels",
    "models": "exporters.tables:models",
    "pca_bench": "exporters.items:written",
    "predictions": "exporters.tables:predictions",
    "ratings": "exporters.tables:ratings",
}
"""By the format's name, the writer as ``module:function``. A format of an extension has its writer in its row."""

RELEASE_WRITERS: Mapping[str, str] = {
    "csv": "exporters.item_rows:csv",
    "egoplan": "exporters.item_rows:egoplan",
    "egothink": "exporters.item_rows:egothink",
    "etp_bench": "exporters.item_rows:etp_bench",
    "hf_dataset": "exporters.hf_dataset:written",
    "jsonl": "exporters.item_rows:jsonl",
    "parquet": "exporters.parquet_table:written",
    "pca_bench": "exporters.item_rows:pca_bench",
    "prov": "exporters.provenance:written",
}
"""The same for releases."""


def writer_of(row: Format) -> Any:
    """Return the function that writes files of a format; see ``Format.writes``. ``KeyError`` if there is none."""
    return row.writes if callable(row.writes) else function_of(WRITERS[row.name])


def release_writer_of(row: Format) -> Any:
    """Return the function that writes a format into a release; see ``Format.releases``. ``KeyError`` if none does."""
    return row.releases if callable(row.releases) else function_of(RELEASE_WRITERS[row.name])

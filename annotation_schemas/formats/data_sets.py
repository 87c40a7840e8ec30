"""Data sets as libraries load them: tables in Parquet, and what describes them to programs. They leave in releases."""

from __future__ import annotations

from annotation_schemas.formats.row import Format, Takes

ROWS = (
    Format(
        "hf_dataset",
        "a data set folder for the Hugging Face Hub: Parquet with the images in it",
        Takes.ITEMS,
        place=57,
        releases="exporters.hf_dataset:written",
    ),
    Format(
        "parquet",
        "a typed table, with paths and hashes of media",
        Takes.ITEMS,
        place=58,
        releases="exporters.parquet_table:written",
    ),
)

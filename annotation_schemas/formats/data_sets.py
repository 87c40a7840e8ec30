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
    Format(
        "croissant",
        "what a release is and where its values lie, for programs: Croissant 1.1, over its Parquet files",
        Takes.ITEMS,
        place=68,
        releases="exporters.croissant:written",
    ),
)

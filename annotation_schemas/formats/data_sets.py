"""Releases as tables in Parquet, which libraries load, and the origins of items as PROV."""

from __future__ import annotations

from annotation_schemas.formats.row import Format, Takes

ROWS = (
    Format(
        "hf_dataset",
        "a data set folder for the Hugging Face Hub: Parquet with the images in it",
        Takes.ITEMS,
        place=57,
        releases=True,
    ),
    Format(
        "parquet",
        "a typed table, with paths and hashes of media",
        Takes.ITEMS,
        place=58,
        releases=True,
    ),
    Format(
        "prov",
        "where each item comes from, W3C PROV-JSON, a document a line",
        Takes.ITEMS,
        place=65,
        releases=True,
    ),
)

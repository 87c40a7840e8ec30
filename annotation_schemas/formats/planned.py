"""Formats that a schema may name already, and that are not built yet."""

from __future__ import annotations

from annotation_schemas.formats.row import Format, Takes

ROWS = tuple(
    Format(name, meaning, Takes.ITEMS, place=place, available=False)
    for place, (name, meaning) in enumerate(
        (("hf_dataset", "a data set folder for the Hugging Face hub"),),
        start=900,
    )
)

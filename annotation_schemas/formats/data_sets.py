"""Data sets as libraries load them: tables in Parquet, and what describes them to programs. They leave in releases."""

from __future__ import annotations

from annotation_schemas.formats.row import Format, Takes
from annotation_schemas.keys import question_field
from annotation_schemas.model import Schema


def _one_image(schema: Schema) -> str | None:
    """What the Hub's tasks have no place for, whatever the items are."""
    if any(slot.kind == "clip" and slot.min for slot in schema.item.assets):
        return "Its items have clips, and a task of the Hub has place for one image only."
    if sum(slot.min for slot in schema.item.assets) > 1:
        return "Its items have several images, and a task of the Hub has place for one."
    return None if question_field(schema) else "Its items have no text that could be asked."


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
        "croissant",
        "what a release is and where its values lie, for programs: Croissant 1.1, over its Parquet files",
        Takes.ITEMS,
        place=68,
        releases=True,
    ),
    Format(
        "hub_eval",
        "`eval.yaml`, by which the Hugging Face Hub runs the data set as a benchmark",
        Takes.ITEMS,
        place=69,
        releases=True,
        carries=_one_image,
        beside=("hf_dataset",),
    ),
)

"""Formats that a release is written in for other programs: harnesses that ask models, trainers, and PROV."""

from __future__ import annotations

from annotation_schemas.formats.row import Format, Takes
from annotation_schemas.keys import options_field, question_field
from annotation_schemas.model import Schema


def _asks(schema: Schema) -> str | None:
    return None if question_field(schema) else "Its items have no text that could be asked."


def _asks_in_tables(schema: Schema) -> str | None:
    if any(slot.kind == "clip" and slot.min for slot in schema.item.assets):
        return (
            "VLMEvalKit has no table for clips: each benchmark with videos is a class inside of it, with its own way "
            "to its files. lmms_eval takes clips."
        )
    return _asks(schema)


def _has_wrong_answers(schema: Schema) -> str | None:
    if options_field(schema) is None:
        return "Its items have no options, and a pair needs a wrong one."
    return _asks(schema)


ROWS = (
    Format(
        "inspect",
        "samples for Inspect, JSON lines, with the images beside them",
        Takes.ITEMS,
        place=60,
        releases=True,
        carries=_asks,
    ),
    Format(
        "lmms_eval",
        "a folder of tasks for lmms-eval, over the Parquet files of the same release; clips by their paths",
        Takes.ITEMS,
        place=61,
        releases=True,
        carries=_asks,
        beside=("hf_dataset",),
    ),
    Format(
        "vlmevalkit",
        "tables for VLMEvalKit, TSV with the images inside",
        Takes.ITEMS,
        place=62,
        releases=True,
        carries=_asks_in_tables,
    ),
    Format(
        "llava",
        "conversations for tuning, as LLaVA's trainers read them; with clips also those that name what is done in them",
        Takes.ITEMS,
        place=63,
        releases=True,
        carries=_asks,
    ),
    Format(
        "preference_pairs",
        "a right and a wrong answer to an item on each line, for tuning by preference",
        Takes.ITEMS,
        place=64,
        releases=True,
        carries=_has_wrong_answers,
    ),
    Format(
        "prov",
        "where each item comes from, W3C PROV-JSON, a document a line",
        Takes.ITEMS,
        place=65,
        releases=True,
    ),
)

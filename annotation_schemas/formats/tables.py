"""Items of any benchmark: plain CSV and JSON, whose columns and keys are the schema's fields and roles."""

from __future__ import annotations

from annotation_schemas.formats.columns import ItemKeys
from annotation_schemas.formats.row import Format, Takes
from annotation_schemas.model import Schema
from domain.json_layout import Layout

NAMES = ("csv", "jsonl")


def no_other_files(schema: Schema) -> bool:
    """Whether the schema names no benchmark's own files."""
    return schema.source is None or schema.source.format in NAMES


ROWS = (
    Format(
        "csv",
        "a table with one item per row; also `.tsv` and `.xlsx`",
        Takes.ITEMS,
        place=36,
        reads=True,
        writes=True,
        releases=True,
        keys=ItemKeys(
            name="csv",
            order=(),
            needs=(),
            layout=Layout(),
            file_name="items.csv",
            open=True,
            table=True,
            endings=(".csv", ".tsv", ".xlsx"),
        ),
        fits=no_other_files,
    ),
    Format(
        "jsonl",
        "items in JSON, as one object per line or as one list",
        Takes.ITEMS,
        place=37,
        reads=True,
        writes=True,
        releases=True,
        keys=ItemKeys(
            name="jsonl",
            order=(),
            needs=(),
            layout=Layout(shape="lines", between="\n", ascii=False),
            file_name="items.jsonl",
            open=True,
        ),
        fits=no_other_files,
    ),
)

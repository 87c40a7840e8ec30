"""Recognition of a file's format by its beginning."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from annotation_schemas.formats import ColumnMapping, Format
from annotation_schemas.model import Schema
from domain.csv_rows import NotTable
from domain.errors import InvalidFileError
from domain.json_text import NotJson
from importers.column_guess import guessed_columns
from importers.item_preview import columns_of, preview
from importers.item_tables import TableReader
from importers.items import JsonItems

TABLES = (".csv", ".tsv", ".xlsx")
RECORDS = (".json", ".jsonl")
_ROWS = 3
_NAMED = 6


def recognised(
    path: Path, formats: Sequence[Format], schema: Schema, said: ColumnMapping | None = None
) -> tuple[Format, str]:
    """Return the format, and the evidence for it as the end of a sentence.

    ``path`` is the beginning of a file. Raises ``InvalidFileError`` if the beginning fits no format.
    """
    table = path.suffix.lower() in TABLES
    if not table and path.suffix.lower() not in RECORDS:
        raise InvalidFileError(
            f"{path.name} has an unsupported file type. Use {', '.join(TABLES)}, {' or '.join(RECORDS)}."
        )
    reads = TableReader if table else JsonItems
    text = reads.text(path, said or ColumnMapping())
    try:
        keys = columns_of(text.text, table=table, known=())
    except (NotTable, NotJson) as error:
        raise InvalidFileError(f"{path.name}: {error}.") from error
    marked = [row for row in formats if row.marks and set(row.marks) <= set(keys)]
    if marked:
        format_row = max(marked, key=lambda each: (len(each.marks), each.place))  # a judge's replies name models, too
        return (
            format_row,
            f"the file has the {'columns' if table else 'keys'} of {format_row.name}: {', '.join(format_row.marks)}",
        )
    own = schema.source.format if schema.source else None
    of_items = [row for row in formats if row.keys is not None and row.keys.table == table]
    fits = {
        item.name: _count_items(path, item.name, schema, said)
        for item in of_items
        if path.suffix.lower() in (item.keys.endings if item.keys else ())
    }
    best = max(of_items, key=lambda each: (fits.get(each.name, 0), each.name == own, -each.place), default=None)
    if best is None or not keys:
        raise InvalidFileError(
            f"{path.name} has no records that this project can read. Check that the file matches the project's schema."
        )
    if fits.get(best.name):
        return best, "the first rows are valid items of this project"
    some = ", ".join(keys[:_NAMED]) + (", …" if len(keys) > _NAMED else "")
    what = "a table with the columns" if table else "records with the keys"
    return (
        best,
        f"the file has {what} {some}; choose a field for each name below"
        if best.keys and best.keys.open
        else (f"the file has {what} {some}, but the first rows are not valid items yet"),
    )


def _count_items(path: Path, format: str, schema: Schema, said: ColumnMapping | None) -> int:
    """Return how many of the first rows read as items, if need be with guessed columns."""
    found = preview(path, format=format, schema=schema, said=said or ColumnMapping(), rows=_ROWS)
    if not found.items and said is None and (guess := guessed_columns(schema, format, found.columns)):
        found = preview(path, format=format, schema=schema, said=ColumnMapping(guess), rows=_ROWS)
    return len(found.items)

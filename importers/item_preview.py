"""The beginning of a file of an open format, read as an import would read it: its columns, and its first items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from annotation_schemas.formats import ColumnMapping, as_named, item_keys
from annotation_schemas.formats.columns import DIMENSION, ID
from annotation_schemas.model import Schema
from domain import csv_rows, json_text
from domain.csv_rows import NotTable
from domain.errors import InvalidFileError
from domain.json_text import NotJson
from domain.records import BadRow, ItemRecord
from importers.item_tables import TableReader
from importers.items import JsonItems

_KEYS_OF = 20
"""The number of records from which the keys are collected."""


@dataclass(frozen=True)
class ItemPreview:
    """The items that an import would create from the first records of a file."""

    columns: Sequence[str]
    """The columns or keys that there are."""
    items: Sequence[ItemRecord] = ()
    bad: Sequence[BadRow] = ()
    refused: str | None = None
    """Why the whole file would be refused; None if its beginning shows no reason."""


def preview(path: Path, *, format: str, schema: Schema, said: ColumnMapping, rows: int = 5) -> ItemPreview:
    """Return a preview of the first ``rows`` records. An unreadable file has no columns, and ``refused`` gives the
    reason.
    """
    keys = item_keys(format)
    reads = TableReader if keys.table else JsonItems
    try:
        text = reads.text(path, said)
        columns = columns_of(text.text, table=keys.table, known=names_of(schema, format))
    except InvalidFileError as error:
        return ItemPreview((), refused=str(error))
    except (NotTable, NotJson) as error:
        return ItemPreview((), refused=f"{path.name}: {error}.")
    named_schema = said.schema(schema, format)
    of_folder = schema.dimensions[0] if keys.by_folder else None  # the folder names the dimension at the import
    reader = reads(as_named(keys, named_schema), named_schema, path.name, of_folder, True, said, text.encoding)
    try:
        for number, piece in enumerate(reader.pieces(text.text)):
            if number == rows:
                break
            reader.take(piece)
    except InvalidFileError as error:
        return ItemPreview(columns, refused=str(error))
    return ItemPreview(columns, reader.items, reader.bad)


def columns_of(text: str, *, table: bool, known: Sequence[str]) -> list[str]:
    """Return the columns of a table, or the keys of the first records."""
    if table:
        return [name for name in csv_rows.table(csv_rows.lines_of(text), known).layout.columns if name]
    pieces = [piece for piece in json_text.split(text).pieces if piece.problem is None][:_KEYS_OF]
    return list(dict.fromkeys(key for piece in pieces for key in json_text.keys(piece.raw)))


def names_of(schema: Schema, format: str) -> list[str]:
    """Return the default names of a file's columns: for id, dimension, media and fields."""
    return list(by_default(schema, format).values())


def by_default(schema: Schema, format: str) -> dict[str, str]:
    """Return the settable parts of a file's mapping, each with its default column."""
    source = schema.source
    names = source.fields if source else {}
    parts = [*(slot.role for slot in schema.item.assets), *(field.name for field in schema.item.fields)]
    first = {ID: (source.id if source else None) or ID}
    if len(schema.dimensions) > 1:
        first[DIMENSION] = names.get(DIMENSION, DIMENSION)
    return first | {name: names.get(name, name) for name in parts}

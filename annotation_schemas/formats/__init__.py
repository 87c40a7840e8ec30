"""File formats: one module each, with the row (in ``ROWS``) and everything that only this format knows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from annotation_schemas.formats.cells import Misfit
from annotation_schemas.formats.columns import (
    LONGEST_NAME,
    Column,
    ColumnMapping,
    ItemKeys,
    Moments,
    Plain,
    Record,
    RightOption,
    Spread,
    as_named,
    by_place,
    changes,
    columns,
    dimension_in_files,
    dimension_named,
    dimension_of_folder,
    fields_of,
    keys_of,
    name_of_rater,
    new_path,
    new_record,
    of_head,
    picked_fields,
    read_twice,
    says_dimension,
    short,
    whole_number,
)
from annotation_schemas.formats.reads import RatingsReader, ReadFiles, ReadPredictions, ReadRatings, ReadTable
from annotation_schemas.formats.replies import ReplyFiles
from annotation_schemas.formats.row import Content, Format, ModelAnswer, Takes, Writer
from annotation_schemas.formats.tasks import Names, Page, TaskFile, TaskFiles
from annotation_schemas.model import Schema
from domain import extensions, registers
from domain.registers import Register

__all__ = [
    "FORMATS",
    "LONGEST_NAME",
    "Column",
    "ColumnMapping",
    "Content",
    "Format",
    "ItemKeys",
    "Misfit",
    "ModelAnswer",
    "Moments",
    "Names",
    "Page",
    "Plain",
    "RatingsReader",
    "ReadFiles",
    "ReadPredictions",
    "ReadRatings",
    "ReadTable",
    "Record",
    "ReplyFiles",
    "RightOption",
    "Spread",
    "Takes",
    "TaskFile",
    "TaskFiles",
    "Writer",
    "as_named",
    "by_place",
    "changes",
    "columns",
    "dimension_in_files",
    "dimension_named",
    "dimension_of_folder",
    "fields_of",
    "id_keys",
    "item_keys",
    "keys_of",
    "keys_of_source",
    "name_of_rater",
    "named",
    "new_path",
    "new_record",
    "of_head",
    "offered",
    "picked_fields",
    "read_twice",
    "reading",
    "says_dimension",
    "short",
    "whole_number",
    "writing",
]


def rows() -> tuple[Format, ...]:
    """The rows of all modules of this package and of extensions, by their places. Extensions may read files of core's
    formats.
    """
    readers = dict(extensions.rows("readers"))
    own = [replace(row, reads=readers.get(row.name, row.reads)) for row in registers.declared(__name__, "ROWS")]
    return tuple(sorted([*own, *extensions.rows("formats")], key=lambda row: row.place))


FORMATS: Register[Format] = Register(__name__)
"""All formats by name."""


def item_keys(name: str) -> ItemKeys:
    """Return the keys and layout of a format of items. Raise ``KeyError`` for other formats."""
    keys = FORMATS[name].keys
    if keys is None:
        raise KeyError(name)
    return keys


def id_keys() -> tuple[str, ...]:
    """Return the keys of an item's ID in benchmarks' own files."""
    return tuple(dict.fromkeys(row.keys.id_key for row in FORMATS.values() if row.keys and row.keys.id_key))


def keys_of_source(schema: Schema) -> ItemKeys | None:
    """Return the keys and layout of the format of a schema's source, or None."""
    row = FORMATS.get(schema.source.format) if schema.source else None
    return row.keys if row else None


def reading(*takes: Takes) -> list[Format]:
    """The formats that are imported and hold one of these."""
    return [row for row in FORMATS.values() if row.reads and row.takes in takes]


def writing(*takes: Takes) -> list[Format]:
    """The formats that are exported and hold one of these."""
    return [row for row in FORMATS.values() if row.writes and row.takes in takes]


def named(rows: Iterable[Format]) -> str:
    """The names of formats in a sentence: one, two or three; "no format" without any."""
    names = [row.name for row in rows]
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names) or "no format"


def offered(schema: Schema, *, writes: bool, used: Sequence[str] = ()) -> list[Format]:
    """Return the formats for exports (or imports) of a project with this schema.

    Formats that were ``used`` for its files come first, then those in its schema, then those that fit.
    """
    own = [schema.source.format] if schema.source else []
    named = [*used, *own, *(schema.export.formats if writes else ())]
    first = [FORMATS[name] for name in dict.fromkeys(named) if name in FORMATS]
    rest = [row for row in FORMATS.values() if row not in first and row.fits(schema)]
    return [row for row in [*first, *rest] if row.available and (row.writes if writes else row.reads)]

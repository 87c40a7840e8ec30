"""Tables of items: unchanged rows in their imported form, all other rows in the same style."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from annotation_schemas.formats import Content, ItemKeys, Misfit, changes, columns, of_head, says_dimension
from annotation_schemas.model import Schema
from domain import csv_rows
from domain.csv_rows import ColumnChange, Layout
from domain.errors import InvalidFileError
from domain.records import FileRecord, Fragment, ItemRecord
from exporters.items import encoded, made, named_in_file


def written(content: Content) -> dict[str, bytes]:
    """Return a project's items as tables, each under the path of its file.

    Raise ``InvalidFileError`` if the encoding of a file lacks a character of an edited item.
    """
    return {
        file.path: encoded(file, _file(content.format, content.schema, file, content.only, content.without))
        for file in content.files
    }


def _file(format: str, schema: Schema, file: FileRecord, only: Collection[str] | None, without: Collection[str]) -> str:
    row, schema = named_in_file(format, schema, file)
    new = "layout" not in file.meta
    layout = Layout(row.order) if new else Layout.from_json(file.meta["layout"])
    row = of_head(row, schema, layout.columns)
    of_fields = columns(row, schema).items()
    private = frozenset(key for name, column in of_fields if name in without for key in column.keys)
    kept = [item for item in file.items if only is None or item.external_id in only]
    changes = [_changes(row, schema, item, layout, without) for item in kept]
    filled = dict.fromkeys(key for changed in changes for key, text in changed.items() if text is not None)
    change = ColumnChange(layout, private, tuple(key for key in filled if key not in private.union(layout.columns)))
    rows = [_row(item, changed, change) for item, changed in zip(kept, changes, strict=True)]
    head = layout.separator.join(layout.columns) if new else file.head
    return csv_rows.join(rows, head=change.head(head), tail="\n" if new else file.tail, layout=layout)


def _changes(
    row: ItemKeys, schema: Schema, item: ItemRecord, layout: Layout, without: Collection[str]
) -> Mapping[str, Any]:
    """Return the cells of a row that differ from the imported row, or all cells of a new item."""
    fields = {name: value for name, value in item.fields.items() if name not in without}
    try:
        if item.fragment is None:
            return made(row, schema, item, fields, layout.columns)
        if item.stands:
            return {}
        record = csv_rows.values(item.fragment.raw, layout)
        changed = changes(row, schema, record, fields) if item.touched else {}
        return changed | says_dimension(row, schema, record, item)
    except Misfit as error:
        raise InvalidFileError(
            f"Touchstone cannot write the item {item.external_id}: {error}. Correct the item, then export again."
        ) from error


def _row(item: ItemRecord, changed: Mapping[str, Any], change: ColumnChange) -> Fragment | str:
    if item.fragment is None:
        return change.new_row(changed)
    return Fragment(item.fragment.lead, change.row(item.fragment.raw, changed))

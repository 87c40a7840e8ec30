"""Annotation files: unchanged records in their imported form, all other records in the same style."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from annotation_schemas.formats import (
    ColumnMapping,
    Content,
    ItemKeys,
    Misfit,
    as_named,
    changes,
    item_keys,
    keys_of,
    new_record,
    says_dimension,
)
from annotation_schemas.model import Schema
from domain import json_layout, json_text
from domain.errors import InvalidFileError
from domain.json_layout import Layout
from domain.records import FileRecord, Fragment, ItemRecord


def written(content: Content) -> dict[str, bytes]:
    """Return a project's items in files of its own format."""
    return item_files(
        content.files, format=content.format, schema=content.schema, only=content.only, without=content.without
    )


def item_files(
    files: Sequence[FileRecord],
    *,
    format: str,
    schema: Schema,
    only: Collection[str] | None = None,
    without: Collection[str] = (),
) -> dict[str, bytes]:
    """Return the bytes of every file by its path.

    ``files`` hold all items, so that numbers given to new ones never depend on the selection. ``only`` are the external
    ids to write (None: all), ``without`` the fields to leave out of every record.
    """
    ids = _new_ids(as_named(item_keys(format), schema), files)
    return {file.path: encoded(file, _file(format, schema, file, ids, only, without)) for file in files}


def encoded(file: FileRecord, text: str) -> bytes:
    """Return the bytes of a file in its original encoding."""
    encoding = file.meta.get("encoding", "utf-8")
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        raise InvalidFileError(
            f"{file.path} uses {encoding}, which cannot encode {text[error.start]!r}. Remove the "
            "character from the items that you edited, or import the file as UTF-8 into another project."
        ) from error


def named_in_file(format: str, schema: Schema, file: FileRecord) -> tuple[ItemKeys, Schema]:
    """Return the keys of one file, and the schema with the settings from its import."""
    schema = ColumnMapping.of_file(file.meta, schema).schema(schema, format)
    return as_named(item_keys(format), schema), schema


def _file(
    format: str,
    schema: Schema,
    file: FileRecord,
    ids: Mapping[str, int],
    only: Collection[str] | None,
    without: Collection[str],
) -> str:
    row, schema = named_in_file(format, schema, file)
    old = [item.fragment for item in file.items if item.fragment]
    layout = Layout.from_json(file.meta["layout"]) if "layout" in file.meta else row.layout
    order: Sequence[str] = ()
    if without or any(
        item.fragment is None or not item.stands for item in file.items
    ):  # otherwise every record stays unchanged
        orders = Counter(tuple(json_text.keys(fragment.raw)) for fragment in old)
        order = orders.most_common(1)[0][0] if orders else ()
    written = [
        _record(row, schema, item, layout, order, ids, without)
        for item in file.items
        if only is None or item.external_id in only
    ]
    new = "layout" not in file.meta
    return json_layout.join(written, head=None if new else file.head, tail=None if new else file.tail, layout=layout)


def _record(
    row: ItemKeys,
    schema: Schema,
    item: ItemRecord,
    layout: Layout,
    order: Sequence[str],
    ids: Mapping[str, int],
    without: Collection[str],
) -> Fragment | str:
    fields = {name: value for name, value in item.fields.items() if name not in without}
    if item.fragment is not None and item.stands and not without:
        return item.fragment
    try:
        if item.fragment is None:
            return json_layout.record_text(made(row, schema, item, fields, order, ids), layout)
        record = json_text.values(item.fragment.raw, keys_of(row, schema))
        changed = changes(row, schema, record, fields) if item.touched or without else {}
        changed |= says_dimension(row, schema, record, item)
    except Misfit as error:
        raise InvalidFileError(
            f"Touchstone cannot write the item {item.external_id}: {error}. Correct the item, then export again."
        ) from error
    raw = json_layout.edited(item.fragment.raw, changed, layout, order=list(dict.fromkeys([*order, *row.order])))
    return Fragment(item.fragment.lead, raw)


def made(
    row: ItemKeys,
    schema: Schema,
    item: ItemRecord,
    fields: Mapping[str, Any],
    order: Sequence[str],
    ids: Mapping[str, int] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the record of an item that has no imported record. ``ids`` are the numbers for new items."""
    media: dict[str, list[str]] = {}
    for asset in item.assets:
        media.setdefault(asset.role, []).append(asset.path)
    sources = [asset.source for asset in item.assets if asset.source]
    return new_record(
        row,
        schema,
        fields,
        dimension=item.dimension,
        id=item.external_id if row.open else ids.get(item.external_id),
        images=[asset.path for asset in item.assets],
        media=media,
        source=sources[0] if sources else None,
        order=order,
    )


def _new_ids(row: ItemKeys, files: Sequence[FileRecord]) -> dict[str, int]:
    """Return numbers for new records, by external id, after all existing numbers and in the order of the items."""
    new = [item.external_id for file in files for item in file.items if item.fragment is None]
    if row.id_key is None or row.open or not new:
        return {}
    taken = [
        json_text.values(item.fragment.raw, [row.id_key]).get(row.id_key)
        for file in files
        for item in file.items
        if item.fragment
    ]
    numbers = {value for value in taken if isinstance(value, int)}
    if not row.new_ids and not numbers:
        return {}
    first = max(numbers, default=-1) + 1
    return {external_id: first + place for place, external_id in enumerate(new)}

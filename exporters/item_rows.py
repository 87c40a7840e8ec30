"""The items of a release in files that can be imported again: JSON lines, CSV, and the benchmarks' own layouts.

Items are written one after the other, by split. No record has a field that its split withholds. Media are named by
their path in the release, or by their name in the project's files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from annotation_schemas.formats import (
    ItemKeys,
    Misfit,
    as_named,
    columns,
    item_keys,
    new_path,
    new_record,
    of_head,
    read_twice,
)
from annotation_schemas.formats.released import (
    ReleasedItem,
    ReleasedSet,
    ReleasedSplit,
    ReleaseFolder,
    ReleaseWriter,
)
from domain import csv_rows, json_layout
from domain.errors import InvalidFileError
from domain.json_layout import Layout
from exporters.release_items import UnwritableItems, by_split, refuse


def _native(format: str) -> ReleaseWriter:
    """Return the writer of a format of items for a release."""

    def written(released: ReleasedSet, folder: ReleaseFolder) -> None:
        keys = item_keys(format)
        row, schema = as_named(keys, released.schema), released.schema
        if row.open and (key := read_twice(row, schema)) is not None:
            raise InvalidFileError(
                f"{format}: two fields have the key {key!r}. Give each field its own key in `source.fields`."
            )
        with UnwritableItems(format) as refused:
            for split, items in by_split(released):
                with ExitStack() as files:
                    _Split(keys, released, split, folder, files).write(items, refused)

    return written


csv = _native("csv")
jsonl = _native("jsonl")
egothink = _native("egothink")
egoplan = _native("egoplan")
pca_bench = _native("pca_bench")
etp_bench = _native("etp_bench")


class _Split:
    """The files of one split."""

    def __init__(
        self, keys: ItemKeys, released: ReleasedSet, split: ReleasedSplit, folder: ReleaseFolder, files: ExitStack
    ) -> None:
        self._released, self._split, self._folder, self._files = released, split, folder, files
        self._keys, self._row = keys, as_named(keys, released.schema)
        if keys.table:
            of_fields = columns(self._row, released.schema).items()
            private = {key for name, column in of_fields if name in split.withheld for key in column.keys}
            head = [key for key in self._row.order if key not in private]
            self._row = replace(of_head(keys, released.schema, head), order=tuple(head))
        self._outs: dict[str | None, _File] = {}
        """The files by dimension, if each dimension has a file of its own."""
        self._seen: set[Any] = set()

    def write(self, items: Iterator[ReleasedItem], refused: UnwritableItems) -> None:
        """Write all items, each to its file. A single file is also written for a split without items."""
        if not self._many:
            self._out(None)
        for item in items:
            with refused.gathered():
                self._write(item)
        for out in self._outs.values():
            out.end()

    def _write(self, item: ReleasedItem) -> None:
        record = self._record(item)
        if (own := record.get(self._row.id_key or "")) is not None:
            if own in self._seen:
                refuse(self._keys.name, item, f"another item has the same {self._row.id_key} {own!r}")
            self._seen.add(own)
        try:
            self._out(item).add(record)
        except UnicodeEncodeError:
            refuse(self._keys.name, item, "a text of the item contains an invalid character (a lone surrogate)")

    @property
    def _many(self) -> bool:
        """Whether a split has several files, one for each dimension."""
        return self._keys.by_folder or self._keys.file_name is None

    def _out(self, item: ReleasedItem | None) -> _File:
        format, schema = self._keys.name, self._released.schema
        part = item.dimension if item is not None and self._many else None
        if part not in self._outs:
            path = f"{format}/{self._split.name}{PurePosixPath(self._keys.file_name or '').suffix}"
            if part is not None:
                path = f"{format}/{self._split.name}/{new_path(self._row, schema, part)}"
            out = self._files.enter_context(self._folder.open(path))
            self._outs[part] = _Table(out, self._row) if self._keys.table else _Records(out, self._row.layout)
        return self._outs[part]

    def _record(self, item: ReleasedItem) -> dict[str, Any]:
        row, schema = self._row, self._released.schema
        names = [asset.path or asset.name for asset in item.assets]
        media: dict[str, list[str]] = {}
        for asset, name in zip(item.assets, names, strict=True):
            media.setdefault(asset.role, []).append(name)
        if row.media and len({asset.role for asset in item.assets if asset.kind == "image"}) > 1:
            refuse(
                self._keys.name,
                item,
                f"its images have several roles ({', '.join(media)}), but {row.media} allows only one role",
            )
        sources = [asset.source for asset in item.assets if asset.source]
        order = [*row.order, *([row.media] if row.media and row.media not in row.order else [])]
        try:
            record = new_record(
                row,
                schema,
                item.fields,
                dimension=item.dimension,
                id=_own_id(self._keys, item),
                images=names,
                media=media,
                source=sources[0] if sources else None,
                order=order,
            )
        except Misfit as error:
            refuse(self._keys.name, item, str(error))
        if row.media and row.media not in row.order and len(names) > 1:
            record[row.media] = names
        return record


def _own_id(keys: ItemKeys, item: ReleasedItem) -> int | str | None:
    """Return an item's id for its record, even if its file named items by position: earlier items may be left out.

    The id is a number if the benchmark's own id is one.
    """
    if not keys.open and item.id.isascii() and item.id.isdecimal() and str(int(item.id)) == item.id:
        return int(item.id)
    return item.id


class _Records:
    """A file of JSON records that is being written."""

    def __init__(self, out: BinaryIO, layout: Layout) -> None:
        self._out, self._layout, self._n = out, layout, 0
        self._opening, self._closing = json_layout.ends(layout)
        self._out.write(self._opening.encode())

    def add(self, record: Mapping[str, Any]) -> None:
        lead = self._layout.between if self._n else self._layout.first
        self._out.write((lead + json_layout.record_text(record, self._layout)).encode())
        self._n += 1

    def end(self) -> None:
        lines = self._layout.shape == "lines"
        self._out.write((self._closing if self._n else "" if lines else "]").encode())


class _Table:
    """A file of rows that is being written."""

    def __init__(self, out: BinaryIO, row: ItemKeys) -> None:
        self._out, self._layout = out, csv_rows.Layout(row.order)
        self._change = csv_rows.ColumnChange(self._layout)
        self._out.write(self._layout.separator.join(row.order).encode() + b"\n")

    def add(self, record: Mapping[str, Any]) -> None:
        if stray := [key for key in record if key not in self._layout.columns]:
            raise Misfit(f"the table has no column {stray[0]}")
        self._out.write(self._change.new_row(record).encode() + b"\n")

    def end(self) -> None:
        pass


_File = _Records | _Table

"""The items of a release as a typed table in Parquet: its columns, and its rows in files, one at a time.

A table contains images or names them. A value that does not fit its column is refused by name, so nothing is left out.
In a column of texts a number is written with its digits.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from annotation_schemas import kinds
from annotation_schemas.column_types import TEXT, ColumnType
from annotation_schemas.formats.released import ReleasedAsset, ReleasedItem, ReleasedSet, ReleasedSplit, ReleaseFolder
from annotation_schemas.model import AssetSlot, ItemField
from exporters.release_items import Names, UnwritableItems, by_split, refuse
from extensions.harnesses.column_values import CellError, placed

GROUP_ROWS = 1_000
GROUP_BYTES = 32 * 1024 * 1024
"""The limits of a row group, in rows and in bytes. They bound the memory of the writer and of readers."""
SHARD_BYTES = 500 * 1024 * 1024
"""The maximum bytes of images in one file of the table. Images are what makes a table large."""

OWN = ("id", "dimension", "group", "canary")
"""Columns that every table has. A field with such a name is renamed ``its_id`` and so on."""

Cell = Callable[[ReleasedItem], Any]


@dataclass(frozen=True)
class TableColumn:
    """A column of the table."""

    name: str
    type: ColumnType
    meaning: str
    cell: Cell = field(compare=False)
    unit: str | None = None
    """The unit of numbers."""
    role: str | None = None
    """The role of the media in the column."""

    @property
    def has_images(self) -> bool:
        """Whether the column contains images, with their bytes."""
        return self.type in ("image", ("image",))


# ---- columns --------------------------------------------------------------------------------------------------------


def has_media(released: ReleasedSet) -> bool:
    """Tell whether the release includes the images and clips. A release without media counts as including them."""
    if not released.schema.item.assets:
        return True
    first = next((asset for item in released.items() for asset in item.assets), None)
    return first is None or first.path is not None


def columns(released: ReleasedSet, *, images: bool, media: bool) -> list[TableColumn]:
    """Return the columns of a table: its own, the media of each role, and the fields, in the schema's order.

    ``images``: the table contains the images. ``media``: the release includes the files, so that other media have a
    path.
    """
    schema = released.schema
    named = [*(slot.role for slot in schema.item.assets), *(field.name for field in schema.item.fields)]
    taken = {*OWN, *named}
    names = {name: free(name, taken) if name in OWN else name for name in named}
    columns = [
        TableColumn("id", TEXT, "The item's ID.", lambda item: item.id),
        TableColumn("dimension", TEXT, "The dimension that the item measures.", lambda item: item.dimension),
        TableColumn(
            "group",
            TEXT,
            "The group of dependent items, such as items from one video.",
            lambda item: item.group,
        ),
    ]
    if canary := released.about.get("canary"):
        meaning = "A text in every test item. A model that can complete this text has seen the data set."
        columns.append(TableColumn("canary", TEXT, meaning, lambda item: canary))
    for slot in schema.item.assets:
        columns += _of_slot(slot, names[slot.role], taken, images=images and slot.kind == "image", media=media)
    for item_field in schema.item.fields:
        if not all(item_field.name in split.withheld for split in released.splits):
            columns.append(_of_field(item_field, names[item_field.name]))
    return columns


def free(name: str, taken: set[str]) -> str:
    """Return a free name for a column, and mark the name as taken."""
    while name in taken:
        name = f"its_{name}"
    taken.add(name)
    return name


def _of_slot(slot: AssetSlot, role: str, taken: set[str], *, images: bool, media: bool) -> Iterator[TableColumn]:
    several = slot.max != 1
    noun = f"{slot.kind}s" if several else slot.kind

    def column(name: str, type: ColumnType, meaning: str, value: Callable[[ReleasedAsset], Any]) -> TableColumn:
        def cell(item: ReleasedItem) -> Any:
            there = [asset for asset in item.assets if asset.role == slot.role]
            if several:
                return [value(asset) for asset in there]
            if len(there) > 1:
                raise CellError(f"the item has {len(there)} files for {slot.role!r}, but the schema allows one")
            return value(there[0]) if there else None

        return TableColumn(name, (type,) if several else type, meaning, cell, role=slot.role)

    if media and images:
        yield column(role, "image", f"The {noun} for the role {slot.role}.", lambda asset: asset)
        return
    if media:
        where = f"Path of the {noun} for the role {slot.role} from the root of the release."
        yield column(role, TEXT, where, lambda asset: asset.path)
    else:
        called = f"Name of the {noun} for the role {slot.role} in the project's files, not in the release."
        yield column(free(f"{role}_name", taken), TEXT, called, lambda asset: asset.name)
    sums = f"SHA-256 of the {noun} for the role {slot.role}."
    yield column(free(f"{role}_sha256", taken), TEXT, sums, lambda asset: asset.sha256)


def _of_field(each: ItemField, name: str) -> TableColumn:
    row = kinds.of_field(each)

    def cell(item: ReleasedItem) -> Any:
        value = item.fields.get(each.name)
        return None if value is None else row.in_column(each, value)

    title = kinds.title_of(each)
    unit = row.unit_of(each)
    return TableColumn(name, row.column(each), f"{title}." + (f" In {unit}." if unit else ""), cell, unit)


# ---- rows -----------------------------------------------------------------------------------------------------------


def shards(split: ReleasedSplit, n: int, folder: str) -> list[str]:
    """Return the paths of a split's files."""
    return [f"{folder}/{split.name}-{number:05}-of-{n:05}.parquet" for number in range(n)]


@dataclass(frozen=True)
class ReleaseTable:
    """A table to be written."""

    format: str
    released: ReleasedSet
    columns: Sequence[TableColumn]
    media: bool
    """Whether the release includes its media."""

    def sizes(self) -> dict[str, int]:
        """Return the total bytes of the images in the table, by split."""
        totals = {split.name: 0 for split in self.released.splits}
        if any(column.has_images for column in self.columns):
            for item in self.released.items():
                totals[item.split] = totals.get(item.split, 0) + self.images(item)
        return totals

    @cached_property
    def _pictured(self) -> frozenset[str]:
        return frozenset(column.role for column in self.columns if column.role and column.has_images)

    def images(self, item: ReleasedItem) -> int:
        """Return the total bytes of an item's images in the table."""
        return sum(asset.bytes for asset in item.assets if asset.role in self._pictured)

    def row(self, item: ReleasedItem) -> tuple[dict[str, Any], int]:
        """Return an item as a row, with its approximate size in bytes.

        Raise ``InvalidFileError`` if it does not fit.
        """
        self._check(item)
        row: dict[str, Any] = {}
        size = 0
        for column in self.columns:
            try:
                row[column.name], n = placed(column.type, column.cell(item))
            except CellError as error:
                refuse(self.format, item, f"in {column.name}, {error}")
            if column.has_images:
                row[column.name] = self._read(item, row[column.name])
            size += n
        return row, size

    @cached_property
    def _known(self) -> tuple[frozenset[str], frozenset[str], Mapping[str, Sequence[str]]]:
        """The schema's roles and fields, and the withheld fields of each split."""
        item, splits = self.released.schema.item, self.released.splits
        roles, fields = (slot.role for slot in item.assets), (field.name for field in item.fields)
        return frozenset(roles), frozenset(fields), {split.name: split.withheld for split in splits}

    def _check(self, item: ReleasedItem) -> None:
        roles, known, withheld = self._known
        if stray := [asset for asset in item.assets if asset.role not in roles]:
            refuse(self.format, item, f"the item has a file for the role {stray[0].role!r}, which is not in the schema")
        if unknown := [name for name in item.fields if name not in known]:
            refuse(self.format, item, f"the item has a field {unknown[0]!r}, which is not in the schema")
        if leaking := [name for name in withheld[item.split] if name in item.fields]:
            refuse(self.format, item, f"the item has {leaking[0]!r}, which the split {item.split!r} withholds")
        if odd := [asset for asset in item.assets if (asset.path is not None) != self.media]:
            has, others = ("not ", "") if self.media else ("", "not ")
            refuse(
                self.format,
                item,
                f"{odd[0].role} is {has}in the release, but other items' files are {others}in the release",
            )

    def _read(self, item: ReleasedItem, cell: Any) -> Any:
        if isinstance(cell, list):
            return [self._read(item, part) for part in cell]
        if cell is None:
            return None
        data = self.released.read(cell)
        if hashlib.sha256(data).hexdigest() != cell.sha256:
            refuse(self.format, item, f"the file for {cell.role} does not match its SHA-256 {cell.sha256}")
        return {"bytes": data, "path": cell.path.rpartition("/")[2]}


def write(table: ReleaseTable, folder: ReleaseFolder, *, below: str, metadata: Mapping[str, str]) -> None:
    """Write the files of a table, one row group at a time."""
    totals = table.sizes()
    names = Names(table.format)
    with UnwritableItems(table.format) as refused:
        for split, items in by_split(table.released):
            total = totals[split.name]
            paths = shards(split, max(1, math.ceil(total / SHARD_BYTES)), below)
            with _Shards(table, folder, paths, metadata) as out:
                before = 0
                for item in items:
                    with refused.gathered():
                        names.take(item)
                        out.go_to(min(len(paths) - 1, before * len(paths) // total) if total else 0)
                        out.take(*table.row(item))
                    before += table.images(item) if total else 0
                out.go_to(len(paths) - 1)


class _Shards:
    """A writer of a split's files, one after the other. Files without rows are written, too."""

    def __init__(
        self, table: ReleaseTable, folder: ReleaseFolder, paths: Sequence[str], metadata: Mapping[str, str]
    ) -> None:
        self._table, self._folder, self._paths = table, folder, paths
        self._schema = arrow_schema(table.columns, metadata)
        self._at = -1
        self._rows: list[dict[str, Any]] = []
        self._bytes = 0
        self._open = ExitStack()
        self._writer: Any = None

    def __enter__(self) -> _Shards:
        self.go_to(0)
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is None:
            self._close()
        else:
            self._open.__exit__(kind, error, trace)

    def go_to(self, shard: int) -> None:
        """Continue in a later file."""
        while self._at < shard:
            self._close()
            self._at += 1
            self._begin(self._paths[self._at])

    def take(self, row: dict[str, Any], size: int) -> None:
        """Add a row."""
        if self._rows and self._bytes + size > GROUP_BYTES:
            self._flush()
        self._rows.append(row)
        self._bytes += size
        if len(self._rows) >= GROUP_ROWS:
            self._flush()

    def _begin(self, path: str) -> None:
        import pyarrow
        import pyarrow.parquet

        file = self._open.enter_context(self._folder.open(path))
        plain = [column.name for column in self._table.columns if not column.has_images]
        self._writer = self._open.enter_context(
            pyarrow.parquet.ParquetWriter(
                pyarrow.PythonFile(file, mode="w"),
                self._schema,
                compression="zstd",
                use_dictionary=plain,
                write_statistics=plain,
                write_page_index=True,
            )
        )

    def _flush(self) -> None:
        import pyarrow

        if self._rows:
            group = pyarrow.Table.from_pylist(self._rows, schema=self._schema)
            self._writer.write_table(group, row_group_size=len(self._rows))
        self._rows, self._bytes = [], 0

    def _close(self) -> None:
        if self._writer is not None:
            self._flush()
            self._writer = None
            self._open.close()


def arrow_schema(columns: Sequence[TableColumn], metadata: Mapping[str, str]) -> Any:
    """Return the columns as a Parquet schema, with their descriptions."""
    import pyarrow

    def typed(type: ColumnType) -> Any:
        if isinstance(type, str):
            plain = {
                "string": pyarrow.string(),
                "json": pyarrow.string(),
                "int64": pyarrow.int64(),
                "float64": pyarrow.float64(),
                "bool": pyarrow.bool_(),
                "image": pyarrow.struct([("bytes", pyarrow.binary()), ("path", pyarrow.string())]),
            }
            return plain[type]
        if isinstance(type, Mapping):
            return pyarrow.struct([(name, typed(of)) for name, of in type.items()])
        return pyarrow.list_(typed(type[0]))

    def about(column: TableColumn) -> dict[str, str]:
        return {"description": column.meaning, **({"unit": column.unit} if column.unit else {})}

    return pyarrow.schema(
        [
            pyarrow.field(table_column.name, typed(table_column.type), metadata=about(table_column))
            for table_column in columns
        ],
        metadata=dict(metadata),
    )

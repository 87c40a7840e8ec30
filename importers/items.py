"""Annotation files in: every record with its fields, its media names and the very text it was."""

from __future__ import annotations

import codecs
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from annotation_schemas import kinds, source_media
from annotation_schemas.formats import (
    ColumnMapping,
    ItemKeys,
    Misfit,
    ReadFiles,
    as_named,
    by_place,
    dimension_in_files,
    dimension_named,
    dimension_of_folder,
    fields_of,
    item_keys,
    keys_of,
    read_twice,
    short,
)
from annotation_schemas.kinds import check_read, refused_wording, unheld_wording
from annotation_schemas.model import Dimension, Schema
from annotation_schemas.same_options import SameOptions, same_options
from domain import csv_rows, json_layout, json_text
from domain.errors import InvalidFileError, InvalidRowsError
from domain.json_text import NotJson, Piece
from domain.manifests import NAME, is_manifest
from domain.records import AssetName, BadRow, FileRecord, Fragment, ItemRecord
from importers.media_files import kind_of
from importers.unread_keys import ReadKeys, twin_warnings, unread_note, vote_warnings

STAYS = "the values are kept for exports"
UTF_8 = "utf-8"


class FileText(NamedTuple):
    """The text of a file, and the encoding in which it is exported again."""

    text: str
    encoding: str = UTF_8
    note: str = ""
    """A note about how the file was read."""


OnProgress = Callable[[int, int], None]
"""Called with how much is done and how much there is."""


def read_items(
    path: Path,
    *,
    format: str,
    schema: Schema,
    dimension: str | None = None,
    progress: OnProgress | None = None,
    said: ColumnMapping | None = None,
) -> ReadFiles:
    """Return all records of an annotation file, or of all annotation files below a folder.

    ``said`` is the column mapping of a file in an open format.

    Raises
    ------
    InvalidFileError
        No file can be read, a file has another format, or its dimension is unknown. Single invalid records
        are returned in ``bad``.
    """
    return read_files(JsonItems, path, item_keys(format), schema, said or ColumnMapping(), dimension, progress)


def read_files(
    reads: type[JsonItems],
    path: Path,
    keys: ItemKeys,
    schema: Schema,
    said: ColumnMapping,
    dimension: str | None,
    progress: OnProgress | None,
) -> ReadFiles:
    """Return all records of a file, or of all files below a folder, with a reader for each file."""
    try:
        schema = said.schema(schema, keys.name)
    except Misfit as error:
        raise InvalidFileError(f"{error}. Nothing was imported.") from error
    row = as_named(keys, schema)
    if row.open and (key := read_twice(row, schema)) is not None:
        raise InvalidFileError(
            f"Two fields use the column {key!r}. Nothing was imported. Give each field its own column."
        )
    fixed = _dimension(schema, dimension) if dimension else None
    single = not path.is_dir()
    paths = [path] if single else annotation_files(path, row.file_name if row.by_folder else None, row.endings)
    total = sum(_size(file) for file in paths)
    files: list[FileRecord] = []
    bad: list[BadRow] = []
    notes: dict[str, None] = {}
    warnings: dict[str, None] = {}
    unheld: Counter[tuple[str, str]] = Counter()
    done = n_unheld = 0
    for file in paths:
        place = file.name if single else file.relative_to(path).as_posix()
        text = reads.text(file, said)
        reader = reads(row, schema, place, _dimension_of_file(row, schema, file, fixed), single, said, text.encoding)
        for piece in reader.pieces(text.text):
            reader.take(piece)
            done += len(piece.lead) + len(piece.raw)
            if progress:
                progress(min(done, total), total)
        files.append(reader.file())
        bad += reader.bad
        notes |= dict.fromkeys([*filter(None, [text.note]), *reader.notes()])
        warnings |= dict.fromkeys(reader.warnings())
        unheld += reader.unheld
        n_unheld += reader.n_unheld
    if progress:
        progress(total, total)
    if unheld:
        notes[kinds.wording_in_numbers(schema, unheld, n_unheld)] = None
    return ReadFiles(_told_apart(files), bad, single, " ".join(notes) or None, tuple(warnings))


def annotation_files(folder: Path, name: str | None, endings: Sequence[str] = (".json", ".jsonl")) -> list[Path]:
    """Return the annotation files below a folder, in a fixed order: those with this name if any exist.

    Otherwise all files with one of these endings are returned. The manifest of an export is left out.
    """
    paths: list[Path] = []
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        of_kind = [file for file in files if file.lower().endswith(tuple(endings)) and not file.startswith(".")]
        paths += [Path(where) / file for file in of_kind]
    paths.sort()
    paths = [file for file in paths if not _of_an_export(file)]
    if not paths:
        kinds_of_file = f"{', '.join(endings[:-1])} or {endings[-1]}"
        raise InvalidFileError(
            f"{folder} has no {kinds_of_file} file. Choose an annotation file, or a folder with annotation files."
        )
    return [file for file in paths if file.name == name] or paths


def _of_an_export(file: Path) -> bool:
    """Return whether a file is the manifest of an export. An unreadable file is refused later."""
    try:
        return file.name == NAME and is_manifest(file.read_bytes())
    except OSError:
        return False


def _size(file: Path) -> int:
    """Return the file's size in bytes, for the progress. An unreadable file is refused later."""
    try:
        return file.stat().st_size
    except OSError:
        return 0


_NO_TEXT = (
    (
        re.compile(rb"PK\x03\x04"),
        "a zip archive. Unpack the archive, or upload the archive as a .zip file. The name of a workbook must end "
        "with .xlsx",
    ),
    (
        re.compile(rb"(\xef\xbb\xbf)?\s*<(!doctype\s+html|html)\b", re.IGNORECASE),
        "a web page (HTML), perhaps a sign-in page. Download the file itself",
    ),
)
"""The first bytes of files that hold no data, whatever their names are."""


def bytes_of(file: Path) -> bytes:
    """Return the bytes of a file. Raises ``InvalidFileError`` for an unreadable file, an archive or a web page."""
    try:
        data = file.read_bytes()
        for begins, what in _NO_TEXT:
            if begins.match(data):
                raise InvalidFileError(f"{file.name} is {what}. Nothing was imported.")
        return data
    except FileNotFoundError:
        raise InvalidFileError(f"There is no file or folder {file}. Check the path.") from None
    except OSError as error:
        raise InvalidFileError(
            f"Touchstone cannot read {file}: {error.strerror}. Check the path and the permissions."
        ) from error


def _dimension(schema: Schema, name: str) -> Dimension:
    dimension = dimension_named(schema, name)
    if dimension is None:
        known = ", ".join(part.id for part in schema.dimensions)
        raise InvalidFileError(f"{schema.title} has no dimension {name!r}. Use one of: {known}.")
    return dimension


def _dimension_of_file(row: ItemKeys, schema: Schema, file: Path, fixed: Dimension | None) -> Dimension | None:
    """Return the dimension of all records in a file; None if each record names its own."""
    if fixed:
        return fixed
    if row.by_folder:
        dimension = dimension_of_folder(schema, file.resolve().parent.parts)
        if dimension or len(schema.dimensions) == 1:
            return dimension or schema.dimensions[0]
        known = ", ".join(part.folder or part.id for part in schema.dimensions)
        raise InvalidFileError(
            f"{file}: the name of the file's folder is not a dimension of {schema.title} ({known}). Rename the "
            "folder, or import only this file and name the dimension with --set dimension=ID."
        )
    if row.named_by:
        return None
    if len(schema.dimensions) == 1:
        return schema.dimensions[0]
    return dimension_of_folder(schema, [*file.resolve().parent.parts, file.stem])


@dataclass
class JsonItems:
    """The reader of one JSON file."""

    row: ItemKeys
    schema: Schema
    place: str
    dimension: Dimension | None
    single: bool
    said: ColumnMapping = field(default_factory=ColumnMapping)
    encoding: str = UTF_8
    items: list[ItemRecord] = field(default_factory=list)
    bad: list[BadRow] = field(default_factory=list)
    head: str = ""
    tail: str = ""
    layout: json_layout.Layout | csv_rows.Layout = field(default_factory=json_layout.Layout)
    wanted: ReadKeys = field(default_factory=lambda: ReadKeys(()))
    rows_by_id: dict[str, int] = field(default_factory=dict)
    n_rows: int = 0
    known: dict[str, Dimension | None] = field(default_factory=dict)
    unheld: Counter[tuple[str, str]] = field(default_factory=Counter)
    """The number of items that break a wording rule, by field and rule."""
    n_unheld: int = 0
    alike: list[tuple[str, SameOptions]] = field(default_factory=list)
    """Options that say the same, with the item that has them."""

    @classmethod
    def text(cls, file: Path, said: ColumnMapping) -> FileText:
        """Return the text of a file. Raises ``InvalidFileError`` for a file that is not text."""
        if said.encoding:
            return decoded(file, said.encoding)
        try:
            return FileText(json_text.decode(bytes_of(file)))
        except NotJson as error:
            raise InvalidFileError(f"{file.name}, row 1: {error}. Nothing was imported.") from error

    def pieces(self, text: str) -> Iterable[Piece | csv_rows.Row]:
        """Return the records of a file, one by one."""
        try:
            split_text = json_text.split(text)
        except NotJson as error:
            raise InvalidFileError(f"{self.place}, row 1: {error}. Nothing was imported.") from error
        self.head, self.tail = split_text.head, split_text.tail
        self.layout = json_layout.layout_of(split_text, self.row.layout)
        self.wanted = ReadKeys([*keys_of(self.row, self.schema), *self.row.order])
        return split_text.pieces

    def record(self, piece: Any) -> Mapping[str, Any]:
        """Return the values of a record that the project uses."""
        return json_text.values(piece.raw, self.wanted)

    def where(self, piece: Any) -> str:
        """Return the place of a bad record in the file, if more than its row is known."""
        return ""

    def take(self, piece: Piece | csv_rows.Row) -> None:
        """Add the item of a record, or note why the record is invalid."""
        self.n_rows += 1
        try:
            if piece.problem:
                raise Misfit(piece.problem)
            self.items.append(self._item(self.record(piece), Fragment(piece.lead, piece.raw)))
        except (Misfit, NotJson) as error:
            reason = f"{error}{self.where(piece)}"
            text = json_text.printable(piece.raw)
            self.bad.append(BadRow(self.place, self.n_rows, reason, text, self._called(piece)))

    def _called(self, piece: Piece | csv_rows.Row) -> str:
        """Return the name of an invalid record, if it has one."""
        if piece.problem:
            return ""
        try:
            return own_id(self.row, self.record(piece)) or ""
        except (Misfit, NotJson):
            return ""

    @property
    def ignored(self) -> Sequence[str]:
        """The unused keys."""
        return tuple(self.wanted.unread)

    def notes(self) -> Iterator[str]:
        """Yield further notes about the file, one sentence each."""
        if self.ignored and self.row.open:
            yield unread_note(self.ignored, what="key", end=STAYS)

    def warnings(self) -> Iterator[str]:
        """Return warnings about the imported items, in sentences."""
        what = "column" if self.row.table else "key"
        yield from vote_warnings(self.place, self.ignored, what=what)
        yield from twin_warnings(self.place, self.ignored, keys_of(self.row, self.schema), what=what)
        if self.alike:
            n, (name, first) = len({name for name, _ in self.alike}), self.alike[0]
            have = "item has options" if n == 1 else "items have options"
            yield f"{self.place}: {n:,} {have} with the same meaning; the first item is {name}: {first.sentence}."

    def _item(self, record: Mapping[str, Any], fragment: Fragment) -> ItemRecord:
        fields = fields_of(self.row, self.schema, record)
        dimension = self.dimension or self._own_dimension(record)
        own = own_id(self.row, record)
        folder = self.place.rpartition("/")[0]
        external_id = own or (f"{folder}/{self.n_rows - 1}" if folder else str(self.n_rows - 1))
        if external_id in self.rows_by_id:
            raise Misfit(f"{self.row.id_key} {external_id} is also in row {self.rows_by_id[external_id]}")
        self.rows_by_id[external_id] = self.n_rows
        assets = asset_names(self.row, self.schema, record, fields)
        problems = [*check_read(self.schema, fields, dimension.id), *refused_wording(self.schema, fields)]
        wrong = [problem.message.rstrip(".") for problem in problems]
        if wrong and self.row.open:
            wrong += by_place(self.schema, fields)
        alike = same_options(self.schema, fields)
        wrong += [
            f"{group.sentence}, and one of these options is the key; reword one option"
            for group in alike
            if group.is_key
        ]
        wrong += _too_few_or_many(self.schema, assets)
        if (long := source_media.too_many(self.schema, fields)) is not None:
            wrong.append(long)
        if wrong:
            raise Misfit("; ".join(wrong))
        self.alike += [(external_id, group) for group in alike]
        unheld = {(unheld_rule.field, unheld_rule.rule) for unheld_rule in unheld_wording(self.schema, fields)}
        self.unheld.update(unheld)
        self.n_unheld += bool(unheld)
        place = self.n_rows - 1
        return ItemRecord(external_id, dimension.id, fields, assets, fragment, position=place, by_place=not own)

    def _own_dimension(self, record: Mapping[str, Any]) -> Dimension:
        name = record.get(self.row.named_by or "")
        dimension = self._named(name) if isinstance(name, str) else None
        if dimension is None and name is None and self.row.open:  # a file or folder for each dimension
            dimension = dimension_of_folder(self.schema, self.place.rpartition(".")[0].split("/"))
        if dimension:
            return dimension
        if len(self.schema.dimensions) == 1 and name is None:
            return self.schema.dimensions[0]
        known = ", ".join(dimension_in_files(self.row, part) for part in self.schema.dimensions)
        what = f"{self.row.named_by} is {name!r}" if self.row.named_by else "the dimension is missing"
        raise Misfit(f"{what}; use one of {known}, or set the dimension of the whole file with --set dimension=ID")

    def _named(self, name: str) -> Dimension | None:
        """Return the same as ``dimension_named``, cached by name, because a large file has few names."""
        if name not in self.known:
            self.known[name] = dimension_named(self.schema, name)
        return self.known[name]

    def file(self) -> FileRecord:
        meta = {"format": self.row.name, "single": self.single, "layout": self.layout.as_json()}
        if mapping := self.said.as_json():
            meta["said"] = mapping
        if self.encoding != UTF_8:
            meta["encoding"] = self.encoding
        return FileRecord(self.place, self.items, self.head, self.tail, meta)


def decoded(file: Path, encoding: str) -> FileText:
    """Return the text of a file in a given encoding, including a byte order mark.

    Raises ``InvalidFileError`` if the file is not in this encoding.
    """
    data = bytes_of(file)
    try:
        exact = _BYTE_ORDERS.get((codecs.lookup(encoding).name, data[:2]), encoding)
        return FileText(data.decode(exact), exact)
    except LookupError:
        raise InvalidFileError(
            f"There is no encoding {encoding!r}. Use, for example, utf-8, cp1252, utf-16 or latin-1."
        ) from None
    except UnicodeError as error:
        raise InvalidFileError(
            f"{file.name} is not in {encoding}: {error}. Nothing was imported. Set another encoding with --set "
            "encoding=NAME."
        ) from error


_BYTE_ORDERS = {
    ("utf-16", codecs.BOM_UTF16_LE): "utf-16-le",
    ("utf-16", codecs.BOM_UTF16_BE): "utf-16-be",
}
"""The encoding for exporting such a file, so that its bytes stay unchanged."""


def own_id(row: ItemKeys, record: Mapping[str, Any]) -> str | None:
    """Return the record's own id as text; None without an id."""
    value = record.get(row.id_key) if row.id_key else None
    if value is None:
        return None
    if row.table:
        value = value.strip()
    if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
        raise Misfit(f"{row.id_key} must be a whole number or text")
    return short(str(value), row.id_key or "")


def asset_names(row: ItemKeys, schema: Schema, record: Mapping[str, Any], fields: Mapping[str, Any]) -> list[AssetName]:
    """Return the media that a record names, by the roles of the schema. For a missing role, the external id is used.

    An optional clip is left out if the item declares it empty by an empty list of segments.
    """
    if row.open:
        return list(_by_role(row, schema, record))
    source = record.get(row.video or "") if row.video else None
    if row.media and schema.item.assets and record.get(row.media) is not None:
        named = record[row.media]
        paths = [named] if isinstance(named, str) else named
        if not isinstance(paths, list) or not all(isinstance(path, str) and path for path in paths):
            raise Misfit(f"{row.media} must be a list of paths")
        return [AssetName(_role_of(schema, path), short(path, row.media)) for path in paths]
    if source is not None and not isinstance(source, str):
        raise Misfit(f"{row.video} must be text")
    source = short(source, row.video or "") if source else None
    timed_values = [fields.get(field.name) for field in schema.item.fields if kinds.of_field(field).timed]
    return [
        AssetName(slot.role, "", source)
        for slot in schema.item.assets
        if not (slot.kind == "clip" and slot.min == 0 and [] in timed_values)
    ]


def _by_role(row: ItemKeys, schema: Schema, record: Mapping[str, Any]) -> Iterator[AssetName]:
    """Yield the media of each role from its own keys. A required role without a key uses the item's id as its name."""
    for slot in schema.item.assets:
        paths = row.roles[slot.role].read(record) if slot.role in row.roles else None
        if paths is None:
            paths = [""] if slot.min else []
        for path in paths:
            yield AssetName(slot.role, short(path, row.roles[slot.role].keys[0]) if path else "")


def _role_of(schema: Schema, path: str) -> str:
    """Return the first role for a file of this kind; the very first role if the ending is unknown."""
    kind = kind_of(PurePath(path))
    slots = schema.item.assets
    return next((slot.role for slot in slots if slot.kind == kind), slots[0].role)


def _too_few_or_many(schema: Schema, assets: Sequence[AssetName]) -> Iterator[str]:
    """Yield the roles of an item that have fewer or more media than the schema allows."""
    for slot in schema.item.assets:
        n = sum(asset.role == slot.role for asset in assets)
        if n < slot.min:
            yield (
                f"the item has {n or 'no'} {slot.role}, but at least {slot.min} {'is' if slot.min == 1 else 'are'} "
                "needed"
            )
        elif slot.max is not None and n > slot.max:
            yield (
                f"the item has {n} files for {slot.role}, but at most {slot.max} {'is' if slot.max == 1 else 'are'} "
                "allowed"
            )


def _told_apart(files: list[FileRecord]) -> list[FileRecord]:
    """Return the files with unique external ids. If files share ids, all of them put their own names before the ids."""
    counts = Counter(item.external_id for file in files for item in file.items)
    if max(counts.values(), default=1) == 1:
        return files
    return [prefixed(file, file.path.rpartition(".")[0]) for file in files]


def prefixed(file: FileRecord, prefix: str) -> FileRecord:
    """Return the file with ``prefix`` instead of its folder before every external id: ``prefix/17``."""
    folder = file.path.rpartition("/")[0] + "/"
    items = [replace(item, external_id=f"{prefix}/{item.external_id.removeprefix(folder)}") for item in file.items]
    return replace(file, items=items)


def without_prefix(file: FileRecord) -> FileRecord:
    """Return the file without its name before the external ids: the ids that it gets if it is imported alone."""
    prefix = file.path.rpartition(".")[0] + "/"
    folder = file.path.rpartition("/")[0]
    shorter = f"{folder}/" if folder else ""
    items = [replace(item, external_id=shorter + item.external_id.removeprefix(prefix)) for item in file.items]
    return replace(file, items=items)


SHOWN = 50
"""The largest number of bad rows that a refusal names."""
MEND = (
    "Nothing was imported. Correct the file, or import only the valid rows with --skip-bad, which lists the skipped "
    "rows."
)


def refusal(bad: Sequence[BadRow], end: str = MEND) -> InvalidRowsError:
    """Return the refusal of a file, with its bad rows in order."""
    first = sorted(bad, key=lambda row: (row.path, row.row))[:SHOWN]
    return InvalidRowsError(list(lines_of(first)), n=len(bad), end=end)


def lines_of(bad: Sequence[BadRow]) -> Iterator[str]:
    """Yield bad rows as sentences."""
    for row in bad:
        yield f"{row.path}, row {row.row}: {row.reason}."

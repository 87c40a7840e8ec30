"""A preview of an import of annotation files: new, changed, equal and bad items. Nothing is stored."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from annotation_schemas.formats import Format, item_keys
from annotation_schemas.model import Schema
from db import files, item_revisions
from db.engine import Session
from db.records import StoredItem
from domain import csv_text
from domain.errors import InvalidFileError
from domain.records import BadRow, FileRecord, ItemRecord
from importers.media_files import MediaFolder
from workflow.files.import_items import contradictions, is_same, known_items, placed_as, read_for
from workflow.files.item_media import MediaRequest, asset_name, bad_row, wanted_media
from workflow.files.one_import import Import

FIRST = 8
"""The number of items that the preview shows."""
_AT_ONCE = 1_000
"""The number of items whose contents are compared at once."""


@dataclass(frozen=True)
class Difference:
    """A difference between a changed row and the stored item."""

    path: str
    row: int
    item: str
    part: str
    """A field or ``dimension``; empty if only the spelling of the row differs."""
    before: Any = None
    """The item's present value, with edits since its import."""
    after: Any = None


@dataclass(frozen=True)
class FirstItem:
    """An item as it will be, and whether each of its media is there: in the project, or to be found."""

    item: ItemRecord
    media: Sequence[tuple[str, str, bool]]
    """Role, name, found."""
    images: Mapping[str, Path] = field(default_factory=dict)
    """The paths of images in the folder, by name."""


@dataclass(frozen=True)
class Look:
    """The result of a preview."""

    format: Format
    schema: Schema
    """The schema of the project."""
    n_files: int
    new: int
    changed: int
    """Rows of items that are in the project with other content: an import refuses them, or leaves the items alone."""
    equal: int
    """Rows that are there word for word."""
    bad: Sequence[BadRow]
    first: Sequence[FirstItem]
    found: int
    """Media that are in the project already, or lie in the folder."""
    missing: Sequence[str]
    """The other media, but for those that lie there and are not taken: their rows are bad."""
    differences: Sequence[Difference]
    """The differences of all changed rows, in order."""
    refused: str | None
    """Why the import would be refused, even if bad rows are skipped; None for an import that would succeed."""
    new_refused: str | None
    """The same of an import that takes the new items alone."""
    note: str | None
    warnings: Sequence[str] = ()
    """Warnings about the rows that the import would add, in sentences."""
    beside: str | None = None
    """A warning that items of the same names exist from a file with another name, so that rows would become new
    items.
    """

    def comes(self, *, skip_bad: bool, new_only: bool = False) -> bool:
        """Return whether an import would succeed."""
        return (self.new_refused if new_only else self.refused) is None and (skip_bad or not self.bad)


def look(bring: Import, row: Format, folder: MediaFolder | None) -> Look:
    """Preview an import of these files by the import's own rules. Raises ``InvalidFileError`` for unreadable files.

    The preview searches media by name and reads their first bytes. Only the import reads the rest.
    """
    read = read_for(bring, row)
    refused: str | None = None
    new_refused: str | None = None
    new = equal = 0
    changed: list[tuple[FileRecord, ItemRecord, StoredItem]] = []
    file_records: list[FileRecord] = []
    beside: str | None = None
    with bring.store.read() as session:
        for given in read.files:
            file = given
            try:
                file = placed_as(replace(bring, new_only=True), session, given, single=read.single).file
            except InvalidFileError as error:
                new_refused = new_refused or str(error)
            try:
                placed_as(bring, session, given, single=read.single)
            except InvalidFileError as error:
                refused = refused or str(error)
            file_records.append(file)
            if file.path == given.path and file.items[:1] != given.items[:1]:
                beside = beside or _beside(bring, session, given, file)
            there = known_items(bring, session, file)
            new += len(file.items) - len(there)
            for item in file.items:
                stored = there.get(item.external_id)
                if stored is None:
                    continue
                if is_same(item, stored):
                    equal += 1
                    continue
                changed.append((file, item, stored))
            bring.on("comparing", len(file_records), len(read.files))
        differences = [
            difference
            for begin in range(0, len(changed), _AT_ONCE)
            for difference in _differences(bring, session, changed[begin : begin + _AT_ONCE])
        ]
        wanted = wanted_media(bring.access, item_keys(row.name), file_records, folder)
        have = files.asset_ids(session, project_id=bring.access.project_id, names=list(wanted))
        warnings = [*read.warnings, *contradictions(bring, session, item_keys(row.name), file_records)]
    here = {name for name in wanted if have.get(name, (0, None))[1]}
    problems = {name: why for name, request in wanted.items() if name not in here and (why := request.problem())}
    lies = {
        name: name in here or (name not in problems and request.place() is not None) for name, request in wanted.items()
    }
    first = [item for file in file_records for item in file.items[:FIRST]][:FIRST]
    return Look(
        format=row,
        schema=bring.access.schema,
        n_files=len(read.files),
        new=new,
        changed=len(changed),
        equal=equal,
        bad=sorted(
            [*read.bad, *(bad_row(wanted[name], why) for name, why in problems.items())],
            key=lambda bad: (bad.path, bad.row),
        ),
        first=[_first(item, wanted, lies, problems) for item in first],
        found=sum(lies.values()),
        missing=[name for name, there in lies.items() if not there and name not in problems],
        differences=differences,
        refused=refused,
        new_refused=new_refused,
        note=read.note,
        warnings=warnings,
        beside=beside,
    )


def _first(
    item: ItemRecord, wanted: Mapping[str, MediaRequest], lies: Mapping[str, bool], problems: Mapping[str, str]
) -> FirstItem:
    names = [(asset.role, asset_name(item, asset)) for asset in item.assets]
    images = {name: path for _, name in names if lies[name] and (path := _image(wanted[name])) is not None}
    return FirstItem(item, [(role, name, lies[name] or name in problems) for role, name in names], images)


def _beside(bring: Import, session: Session, given: FileRecord, apart: FileRecord) -> str | None:
    """Return a warning that a file, whose name distinguishes its items, may be another state of a stored file."""
    there = known_items(bring, session, given)
    alike = [
        (item, there[item.external_id])
        for item in given.items
        if item.external_id in there and there[item.external_id].dimension == item.dimension
    ]
    if not alike:
        return None
    paths = {known.id: known.path for known in files.files(session, project_id=bring.access.project_id)}
    name = paths.get(alike[0][1].file_id or 0)
    equal = sum(is_same(item, stored) for item, stored in alike)
    whose = f" from {name}" if name else ""
    rename = f"If this file is a newer version, rename the file to {name}" if name else "Check for differences"
    return (
        f"Rows with the names of items in this project{whose}: {len(alike):,} of {len(given.items):,}, including "
        f"{equal:,} unchanged. The import would add these rows again as new items, such as "
        f"{apart.items[0].external_id}. {rename}."
    )


def _image(wanted: MediaRequest) -> Path | None:
    """Return the path of the image; None if the image is missing or must be cut out of a video."""
    return wanted.find(Path()) if wanted.kind == "image" and wanted.source is None else None


def _differences(
    bring: Import, session: Session, changed: Sequence[tuple[FileRecord, ItemRecord, StoredItem]]
) -> Iterator[Difference]:
    ids = [stored.id for _, _, stored in changed]
    now: Mapping[int, tuple[dict[str, Any], int]] = (
        item_revisions.present_contents(session, ids=ids, project_id=bring.access.project_id) if ids else {}
    )
    for file, item, stored in changed:
        where = (file.path, (item.position or 0) + 1, item.external_id)
        before = now[stored.id][0]
        parts: list[tuple[str, Any, Any]] = [("dimension", stored.dimension, item.dimension)]
        parts += [
            (field.name, before.get(field.name), item.fields.get(field.name))
            for field in bring.access.schema.item.fields
        ]
        differ = [(name, old, read) for name, old, read in parts if old != read]
        for name, old, read in differ or [("", None, None)]:
            yield Difference(*where, name, old, read)


def changed_csv(differences: Iterable[Difference]) -> str:
    """Return a CSV text with a line for each field in which a row differs from the stored item."""
    out = io.StringIO(newline="")
    table = csv_text.Writer(out)
    table.writerow(["file", "row", "item", "field", "before", "after"])
    for difference in differences:
        table.writerow(
            [
                difference.path,
                difference.row,
                difference.item,
                difference.part,
                *map(_value, (difference.before, difference.after)),
            ]
        )
    return out.getvalue()


def _value(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

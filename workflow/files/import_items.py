"""Imports of annotation files with their media. Every record is stored unchanged, under a name of its own.

All items of an import appear at once. The slots for votes are opened afterwards, a few items at a time, so that voters
are not kept waiting. If that step is stopped, the next import continues it.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from annotation_schemas import kinds, source_media
from annotation_schemas.formats import Format, ItemKeys, ReadFiles, item_keys
from annotation_schemas.model import Schema
from db import files
from db.engine import IntegrityError, Session
from db.records import StoredItem
from domain.errors import ConflictError, InvalidFileError
from domain.records import BadRow, FileRecord, ItemRecord
from importers.items import prefixed, refusal, without_prefix
from importers.media_files import MediaFolder
from importers.readers import reader_of
from workflow.access.event_log import log
from workflow.access.schema_changes import must_be_the_same
from workflow.annotate import answering, verification
from workflow.annotate.authoring import NewItem, add_items
from workflow.files.contradicting_keys import contradicting_keys
from workflow.files.item_media import (
    MediaRequest,
    asset_name,
    count_without_media,
    save_assets,
    stored_media,
    wanted_media,
)
from workflow.files.named_in_files import named_files
from workflow.files.one_import import Import, ImportSummary

if TYPE_CHECKING:
    from media.store import StoredMedia

PART = "part"
"""In the log of an import: its files, and that they were a part of a project."""
_NAMED = 10
"""The largest number of missing media that are named."""
_SAVED_AT_ONCE = 1_000
"""The number of items that are stored at once, to limit memory."""
_FILLED_AT_ONCE = 20
"""The number of media of existing items that are saved together."""


@dataclass(frozen=True)
class PlacedFile:
    """A file with the names that its items have in the project, and which of them are there already."""

    file: FileRecord
    there: Mapping[str, int]
    """Item ids by external id."""
    changed: frozenset[str] = frozenset()
    """The existing items with other content, which stay unchanged."""
    path: str = ""
    """The path of the new items, if an earlier import has stored a part of the file."""

    @property
    def repeated(self) -> bool:
        """Whether the file has no new content."""
        return len(self.there) == len(self.file.items)

    @property
    def new(self) -> FileRecord:
        """Return the file with only the new items."""
        if not self.there:
            return self.file
        return replace(self.file, items=[item for item in self.file.items if item.external_id not in self.there])

    @property
    def kept(self) -> FileRecord:
        """Return the file without the changed items. The media of all other items are in the project, or will be."""
        if not self.changed:
            return self.file
        return replace(self.file, items=[item for item in self.file.items if item.external_id not in self.changed])


def import_items(bring: Import, row: Format, folder: MediaFolder | None) -> ImportSummary:
    """Import annotation files with their media. Existing items stay unchanged, but missing media are filled in."""
    keys = item_keys(row.name)
    read = read_for(bring, row)
    bring.refuse(read.bad)
    with bring.store.read() as session:
        placed = [placed_as(bring, session, file, single=read.single) for file in read.files]
        wanted = wanted_media(bring.access, keys, [placed_file.kept for placed_file in placed], folder)
        have = files.asset_ids(session, project_id=bring.access.project_id, names=list(wanted))
        warnings = [*read.warnings, *contradictions(bring, session, keys, [placed_file.new for placed_file in placed])]
    lacking = {name: want for name, want in wanted.items() if not have.get(name, (0, None))[1]} if folder else {}
    bad = list(read.bad)
    stored: dict[str, StoredMedia] = {}
    refused: set[str] = set()
    filling = all(placed_file.repeated for placed_file in placed)
    for name, medium in stored_media(bring, lacking):
        if isinstance(medium, BadRow):
            bad.append(medium)
            refused.add(name)
            continue
        stored[name] = medium
        if filling and len(stored) >= _FILLED_AT_ONCE:  # long work: finished parts stay if it is stopped
            with bring.store.write() as session:
                save_assets(bring, session, wanted, stored)
            stored.clear()
    if filling and len(bad) > len(read.bad) and not bring.skip_bad:
        with bring.store.write() as session:
            save_assets(bring, session, wanted, stored)
        raise refusal(bad, "The other media were imported. Correct these files, and import again.")
    bad += _outside(bring, [placed_file.new for placed_file in placed], stored)
    bring.refuse(bad)
    try:
        with bring.store.write(much=True) as session:
            must_be_the_same(session, access=bring.access)
            if placed != [placed_as(bring, session, file, single=read.single) for file in read.files]:
                raise ConflictError("Another import into this project has just finished. Import again.")
            done = _save(bring, session, row.name, placed, wanted, stored, bad, refused, read.note)
            done = replace(done, warnings=tuple(warnings))
    except IntegrityError as error:
        raise ConflictError("Another import into this project has just finished. Import again.") from error
    verification.offer_new(bring.store, project=bring.project, told=lambda at, total: bring.on("offering", at, total))
    return done


def contradictions(bring: Import, session: Session, keys: ItemKeys, new: Sequence[FileRecord]) -> list[str]:
    """Return warnings about new items whose keys contradict each other or those of stored items."""
    return contradicting_keys(session, bring.access.schema, keys, new, project_id=bring.access.project_id)


def read_for(bring: Import, row: Format) -> ReadFiles:
    """Return the valid and the invalid records of an import's files.

    Raises ``InvalidFileError`` for unreadable files.
    """
    read: ReadFiles = reader_of(row)(
        bring.path,
        format=row.name,
        schema=bring.access.schema,
        dimension=bring.dimension,
        progress=lambda done, total: bring.on("reading", done, total),
        **({"said": bring.said} if bring.said else {}),
    )
    return read


def _outside(bring: Import, found: Sequence[FileRecord], stored: Mapping[str, StoredMedia]) -> Iterator[BadRow]:
    """Yield items with a segment that begins after the end of their clip."""
    timed = [field.name for field in bring.access.schema.item.fields if kinds.of_field(field).timed]
    for file in found:
        for item in file.items:
            ends = [
                stored[name].duration for name in (asset_name(item, asset) for asset in item.assets) if name in stored
            ]
            last = max((end for end in ends if end is not None), default=None)
            starts = [part.get("start") for name in timed for part in item.fields.get(name) or ()]
            late = [at for at, start in enumerate(starts, 1) if last and start is not None and start > last]
            if late:
                raw = item.fragment.raw if item.fragment else ""
                why = f"segment {late[0]} begins at {starts[late[0] - 1]:g} s, but the clip lasts only {last:g} s"
                yield BadRow(file.path, (item.position or 0) + 1, why, raw)


def placed_as(bring: Import, session: Session, file: FileRecord, *, single: bool) -> PlacedFile:
    """Return the file with the names that it will have in the project.

    A single file puts its name before ids that another file has. A file of a folder keeps the ids without its name if
    it was imported alone before. With ``new_only``, new items are separated from stored ones.

    Raises
    ------
    InvalidFileError
        Some items are already stored, and the file is not identical.
    """
    there = known_items(bring, session, file)
    same_path = _file_at(bring, session, file.path)
    if not there and not same_path:
        return PlacedFile(file, {})
    if not there:
        bare = without_prefix(file)
        there_bare = known_items(bring, session, bare)
        if _same_place(bring, session, bare, there_bare):
            file, there = bare, there_bare
    if there and _identical(file, there):
        _same_names(bring, session, file)
        return PlacedFile(file, _ids(there))
    if single:
        told_apart = _told_apart(bring.access.schema, file)
        there_apart = known_items(bring, session, told_apart)
        if there_apart and _identical(told_apart, there_apart):
            return PlacedFile(told_apart, _ids(there_apart))
        if (
            not there_apart
            and not _file_at(bring, session, told_apart.path)
            and not _same_place(bring, session, file, there)
        ):
            return PlacedFile(told_apart, {})
        if bring.new_only and not _same_place(bring, session, file, there):
            return _part_of(bring, session, told_apart, there_apart)
    if bring.new_only:
        return _part_of(bring, session, file, there)
    raise InvalidFileError(_taken(file, there))


def _part_of(bring: Import, session: Session, file: FileRecord, there: Mapping[str, StoredItem]) -> PlacedFile:
    """Return a file of which some items are stored. The new items get a file of their own, and changed items are
    skipped.
    """
    _same_names(bring, session, file)
    known = {item.external_id: item for item in file.items if item.external_id in there}
    changed = frozenset(name for name, item in known.items() if not is_same(item, there[name]))
    if changed and any(item.by_place for item in file.items):
        first = known[next(item.external_id for item in file.items if item.external_id in changed)]
        raise InvalidFileError(
            f"{file.path}, row {(first.position or 0) + 1} has changed, and the rows of this file have no ids. "
            "Touchstone matches items by position, so new rows and moved rows look the same. Nothing was imported. "
            "Import the new rows as a separate file."
        )
    return PlacedFile(file, _ids(there), changed, _free_path(bring, session, file))


def _free_path(bring: Import, session: Session, file: FileRecord) -> str:
    """Return a free path for the new items of a file, next to it.

    Formats that go by folders get a folder around the file's own.
    """
    taken = {known.path for known in files.files(session, project_id=bring.access.project_id)}
    if file.path not in taken:
        return file.path
    stem, dot, ending = file.path.rpartition(".")
    around = item_keys(file.meta["format"]).by_folder
    tried = (f"new-{n}/{file.path}" if around else f"{stem}-{n}{dot}{ending}" for n in itertools.count(2))
    return next(path for path in tried if path not in taken)


def known_items(bring: Import, session: Session, file: FileRecord) -> dict[str, StoredItem]:
    """Return the project's items with the names of a file's items."""
    names = [item.external_id for item in file.items]
    return files.items_named(session, project_id=bring.access.project_id, external_ids=names)


def _file_at(bring: Import, session: Session, path: str) -> bool:
    return any(known.path == path for known in files.files(session, project_id=bring.access.project_id))


def _same_names(bring: Import, session: Session, file: FileRecord) -> None:
    """Refuse a file that is there already, but with other columns for its fields than now."""
    stored = next((source for source in named_files(session, bring.access) if source.stored.path == file.path), None)
    if stored is not None and stored.meta.get("said") != file.meta.get("said"):
        before = stored.meta.get("said", {}).get("columns") or {}
        named = ", ".join(f"{name}={key}" for name, key in before.items()) or "the columns of the schema"
        raise InvalidFileError(
            f"{file.path} was imported before with other columns ({named}). Nothing was imported. To use new columns, "
            "import the file into another project."
        )


def _told_apart(schema: Schema, file: FileRecord) -> FileRecord:
    row = item_keys(file.meta["format"])
    if row.by_folder and file.items:
        part = schema.dimension(file.items[0].dimension)
        folder = part.folder or part.id
        return replace(prefixed(file, folder), path=f"{folder}/{file.path}")
    return prefixed(file, file.path.rpartition(".")[0] or file.path)


def _same_place(bring: Import, session: Session, file: FileRecord, there: Mapping[str, StoredItem]) -> bool:
    """Return whether these ids come from an earlier state of this very file."""
    paths = {known.id: known.path for known in files.files(session, project_id=bring.access.project_id)}
    dimensions = {item.external_id: item.dimension for item in file.items}
    return any(
        paths.get(row.file_id or 0) == file.path and row.dimension == dimensions[name] for name, row in there.items()
    )


def _save(
    bring: Import,
    session: Session,
    format: str,
    placed: Sequence[PlacedFile],
    wanted: Mapping[str, MediaRequest],
    stored: Mapping[str, StoredMedia],
    bad: Sequence[BadRow],
    refused: Collection[str],
    note: str | None,
) -> ImportSummary:
    now = bring.store.now()
    project_id = bring.access.project_id
    asset_ids = save_assets(bring, session, wanted, stored)
    total = sum(len(placed_file.new.items) for placed_file in placed)
    left = tuple(row for placed_file in placed for row in _left(placed_file))
    new = 0
    revisions: list[tuple[int, int, str]] = []
    for placed_file in placed:
        if placed_file.repeated:
            continue
        file = placed_file.new
        file_id = files.add_file(
            session,
            project_id=project_id,
            path=placed_file.path or file.path,
            format=format,
            head=file.head,
            tail=file.tail,
            meta=file.meta,
            now=now,
        )
        for begin in range(0, len(file.items), _SAVED_AT_ONCE):
            items = [_new_item(item, file_id, asset_ids) for item in file.items[begin : begin + _SAVED_AT_ONCE]]
            ids = add_items(session, access=bring.access, new=items, now=now, person_id=bring.by_id, offered=False)
            revisions += [(id, 1, item.dimension) for id, item in zip(ids, items, strict=True)]
            new += len(items)
            bring.on("saving", new, total)
    answering.open_new(session, access=bring.access, revisions=revisions, now=now)  # a sample is drawn of all of them
    have = files.asset_ids(session, project_id=project_id, names=list(wanted))
    without = [name for name in wanted if not have.get(name, (0, None))[1]]
    missing = [name for name in without if name not in refused]  # a file that exists but is unsupported is a bad row
    few = source_media.too_few(
        bring.access.schema, (item.fields for placed_file in placed for item in placed_file.kept.items)
    )
    if new or stored:
        data: dict[str, Any] = {"format": format, "items": new, "media": len(stored), "left_out": len(bad) + len(left)}
        data |= {PART: f"{bring.path.name}: {bring.part}"} if bring.part else {}
        log(session, "items.imported", by=bring.by_id, project=project_id, now=now, data=data)
    return ImportSummary(
        items=new,
        repeated=sum(len(placed_file.kept.items) for placed_file in placed) - new,
        left=left,
        assets_found=len(wanted) - len(without),
        assets_missing=len(without),
        assets_refused=len(without) - len(missing),
        without_media=count_without_media((item for each in placed for item in each.kept.items), without),
        missing=tuple(missing[:_NAMED]),
        bad=tuple(bad),
        note=" ".join(filter(None, (note, few, bring.part))) or None,
    )


def _left(placed: PlacedFile) -> Iterator[BadRow]:
    for item in placed.file.items:
        if item.external_id in placed.changed:
            raw = item.fragment.raw if item.fragment else ""
            why = f"the item {item.external_id} exists with other content and was not changed"
            yield BadRow(placed.file.path, (item.position or 0) + 1, why, raw)


def _new_item(item: ItemRecord, file_id: int, asset_ids: Mapping[str, int]) -> NewItem:
    return NewItem(
        external_id=item.external_id,
        dimension=item.dimension,
        fields=item.fields,
        assets=[(asset.role, asset_ids[asset_name(item, asset)]) for asset in item.assets],
        file_id=file_id,
        position=item.position,
        fragment_lead=item.fragment.lead if item.fragment else None,
        fragment_raw=item.fragment.raw if item.fragment else None,
    )


def _ids(rows: Mapping[str, StoredItem]) -> dict[str, int]:
    return {name: row.id for name, row in rows.items()}


def _identical(file: FileRecord, there: Mapping[str, StoredItem]) -> bool:
    """Return whether every record is already in the project, word for word as imported."""
    return all((row := there.get(item.external_id)) is not None and is_same(item, row) for item in file.items)


def is_same(item: ItemRecord, there: StoredItem) -> bool:
    """Return whether a record equals, word for word, the import of an item."""
    return item.fragment is not None and there.fragment_raw == item.fragment.raw and there.dimension == item.dimension


def _taken(file: FileRecord, there: Mapping[str, StoredItem]) -> str:
    changed = [
        item
        for item in file.items
        if (row := there.get(item.external_id)) is not None
        and (item.fragment is None or row.fragment_raw != item.fragment.raw)
    ]
    if changed:
        first, n, same = changed[0], len(file.items) - len(there), len(there) - len(changed)
        return (
            f"{file.path}, row {(first.position or 0) + 1}: the item {first.external_id!r} exists with other content. "
            f"Rows: {len(changed):,} changed, {same:,} unchanged, {n:,} new. Nothing was imported. Use --new-only, "
            "edit items in the browser, or import the file into another project."
        )
    if not there:
        return (
            f"This project already has a file {file.path} with other items. Nothing was imported. Rename "
            "the new file, and import again."
        )
    return (
        f"{file.path}: items that are already in this project: {len(there):,} of {len(file.items):,}. Nothing was "
        "imported. Use --new-only, or import the new items as a separate file."
    )

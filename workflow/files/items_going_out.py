"""Items to export: each in its original file with its present content, and new items in files of their own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation_schemas.formats import ItemKeys, new_path
from db import files, item_revisions, items
from db.engine import Session
from db.items import OutgoingItem
from domain.records import AssetName, FileRecord, Fragment, ItemRecord
from workflow.access.projects import Access
from workflow.files.named_in_files import named_files


@dataclass(frozen=True)
class ItemsOut:
    """The present state of a project, in the form of its files."""

    rows: Sequence[OutgoingItem]
    files: Sequence[FileRecord]
    single: bool
    assets: Mapping[int, Sequence[tuple[str, str, str | None, str | None]]]


_FEW = 1_000
"""Up to this number, items are queried by id; more are queried by project."""


def project_items(session: Session, access: Access, row: ItemKeys | None, *, whole: bool = True) -> ItemsOut:
    """Return the items in their files. Without ``whole``, items that never changed have no fields."""
    project_id = access.project_id
    rows = items.outgoing(session, project_id=project_id)
    known = [file for file in named_files(session, access) if row is not None and file.stored.format == row.name]
    own = {file.stored.id for file in known}
    reworded = access.reading.rewords_items
    changed = [
        outgoing.id
        for outgoing in rows
        if outgoing.current_revision > 1 or outgoing.fragment_raw is None or outgoing.file_id not in own
    ]
    few = None if whole or row is None or reworded or len(changed) > _FEW else changed
    content = item_revisions.current_content(session, project_id=project_id, ids=few)
    assets = files.asset_names(session, project_id=project_id)
    by_file: dict[int | None, list[OutgoingItem]] = defaultdict(list)
    for outgoing in rows:
        by_file[outgoing.file_id].append(outgoing)
    if row is None:  # a format without files of its own: all items are one lot
        lot = FileRecord("", [_record(outgoing, content, assets, of_file=False) for outgoing in rows])
        return ItemsOut(rows, [lot], True, assets)
    loose = [_record(outgoing, content, assets, of_file=False) for outgoing in rows if outgoing.file_id not in own]
    file_records = [
        FileRecord(
            path=file.stored.path,
            items=[
                _record(outgoing, content, assets, reworded=reworded)
                for outgoing in sorted(by_file[file.stored.id], key=lambda item: item.position or 0)
            ],
            head=file.stored.head,
            tail=file.stored.tail,
            meta=file.meta,
        )
        for file in known
    ]
    return ItemsOut(
        rows=rows,
        files=_with_new(row, access, file_records, loose),
        single=all(file.meta.get("single", True) for file in known) and (bool(known) or not row.by_folder),
        assets=assets,
    )


def _record(
    item: OutgoingItem,
    content: Mapping[int, Mapping[str, Any]],
    assets: Mapping[int, Sequence[tuple[str, str, str | None, str | None]]],
    *,
    of_file: bool = True,
    reworded: bool = False,
) -> ItemRecord:
    fragment = None
    if of_file and item.fragment_raw is not None:
        fragment = Fragment(item.fragment_lead or "", item.fragment_raw)
    return ItemRecord(
        external_id=item.external_id,
        dimension=item.dimension,
        fields=content.get(item.id, {}),
        assets=[AssetName(role, name, source) for role, name, source, _ in assets.get(item.id, ())],
        fragment=fragment,
        touched=item.current_revision > 1 or reworded,
        dimension_given=item.dimension_given,
    )


def _with_new(
    row: ItemKeys, access: Access, found: Sequence[FileRecord], new: Sequence[ItemRecord]
) -> list[FileRecord]:
    """Return the files with the new items, each in the file of its dimension or in a new file."""
    items_by_path: dict[str, list[ItemRecord]] = {file.path: list(file.items) for file in found}
    home = {item.dimension: file.path for file in found for item in file.items}
    for item in new:
        path = home.setdefault(item.dimension, new_path(row, access.schema, item.dimension))
        items_by_path.setdefault(path, []).append(item)
    by_path = {file.path: file for file in found}
    return [
        FileRecord(
            path=path,
            items=content,
            head=by_path[path].head if path in by_path else "",
            tail=by_path[path].tail if path in by_path else "",
            meta=by_path[path].meta if path in by_path else {},
        )
        for path, content in items_by_path.items()
    ]


def without_bare(written: Mapping[str, bytes], state: ItemsOut, kept: Collection[str]) -> Mapping[str, bytes]:
    """Return the files that have an exported item; all files if no item is exported."""
    bare = {file.path for file in state.files if not any(item.external_id in kept for item in file.items)}
    return {path: data for path, data in written.items() if path not in bare} or written


def all_items(session: Session, access: Access) -> list[ItemRecord]:
    """Return the present items in order, without their media."""
    content = item_revisions.current_content(session, project_id=access.project_id)
    return [
        ItemRecord(name, dimension, content[id])
        for id, name, dimension in files.item_ids(session, project_id=access.project_id)
    ]

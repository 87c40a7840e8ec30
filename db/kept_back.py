"""Queries on the files that are kept back: originals of pictures and clips in which something was covered."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db.events import COVERED
from db.records import StoredAsset
from db.tables import (
    AssetRow,
    EventRow,
    ItemAssetRow,
    MediaObjectRow,
    ProjectRow,
    ReleaseItemRow,
    ReleaseRow,
    SourceRow,
)
from db.types import public_id as new_id

_NAMED = ("original", "before", "file")
"""Where an event names files by their SHA-256."""
_AT_ONCE = 500


def hashes_in(data: Mapping[str, Any]) -> set[str]:
    """The files that such an event names."""
    return {str(data[name]) for name in _NAMED if data.get(name)}


def named(session: Session, *, project_id: int | None = None, but: int | None = None) -> set[str]:
    """The files that decisions of a project name, or those of all projects ``but`` one."""
    ids: list[int] = [project_id] if project_id is not None else []
    if project_id is None:
        ids = [id for id in session.exec(select(ProjectRow.id)) if id != but]
    found: set[str] = set()
    for start in range(0, len(ids), _AT_ONCE):
        wanted = select(EventRow.data).where(
            col(EventRow.project_id).in_(ids[start : start + _AT_ONCE]), EventRow.kind == COVERED
        )
        for data in session.exec(wanted):
            found |= hashes_in(data)
    return found


def assets_of(session: Session, *, project_id: int, files: Collection[str]) -> list[StoredAsset]:
    """The images and clips of a project that show one of these files, in order, locked."""
    found: list[StoredAsset] = []
    these = sorted(files)
    for start in range(0, len(these), _AT_ONCE):
        some = col(AssetRow.sha256).in_(these[start : start + _AT_ONCE])
        wanted = (
            select(AssetRow)
            .where(AssetRow.project_id == project_id, some)
            .order_by(col(AssetRow.source_id).is_(None), col(AssetRow.source_id), col(AssetRow.id))
            .with_for_update()
            .execution_options(populate_existing=True)
        )
        found += [*session.exec(wanted)]
    return found


def exchange(session: Session, *, rows: Iterable[StoredAsset], file: str) -> None:
    """Have these show another file, under new ids: no browser, and nothing between, has a copy of what it asks for."""
    for row in rows:
        row.sha256, row.public_id = file, new_id()
        session.add(row)
    session.flush()


def pictures(session: Session, *, project_id: int) -> list[StoredAsset]:
    """All images and clips of a project whose files are there, in the order in which they came."""
    wanted = (
        select(AssetRow)
        .where(AssetRow.project_id == project_id, col(AssetRow.sha256).is_not(None))
        .order_by(col(AssetRow.id))
    )
    return [*session.exec(wanted)]


def seconds(session: Session, *, file: str) -> float | None:
    """How long a clip lasts; None: it is an image."""
    return session.exec(select(MediaObjectRow.duration).where(MediaObjectRow.sha256 == file)).first()


def has(session: Session, *, project_id: int, public_id: str) -> bool:
    """Whether a project has an image or clip with that random id."""
    wanted = select(AssetRow.id).where(AssetRow.project_id == project_id, AssetRow.public_id == public_id)
    return session.exec(wanted).first() is not None


def releases_with(session: Session, *, asset_ids: Collection[int]) -> list[tuple[int, int]]:
    """Number and point of the releases that hold an item which shows one of these, in order."""
    found: set[tuple[int, int]] = set()
    ids = sorted(asset_ids)
    for start in range(0, len(ids), _AT_ONCE):
        wanted = (
            select(ReleaseRow.number, ReleaseRow.point)
            .join(ReleaseItemRow, col(ReleaseItemRow.release_id) == ReleaseRow.id)
            .join(ItemAssetRow, col(ItemAssetRow.item_id) == ReleaseItemRow.item_id)
            .where(col(ItemAssetRow.asset_id).in_(ids[start : start + _AT_ONCE]))
            .distinct()
        )
        found |= {(number, point) for number, point in session.exec(wanted)}
    return sorted(found)


def beside(session: Session, *, project_id: int, asset_ids: Collection[int]) -> list[StoredAsset]:
    """The images that items show next to these clips, that come from the same source, or are frames of them, and the
    clips next to these images, likewise; in the order in which they came."""
    found: dict[int, StoredAsset] = {}
    ids = sorted(asset_ids)
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        mine, other = aliased(AssetRow), AssetRow
        there, here = aliased(ItemAssetRow), aliased(ItemAssetRow)
        differ = (col(mine.id).in_(some), other.project_id == project_id, col(other.kind) != col(mine.kind))
        with_files = (*differ, col(other.sha256).is_not(None))
        in_items = (
            select(other)
            .join(there, col(there.asset_id) == other.id)
            .join(here, col(here.item_id) == col(there.item_id))
            .join(mine, col(here.asset_id) == mine.id)
            .where(*with_files)
        )
        of_source = select(other).join(mine, col(mine.source_id) == col(other.source_id)).where(*with_files)
        source = aliased(SourceRow)
        taken = select(other).join(source, col(source.id) == other.source_id)
        taken = taken.join(mine, col(mine.name) == source.name).where(*with_files)
        taken_from = select(other).join(source, col(source.name) == other.name)
        taken_from = taken_from.join(mine, col(mine.source_id) == source.id).where(*with_files)
        for wanted in (in_items, of_source, taken, taken_from):
            found |= {row.id: row for row in session.exec(wanted)}
    return [found[id] for id in sorted(found)]

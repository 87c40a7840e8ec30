"""Queries on the files that others are shown in place of, and their exchange."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db.records import StoredAsset, StoredEvent
from db.tables import AssetRow, EventRow, ItemAssetRow, MediaObjectRow, PersonRow, ReleaseItemRow, ReleaseRow, SourceRow
from db.types import public_id as new_id
from domain.runs import chunked


def assets_of(session: Session, *, project_id: int, files: Collection[str]) -> list[StoredAsset]:
    """Return the images and clips of a project that show one of these files, in order, locked."""
    stored_assets: list[StoredAsset] = []
    these = sorted(files)
    for lot in chunked(these):
        some = col(AssetRow.sha256).in_(lot)
        wanted = (
            select(AssetRow)
            .where(AssetRow.project_id == project_id, some)
            .order_by(col(AssetRow.source_id).is_(None), col(AssetRow.source_id), col(AssetRow.id))
            .with_for_update()
            .execution_options(populate_existing=True)
        )
        stored_assets += [*session.exec(wanted)]
    return stored_assets


def exchange(session: Session, *, rows: Iterable[StoredAsset], file: str) -> None:
    """Replace the file of these assets and give them new public ids, so that no cache has a file under the new ids."""
    for row in rows:
        row.sha256, row.public_id = file, new_id()
        session.add(row)
    session.flush()


def pictures(session: Session, *, project_id: int) -> list[StoredAsset]:
    """Return all images and clips of a project that have a file, oldest first."""
    wanted = (
        select(AssetRow)
        .where(AssetRow.project_id == project_id, col(AssetRow.sha256).is_not(None))
        .order_by(col(AssetRow.id))
    )
    return [*session.exec(wanted)]


def seconds(session: Session, *, file: str) -> float | None:
    """Return the duration of a clip in seconds, or None for an image."""
    return session.exec(select(MediaObjectRow.duration).where(MediaObjectRow.sha256 == file)).first()


def has(session: Session, *, project_id: int, public_id: str) -> bool:
    """Tell whether a project has an image or clip with this public id."""
    wanted = select(AssetRow.id).where(AssetRow.project_id == project_id, AssetRow.public_id == public_id)
    return session.exec(wanted).first() is not None


def releases_with(session: Session, *, asset_ids: Collection[int]) -> list[tuple[int, int]]:
    """Return number and point of the releases that hold an item with one of these assets, in order."""
    releases: set[tuple[int, int]] = set()
    ids = sorted(asset_ids)
    for lot in chunked(ids):
        wanted = (
            select(ReleaseRow.number, ReleaseRow.point)
            .join(ReleaseItemRow, col(ReleaseItemRow.release_id) == ReleaseRow.id)
            .join(ItemAssetRow, col(ItemAssetRow.item_id) == ReleaseItemRow.item_id)
            .where(col(ItemAssetRow.asset_id).in_(lot))
            .distinct()
        )
        releases |= {(number, point) for number, point in session.exec(wanted)}
    return sorted(releases)


def adjacent_files(session: Session, *, project_id: int, asset_ids: Collection[int]) -> list[StoredAsset]:
    """Return the images next to these clips, and the clips next to these images, oldest first.

    Two assets are next to each other if one item shows both, they have the same source, or one is a frame of the other.
    """
    stored_assets: dict[int, StoredAsset] = {}
    ids = sorted(asset_ids)
    for some in chunked(ids):
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
            stored_assets |= {row.id: row for row in session.exec(wanted)}
    return [stored_assets[id] for id in sorted(stored_assets)]


def of_file(session: Session, *, project_id: int, kind: str, file: str) -> list[tuple[StoredEvent, str | None]]:
    """Return the events of a kind about a ``file``, with the login of the person who caused each, oldest first."""
    about = col(EventRow.data)["file"].as_string() == file
    wanted = (
        select(EventRow, PersonRow.login)
        .join(PersonRow, col(PersonRow.id) == EventRow.person_id, isouter=True)
        .where(EventRow.project_id == project_id, EventRow.kind == kind, about)
    )  # sorted here, as in ``of_kinds``
    return sorted(session.exec(wanted).all(), key=lambda found: found[0].id or 0)

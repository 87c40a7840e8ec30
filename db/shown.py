"""Queries about the files that browsers are shown."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import or_
from sqlmodel import Session, col, distinct, func, select

from db.tables import AssetRow, ItemAssetRow, ItemRow, MediaObjectRow, TaskRow
from domain.states import ItemState, Purpose, TaskState


def file_of_asset(session: Session, *, public_id: str) -> tuple[AssetRow, MediaObjectRow | None] | None:
    """An asset with its stored file, which is None while it is missing."""
    wanted = (
        select(AssetRow, MediaObjectRow)
        .join(MediaObjectRow, col(MediaObjectRow.sha256) == AssetRow.sha256, isouter=True)
        .where(AssetRow.public_id == public_id)
    )
    found = session.exec(wanted).first()
    return (found[0], found[1]) if found else None


def without_file(
    session: Session, *, project_id: int, states: Sequence[ItemState], needed: Sequence[str]
) -> dict[str, int]:
    """How many items in these states, or with open slots, have an image or clip in one of these roles that nobody has
    brought in, by dimension."""
    open_slot = select(TaskRow.id).where(
        TaskRow.item_id == ItemRow.id, TaskRow.state == TaskState.OPEN, TaskRow.purpose == Purpose.LIVE
    )
    wanted = (
        select(ItemRow.dimension, func.count(distinct(ItemRow.id)))
        .join(ItemAssetRow, col(ItemAssetRow.item_id) == ItemRow.id)
        .join(AssetRow, col(AssetRow.id) == ItemAssetRow.asset_id)
        .where(ItemRow.project_id == project_id, col(AssetRow.sha256).is_(None), col(ItemAssetRow.role).in_(needed))
        .where(or_(col(ItemRow.state).in_(states), open_slot.exists()))
        .group_by(ItemRow.dimension)
    )
    return dict(session.exec(wanted).all())


def items_without_file(session: Session, *, project_id: int, needed: Sequence[str]) -> set[int]:
    """The items (ids) that have an image or clip in one of these roles that nobody has brought in."""
    wanted = (
        select(ItemAssetRow.item_id)
        .join(AssetRow, col(AssetRow.id) == ItemAssetRow.asset_id)
        .where(AssetRow.project_id == project_id, col(AssetRow.sha256).is_(None), col(ItemAssetRow.role).in_(needed))
    )
    return set(session.exec(wanted))

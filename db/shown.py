"""Queries about the files that browsers are shown."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session, col, distinct, func, select

from db.tables import AssetRow, ItemAssetRow, ItemRow, MediaObjectRow
from domain.states import ItemState


def file_of_asset(session: Session, *, public_id: str) -> tuple[AssetRow, MediaObjectRow | None] | None:
    """An asset with its stored file, which is None while it is missing."""
    wanted = (
        select(AssetRow, MediaObjectRow)
        .join(MediaObjectRow, col(MediaObjectRow.sha256) == AssetRow.sha256, isouter=True)
        .where(AssetRow.public_id == public_id)
    )
    found = session.exec(wanted).first()
    return (found[0], found[1]) if found else None


def without_file(session: Session, *, project_id: int, states: Sequence[ItemState]) -> dict[str, int]:
    """How many items in these states have an image or clip that nobody has brought in, by dimension."""
    wanted = (
        select(ItemRow.dimension, func.count(distinct(ItemRow.id)))
        .join(ItemAssetRow, col(ItemAssetRow.item_id) == ItemRow.id)
        .join(AssetRow, col(AssetRow.id) == ItemAssetRow.asset_id)
        .where(ItemRow.project_id == project_id, col(ItemRow.state).in_(states), col(AssetRow.sha256).is_(None))
        .group_by(ItemRow.dimension)
    )
    return dict(session.exec(wanted).all())

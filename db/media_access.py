"""Queries about the files that browsers are shown."""

from __future__ import annotations

from sqlmodel import Session, col, select

from db.records import StoredAsset, StoredMediaObject
from db.tables import AssetRow, MediaObjectRow


def file_of_asset(session: Session, *, public_id: str) -> tuple[StoredAsset, StoredMediaObject | None] | None:
    """Return an asset with its stored file. The file is None while it is missing."""
    wanted = (
        select(AssetRow, MediaObjectRow)
        .join(MediaObjectRow, col(MediaObjectRow.sha256) == AssetRow.sha256, isouter=True)
        .where(AssetRow.public_id == public_id)
    )
    row = session.exec(wanted).first()
    return (row[0], row[1]) if row else None

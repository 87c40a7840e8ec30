"""Queries about the files that browsers are shown."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from db import prepared
from db.records import StoredAsset, StoredMediaObject
from db.tables import AssetRow, MediaObjectRow


def file_of_asset(session: Session, *, public_id: str) -> tuple[StoredAsset, StoredMediaObject | None] | None:
    """Return an asset with its stored file. The file is None while it is missing."""
    found: tuple[StoredAsset, StoredMediaObject | None] | None = prepared.first(
        session, _file_of_asset(), {"asset": public_id}
    )
    return found


@cache
def _file_of_asset() -> Any:
    return (
        select(AssetRow, MediaObjectRow)
        .join(MediaObjectRow, col(MediaObjectRow.sha256) == AssetRow.sha256, isouter=True)
        .where(AssetRow.public_id == bindparam("asset"))
    )

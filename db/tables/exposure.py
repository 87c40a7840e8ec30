"""Tables of the exposure ledger: what each person was sent about an item."""

from __future__ import annotations

from sqlalchemy import Index, UniqueConstraint, text

from db.records.exposure import StoredExposure, StoredExposureShape


class ExposureShapeRow(StoredExposureShape, table=True):
    __tablename__ = "exposure_shape"
    __table_args__ = (UniqueConstraint("project_id", "hash"),)


class ExposureRow(StoredExposure, table=True):
    __tablename__ = "exposure"
    __table_args__ = (
        Index("ix_exposure_item_id", "item_id", "person_id"),
        Index(
            "ix_exposure_asset",
            "person_id",
            "asset_id",
            "sha256",
            unique=True,
            sqlite_where=text("asset_id IS NOT NULL"),
            postgresql_where=text("asset_id IS NOT NULL"),
        ),
    )

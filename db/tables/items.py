"""Tables of items and their revisions."""

from __future__ import annotations

from sqlalchemy import Index, UniqueConstraint

from db.records.items import StoredImportFile, StoredItem, StoredItemAsset, StoredRevision


class ImportFileRow(StoredImportFile, table=True):
    __tablename__ = "import_file"
    __table_args__ = (UniqueConstraint("project_id", "path"),)


class ItemRow(StoredItem, table=True):
    __tablename__ = "item"
    __table_args__ = (
        UniqueConstraint("project_id", "external_id"),
        Index("ix_item_state", "project_id", "state", "dimension"),
        Index("ix_item_file", "file_id", "position"),
    )


class ItemAssetRow(StoredItemAsset, table=True):
    __tablename__ = "item_asset"
    __table_args__ = (UniqueConstraint("item_id", "role", "position"),)


class RevisionRow(StoredRevision, table=True):
    __tablename__ = "revision"
    __table_args__ = (
        UniqueConstraint("item_id", "number"),
        Index("ix_revision_item_id_editor_id", "item_id", "editor_id"),
    )

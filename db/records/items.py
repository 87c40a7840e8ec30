"""Records of items and their content at each moment."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Text
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, public_id, row_id, word_column
from domain.states import ItemState


class StoredImportFile(SQLModel):
    """The text around the records of an imported annotation file."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    path: str
    format: str
    head: str = Field(default="", sa_type=Text)
    tail: str = Field(default="", sa_type=Text)
    meta: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredItem(SQLModel):
    """One benchmark example. ``state`` is a cache of the result of its votes."""

    id: int = row_id()
    public_id: str = Field(default_factory=public_id, unique=True)
    project_id: int = Field(foreign_key="project.id")
    dimension: str
    dimension_given: str | None = None
    """The dimension as given at the import, if it has changed since. None: it has not changed."""
    dimension_version: int | None = None
    """The id of the schema under which the dimension was given."""
    external_id: str
    author_id: int | None = Field(default=None, foreign_key="person.id", index=True)
    file_id: int | None = Field(default=None, foreign_key="import_file.id")
    position: int | None = None
    fragment_lead: str | None = Field(default=None, sa_type=Text)
    fragment_raw: str | None = Field(default=None, sa_type=Text)
    state: ItemState = Field(sa_column=word_column(ItemState))
    current_revision: int = 1
    priority: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """The priority. Higher comes first, in stages whose order is by priority."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredItemAsset(SQLModel):
    """An asset of an item, with its role and position."""

    id: int = row_id()
    item_id: int = Field(foreign_key="item.id")
    asset_id: int = Field(foreign_key="asset.id", index=True)
    role: str
    position: int = 0


class StoredRevision(SQLModel):
    """An item's content at a moment. Append-only."""

    id: int = row_id()
    item_id: int = Field(foreign_key="item.id")
    number: int
    content: dict[str, Any] = Field(sa_type=JSON)
    """The fields by name."""
    editor_id: int | None = Field(default=None, foreign_key="person.id")
    schema_version_id: int = Field(foreign_key="schema_version.id")
    created_at: datetime = Field(sa_type=UTCDateTime)

"""Items as questions are made of them, and why one cannot be asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from db import item_revisions, items
from db.engine import Session
from db.records import StoredAsset, StoredItem
from domain.strategies import Strategy


class Cannot(Exception):
    """The reason why an item cannot be asked, as a sentence that fits other items too."""


@dataclass(frozen=True)
class AskedItem:
    """An item's present content, with its media."""

    id: int
    name: str
    dimension: str
    fields: Mapping[str, Any]
    assets: Sequence[tuple[str, StoredAsset]]
    """Role and asset, in order."""
    tools: Mapping[str, Any] = field(default_factory=dict)
    """The stored results of tools for the item, by tool name."""


def read_items(session: Session, ids: Sequence[int], *, strategy: Strategy | None = None) -> dict[int, AskedItem]:
    rows: dict[int, StoredItem] = items.by_ids(session, ids=ids)
    contents = item_revisions.contents(session, ids=ids)
    assets = items.assets_of(session, ids=ids)
    tools = {} if strategy is None else strategy.stored(session, ids)
    return {
        id: AskedItem(
            id=id,
            name=row.external_id,
            dimension=row.dimension,
            fields=contents[id, row.current_revision],
            assets=[(link.role, asset) for link, asset, _ in assets.get(id, [])],
            tools=tools.get(id, {}),
        )
        for id, row in rows.items()
    }

"""Queries about when items arrived and changed their states."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session, col, select

from db.tables import EventRow, ItemRow
from domain.states import ItemState

CHANGED = "item.state"
"""The kind of event that changes an item's state."""
KINDS = (CHANGED, "item.imported", "item.authored")
"""Kinds of events by which an item arrives or changes its state."""


def arrivals(session: Session, *, project_id: int) -> dict[int, tuple[datetime, ItemState]]:
    """Return when each item arrived, and its current state, by id."""
    wanted = select(ItemRow.id, ItemRow.created_at, ItemRow.state).where(ItemRow.project_id == project_id)
    return {id: (at, ItemState(state)) for id, at, state in session.exec(wanted)}


def changes(session: Session, *, project_id: int) -> list[tuple[int, datetime, ItemState, ItemState]]:
    """Return (item, moment, state before, state after) of every change of an item's state, oldest first."""
    wanted = (
        select(EventRow.item_id, EventRow.at, EventRow.data)
        .where(EventRow.project_id == project_id, EventRow.kind == CHANGED)
        .order_by(col(EventRow.id))
    )
    found = session.exec(wanted)
    return [(id or 0, at, ItemState(data["from"]), ItemState(data["to"])) for id, at, data in found]

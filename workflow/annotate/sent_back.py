"""Items that a lead has sent back to their authors with a reason, until the authors change them.

The event records the revision; a later revision ends the state. Until then the item is not offered to raters, and its
author may correct it even after votes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from db import events, items
from db.engine import Session
from db.records import StoredItem
from workflow.access.projects import Access


@dataclass(frozen=True)
class SentBack:
    """The return of an item to its author."""

    item_id: int
    author_id: int | None
    dimension: str
    why: str
    at: datetime


def of_item(session: Session, *, item: StoredItem) -> SentBack | None:
    """Return an item's current return to its author, or None."""
    event = events.sent_back(session, item_id=item.id, revision=item.current_revision)
    if event is None:
        return None
    return SentBack(item.id, item.author_id, item.dimension, str(event.data["why"]), event.at)


def of_project(session: Session, *, access: Access) -> dict[int, SentBack]:
    """Return all items of a project that are with their authors, by id, oldest first."""
    events_by_item = {
        event.item_id: event
        for event, _ in events.of_kinds(session, project_id=access.project_id, kinds=(events.SENT_BACK,))
        if event.item_id is not None
    }
    known = items.by_ids(session, ids=list(events_by_item)) if events_by_item else {}
    return {
        id: SentBack(id, known[id].author_id, known[id].dimension, str(event.data["why"]), event.at)
        for id, event in events_by_item.items()
        if id in known and event.data["revision"] == known[id].current_revision
    }

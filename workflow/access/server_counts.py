"""The operator's counts over all projects, and the record of backups."""

from __future__ import annotations

from db import server_counts
from db.engine import Store
from db.server_counts import BACKED_UP, ServerCounts
from workflow.access.event_log import log

__all__ = ["ServerCounts", "count_server", "record_backup"]


def count_server(store: Store) -> ServerCounts:
    """Return the counts of a server. They read whole tables, so a large server takes seconds."""
    with store.read() as session:
        return server_counts.count(session, now=store.now())


def record_backup(store: Store, *, bytes: int, media: int) -> None:
    """Add an event: a backup of the whole server was written, of this size and number of images and clips."""
    with store.write(archived_too=True) as session:
        log(session, BACKED_UP, now=store.now(), data={"bytes": bytes, "media": media})

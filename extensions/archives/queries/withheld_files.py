"""Queries on withheld files: the originals of images and clips that have covered regions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlmodel import Session, col, select

from db.events import COVERED
from db.tables import (
    EventRow,
    ProjectRow,
)
from domain.runs import chunked

_NAMED = ("original", "before", "file")
"""The keys under which an event names files by their SHA-256."""


def hashes_in(data: Mapping[str, Any]) -> set[str]:
    """Return the files that an event's data names."""
    return {str(data[name]) for name in _NAMED if data.get(name)}


def named(session: Session, *, project_id: int | None = None, but: int | None = None) -> set[str]:
    """Return the files that decisions of a project name, or decisions of all projects except ``but``."""
    ids: list[int] = [project_id] if project_id is not None else []
    if project_id is None:
        ids = [id for id in session.exec(select(ProjectRow.id)) if id != but]
    hashes: set[str] = set()
    for lot in chunked(ids):
        wanted = select(EventRow.data).where(col(EventRow.project_id).in_(lot), EventRow.kind == COVERED)
        for data in session.exec(wanted):
            hashes |= hashes_in(data)
    return hashes

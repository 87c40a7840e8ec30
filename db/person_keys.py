"""The keys from which people's pseudonyms in releases are derived. Erasing a person deletes their key."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from datetime import datetime

from sqlmodel import Session, col, select

from db.many_rows import insert_or_ignore
from db.tables import PersonKeyRow
from domain.runs import chunked


def of(session: Session, *, ids: Collection[int]) -> dict[int, bytes]:
    """Return the existing keys of these people, by person id."""
    wanted, keys = sorted(ids), dict[int, bytes]()
    for lot in chunked(wanted):
        some = col(PersonKeyRow.person_id).in_(lot)
        keys |= {row.person_id: bytes.fromhex(row.key) for row in session.exec(select(PersonKeyRow).where(some))}
    return keys


def draw(session: Session, *, ids: Collection[int], now: datetime) -> None:
    """Create a key for each of these people who has none."""
    rows = [{"person_id": id, "key": secrets.token_hex(32), "created_at": now} for id in sorted(ids)]
    insert_or_ignore(session, PersonKeyRow, rows)

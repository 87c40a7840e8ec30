"""The keys from which people's pseudonyms in releases are derived. Erasing a person deletes their key."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from datetime import datetime

from sqlalchemy import delete
from sqlmodel import Session, col, select

from db.many_rows import insert_or_ignore
from db.tables import PersonKeyRow


def of(session: Session, *, ids: Collection[int]) -> dict[int, bytes]:
    """Return the existing keys of these people, by person id."""
    wanted, found = sorted(ids), dict[int, bytes]()
    for begin in range(0, len(wanted), 500):
        some = col(PersonKeyRow.person_id).in_(wanted[begin : begin + 500])
        found |= {row.person_id: bytes.fromhex(row.key) for row in session.exec(select(PersonKeyRow).where(some))}
    return found


def draw(session: Session, *, ids: Collection[int], now: datetime) -> None:
    """Create a key for each of these people who has none."""
    rows = [{"person_id": id, "key": secrets.token_hex(32), "created_at": now} for id in sorted(ids)]
    insert_or_ignore(session, PersonKeyRow, rows)


def forget(session: Session, *, person_id: int) -> None:
    """Delete a person's key. Nobody can then tell which pseudonym was theirs."""
    session.exec(delete(PersonKeyRow).where(col(PersonKeyRow.person_id) == person_id))

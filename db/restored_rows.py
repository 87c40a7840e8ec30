"""Storing rows out of files under the ids that they have there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any

from sqlalchemy import Table, insert
from sqlmodel import Session

from db.carried import CARRIED
from db.many_rows import insert_all
from db.tables import metadata
from db.types import UTCDateTime

Row = dict[str, Any]


def restore_project(session: Session, *, row: Row) -> int:
    """Add the project itself. Return its id. Raise ``IntegrityError`` if its name is taken."""
    of = metadata.tables["project"]
    done = session.connection().execute(insert(of).returning(of.c.id), typed(of, row))
    return int(done.scalar_one())


def restore(session: Session, *, table: str, rows: Iterable[Row], project_id: int, now: datetime) -> None:
    """Add rows of a table to a database whose ids are all free."""
    of, carried = metadata.tables[table], CARRIED[table]
    made = [typed(of, row) for row in rows]
    for row in made:
        if carried.leaving is not None:  # a file made by other software may still mark it as open
            carried.leaving(row, now)
        if "project_id" in of.c:
            row["project_id"] = project_id
        if "created_at" in carried.without:
            row["created_at"] = now
        if table == "person":
            row |= {"is_admin": False, "active": True}
    insert_all(session, of, made)


def typed(of: Table, row: Row) -> Row:
    """Return a row out of a file with its moments as ``datetime``."""
    made = dict(row)
    for column in _moments(of):
        if made.get(column) is not None:
            made[column] = moment(made[column])
    return made


@cache
def _moments(of: Table) -> Sequence[str]:
    """Return the columns of a table that hold a moment."""
    return [column.name for column in of.c if isinstance(column.type, UTCDateTime)]


@lru_cache(1_024)  # many rows share the same moment
def moment(value: str) -> datetime:
    """Return the moment that a text names."""
    return datetime.fromisoformat(value).astimezone(UTC)

"""The rows of a project, table by table, for an archive."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from enum import Enum
from typing import Any

from sqlalchemy import Enum as EnumType
from sqlalchemy import Select, Table, func, select, text, union
from sqlmodel import Session

from db.carried import CARRIED, RowId, in_order, parent
from db.tables import metadata
from db.types import UTCDateTime

AT_ONCE = 1_000


def tables() -> list[str]:
    """Return the tables that travel with a project, each after the tables that it points to."""
    return [table.name for table in in_order()]


def columns(table: str) -> list[str]:
    """Return the columns of a table that travel. ``project_id`` is left out because it is always the same."""
    behind = {*CARRIED[table].without, "project_id"}
    return [column.name for column in metadata.tables[table].c if column.name not in behind]


def hold_still(session: Session) -> None:
    """Keep one state of the database visible until the session ends. Call this before anything is read."""
    if session.get_bind().dialect.name != "sqlite":
        session.connection(execution_options={"isolation_level": "REPEATABLE READ"})


def revision(session: Session) -> str:
    """Return the version of the tables."""
    return str(session.connection().scalar(text("SELECT version_num FROM alembic_version")))


def rows(
    session: Session, *, project_id: int, table: str, last: datetime, kinds: Collection[str] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield every row of a project in a table as JSON values, in the order of its key.

    ``kinds``: only events of these kinds. ``last`` is the time of the project's last event. Whatever ends because of
    the copy ends at this time.
    """
    of, carried = metadata.tables[table], CARRIED[table]
    names = columns(table)
    wanted = select(*[of.c[name] for name in names]).where(mine(of, project_id)).order_by(*of.primary_key.columns)
    if kinds is not None:
        wanted = wanted.where(of.c.kind.in_(sorted(kinds)))
    moments = [name for name in names if isinstance(of.c[name].type, UTCDateTime)]
    words = [name for name in names if isinstance(of.c[name].type, EnumType)]
    options = {"stream_results": True, "yield_per": AT_ONCE}
    for values in session.connection().execute(wanted, execution_options=options):
        row = dict(zip(names, values, strict=True))
        if carried.leaving is not None:
            carried.leaving(row, last)
        for name in moments:
            if (moment := row[name]) is not None:
                row[name] = moment.isoformat()
        for name in words:
            if isinstance(word := row[name], Enum):
                row[name] = word.value
        yield row


def count(session: Session, *, project_id: int, table: str) -> int:
    """Count the rows of a project in a table."""
    of = metadata.tables[table]
    wanted = select(func.count()).select_from(of).where(mine(of, project_id))
    return int(session.connection().scalar(wanted) or 0)


def mine(table: Table, project_id: int) -> Any:
    """Return the condition that a row belongs to a project."""
    if table.name == "project":
        return table.c.id == project_id
    by = parent(table)
    if by is not None and by.name == "project_id":
        return by == project_id
    if by is not None:
        above = next(iter(by.foreign_keys)).column
        return by.in_(select(above).where(mine(above.table, project_id)))
    (key,) = table.primary_key.columns
    return key.in_(union(*_pointing(table.name, project_id)))


def _pointing(name: str, project_id: int) -> Sequence[Select[Any]]:
    """Return queries for the links of a project's rows to a table."""
    queries = []
    for table in in_order():
        held = {column for column, kind in CARRIED[table.name].ids.items() if kind == RowId(name)}
        for column in table.c:
            if column.name in held or any(key.column.table.name == name for key in column.foreign_keys):
                queries.append(select(column).where(column.is_not(None), mine(table, project_id)).distinct())
    return queries

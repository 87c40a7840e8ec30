"""All rows of the database for a backup, and filling an empty database, of either kind, with them.

Rows leave as JSON values that both databases store without loss: moments in ISO 8601, JSON columns as their text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Connection,
    Float,
    MetaData,
    Table,
    Text,
    cast,
    func,
    inspect,
    or_,
    select,
    text,
    type_coerce,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DataError, IntegrityError
from sqlalchemy.types import NullType
from sqlmodel import Session

from db.engine import Store, open_store
from db.many_rows import insert_all
from db.project_rows import AT_ONCE
from db.restored_rows import moment
from db.tables import JobRow, metadata
from db.types import UTCDateTime
from db.upgrade import migrate, migrate_to
from domain.errors import ConflictError, InvalidFileError
from domain.runs import OPEN

LEFT_OUT: Mapping[str, str] = {
    "session": "people sign in again",
    "sign_in_link": "a sign-in link that was used after the backup must not work again",
    "failed_login": "failed sign-ins count only for a few minutes",
}
"""Tables whose rows are not in a backup, and why."""

_KINDS: Mapping[str, Any] = {
    "whole": BigInteger(),
    "number": Float(),
    "truth": Boolean(),
    "moment": UTCDateTime(),
    "json": NullType(),  # the driver gets the text, and the database makes JSON of the text
    "text": Text(),
}
"""The kinds of columns in a backup, with the type by which a value is stored."""


# ---- reading ---------------------------------------------------------------------------------------------------------


def tables() -> list[str]:
    """Return the tables of a backup, each after the tables that it points to."""
    return [table.name for table in metadata.sorted_tables if table.name not in LEFT_OUT]


def columns(table: str) -> dict[str, str]:
    """Return the columns of a table, each with its kind."""
    return {column.name: _kind(column) for column in metadata.tables[table].c}


def _kind(column: Column[Any]) -> str:
    if isinstance(column.type, UTCDateTime):
        return "moment"
    if isinstance(column.type, JSON):
        return "json"
    kinds = {bool: "truth", int: "whole", float: "number"}
    return kinds.get(column.type.python_type, "text")


def rows(session: Session, *, table: str) -> Iterator[list[Any]]:
    """Yield every row of a table as JSON values, in the order of its key and of ``columns``."""
    of = metadata.tables[table]
    kinds = [_kind(column) for column in of.c]
    is_sqlite = session.get_bind().dialect.name == "sqlite"
    wanted = select(*(_read(column, is_sqlite=is_sqlite) for column in of.c)).order_by(*of.primary_key.columns)
    if table == JobRow.__tablename__:  # the running commands, such as this one: no other process can continue them
        wanted = wanted.where(or_(of.c.kind != "command", of.c.ended_at.is_not(None)))
    as_moment = [at for at, kind in enumerate(kinds) if kind == "moment"]
    as_json = [at for at, kind in enumerate(kinds) if kind == "json"]
    options = {"stream_results": True, "yield_per": AT_ONCE}
    for values in session.connection().execute(wanted, execution_options=options):
        row = list(values)
        for at in as_moment:
            if row[at] is not None:
                row[at] = row[at].isoformat()
        for at in as_json:
            if row[at] is not None and not isinstance(row[at], str):  # SQLite stores a JSON number as a number
                row[at] = json.dumps(row[at])
        yield row


def _read(column: Column[Any], *, is_sqlite: bool) -> Any:
    """Return a column whose values are read as they are stored."""
    if isinstance(column.type, JSON):
        return type_coerce(column, NullType()) if is_sqlite else cast(column, Text)
    return column if _kind(column) != "text" else type_coerce(column, Text)


def still_named(session: Session, *, hashes: Sequence[str]) -> list[str]:
    """Return those of these images and clips that the database names now."""
    of = metadata.tables["media_object"]
    named = session.connection().scalars(select(of.c.sha256).where(of.c.sha256.in_(hashes)))
    return sorted(named)


# ---- filling ---------------------------------------------------------------------------------------------------------


def database_file(url: str) -> Path | None:
    """Return the file of a SQLite database; None for PostgreSQL."""
    address = make_url(url)
    return Path(str(address.database)) if address.get_backend_name() == "sqlite" else None


@contextmanager
def filling(url: str, home: Path) -> Iterator[Connection]:
    """Open a transaction on an empty database, which is complete afterwards, or as it was before.

    A SQLite database is made beside its place and then renamed. Raises ``ConflictError`` if the database is not empty.
    """
    file = database_file(url)
    if file is None:
        store = open_store(url, home)
        try:
            with store.changing_tables() as connection:
                _must_be_empty(connection)
                yield connection
        finally:
            store.close()
        return
    if file.exists():
        raise ConflictError(f"The database {file} already exists. Restore into an empty folder.")
    staged = file.with_name(f"{file.name}.restoring")
    _remove(staged)
    try:
        yield from _filled(open_store(f"sqlite:///{staged}", home))
        staged.chmod(0o600)
        staged.replace(file)
    finally:
        _remove(staged)


def _filled(store: Store) -> Iterator[Connection]:
    try:
        with store.changing_tables() as connection:
            yield connection
    finally:
        store.close()


def _remove(staged: Path) -> None:
    for path in (staged, *(staged.with_name(staged.name + end) for end in ("-wal", "-shm", "-journal"))):
        path.unlink(missing_ok=True)


def _must_be_empty(connection: Connection) -> None:
    there = inspect(connection).get_table_names()
    if there:
        raise ConflictError(
            f"The PostgreSQL database {connection.engine.url.database} already has tables, such as {min(there)}. "
            "Restore into a new database (createdb)."
        )


def create_tables(connection: Connection, *, revision: str) -> None:
    """Create the tables of a version of Touchstone. Raises ``SettingsError`` for a version that this one lacks."""
    migrate_to(connection, revision)


def require_columns(connection: Connection, *, table: str, columns: Sequence[str], name: str) -> None:
    """Raise ``InvalidFileError`` if a table of a backup has other columns than that of its version."""
    there = inspect(connection)
    known = [column["name"] for column in there.get_columns(table)] if there.has_table(table) else []
    if sorted(known) != sorted(columns):
        raise InvalidFileError(
            f"{name}: the table {table} does not match the version that the backup names. Nothing was "
            "restored. Use another backup."
        )


def add_rows(connection: Connection, *, table: str, columns: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> None:
    """Add rows of a backup. Raises ``InvalidFileError`` for a row that this database refuses."""
    of = Table(table, MetaData(), *(Column(name, _KINDS[kind]) for name, kind in columns.items()))
    moments = [name for name, kind in columns.items() if kind == "moment"]
    session = Session(connection)
    for start in range(0, len(rows), AT_ONCE):
        lot = [dict(zip(columns, row, strict=True)) for row in rows[start : start + AT_ONCE]]
        for row in lot:
            for column in moments:
                if row[column] is not None:
                    row[column] = moment(row[column])
        try:
            insert_all(session, of, lot)
        except (IntegrityError, DataError) as error:
            raise InvalidFileError(
                f"The database refuses a row of the table {table}: {str(error.orig).splitlines()[0]}. "
                "Nothing was restored. Restore into the same kind of database as in the backup."
            ) from error


def finish(connection: Connection) -> None:
    """Bring the filled tables to the newest version, and let PostgreSQL count on from the highest ids."""
    migrate(connection)
    if connection.dialect.name == "sqlite":
        return
    for table in metadata.sorted_tables:
        key = table.autoincrement_column
        if key is None:
            continue
        counter = connection.scalar(text("SELECT pg_get_serial_sequence(:table, :key)"), _quoted(table, key))
        if counter is not None:
            highest = select(func.max(key)).scalar_subquery()
            connection.execute(select(func.setval(counter, func.coalesce(highest, 1), highest.is_not(None))))


def _quoted(table: Table, key: Column[Any]) -> dict[str, str]:
    return {"table": f'"{table.name}"', "key": key.name}


def count_open_runs(connection: Connection) -> int:
    """Return the number of runs that a worker would continue."""
    of = metadata.tables["run"]
    return int(connection.scalar(select(func.count()).where(of.c.state.in_(sorted(OPEN)))) or 0)

"""Inserting many rows of a table at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Dialect, Insert, Table, insert, inspect
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.types import TypeEngine
from sqlmodel import Session

_NOTHING = object()


def insert_or_ignore(session: Session, table: type[Any], rows: Sequence[Mapping[str, Any]]) -> int:
    """Add rows. Rows that violate a uniqueness constraint are skipped. Return the number of added rows."""
    if not rows:
        return 0
    session.flush()
    connection = session.connection()
    build = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    statement = build(table).on_conflict_do_nothing()
    if connection.dialect.name == "sqlite":
        return _insert_all(connection, statement, rows)
    key = next(iter(inspect(table).primary_key))  # the driver does not report the count of a statement with many rows
    return len(connection.execute(statement.returning(key), [dict(row) for row in rows]).all())


def insert_all(session: Session, table: type[Any] | Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add rows, which all have the same columns."""
    connection = session.connection()
    if rows and connection.dialect.name == "sqlite":
        _insert_all(connection, insert(table), rows)
    elif rows:
        connection.execute(insert(table), [dict(row) for row in rows])


def _insert_all(connection: Connection, statement: Insert, rows: Sequence[Mapping[str, Any]]) -> int:
    """Add rows to SQLite column by column. Return the number of added rows.

    A value that many rows in sequence share is converted once. The driver gets the values directly, which takes half
    the time that SQLAlchemy needs.
    """
    columns = statement.table.columns
    compiled = statement.compile(dialect=connection.dialect, column_keys=list(rows[0]))
    names = compiled.positiontup
    if names is None or compiled.insert_prefetch or set(names) != rows[0].keys():  # defaults that SQLAlchemy fills in
        return connection.execute(statement, [dict(row) for row in rows]).rowcount
    columns_of_values = [
        _converted(columns[name].type, connection.dialect, [row[name] for row in rows]) for name in names
    ]
    return connection.exec_driver_sql(str(compiled), list(zip(*columns_of_values, strict=True))).rowcount


def _converted(kind: TypeEngine[Any], dialect: Dialect, values: list[Any]) -> list[Any]:
    """Return values in the form that the driver takes."""
    convert = kind.dialect_impl(dialect).bind_processor(dialect)
    if convert is None:
        return values
    converted, before, last = [], _NOTHING, None
    for value in values:
        if value is not before:
            before, last = value, convert(value)
        converted.append(last)
    return converted

"""Statements on the way to the next task: compiled once, and run without SQLAlchemy, which needs ten times as long.

A statement must exist once (``@cache``), and its parameters must be named or constant. The records that it returns have
the attributes of a table's row, but belong to no session: they are for reading. ``change`` changes a row.
"""

from __future__ import annotations

import sqlite3
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Any

from sqlalchemy import Dialect, bindparam, insert, inspect, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm.attributes import set_committed_value
from sqlmodel import Session

Convert = Callable[[Any], Any]


@dataclass(frozen=True)
class Prepared:
    """A statement as a driver takes it."""

    text: str
    places: Sequence[str] | None
    """The names of the parameters in their order. None: the driver takes them by name."""
    constants: Mapping[str, Any]
    """The parameters that the statement brings, converted."""
    convert: Mapping[str, Convert]
    """The functions that convert parameters for the driver, by name."""
    read: Sequence[tuple[int, Convert]]
    """The functions that convert values of SQLite's driver, by column."""

    def values(self, given: Mapping[str, Any]) -> Any:
        """Return the parameters for the driver."""
        named = dict(self.constants)
        for name, value in given.items():
            convert = self.convert.get(name)
            named[name] = value if convert is None else convert(value)
        return named if self.places is None else tuple([named[name] for name in self.places])

    def converted(self, row: Sequence[Any]) -> list[Any]:
        """Return the values of a row of SQLite's driver."""
        values = list(row)
        for at, read in self.read:
            values[at] = read(values[at])
        return values


_prepared: dict[tuple[str, str, int], tuple[Any, Prepared | None]] = {}
"""By dialect and identity of the statement, which is kept, so that no other statement gets its identity."""


def prepared(dialect: Dialect, statement: Any) -> Prepared | None:
    """Return a statement for the driver, or None if it has a list as a parameter, so that its text varies."""
    key = (dialect.name, dialect.paramstyle, id(statement))
    if key not in _prepared:
        _prepared[key] = statement, _compiled(dialect, statement)
    return _prepared[key][1]


def _compiled(dialect: Dialect, statement: Any) -> Prepared | None:
    made = statement.compile(dialect=dialect)
    if any(bind.expanding and not bind.unique for bind in made.bind_names):
        return None
    needed = [bind.key for bind in made.bind_names if bind.required]
    whole = made.construct_expanded_state(dict.fromkeys(needed), escape_names=False)  # with its constant lists
    convert: Mapping[str, Convert] = {**made._bind_processors, **whole.processors}
    constants = {name: value for name, value in whole.parameters.items() if name not in needed}
    columns = made._result_columns if dialect.name == "sqlite" else ()
    readers = [entry.type.dialect_impl(dialect).result_processor(dialect, None) for entry in columns]
    return Prepared(
        text=whole.statement,
        places=whole.positiontup,
        constants={name: convert[name](value) if name in convert else value for name, value in constants.items()},
        convert={name: convert[name] for name in needed if name in convert},
        read=[(at, read) for at, read in enumerate(readers) if read is not None],
    )


_shapes: dict[int, tuple[Any, Convert]] = {}


def _parts(statement: Any) -> Convert:
    """Return the function that turns the columns of a row into what the statement selects."""
    if id(statement) not in _shapes:
        _shapes[id(statement)] = statement, _shape(statement)
    return _shapes[id(statement)][1]


def _shape(statement: Any) -> Convert:
    parts, at = [], 0
    for selected in getattr(statement, "column_descriptions", ()):
        entity = selected["entity"]
        kind = _record(inspect(entity).mapper) if entity is not None and selected["expr"] is entity else None
        parts.append((at, at + (len(kind._fields) if kind is not None else 1), kind))
        at = parts[-1][1]
    if len(parts) == 1:
        kind = parts[0][2]
        return itemgetter(0) if kind is None else kind._make
    if not any(kind for _, _, kind in parts):
        return tuple

    def split(row: Sequence[Any]) -> Any:
        return tuple(
            [
                row[begin] if kind is None else None if row[begin] is None else kind._make(row[begin:end])
                for begin, end, kind in parts
            ]
        )

    return split


@cache
def _record(mapper: Any) -> Any:
    names = [mapper.get_property_by_column(column).key for column in mapper.local_table.columns]
    return namedtuple(mapper.class_.__name__, names)


def rows(session: Session, statement: Any, given: Mapping[str, Any]) -> list[Any]:
    """Return all rows that a statement selects. Several selected things come as a tuple."""
    return list(map(_parts(statement), _run(session, statement, given)))


def first(session: Session, statement: Any, given: Mapping[str, Any]) -> Any:
    """Return the first of ``rows``, or None."""
    found = rows(session, statement, given)
    return found[0] if found else None


def run(session: Session, statement: Any, given: Mapping[str, Any]) -> None:
    """Run a statement that changes rows."""
    _run(session, statement, given)


def insertion(table: type[Any]) -> Any:
    """Return the statement for ``run`` that adds a row with all columns but the id."""
    columns: Any = inspect(table).local_table.columns
    values = {column.name: bindparam(column.name, type_=column.type) for column in columns if column.name != "id"}
    return insert(columns.id.table).values(values)


def change(session: Session, table: Any, row: Any, **values: Any) -> None:
    """Store new values of a locked row of a table. Set them on the record ``row``, and on the row in the session."""
    run(session, _update(table, tuple(values)), {"row": row.id, **{f"new_{name}": values[name] for name in values}})
    loaded = session.identity_map.get(session.identity_key(table, row.id))
    for name, value in values.items():
        if loaded is not None:
            set_committed_value(loaded, name, value)
        if loaded is not row:
            setattr(row, name, value)


@cache
def _update(table: Any, names: tuple[str, ...]) -> Any:
    columns: Any = inspect(table).local_table.columns
    values = {name: bindparam(f"new_{name}", type_=columns[name].type) for name in names}
    return update(columns.id.table).where(columns.id == bindparam("row")).values(values)


def _run(session: Session, statement: Any, given: Mapping[str, Any]) -> Any:
    session.flush()
    connection = session.connection()
    ready = prepared(connection.dialect, statement) if connection.dialect.name == "sqlite" else None
    if ready is None:
        return connection.execute(statement, dict(given))
    values = ready.values(given)
    connection.dispatch.before_cursor_execute(connection, None, ready.text, values, None, False)
    try:
        driver: Any = connection.connection.driver_connection
        found = driver.execute(ready.text, values)
        return map(ready.converted, found) if ready.read else found
    except sqlite3.Error as error:
        raise DBAPIError.instance(ready.text, values, error, sqlite3.Error) from error

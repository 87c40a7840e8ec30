"""Fast statements for the recording that every page with a task waits for: compiled once, run without SQLAlchemy.

On PostgreSQL they use connections of their own, which keep the statements prepared and are called through libpq. A
round trip to the server takes a fifth of a millisecond, and a cursor would add the same again.
"""

from __future__ import annotations

import select
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Dialect, Engine
from sqlalchemy.dialects.postgresql import asyncpg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlmodel import Session

_numbered: Callable[[], Dialect] = asyncpg.dialect
NUMBERED = _numbered()
"""The dialect with PostgreSQL's own parameters (``$1``) and the matching types of values. asyncpg is not needed."""
AT_ONCE = 10
"""How many PostgreSQL connections of a process record at the same time, at most. Further callers wait."""
_INTEGERS = (20, 21, 23)
"""The types ``bigint``, ``smallint`` and ``integer``."""


@dataclass(frozen=True)
class Direct:
    """A transaction for statements that are compiled already and run without SQLAlchemy's overhead."""

    dialect: Dialect
    run: Callable[[str, Any], Any]
    """The function that runs a text with its values. Its result has ``fetchone``, ``rowcount`` and the rows."""

    @classmethod
    def of(cls, session: Session) -> Direct:
        """Return the transaction of a session."""
        connection = session.connection()
        return cls(connection.dialect, connection.exec_driver_sql)


class Answer:
    """The result of a statement on PostgreSQL."""

    def __init__(self, result: Any) -> None:
        self._result = result

    @property
    def rowcount(self) -> int:
        """The number of rows that were returned or changed."""
        return int(self._result.command_tuples or 0)

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the first row, or None."""
        return self._row(0) if self._result.ntuples else None

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return map(self._row, range(self._result.ntuples))

    def _row(self, row: int) -> tuple[Any, ...]:
        answer, values = self._result, []
        for column in range(answer.nfields):
            value = answer.get_value(row, column)
            if value is not None:
                value = int(value) if answer.ftype(column) in _INTEGERS else value.decode()
            values.append(value)
        return tuple(values)


class PreparedConnection:
    """A PostgreSQL connection on which each statement is a transaction, prepared at its first use."""

    def __init__(self, engine: Engine) -> None:
        self._lent = engine.raw_connection()
        driver: Any = self._lent.driver_connection
        self._driver, self._libpq = driver, driver.pgconn
        self._lent.detach()
        self._dbapi: Any = engine.dialect.loaded_dbapi
        self._done = (self._dbapi.pq.ExecStatus.TUPLES_OK, self._dbapi.pq.ExecStatus.COMMAND_OK)
        self._names: dict[str, bytes] = {}
        self.direct = Direct(NUMBERED, self._run)

    def _run(self, statement: str, values: Sequence[Any]) -> Answer:
        name = self._names.get(statement) or self._prepared(statement)
        written = [None if value is None else str(value).encode() for value in values]
        if any(value is not None and b"\0" in value for value in written):  # libpq would end the text there
            raise self._dbapi.DataError("PostgreSQL cannot store a NUL character in text")
        return Answer(self._checked(self._libpq.exec_prepared(name, written)))

    def _prepared(self, statement: str) -> bytes:
        if not self._names:
            self._checked(self._libpq.exec_(b"SET client_encoding TO 'UTF8'"))
        name = f"noting_{len(self._names)}".encode()
        self._checked(self._libpq.prepare(name, statement.encode()))
        self._names[statement] = name
        return name

    def _checked(self, result: Any) -> Any:
        if result.status in self._done:
            return result
        if self._libpq.status != self._dbapi.pq.ConnStatus.OK:
            raise self._dbapi.OperationalError(result.error_message.decode(errors="replace"))
        raise self._dbapi.errors.error_from_result(result)

    def is_left_alone(self) -> bool:
        """Tell whether the server has been silent since the last statement. A server that closes a connection sends a
        message.
        """
        return not has_spoken(self._driver)

    def close(self) -> None:
        """Close the connection."""
        self._driver.close()


class Connections:
    """A pool of ``at_once`` PostgreSQL connections for recording. Each is lent to one caller at a time.

    ``seconds`` is how long a caller waits for a connection. ``told`` turns an error of SQLAlchemy into one of
    Touchstone's.
    """

    def __init__(
        self, engine: Engine, *, seconds: float, told: Callable[[Exception], Exception], at_once: int = AT_ONCE
    ) -> None:
        self._engine, self._seconds, self._told = engine, seconds, told
        self._idle: list[PreparedConnection] = []
        self._places = threading.BoundedSemaphore(at_once)

    def take(self) -> PreparedConnection:
        """Return an idle connection that is still open, or a new one."""
        if not self._places.acquire(timeout=self._seconds):
            raise PoolTimeout("all connections for recording are in use")
        try:
            while True:
                try:
                    connection = self._idle.pop()
                except IndexError:
                    return PreparedConnection(self._engine)
                if connection.is_left_alone():
                    return connection
                connection.close()
        except BaseException:
            self._places.release()
            raise

    def give_back(self, connection: PreparedConnection, *, good: bool) -> None:
        """Put a connection back into the pool, or close it after an error."""
        try:
            if good:
                self._idle.append(connection)
            else:
                connection.close()
        finally:
            self._places.release()

    def in_words(self, error: Exception) -> Exception:
        """Return the error that Touchstone raises in place of this one."""
        dbapi: Any = self._engine.dialect.loaded_dbapi
        if isinstance(error, dbapi.Error):
            error = DBAPIError.instance(None, None, error, dbapi.Error)
        return self._told(error)

    def close(self) -> None:
        """Close all idle connections."""
        idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()


class ConnectionLoan:
    """A context manager that borrows a connection from the pool.

    It is a class because every page waits for it: a generator with ``contextmanager`` would take longer than the
    statement.
    """

    def __init__(self, connections: Connections) -> None:
        self._from = connections

    def __enter__(self) -> Direct:
        try:
            self._connection = self._from.take()
        except Exception as error:
            raise self._from.in_words(error) from error
        return self._connection.direct

    def __exit__(self, _kind: object, error: BaseException | None, _where: object) -> None:
        self._from.give_back(self._connection, good=error is None)
        if isinstance(error, Exception):
            translated = self._from.in_words(error)
            if translated is not error:
                raise translated from error


def has_spoken(connection: Any) -> bool:
    """Tell whether the server of an idle psycopg connection has sent a message or closed it."""
    heard = select.poll()
    heard.register(connection.pgconn.socket, select.POLLIN)
    return bool(heard.poll(0))

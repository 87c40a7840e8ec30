"""Statements that every page with a task waits for: compiled before, and run without what SQLAlchemy does for any.

On PostgreSQL they have connections of their own, which keep them prepared and are asked through libpq: a way to the
server and back takes a fifth of a millisecond, and what a cursor does around it as much again.
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
"""How PostgreSQL itself writes parameters (``$1``), and as what it takes their values. Nothing of asyncpg is needed."""
AT_ONCE = 10
"""So many connections to PostgreSQL note at the same time; others wait for them."""
_INTEGERS = (20, 21, 23)
"""The types ``bigint``, ``smallint`` and ``integer``."""


@dataclass(frozen=True)
class Direct:
    """A transaction for statements that were compiled before, without what SQLAlchemy does for any statement."""

    dialect: Dialect
    run: Callable[[str, Any], Any]
    """Run a text with its values; what comes back has ``fetchone``, ``rowcount`` and its rows."""

    @classmethod
    def of(cls, session: Session) -> Direct:
        """The transaction of a session."""
        connection = session.connection()
        return cls(connection.dialect, connection.exec_driver_sql)


class Answer:
    """What PostgreSQL said: its rows, or how many it changed."""

    def __init__(self, result: Any) -> None:
        self._result = result

    @property
    def rowcount(self) -> int:
        """How many rows were found or changed."""
        return int(self._result.command_tuples or 0)

    def fetchone(self) -> tuple[Any, ...] | None:
        """The first row; None if there is none."""
        return self._row(0) if self._result.ntuples else None

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return map(self._row, range(self._result.ntuples))

    def _row(self, row: int) -> tuple[Any, ...]:
        found, values = self._result, []
        for column in range(found.nfields):
            value = found.get_value(row, column)
            if value is not None:
                value = int(value) if found.ftype(column) in _INTEGERS else value.decode()
            values.append(value)
        return tuple(values)


class Prepared:
    """A connection to PostgreSQL on which each statement is a transaction, and is prepared when it first comes."""

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
        if any(value is not None and b"\0" in value for value in written):  # where libpq would end it
            raise self._dbapi.DataError("a text of PostgreSQL has no NUL")
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
        """Whether the server has said nothing since the last statement, as it does when it ends a connection."""
        return not has_spoken(self._driver)

    def close(self) -> None:
        """Hang up."""
        self._driver.close()


class Connections:
    """Those to PostgreSQL that note: as many as note at the same time, each lent to one at a time.

    ``seconds`` is how long one is waited for; ``told`` says an error of SQLAlchemy in our words, where it has any.
    """

    def __init__(self, engine: Engine, *, seconds: float, told: Callable[[Exception], Exception]) -> None:
        self._engine, self._seconds, self._told = engine, seconds, told
        self._idle: list[Prepared] = []
        self._places = threading.BoundedSemaphore(AT_ONCE)

    def take(self) -> Prepared:
        """One that is idle and still there, or a new one."""
        if not self._places.acquire(timeout=self._seconds):
            raise PoolTimeout("all connections that note are in use")
        try:
            while True:
                try:
                    found = self._idle.pop()
                except IndexError:
                    return Prepared(self._engine)
                if found.is_left_alone():
                    return found
                found.close()
        except BaseException:
            self._places.release()
            raise

    def give_back(self, connection: Prepared, *, good: bool) -> None:
        """Keep it for the next one; after any error, it is not used again."""
        try:
            if good:
                self._idle.append(connection)
            else:
                connection.close()
        finally:
            self._places.release()

    def in_words(self, error: Exception) -> Exception:
        """The error as we say it."""
        dbapi: Any = self._engine.dialect.loaded_dbapi
        if isinstance(error, dbapi.Error):
            error = DBAPIError.instance(None, None, error, dbapi.Error)
        return self._told(error)

    def close(self) -> None:
        """Hang up all that are idle."""
        idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()


class Lent:
    """One of these connections, for as long as something is noted. A class, as every page waits for it: what
    ``contextmanager`` makes of a function takes longer than all of this."""

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
            said = self._from.in_words(error)
            if said is not error:
                raise said from error


def has_spoken(connection: Any) -> bool:
    """Whether the server of an idle connection of psycopg has said something, or hung up."""
    heard = select.poll()
    heard.register(connection.pgconn.socket, select.POLLIN)
    return bool(heard.poll(0))

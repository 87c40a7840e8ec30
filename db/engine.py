"""The store: one engine, two kinds of transaction.

``read`` sees one state of the database; ``write`` commits all of its changes or none. On SQLite the driver is kept from
opening transactions itself. A write begins with ``BEGIN IMMEDIATE``, so it never has to upgrade a read lock. Writers of
one process queue on a lock of ours, because SQLite's own wait is unfair. On PostgreSQL rows are locked one by one.
"""

from __future__ import annotations

import functools
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session

from db.append_only import APPEND_ONLY, forbid_changes, let_go
from db.noting import AT_ONCE, ConnectionLoan, Connections, Direct, has_spoken
from db.upgrade import migrate
from domain.errors import DatabaseUnavailableError, InvalidInputError, Problem
from domain.settings import normal_url

if TYPE_CHECKING:
    pass

__all__ = ["Connection", "Direct", "IntegrityError", "Session", "Store", "open_store", "utc_now"]

Clock = Callable[[], datetime]
CHANGES = "changes"
"""The key in a session's ``info``: whether it changes work, which an archived project refuses."""

_BUSY_SECONDS = 30
_CONNECT_SECONDS = 10
MOST_CONNECTIONS = 60
"""The default maximum of connections of one process to PostgreSQL, including those of ``noting``."""
_LIMIT = """
SELECT LEAST(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - COALESCE(current_setting('reserved_connections', true)::int, 0),
    (SELECT NULLIF(datconnlimit, -1) FROM pg_database WHERE datname = current_database()),
    (SELECT NULLIF(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user)
)
"""
"""PostgreSQL's smallest limit for this account: of the server, the database and the account. No limit is -1."""
_USUAL_KIB, _MUCH_KIB = 2_000, 32_000
"""The page cache of a SQLite connection: the default, and the size while it changes thousands of rows.

Slots are in random order, so a small cache would write the same pages to the disk several times.
"""
UNHURRIED = "SELECT set_config('synchronous_commit', 'off', true)"
"""The statement that tells PostgreSQL not to wait for the disk at the commit."""
_FILES_OF_SQLITE = 4
"""The number of files of a SQLite connection: the database, its log, the index of the log, and a temporary file."""
_FULL = 2
"""The value of SQLite's ``synchronous`` at which a commit waits for the disk."""
_LONG_AGO = "2000-01-01 00:00:00.000000"
_UPGRADE_LOCK = 7_310_594
"""PostgreSQL's advisory lock that keeps two starting processes from migrating at once."""

_write_locks: dict[str, threading.Lock] = {}
_write_locks_guard = threading.Lock()


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


def _nothing() -> None:
    """Do nothing."""


class Store:
    """A database, its transactions, and the clock that its use cases read."""

    def __init__(self, engine: Engine, *, clock: Clock = utc_now, noting: int = AT_ONCE) -> None:
        """Wrap an engine. ``noting``: how many PostgreSQL connections record at the same time what is sent."""
        self.engine = engine
        self.clock = clock
        self.before_reading: Callable[[], None] = _nothing
        """The function called before each statement of a read-only transaction. A thread may wait in it."""
        event.listen(engine, "before_cursor_execute", self._asks)
        self._immediate = engine.execution_options(immediate=True)
        self._much = engine.execution_options(immediate=True, much=True)
        self._unhurried = engine.execution_options(immediate=True, unhurried=True)
        self._notes: Any = None
        """The one SQLite connection that records what is sent; there is only one writer."""
        self._noting = Connections(engine, seconds=_BUSY_SECONDS, told=_in_words, at_once=noting)
        """The PostgreSQL connections that record what is sent."""
        self._write_lock: Callable[[], AbstractContextManager[Any]] = nullcontext
        if engine.dialect.name == "sqlite":
            lock = _lock_of(str(engine.url))
            self._write_lock = lambda: _held(lock)

    def _asks(self, connection: Connection, *_: Any) -> None:
        if not connection.get_execution_options().get("immediate"):
            self.before_reading()

    @property
    def is_sqlite(self) -> bool:
        """Whether the database is SQLite. The alternative is PostgreSQL."""
        return self.engine.dialect.name == "sqlite"

    def now(self) -> datetime:
        """Return the time by this store's clock."""
        return self.clock()

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Open a session for reading. Its changes are discarded."""
        with _storable(), _available(), Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def write(self, *, archived_too: bool = False, much: bool = False, unhurried: bool = False) -> Iterator[Session]:
        """Open a session whose changes are committed at the end, or rolled back after an error.

        ``workflow.access.projects`` refuses an archived project in the session, unless ``archived_too``. Use
        ``archived_too`` for changes that are not work. ``much``: thousands of rows change, and SQLite keeps their pages
        in memory. ``unhurried``: the commit does not wait for the disk. The change survives the end of the process. It
        also survives a power cut once another transaction was committed, because both databases write one log in commit
        order.
        """
        engine = self._unhurried if unhurried else self._much if much else self._immediate
        with (
            _storable(),
            _available(),
            self._write_lock(),
            Session(engine, expire_on_commit=False, info={CHANGES: not archived_too}) as session,
            session.begin(),
        ):
            if unhurried and not self.is_sqlite:
                session.connection().exec_driver_sql(UNHURRIED)
            yield session

    def noting(self) -> AbstractContextManager[Direct]:
        """Open a connection for fast small writes, without a session: every page with a task waits for it.

        Like ``write`` with ``unhurried``. SQLite's driver is called directly. On PostgreSQL each statement is a
        transaction, which saves two round trips. A statement that writes has to include ``UNHURRIED``.
        """
        return self._noting_in_file() if self.is_sqlite else ConnectionLoan(self._noting)

    @contextmanager
    def _noting_in_file(self) -> Iterator[Direct]:
        with _storable(), _available(), self._write_lock(), self._on_notes() as connection:
            yield Direct(self.engine.dialect, connection.execute)

    @contextmanager
    def _on_notes(self) -> Iterator[Any]:
        if self._notes is None:
            self._notes = self.engine.raw_connection()
            self._notes.detach()
            if self._notes.dbapi_connection.execute("PRAGMA synchronous").fetchone()[0] == _FULL:
                self._notes.dbapi_connection.execute("PRAGMA synchronous = NORMAL")
        driver = self._notes.dbapi_connection
        driver.execute("BEGIN IMMEDIATE")
        try:
            yield driver
            driver.execute("COMMIT")
        finally:
            if driver.in_transaction:
                driver.execute("ROLLBACK")

    @contextmanager
    def letting_go(self) -> Iterator[Session]:
        """Open a session like ``write`` that may delete append-only rows, for the deletion of a whole project.

        SQLite does not check links between tables in it: the check would need a lookup for every row.
        """
        if not self.is_sqlite:
            with self.write(archived_too=True) as session:
                let_go(session.connection())
                yield session
            return
        with _storable(), self.changing_tables() as connection, Session(connection, expire_on_commit=False) as session:
            let_go(connection)
            yield session
            session.commit()
            forbid_changes(connection, *APPEND_ONLY)

    @contextmanager
    def unlinked(self) -> Iterator[Session]:
        """Open a session like ``write`` in which SQLite does not check links between tables."""
        if not self.is_sqlite:
            with self.write(archived_too=True) as session:
                yield session
            return
        with _storable(), self.changing_tables() as connection, Session(connection, expire_on_commit=False) as session:
            yield session
            session.flush()

    def upgrade(self) -> None:
        """Bring the tables to the newest version, whatever version they have. Processes may call this concurrently."""
        with self.changing_tables() as connection:
            migrate(connection)

    @contextmanager
    def changing_tables(self) -> Iterator[Connection]:
        """Open a transaction for migrations, one at a time.

        SQLite changes a table by replacing it with a copy, and cannot do so while it checks other tables' links to it.
        So the check is off in the transaction, and ``migrate`` checks the links afterwards.
        """
        with _available(), self._write_lock(), self._immediate.connect() as connection:
            raw = connection.connection.driver_connection
            if raw is None:
                raise ValueError("an open connection needs a driver connection")
            if self.is_sqlite:
                raw.execute("PRAGMA foreign_keys = OFF")  # it has no effect within a transaction
            try:
                with connection.begin():
                    if not self.is_sqlite:
                        connection.execute(text(f"SELECT pg_advisory_xact_lock({_UPGRADE_LOCK})"))
                    yield connection
            finally:
                if self.is_sqlite:
                    raw.execute("PRAGMA foreign_keys = ON")

    def answers(self) -> bool:
        """Tell whether the database answers a query now."""
        try:
            with _available(), self.engine.connect() as connection:
                return bool(connection.scalar(text("SELECT 1")) == 1)
        except DatabaseUnavailableError:
            return False

    def connection_limit(self) -> int | None:
        """Return how many connections PostgreSQL allows this account, without reserved ones. None for SQLite."""
        if self.is_sqlite:
            return None
        with _available(), self.engine.connect() as connection:
            return int(connection.scalar(text(_LIMIT)))

    def connections(self) -> tuple[int, int]:
        """Return how many connections of the pool are in use, and how many it may have."""
        pool: Any = self.engine.pool
        return pool.checkedout(), pool.size() + pool._max_overflow

    def trouble(self) -> str | None:
        """Return why nothing can be stored or read now, in a sentence, or None if it can.

        A row is inserted and deleted in one committed transaction. That needs the write lock and room on the disk.
        """
        try:
            with self.write() as session:
                connection = session.connection()
                connection.execute(text("INSERT INTO failed_login (login, at) VALUES ('', :at)"), {"at": _LONG_AGO})
                connection.execute(text("DELETE FROM failed_login WHERE login = ''"))
            with self.read() as session:
                for table in ("person", "project", "item", "task", "annotation"):
                    session.connection().execute(text(f"SELECT * FROM {table} ORDER BY id DESC LIMIT 1")).all()
        except DatabaseUnavailableError as error:
            return str(error)
        return None

    def damage(self) -> str | None:
        """Return a sentence if a SQLite file is damaged, otherwise None. Reads the whole file; PostgreSQL checks
        itself.
        """
        if not self.is_sqlite:
            return None
        try:
            with _available(), self.engine.connect() as connection:
                answer = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
        except DatabaseUnavailableError as error:
            return str(error)
        return None if answer == "ok" else DAMAGED

    def rewrite(self) -> None:
        """Rewrite SQLite's file and empty its log, so that neither holds any deleted or changed data.

        All writers wait until this is done. PostgreSQL does so by itself, after a while.
        """
        if not self.is_sqlite:
            return
        with _available(), self._write_lock(), closing(self.engine.raw_connection()) as connection:
            driver: Any = connection.driver_connection
            driver.execute("VACUUM")
            if driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                raise DatabaseUnavailableError(READ)

    def close(self) -> None:
        """Close all connections."""
        with self._write_lock() if self.is_sqlite else nullcontext():
            if self._notes is not None:
                self._notes.close()
                self._notes = None
            self._noting.close()
        self.engine.dispose()


@contextmanager
def _storable() -> Iterator[None]:
    """Turn errors about values that a database cannot hold (a NUL, half a character, a huge number) into
    ``InvalidInputError``.
    """
    try:
        yield
    except (DataError, UnicodeEncodeError, OverflowError) as error:
        message = "The text has a character or number that Touchstone cannot store. Remove the character or number."
        raise InvalidInputError([Problem("text", message)]) from error


BUSY = "The database is busy, because another process is writing to the database. Try again."
READ = "The database is busy, because another connection has been reading for too long. Try again."
AWAY = "The database does not answer. Check that the database server is running."
READ_ONLY = (
    "Touchstone cannot write to the database, because its file, folder or server is read-only. Make the database "
    "writable."
)
FULL = "The disk of the database is full, so Touchstone cannot store data. Free some disk space."
UNREADABLE = "Touchstone could not read or write a part of the database, because the disk failed. Check the disk."
DAMAGED = "The database is damaged and has invalid content. Stop the server and restore a backup."
NO_FILES = "The server cannot open more files now, because too many pages are open. Close some pages, then try again."
NOT_OPENED = (
    "Touchstone cannot open the database. Its file or folder is missing, or this account has no access. Check the "
    "path and the permissions."
)

_OF_SQLITE = {
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_PROTOCOL: BUSY,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_PERM: NOT_OPENED,
    sqlite3.SQLITE_CANTOPEN: NOT_OPENED,
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_IOERR: UNREADABLE,
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: DAMAGED,
}
_NO_ROOM = (sqlite3.SQLITE_IOERR_SHMSIZE,)
"""SQLite's code for a full disk when it extends the index of its log."""
_OF_POSTGRES = {"25006": READ_ONLY, "53100": FULL, "55P03": BUSY, "40": BUSY, "53": BUSY, "XX": DAMAGED, "08": AWAY}
_OF_POSTGRES |= {"57P": AWAY, "58": UNREADABLE}
"""Messages by SQLSTATE, or by how it begins."""


def why_unavailable(error: Exception) -> str | None:
    """Return the sentence for an error of an unavailable database. None: any other error, such as a wrong query."""
    if isinstance(error, PoolTimeout):
        return BUSY
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", 0)
        reason = FULL if code in _NO_ROOM else _OF_SQLITE.get(code & 0xFF)
        return NO_FILES if reason == NOT_OPENED and not _can_open() else reason
    state = getattr(cause, "sqlstate", None)
    if isinstance(state, str):
        return next((reason for start, reason in _OF_POSTGRES.items() if state.startswith(start)), None)
    lost = isinstance(error, OperationalError) or (isinstance(error, DBAPIError) and error.connection_invalidated)
    return AWAY if lost else None


def _can_open() -> bool:
    """Tell whether this process can open as many files as a connection to SQLite needs."""
    opened: list[int] = []
    try:
        while len(opened) < _FILES_OF_SQLITE:
            opened.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        return False
    finally:
        for descriptor in opened:
            os.close(descriptor)
    return True


@contextmanager
def _available() -> Iterator[None]:
    """Turn errors of an unavailable database (locked, read-only, full, damaged, gone) into
    ``DatabaseUnavailableError``.
    """
    try:
        yield
    except (DBAPIError, PoolTimeout, sqlite3.Error) as error:
        reason = why_unavailable(error)
        if reason is None:
            raise
        raise DatabaseUnavailableError(reason) from error


def _in_words(error: Exception) -> Exception:
    """Return the error into which ``_storable`` and ``_available`` turn an error, or the error itself."""
    try:
        with _storable(), _available():
            raise error
    except Exception as said:
        return said


@contextmanager
def _held(lock: threading.Lock) -> Iterator[None]:
    if not lock.acquire(timeout=_BUSY_SECONDS):
        raise DatabaseUnavailableError(BUSY)
    try:
        yield
    finally:
        lock.release()


def open_store(
    url: str | None, home: Path, *, clock: Clock = utc_now, lasting: bool = True, connections: int = MOST_CONNECTIONS
) -> Store:
    """Return the store at ``url``, or in the SQLite file of ``home``. The file's folder is created if it is missing.

    ``upgrade`` creates the tables. A SQLite store that is not ``lasting`` never waits for the disk: use it for stores
    that are soon deleted. ``connections``: the most connections to PostgreSQL, at least 2.
    """
    address = make_url(normal_url(url) if url else f"sqlite:///{home / 'touchstone.db'}")
    if address.get_backend_name() != "sqlite":
        patience = {} if "connect_timeout" in address.query else {"connect_timeout": _CONNECT_SECONDS}
        noting = max(1, min(AT_ONCE, connections // 4))
        usual = min(20, connections - noting)
        engine = create_engine(
            address,
            pool_size=usual,
            max_overflow=connections - noting - usual,
            pool_pre_ping=True,
            connect_args=patience,
        )
        dialect: Any = engine.dialect
        dialect.do_ping = functools.partial(_is_there, dialect.do_ping)
        return Store(engine, clock=clock, noting=noting)
    if address.database:
        Path(address.database).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    engine = create_engine(
        address,
        pool_size=20,
        max_overflow=60,
        connect_args={"timeout": _BUSY_SECONDS, "check_same_thread": False, "isolation_level": None},
    )
    event.listen(engine, "connect", _prepare_sqlite)
    if not lasting:
        event.listen(engine, "connect", _wait_for_nothing)
    event.listen(engine, "begin", _begin_sqlite)
    event.listen(engine, "checkin", _as_usual)
    return Store(engine, clock=clock)


def _is_there(ping: Callable[[Any], bool], connection: Any) -> bool:
    """Tell whether the server of an idle PostgreSQL connection is still there.

    A server that closes a connection sends a message. A silent connection is not pinged, because every transaction
    would wait for the ping.
    """
    return not has_spoken(connection) or ping(connection)


def _prepare_sqlite(connection: Any, _record: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {_BUSY_SECONDS * 1000}")
    _use_wal(cursor)
    cursor.execute("PRAGMA synchronous = FULL")  # a submission that was acknowledged survives a power cut
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA secure_delete = ON")  # SQLite overwrites deleted data
    cursor.close()


def _use_wal(cursor: Any) -> None:
    """Switch the file to WAL mode. SQLite does not wait if another process switches a new file at the same time."""
    until = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)
        else:
            return


def _wait_for_nothing(connection: Any, _record: ConnectionPoolEntry) -> None:
    connection.execute("PRAGMA synchronous = OFF")


def _begin_sqlite(connection: Connection) -> None:
    options = connection.get_execution_options()
    if options.get("much", False):
        connection.info["much"] = True
        connection.exec_driver_sql(f"PRAGMA cache_size = {-_MUCH_KIB}")
    if options.get("unhurried", False):
        driver: Any = connection.connection.driver_connection
        if driver.execute("PRAGMA synchronous").fetchone()[0] == _FULL:
            connection.info["unhurried"] = True
            driver.execute("PRAGMA synchronous = NORMAL")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("immediate", False) else "BEGIN")


def _as_usual(connection: Any, record: ConnectionPoolEntry) -> None:
    """Reset a SQLite connection when it returns to the pool: its large cache, and its commits that skip the disk."""
    if connection is not None and record.info.pop("much", False):
        connection.execute(f"PRAGMA cache_size = {-_USUAL_KIB}")
    if connection is not None and record.info.pop("unhurried", False):
        connection.execute("PRAGMA synchronous = FULL")


def _lock_of(url: str) -> threading.Lock:
    with _write_locks_guard:
        return _write_locks.setdefault(url, threading.Lock())

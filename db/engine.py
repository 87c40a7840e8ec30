"""The store: one engine, two kinds of transaction.

``read`` sees one state of the database; ``write`` changes it whole or not at all. On SQLite the driver is kept from
opening transactions itself: a write begins with ``BEGIN IMMEDIATE``, so it never has to upgrade a read lock, and
writers of one process queue on a lock of ours because SQLite's own wait is unfair. On PostgreSQL rows are locked
one by one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DataError, IntegrityError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session

from domain.errors import InvalidInput, Problem, SettingsError
from domain.settings import DATABASE_URL, normal_url

__all__ = ["IntegrityError", "Session", "Store", "insert_or_ignore", "open_store", "utc_now"]

Clock = Callable[[], datetime]

_BUSY_SECONDS = 30
_UPGRADE_LOCK = 7_310_594
"""PostgreSQL's advisory lock that keeps two starting processes from migrating at once."""

_write_locks: dict[str, threading.Lock] = {}
_write_locks_guard = threading.Lock()


def utc_now() -> datetime:
    """The moment, in UTC."""
    return datetime.now(UTC)


class Store:
    """A database, its transactions, and the clock that its use cases read."""

    def __init__(self, engine: Engine, *, clock: Clock = utc_now) -> None:
        self.engine = engine
        self.clock = clock
        self._immediate = engine.execution_options(immediate=True)
        self._write_lock: AbstractContextManager[Any] = (
            _lock_of(str(engine.url)) if engine.dialect.name == "sqlite" else nullcontext()
        )

    @property
    def is_sqlite(self) -> bool:
        """SQLite, else PostgreSQL."""
        return self.engine.dialect.name == "sqlite"

    def now(self) -> datetime:
        """The time by this store's clock."""
        return self.clock()

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session for reading; whatever is changed in it is thrown away."""
        with _storable(), Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A session whose changes are committed at the end, or undone if it ends with an error."""
        with (
            _storable(),
            self._write_lock,
            Session(self._immediate, expire_on_commit=False) as session,
            session.begin(),
        ):
            yield session

    def upgrade(self) -> None:
        """Bring the tables to the newest version, whatever they are now. Any number of processes may call it at
        once."""
        with self._write_lock, self._immediate.begin() as connection:
            if not self.is_sqlite:
                connection.execute(text(f"SELECT pg_advisory_xact_lock({_UPGRADE_LOCK})"))
            migrate(connection)

    def answers(self) -> bool:
        """Whether the database can be asked something just now."""
        try:
            with self.engine.connect() as connection:
                return bool(connection.scalar(text("SELECT 1")) == 1)
        except SQLAlchemyError:
            return False

    def close(self) -> None:
        """Give back all connections."""
        self.engine.dispose()


@contextmanager
def _storable() -> Iterator[None]:
    """Turn what a database cannot hold (a NUL, half a character, a number beyond its range) into words."""
    try:
        yield
    except (DataError, UnicodeEncodeError, OverflowError) as error:
        message = "What was sent has a character or a number that cannot be stored; take it out."
        raise InvalidInput([Problem("text", message)]) from error


def open_store(url: str | None, home: Path, *, clock: Clock = utc_now) -> Store:
    """The store at ``url``, or in the SQLite file of ``home``, whose folder is made if need be. ``upgrade`` makes
    its tables."""
    address = make_url(normal_url(url) if url else f"sqlite:///{home / 'touchstone.db'}")
    if address.get_backend_name() != "sqlite":
        engine = create_engine(address, pool_size=20, max_overflow=40, pool_pre_ping=True)
        return Store(engine, clock=clock)
    if address.database:
        Path(address.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(
        address,
        pool_size=20,
        max_overflow=60,
        connect_args={"timeout": _BUSY_SECONDS, "check_same_thread": False, "isolation_level": None},
    )
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return Store(engine, clock=clock)


def insert_or_ignore(session: Session, table: type[Any], rows: Sequence[Mapping[str, Any]]) -> int:
    """Add rows; those that a constraint says are there already are left as they are. The number added."""
    if not rows:
        return 0
    session.flush()
    connection = session.connection()
    build = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    statement = build(table).on_conflict_do_nothing()
    given = [dict(row) for row in rows]
    if connection.dialect.name == "sqlite":
        return connection.execute(statement, given).rowcount
    key = next(iter(inspect(table).primary_key))  # many rows go in one statement, whose count the driver does not tell
    return len(connection.execute(statement.returning(key), given).all())


def migrate(connection: Connection) -> None:
    """Run the migrations that ``connection``'s database lacks."""
    from alembic import command
    from alembic.util import CommandError

    try:
        command.upgrade(migration_config(connection), "head")
    except CommandError as error:
        raise SettingsError(
            "This database was made by another, probably newer version of Touchstone; run that version, or name another"
            f" database in {DATABASE_URL}."
        ) from error


def migration_config(connection: Connection) -> Any:
    """Alembic's configuration for this database."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _prepare_sqlite(connection: Any, _record: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {_BUSY_SECONDS * 1000}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")  # a submission that was acknowledged survives a power cut
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    immediate = connection.get_execution_options().get("immediate", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _lock_of(url: str) -> threading.Lock:
    with _write_locks_guard:
        return _write_locks.setdefault(url, threading.Lock())

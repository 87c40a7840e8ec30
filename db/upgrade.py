"""Bringing a database to the tables of this version, and refusing one that is too old."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from db.append_only import APPEND_ONLY, forbid_changes
from domain.errors import SettingsError
from domain.settings import DATABASE_URL

if TYPE_CHECKING:
    from alembic.script import ScriptDirectory


def migrate(connection: Connection) -> None:
    """Run the migrations that ``connection``'s database lacks."""
    from alembic.migration import MigrationContext

    known = MigrationContext.configure(connection).get_current_revision()
    if known != _scripts().get_current_head():  # usually they are equal, and every command checks
        _migrate_from(known, connection)
    forbid_changes(connection, *APPEND_ONLY)


def migrate_to(connection: Connection, revision: str) -> None:
    """Create the tables of an earlier version, or of this one, in an empty database.

    Raises ``SettingsError`` if this version of Touchstone does not know the revision.
    """
    if revision not in {script.revision for script in _scripts().walk_revisions()}:
        raise SettingsError(
            f"This version of Touchstone does not know the database revision {revision}. "
            "Use another version of Touchstone."
        )
    _migrate_from(None, connection, to=revision)


def _migrate_from(known: str | None, connection: Connection, *, to: str = "head") -> None:
    from alembic import command
    from alembic.util import CommandError

    if known is not None and known.isdigit() and known < _scripts().get_bases()[0]:
        raise SettingsError(
            "This version of Touchstone cannot open the database, because the database is older than the first "
            f"release (revision {known}). Export each project with the version that created the database (touchstone "
            "project export). Then import each project with this version (touchstone project import). Or set "
            f"another database in {DATABASE_URL}."
        )
    links = set() if known is None else _broken_links(connection)
    try:
        command.upgrade(migration_config(connection), to)
    except CommandError as error:
        raise SettingsError(
            "A different version of Touchstone, probably a newer version, created this database. Run "
            f"that version, or set another database in {DATABASE_URL}."
        ) from error
    if known is not None and _broken_links(connection) - links:
        raise RuntimeError("a migration broke links between tables")


@functools.cache
def _scripts() -> ScriptDirectory:
    """Return the migrations, read once in a process."""
    from alembic.script import ScriptDirectory

    return ScriptDirectory.from_config(migration_config(None))


def _broken_links(connection: Connection) -> set[tuple[Any, ...]]:
    """Return SQLite's rows that point to a missing row. PostgreSQL never allows such rows."""
    if connection.dialect.name != "sqlite":
        return set()
    return {tuple(row) for row in connection.exec_driver_sql("PRAGMA foreign_key_check")}


def migration_config(connection: Connection | None) -> Any:
    """Return Alembic's configuration for this database."""
    from alembic.config import Config

    folder = Path(__file__).parent / "migrations"
    config = Config()
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.set_main_option("version_locations", str(folder / "versions").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config

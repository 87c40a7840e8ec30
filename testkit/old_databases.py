"""Databases as they were before the first release."""

from __future__ import annotations

from alembic import command
from sqlalchemy import Connection

from db.engine import migration_config


def make(connection: Connection, revision: str) -> None:
    """Bring an empty or older database to a revision before the first release."""
    command.upgrade(migration_config(connection, before=True), revision)


def go_back(connection: Connection, revision: str) -> None:
    """Make of a database of today, with its rows, what it was at a revision from 0021 on."""
    config = migration_config(connection, before=True)
    command.stamp(config, "head", purge=True)
    command.downgrade(config, revision)

"""Databases as they were before the first release."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from alembic import command
from sqlalchemy import Connection, text

from db.engine import migration_config

STATES = ("in_verification", "in_adjudication", "kept", "rejected", "unverified")
"""Of items, before they could grow."""


def make(connection: Connection, revision: str) -> None:
    """Bring an empty or older database to a revision before the first release."""
    command.upgrade(migration_config(connection, before=True), revision)


def go_back(connection: Connection, revision: str) -> None:
    """Make of a database of today, with its rows, what it was at a revision from 0021 on."""
    _without_what_came_after(connection)
    _check_words(connection)
    config = migration_config(connection, before=True)
    command.stamp(config, "head", purge=True)
    command.downgrade(config, revision)


def _without_what_came_after(connection: Connection) -> None:
    """Take away what later steps made: no schema had changed, and no project was archived."""
    for table in (
        *("schema_change", "notice_mark", "mail_choice", "mail", "schedule", "daily_goal", "person_key"),
        *("entry_budget", "exposure", "exposure_shape", "withdrawal", "release_item", "release_about", "release"),
    ):
        connection.execute(text(f"DROP TABLE {table}"))
    for index in ("ix_asset_sha256", "ix_asset_group", "ix_annotation_pace"):
        connection.execute(text(f"DROP INDEX {index}"))
    columns = {
        "project": ("reading", "archived_at", "release_key"),
        "annotation": ("schema_change",),
        "gold": ("schema_version_id",),
        "imported_rating": ("schema_version_id",),
        "asset": ("group_name", "role", "place", "dimension_given", "dimension_version", "proposal"),
        **dict.fromkeys(("item", "task"), ("dimension_given", "dimension_version")),
        **dict.fromkeys(("member", "invitation"), ("dimensions_given", "dimensions_version")),
    }
    for table, gone in columns.items():
        for column in gone:
            connection.execute(text(f"ALTER TABLE {table} DROP COLUMN {column}"))


def _check_words(connection: Connection) -> None:
    """Let the database say which stages and which states of items there are, as it did before they could grow."""
    before = importlib.import_module("db.migrations.versions.0026_all_tables")
    tables = importlib.import_module("db.migrations.versions.0027_stages_may_grow")._TABLES
    checks = {
        table: f"CONSTRAINT ck_{table}_stage CHECK (stage IN ({_listed(before.STAGE.enums)}))" for table in tables
    }
    checks["item"] = f"CONSTRAINT ck_item_itemstate CHECK (state IN ({_listed(STATES)}))"
    if connection.dialect.name != "sqlite":
        for table, check in checks.items():
            connection.execute(text(f"ALTER TABLE {table} ADD {check}"))
        return
    version = connection.exec_driver_sql("PRAGMA schema_version").scalar_one()
    connection.exec_driver_sql("PRAGMA writable_schema = ON")
    for table, check in checks.items():
        changed = "UPDATE sqlite_master SET sql = substr(sql, 1, length(sql) - 1) || :more WHERE name = :name"
        connection.execute(text(changed), {"more": f", {check})", "name": table})
    connection.exec_driver_sql(f"PRAGMA schema_version = {version + 1}")
    connection.exec_driver_sql("PRAGMA writable_schema = RESET")


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)

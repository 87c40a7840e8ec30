"""A database from before the first release comes to the tables that a fresh one has, with every row."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import Boolean, Column, Connection, DateTime, Float, Integer, MetaData, String, inspect, text
from sqlalchemy.types import JSON

from db import engine
from db.engine import Store, migrate, migration_config, open_store
from domain.errors import SettingsError
from testkit import old_databases
from tests.paths import ROOT

pytestmark = [pytest.mark.both_databases, pytest.mark.thorough]

WHEN = datetime(2026, 1, 1, tzinfo=UTC)
GIVEN_UP = {"walk": "0007"}
"""Tables that a step makes anew: what they held means nothing afterwards."""
MADE_LATER = {
    "daily_goal",
    "entry_budget",
    "mail",
    "mail_choice",
    "notice_mark",
    "person_key",
    "schedule",
    "schema_change",
} | {
    "release",
    "release_about",
    "release_item",
    "withdrawal",
}
"""Tables that came after the steps of old databases had become one."""


@pytest.fixture
def empty(request: pytest.FixtureRequest, store: Store, tmp_path: Path) -> Iterator[Store]:
    """A database of the kind of ``store`` without a table."""
    name = None if store.is_sqlite else request.getfixturevalue("postgres_cluster").create()
    url = request.getfixturevalue("postgres_cluster").url(name) if name else f"sqlite:///{tmp_path / 'old.db'}"
    old = open_store(url, tmp_path)
    yield old
    old.close()
    if name:
        request.getfixturevalue("postgres_cluster").drop(name)


def revisions(connection: Connection) -> list[str]:
    """Those before the first release, the oldest first."""
    scripts = ScriptDirectory.from_config(migration_config(connection, before=True))
    return [each.revision for each in scripts.walk_revisions()][::-1]


# ---- what a database looks like --------------------------------------------------------------------------------------


def shape(connection: Connection) -> dict[str, list[str]]:
    """Everything that a database is made of but its rows, in words, by table."""
    if connection.dialect.name == "sqlite":
        return _shape_of_sqlite(connection)
    found: dict[str, list[str]] = {}
    for table, said in connection.execute(text(_SHAPE_OF_POSTGRES)):
        found.setdefault(table, []).append(said)
    return {table: sorted(lines) for table, lines in found.items()}


_SHAPE_OF_POSTGRES = """
SELECT c.relname, concat_ws(' ', 'column', row_number() OVER (PARTITION BY c.oid ORDER BY a.attnum), a.attname,
    format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid))
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'S')
UNION ALL SELECT conrelid::regclass::text, concat_ws(' ', conname, pg_get_constraintdef(oid)) FROM pg_constraint
  WHERE connamespace = 'public'::regnamespace
UNION ALL SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public'
UNION ALL SELECT tgrelid::regclass::text, concat_ws(' ', pg_get_triggerdef(oid), tgenabled) FROM pg_trigger
  WHERE NOT tgisinternal
UNION ALL SELECT 'function', pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
"""


def _shape_of_sqlite(connection: Connection) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for table, kind, sql in connection.execute(text("SELECT tbl_name, type, sql FROM sqlite_master")):
        if kind == "table":
            found.setdefault(table, []).extend(_CONSTRAINT.findall(sql))
        elif sql is not None:
            found.setdefault(table, []).append(sql)
    for pragma in ("table_xinfo", "foreign_key_list"):
        told = f"SELECT m.name, p.* FROM sqlite_master m, pragma_{pragma}(m.name) p WHERE m.type = 'table'"
        for table, number, *rest in connection.execute(text(told)):
            found[table].append(f"{pragma} {number if pragma == 'table_xinfo' else ''} {rest}")
    return {table: sorted(lines) for table, lines in found.items()}


_CONSTRAINT = re.compile(
    r"CONSTRAINT \w+ (?:PRIMARY KEY|UNIQUE|CHECK|FOREIGN KEY) ?"
    r"\((?:[^()]|\([^()]*\))*\)(?: ?REFERENCES \w+ ?\([^)]*\))?"
)
"""How SQLite keeps what a table demands: as it was written."""


# ---- rows ------------------------------------------------------------------------------------------------------------


def fill(connection: Connection, known: MetaData) -> None:
    """Put a row into each table that has none: each column has a value, each link leads to row 1 of its table."""
    for name in set(inspect(connection).get_table_names()) - {"alembic_version"}:
        if name in known.tables and not connection.scalar(text(f'SELECT count(*) FROM "{name}"')):
            known.remove(known.tables[name])
    known.reflect(connection)
    for table in known.sorted_tables:
        if table.name != "alembic_version" and not connection.scalar(text(f'SELECT count(*) FROM "{table.name}"')):
            words = _words(connection, table.name)
            row = {column.name: _value(column, words) for column in table.columns}
            connection.execute(table.insert().values(row))


def _words(connection: Connection, table: str) -> dict[str, str]:
    """By column, the first of the words that the database lets it have."""
    found = {}
    for check in inspect(connection).get_check_constraints(table):
        column, word = re.search(r"\w+", check["sqltext"]), re.search(r"'(\w+)'", check["sqltext"])
        assert column is not None
        assert word is not None
        found[column.group()] = word.group(1)
    return found


def _value(column: Column[Any], words: Mapping[str, str]) -> Any:
    if column.name in words:
        return words[column.name]
    values: list[tuple[type[Any], Any]] = [
        (Boolean, True), (Integer, 1), (Float, 0.5), (DateTime, WHEN), (JSON, {}), (String, "{}")
    ]  # fmt: skip
    return next(value for kind, value in values if isinstance(column.type, kind))


def rows(connection: Connection, of: Mapping[str, list[str]]) -> dict[str, list[Any]]:
    """All rows, by table and column names."""
    return {
        table: connection.execute(text(f'SELECT {", ".join(columns)} FROM "{table}"')).all()
        for table, columns in of.items()
    }  # type: ignore[misc]


def columns(connection: Connection, *, but: set[str]) -> dict[str, list[str]]:
    look = inspect(connection)
    return {
        table: [f'"{column["name"]}"' for column in look.get_columns(table)]
        for table in look.get_table_names()
        if table not in but
    }


# ---- the way from there ----------------------------------------------------------------------------------------------


def test_every_step_keeps_every_row_and_the_last_one_ends_at_the_tables_of_a_fresh_database(
    store: Store, empty: Store
) -> None:
    """What stands at a revision is what the steps up to it have made, so that this is the way from all of them."""
    with store.engine.connect() as connection:
        fresh = shape(connection)
    assert {"annotation", "bridge_answer"} < set(fresh)
    known = MetaData()
    with empty.changing_tables() as connection:
        for revision in revisions(connection):
            there = columns(
                connection, but={"alembic_version", *(name for name, at in GIVEN_UP.items() if at == revision)}
            )
            before = rows(connection, there)
            assert all(len(found) == 1 for found in before.values())
            old_databases.make(connection, revision)
            assert rows(connection, there) == before, revision
            fill(connection, known)
        there = columns(connection, but={"alembic_version"})
        before = rows(connection, there)
        migrate(connection)
        assert rows(connection, there) == before
        assert shape(connection) == fresh
        assert before.keys() | MADE_LATER == columns(connection, but={"alembic_version"}).keys()


@pytest.mark.parametrize("revision", ["0001", "0016", "0025"])
def test_an_old_database_comes_to_the_tables_of_a_fresh_one(store: Store, empty: Store, revision: str) -> None:
    with store.engine.connect() as connection:
        fresh = shape(connection)
    with empty.changing_tables() as connection:
        old_databases.make(connection, revision)
        fill(connection, MetaData())
    empty.upgrade()
    with empty.engine.connect() as connection:
        assert shape(connection) == fresh
        assert connection.scalar(text("SELECT count(*) FROM prediction")) == 1


def test_a_revision_that_no_one_knows_is_refused_and_nothing_is_changed(empty: Store) -> None:
    with empty.changing_tables() as connection:
        old_databases.make(connection, "0007")
        connection.execute(text("UPDATE alembic_version SET version_num = '0007b'"))
        before = shape(connection)
    with pytest.raises(SettingsError, match="another, probably newer version of Touchstone"):
        empty.upgrade()
    with empty.engine.connect() as connection:
        assert shape(connection) == before
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == "0007b"


def test_a_way_that_is_broken_off_is_begun_anew(store: Store, empty: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with store.engine.connect() as connection:
        fresh = shape(connection)
    with empty.changing_tables() as connection:
        old_databases.make(connection, "0007")
        before = shape(connection)

    def broken(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(engine, "forbid_changes", broken)  # the last step of all
        with pytest.raises(KeyboardInterrupt):
            empty.upgrade()
    with empty.engine.connect() as connection:
        assert shape(connection) == before
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == "0007"
    empty.upgrade()
    with empty.engine.connect() as connection:
        assert shape(connection) == fresh


def test_two_processes_may_go_it_at_once(store: Store, empty: Store, tmp_path: Path) -> None:
    with store.engine.connect() as connection:
        fresh = shape(connection)
    with empty.changing_tables() as connection:
        old_databases.make(connection, "0007")
    url = empty.engine.url.render_as_string(hide_password=False)
    code = "import sys, pathlib, db.engine; db.engine.open_store(sys.argv[1], pathlib.Path()).upgrade()"
    both = [subprocess.Popen([sys.executable, "-c", code, url], cwd=ROOT) for _ in range(2)]
    assert [each.wait() for each in both] == [0, 0]
    with empty.engine.connect() as connection:
        assert shape(connection) == fresh
        assert connection.scalar(text("SELECT count(*) FROM alembic_version")) == 1


def test_a_trigger_that_is_missing_comes_back(store: Store) -> None:
    """A copy of a database, or of a table, may come without them."""
    with store.engine.connect() as connection:
        fresh = shape(connection)
    drop = "DROP TRIGGER event_no_update" if store.is_sqlite else "DROP TRIGGER event_append_only ON event"
    with store.write() as session:
        session.connection().execute(text(drop))
    store.upgrade()
    with store.engine.connect() as connection:
        assert shape(connection) == fresh

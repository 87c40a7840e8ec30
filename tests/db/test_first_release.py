"""A database of the first release comes to the tables that a fresh one has, with every row; an older one is refused."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, inspect, text

from db import upgrade
from db.engine import Store, open_store
from domain.errors import SettingsError
from tests.paths import ROOT

pytestmark = [pytest.mark.both_databases, pytest.mark.thorough, pytest.mark.essential]

FIRST_RELEASE = ROOT / "tests" / "db" / "first_release.sql"
"""A SQLite database as the version before the first release left it, with a row in every table."""


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


# ---- the way from there ----------------------------------------------------------------------------------------------


@pytest.mark.one_database
def test_a_database_of_the_first_release_keeps_every_row(store: Store, empty: Store, tmp_path: Path) -> None:
    with store.engine.connect() as connection:
        fresh = shape(connection)
    with closing(sqlite3.connect(tmp_path / "old.db")) as driver:
        driver.executescript(FIRST_RELEASE.read_text(encoding="utf-8"))
        tables = [name for (name,) in driver.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        before = {table: driver.execute(f'SELECT count(*) FROM "{table}"').fetchone() for table in tables}
    assert {"annotation", "bridge_answer", "exposure"} < before.keys()
    assert set(before.values()) == {(1,)}
    empty.upgrade()
    with empty.engine.connect() as connection:
        assert shape(connection) == fresh
        assert {table: connection.execute(text(f'SELECT count(*) FROM "{table}"')).one() for table in tables} == before


def test_a_database_from_before_the_first_release_is_refused_and_nothing_is_changed(empty: Store) -> None:
    with empty.changing_tables() as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
        connection.execute(text("INSERT INTO alembic_version VALUES ('0042')"))
    with pytest.raises(SettingsError, match=r"first release \(revision 0042\).*touchstone project export"):
        empty.upgrade()
    with empty.engine.connect() as connection:
        assert inspect(connection).get_table_names() == ["alembic_version"]
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == "0042"


def test_a_first_start_that_is_broken_off_is_begun_anew(
    store: Store, empty: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store.engine.connect() as connection:
        fresh = shape(connection)

    def broken(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(upgrade, "forbid_changes", broken)  # the last step of all
        with pytest.raises(KeyboardInterrupt):
            empty.upgrade()
    with empty.engine.connect() as connection:
        assert shape(connection) == {}
    empty.upgrade()
    with empty.engine.connect() as connection:
        assert shape(connection) == fresh


def test_two_processes_may_start_at_once(store: Store, empty: Store) -> None:
    with store.engine.connect() as connection:
        fresh = shape(connection)
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

"""What people have said and decided is only ever added to: which tables, and the triggers that hold it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, text

APPEND_ONLY = (
    "annotation",
    "revision",
    "guideline_version",
    "schedule",
    "entry_budget",
    "cause_answer",
    "comment",
    "event",
    "exposure",
    "exposure_shape",
    "sift_decision",
    "qualification_set",
    "qualification",
    "qualification_review",
    "gold_pardon",
    "attempt",
    "judge_template",
    "judgement",
    "reading",
    "bridge_answer",
    "release",
    "release_item",
    "withdrawal",
    "release_about",
)
"""The tables of which the database refuses to change or delete rows; only a whole project goes (``let_go``)."""

_LETTING_GO = "touchstone.letting_go"
"""PostgreSQL's setting of a transaction that deletes a project."""

FUNCTION = (
    "CREATE OR REPLACE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    f"IF TG_OP = 'DELETE' AND current_setting('{_LETTING_GO}', true) = 'yes' THEN RETURN OLD; END IF; "
    "RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$"
)
"""What PostgreSQL's triggers call."""


def forbid_changes(connection: Connection, *tables: str) -> None:
    """Let the database refuse to change or delete rows of tables, no matter who asks; triggers that are there stay."""
    sqlite = connection.dialect.name == "sqlite"
    known = "SELECT name FROM sqlite_master WHERE type = 'trigger'" if sqlite else "SELECT tgname FROM pg_trigger"
    there = set(connection.scalars(text(known)))
    wanted = {name: sql for table in tables for name, sql in (_of_sqlite if sqlite else _of_postgres)(table).items()}
    missing = [sql for name, sql in wanted.items() if name not in there]
    if missing and not sqlite:
        connection.execute(text(FUNCTION))
    for statement in missing:
        connection.execute(text(statement))


def let_go(connection: Connection) -> None:
    """Let rows be deleted until the transaction ends. SQLite's triggers are gone then: ``forbid_changes`` has to bring
    them back in the same transaction, which no other one can write beside."""
    if connection.dialect.name != "sqlite":
        connection.execute(text(f"SELECT set_config('{_LETTING_GO}', 'yes', true)"))
        return
    for table in APPEND_ONLY:
        connection.execute(text(f"DROP TRIGGER IF EXISTS {table}_no_delete"))


@contextmanager
def changing(connection: Connection, table: str) -> Iterator[None]:
    """Let rows of a table be changed meanwhile, within a transaction that no other one writes beside: a person who is
    erased is taken out of the log. Nothing else may."""
    if connection.dialect.name == "sqlite":
        connection.execute(text(f"DROP TRIGGER IF EXISTS {table}_no_update"))
    else:
        connection.execute(text(f"ALTER TABLE {table} DISABLE TRIGGER {table}_append_only"))
    yield
    if connection.dialect.name == "sqlite":
        forbid_changes(connection, table)
    else:
        connection.execute(text(f"ALTER TABLE {table} ENABLE TRIGGER {table}_append_only"))


def _of_sqlite(table: str) -> dict[str, str]:
    """The triggers of a table, by name."""
    return {
        f"{table}_no_{verb.lower()}": f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        for verb in ("UPDATE", "DELETE")
    }


def _of_postgres(table: str) -> dict[str, str]:
    return {
        f"{table}_append_only": f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} "
        "FOR EACH ROW EXECUTE FUNCTION append_only()",
        f"{table}_no_truncate": f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION append_only()",
    }

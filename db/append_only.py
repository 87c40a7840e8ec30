"""The append-only tables of what people submitted and decided, and the triggers that protect them."""

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
"""The tables whose rows the database refuses to change or delete. Only a whole project can be deleted (``let_go``)."""

_LETTING_GO = "touchstone.letting_go"
"""PostgreSQL's setting for a transaction that deletes a project."""

FUNCTION = (
    "CREATE OR REPLACE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    f"IF TG_OP = 'DELETE' AND current_setting('{_LETTING_GO}', true) = 'yes' THEN RETURN OLD; END IF; "
    "RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$"
)
"""The function that PostgreSQL's triggers call."""


def forbid_changes(connection: Connection, *tables: str) -> None:
    """Make the database refuse to change or delete rows of these tables, whoever asks. Existing triggers are kept."""
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
    """Allow rows to be deleted until the transaction ends.

    On SQLite this drops the triggers: call ``forbid_changes`` in the same transaction to restore them. No other
    transaction can write before it ends.
    """
    if connection.dialect.name != "sqlite":
        connection.execute(text(f"SELECT set_config('{_LETTING_GO}', 'yes', true)"))
        return
    for table in APPEND_ONLY:
        connection.execute(text(f"DROP TRIGGER IF EXISTS {table}_no_delete"))


@contextmanager
def changing(connection: Connection, table: str) -> Iterator[None]:
    """Allow rows of a table to be changed inside the block, within a transaction that locks out other writers.

    Only the erasure of a person from the log may use this function.
    """
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
    """Return the SQL of a table's triggers, by name."""
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

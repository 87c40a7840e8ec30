"""Stages may grow: the database no longer says which there are, so that one more needs no change of the tables."""

from __future__ import annotations

import re

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

_TABLES = ("annotation", "aside", "bridge_project", "imported_rating", "tally", "task", "walk")


def upgrade() -> None:
    bind = op.get_bind()
    if bind.dialect.name != "sqlite":
        for table in _TABLES:
            op.drop_constraint(op.f(f"ck_{table}_stage"), table, type_="check")
        return
    # SQLite's own way to drop a check, which copies no row: https://www.sqlite.org/lang_altertable.html#otheralter
    version = bind.exec_driver_sql("PRAGMA schema_version").scalar_one()
    bind.exec_driver_sql("PRAGMA writable_schema = ON")
    for table in _TABLES:
        there = sa.text("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = :name")
        sql = bind.execute(there, {"name": table}).scalar_one()
        check = re.compile(rf",\s*CONSTRAINT ck_{table}_stage CHECK \(stage IN \([^()]*\)\)")
        without, n = check.subn("", sql)
        if n != 1:
            raise RuntimeError(f"the table {table} has no check of its stage")
        changed = sa.text("UPDATE sqlite_master SET sql = :sql WHERE type = 'table' AND name = :name")
        bind.execute(changed, {"sql": without, "name": table})
    bind.exec_driver_sql(f"PRAGMA schema_version = {version + 1}")
    bind.exec_driver_sql("PRAGMA writable_schema = RESET")

"""States of items may grow: the database no longer says which there are, so that a further stage of verification needs
no change of the tables."""

from __future__ import annotations

import re

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    bind = op.get_bind()
    if bind.dialect.name != "sqlite":
        op.drop_constraint(op.f("ck_item_itemstate"), "item", type_="check")
        return
    # SQLite's own way to drop a check, which copies no row: https://www.sqlite.org/lang_altertable.html#otheralter
    version = bind.exec_driver_sql("PRAGMA schema_version").scalar_one()
    bind.exec_driver_sql("PRAGMA writable_schema = ON")
    sql = bind.execute(sa.text("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'item'")).scalar_one()
    without, n = re.subn(r",\s*CONSTRAINT ck_item_itemstate CHECK \(state IN \([^()]*\)\)", "", sql)
    if n != 1:
        raise RuntimeError("the table item has no check of its state")
    changed = sa.text("UPDATE sqlite_master SET sql = :sql WHERE type = 'table' AND name = 'item'")
    bind.execute(changed, {"sql": without})
    bind.exec_driver_sql(f"PRAGMA schema_version = {version + 1}")
    bind.exec_driver_sql("PRAGMA writable_schema = RESET")

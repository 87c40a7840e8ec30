"""Projects may be archived and deleted: since when one is archived, a quick way from a file to all who have it, and on
PostgreSQL a function that still keeps what people said from being deleted, but lets a whole project go."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from db.append_only import FUNCTION

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("project", sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index("ix_asset_sha256", "asset", ["sha256"])
    if op.get_bind().dialect.name != "sqlite":
        op.execute(sa.text(FUNCTION))

"""What a slot and a submission are for: live work, qualification, or hidden gold."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

TABLES = ("task", "annotation")


def upgrade() -> None:
    for table in TABLES:
        op.add_column(table, sa.Column("purpose", sa.String(32), nullable=False, server_default="live"))

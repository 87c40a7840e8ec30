"""Tasks that a browser has fetched ahead of time and not shown yet."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("task", sa.Column("reserved", sa.Boolean(), nullable=False, server_default=sa.false()))

"""Dimensions may change: what something's dimension was when it came, and under which schema that was."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("item", "task", "asset"):
        op.add_column(table, sa.Column("dimension_given", sa.String(), nullable=True))
        op.add_column(table, sa.Column("dimension_version", sa.Integer(), nullable=True))
    for table in ("member", "invitation"):
        op.add_column(table, sa.Column("dimensions_given", sa.JSON(), nullable=True))
        op.add_column(table, sa.Column("dimensions_version", sa.Integer(), nullable=True))

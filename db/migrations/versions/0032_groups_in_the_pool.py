"""Images and clips may come into the pool in groups, each with its place in an item."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("asset", sa.Column("group_name", sa.String(), nullable=True))
    op.add_column("asset", sa.Column("role", sa.String(), nullable=True))
    op.add_column("asset", sa.Column("place", sa.Integer(), nullable=True))
    op.create_index("ix_asset_group", "asset", ["project_id", "group_name", "place"], unique=True)

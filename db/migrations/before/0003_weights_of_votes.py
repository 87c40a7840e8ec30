"""What a vote weighs, stored with it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("annotation", sa.Column("weight", sa.Float(), nullable=True))

"""The order in which options were shown, stored with what was answered."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("annotation", sa.Column("shown", sa.JSON(), nullable=True))

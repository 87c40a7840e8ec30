"""What a review compared a try with, and how many items a set was to have."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("qualification_set", sa.Column("wanted", sa.Integer(), nullable=True))
    op.add_column("qualification_review", sa.Column("reference_ids", sa.JSON(), nullable=True))

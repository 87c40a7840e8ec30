"""A run can be withdrawn: it stays, with the reason, and counts nowhere."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("run", sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("run", sa.Column("withdrawn_why", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("run", "withdrawn_why")  # not by a copy of the table, which others point to
    op.drop_column("run", "withdrawn_at")

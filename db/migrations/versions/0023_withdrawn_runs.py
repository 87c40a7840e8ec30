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
    with op.batch_alter_table("run") as table:
        table.drop_column("withdrawn_why")
        table.drop_column("withdrawn_at")

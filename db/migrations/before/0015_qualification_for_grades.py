"""Sets of models' answers to grade before the live ones."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("qualification_set", sa.Column("prediction_ids", sa.JSON(), nullable=True))

"""Versions of a guideline under which everybody has to qualify again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("guideline_version", sa.Column("requalify", sa.Boolean(), nullable=False, server_default=sa.false()))

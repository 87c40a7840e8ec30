"""Indices for what an annotator's page asks, and the last figures that took long to count."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

FIGURES = ("left_then", "done_then", "kept_then", "decided_then")
TIMES = ("counted_at", "fresh_until")


def upgrade() -> None:
    op.drop_index("ix_revision_editor_id", "revision")
    op.create_index("ix_revision_item_id_editor_id", "revision", ["item_id", "editor_id"])
    op.create_index("ix_task_correcting", "task", ["person_id", "correcting"])
    for name in TIMES:
        op.add_column("walk", sa.Column(name, sa.DateTime(timezone=True), nullable=True))
    for name in FIGURES:
        op.add_column("walk", sa.Column(name, sa.Integer(), nullable=True))

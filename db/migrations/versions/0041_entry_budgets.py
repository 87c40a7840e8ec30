"""How many entries a team may send in within so many days, every version of it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from db.append_only import forbid_changes

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "entry_budget",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("entries", sa.Integer(), nullable=True),
        sa.Column("days", sa.Integer(), nullable=True),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_entry_budget_project_id")),
        sa.ForeignKeyConstraint(["by_id"], ["person.id"], name=op.f("fk_entry_budget_by_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entry_budget")),
        sa.UniqueConstraint("project_id", "number", name=op.f("uq_entry_budget_project_id_number")),
    )
    forbid_changes(op.get_bind(), "entry_budget")

"""Items with a known answer, and whom a lead lets work on after failing them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from db.append_only import forbid_changes

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "gold",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public_id", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("stage", sa.String(32), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("prediction_id", sa.Integer(), nullable=True),
        sa.Column("dimension", sa.String(), nullable=False),
        sa.Column("answers", sa.JSON(), nullable=False),
        sa.Column("made_by_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("why", sa.String(), nullable=False, server_default=""),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_gold_project_id"),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_gold_item_id"),
        sa.ForeignKeyConstraint(["prediction_id"], ["prediction.id"], name="fk_gold_prediction_id"),
        sa.ForeignKeyConstraint(["made_by_id"], ["person.id"], name="fk_gold_made_by_id"),
        sa.PrimaryKeyConstraint("id", name="pk_gold"),
        sa.UniqueConstraint("public_id", name="uq_gold_public_id"),
    )
    op.create_index("ix_gold_project_id_stage", "gold", ["project_id", "stage"])
    op.create_index("ix_gold_item_id", "gold", ["item_id"])
    op.create_table(
        "gold_pardon",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("stage", sa.String(32), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_gold_pardon_project_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_gold_pardon_person_id"),
        sa.ForeignKeyConstraint(["by_id"], ["person.id"], name="fk_gold_pardon_by_id"),
        sa.PrimaryKeyConstraint("id", name="pk_gold_pardon"),
    )
    op.create_index("ix_gold_pardon_person_id", "gold_pardon", ["person_id"])
    forbid_changes(op.get_bind(), "gold_pardon")

"""Sets of items to pass before a stage, who tried, and what seniors said of it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from db.append_only import forbid_changes

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

APPEND_ONLY = ("qualification_set", "qualification", "qualification_review")


def upgrade() -> None:
    op.create_table(
        "qualification_set",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("stage", sa.String(32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("item_ids", sa.JSON(), nullable=False),
        sa.Column("requalify", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("guideline_hash", sa.String(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("made_by_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_qualification_set_project_id"),
        sa.ForeignKeyConstraint(["made_by_id"], ["person.id"], name="fk_qualification_set_made_by_id"),
        sa.PrimaryKeyConstraint("id", name="pk_qualification_set"),
        sa.UniqueConstraint("project_id", "stage", "number", name="uq_qualification_set_project_id_stage_number"),
    )
    op.create_table(
        "qualification",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public_id", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("stage", sa.String(32), nullable=False),
        sa.Column("set_id", sa.Integer(), nullable=True),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("exempt_by_id", sa.Integer(), nullable=True),
        sa.Column("why", sa.String(), nullable=False, server_default=""),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_qualification_project_id"),
        sa.ForeignKeyConstraint(["set_id"], ["qualification_set.id"], name="fk_qualification_set_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_qualification_person_id"),
        sa.ForeignKeyConstraint(["exempt_by_id"], ["person.id"], name="fk_qualification_exempt_by_id"),
        sa.PrimaryKeyConstraint("id", name="pk_qualification"),
        sa.UniqueConstraint("public_id", name="uq_qualification_public_id"),
        sa.UniqueConstraint(
            "project_id", "stage", "person_id", "number", name="uq_qualification_project_id_stage_person_id_number"
        ),
    )
    op.create_table(
        "qualification_review",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("qualification_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("signs", sa.Boolean(), nullable=False),
        sa.Column("comments", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(32), nullable=False),
        sa.Column("n_right", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["qualification_id"], ["qualification.id"], name="fk_qualification_review_qualification_id"
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_qualification_review_person_id"),
        sa.PrimaryKeyConstraint("id", name="pk_qualification_review"),
    )
    op.create_index("ix_qualification_review_qualification_id", "qualification_review", ["qualification_id"])
    for table in APPEND_ONLY:
        forbid_changes(op.get_bind(), table)

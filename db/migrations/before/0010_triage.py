"""Candidate images, what was decided about them, and how many of a source were kept."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from db.append_only import forbid_changes

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("source", sa.Column("kept", sa.Integer(), nullable=False, server_default="0"))
    op.create_table(
        "candidate",
        sa.Column("asset_id", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=True),
        sa.Column("state", sa.String(length=32), nullable=False, server_default="waiting"),
        sa.Column("sharpness", sa.Float(), nullable=True),
        sa.Column("look", sa.BigInteger(), nullable=True),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("group_id", sa.Integer(), nullable=True),
        sa.Column("decision_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["asset_id"], ["asset.id"], name="fk_candidate_asset_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_candidate_project_id"),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name="fk_candidate_source_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_candidate_person_id"),
        sa.PrimaryKeyConstraint("asset_id", name="pk_candidate"),
    )
    op.create_index("ix_candidate_waiting", "candidate", ["project_id", "state", "asset_id"])
    op.create_index("ix_candidate_mine", "candidate", ["person_id", "project_id", "state"])
    op.create_index("ix_candidate_source_id", "candidate", ["source_id"])
    op.create_table(
        "sift_decision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("asset_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("submit_key", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("typed", sa.Boolean(), nullable=False),
        sa.Column("schema_version_id", sa.Integer(), nullable=False),
        sa.Column("guideline_hash", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_sift_decision_project_id"),
        sa.ForeignKeyConstraint(["asset_id"], ["asset.id"], name="fk_sift_decision_asset_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_sift_decision_person_id"),
        sa.ForeignKeyConstraint(
            ["schema_version_id"], ["schema_version.id"], name="fk_sift_decision_schema_version_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_sift_decision"),
        sa.UniqueConstraint(
            "person_id", "submit_key", "asset_id", name="uq_sift_decision_person_id_submit_key_asset_id"
        ),
    )
    op.create_index("ix_sift_decision_asset_id", "sift_decision", ["asset_id"])
    op.create_index("ix_sift_decision_project_id_id", "sift_decision", ["project_id", "id"])
    forbid_changes(op.get_bind(), "sift_decision")

"""Versions of a project's guideline, who has read them, and the causes that they answer."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from db.append_only import forbid_changes

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

APPEND_ONLY = ("guideline_version", "cause_answer")


def upgrade() -> None:
    op.create_table(
        "guideline_version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_guideline_version_project_id"),
        sa.ForeignKeyConstraint(["by_id"], ["person.id"], name="fk_guideline_version_by_id"),
        sa.PrimaryKeyConstraint("id", name="pk_guideline_version"),
        sa.UniqueConstraint("project_id", "number", name="uq_guideline_version_project_id_number"),
        sa.UniqueConstraint("project_id", "hash", name="uq_guideline_version_project_id_hash"),
    )
    op.create_table(
        "guideline_seen",
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_guideline_seen_project_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_guideline_seen_person_id"),
        sa.PrimaryKeyConstraint("project_id", "person_id", name="pk_guideline_seen"),
    )
    op.create_table(
        "cause_answer",
        sa.Column("annotation_id", sa.Integer(), nullable=False),
        sa.Column("guideline_version_id", sa.Integer(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["annotation_id"], ["annotation.id"], name="fk_cause_answer_annotation_id"),
        sa.ForeignKeyConstraint(
            ["guideline_version_id"], ["guideline_version.id"], name="fk_cause_answer_guideline_version_id"
        ),
        sa.ForeignKeyConstraint(["by_id"], ["person.id"], name="fk_cause_answer_by_id"),
        sa.PrimaryKeyConstraint("annotation_id", name="pk_cause_answer"),
    )
    op.create_index("ix_cause_answer_guideline_version_id", "cause_answer", ["guideline_version_id"])
    op.add_column("project", sa.Column("guideline_number", sa.Integer(), nullable=False, server_default="1"))
    op.execute(
        "INSERT INTO guideline_version (project_id, number, hash, text, why, created_at)"
        " SELECT project.id, 1, schema_version.guideline_hash, schema_version.guideline_text, '', project.created_at"
        " FROM project JOIN schema_version ON schema_version.id = project.schema_version_id"
    )
    for table in APPEND_ONLY:
        forbid_changes(op.get_bind(), table)

"""Schemas may change: what a project's schema was changed to, by whom, and how what was given before is read now."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "schema_change",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("before_id", sa.Integer(), nullable=False),
        sa.Column("after_id", sa.Integer(), nullable=False),
        sa.Column("decisions", sa.JSON(), nullable=False),
        sa.Column("reading_before", sa.JSON(), nullable=True),
        sa.Column("guideline_before", sa.Integer(), nullable=False),
        sa.Column("undoes", sa.Integer(), nullable=True),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("done_to", sa.Integer(), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_schema_change_project_id")),
        sa.ForeignKeyConstraint(["before_id"], ["schema_version.id"], name=op.f("fk_schema_change_before_id")),
        sa.ForeignKeyConstraint(["after_id"], ["schema_version.id"], name=op.f("fk_schema_change_after_id")),
        sa.ForeignKeyConstraint(["by_id"], ["person.id"], name=op.f("fk_schema_change_by_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_schema_change")),
        sa.UniqueConstraint("project_id", "number", name=op.f("uq_schema_change_project_id_number")),
    )
    op.add_column("project", sa.Column("reading", sa.JSON(), nullable=True))
    op.add_column("annotation", sa.Column("schema_change", sa.Integer(), nullable=True))

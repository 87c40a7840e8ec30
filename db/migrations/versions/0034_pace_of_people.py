"""A quick way to what everyone has submitted in a project: how much, when, and in how much time."""

from __future__ import annotations

from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    columns = ["person_id", "project_id", "stage", "purpose", "created_at", "supersedes_id", "seconds", "schema_change"]
    op.create_index("ix_annotation_pace", "annotation", columns)

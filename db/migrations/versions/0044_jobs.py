"""One table for all long tasks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("public_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("slot", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=True),
        sa.Column("project", sa.String(), nullable=True),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=True),
        sa.Column("origin", sa.String(), nullable=True),
        sa.Column("state", sa.String(length=32), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("of", sa.Integer(), nullable=False),
        sa.Column("said", sa.Text(), nullable=False),
        sa.Column("input", sa.JSON(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=False),
        sa.Column("files", sa.JSON(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("deaths", sa.Integer(), nullable=False),
        sa.Column("worker", sa.String(), nullable=False),
        sa.Column("process", sa.JSON(), nullable=False),
        sa.Column("lease_until", MOMENT, nullable=True),
        sa.Column("canceling", sa.Boolean(), nullable=False),
        sa.Column("due_at", MOMENT, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("started_at", MOMENT, nullable=True),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.Column("read_at", MOMENT, nullable=True),
        sa.UniqueConstraint("public_id"),
    )
    still_open = sa.text("ended_at IS NULL")
    op.create_index("ix_jobs_open", "jobs", ["slot"], unique=True, sqlite_where=still_open, postgresql_where=still_open)
    op.create_index("ix_jobs_next", "jobs", ["state", "due_at", "id"])
    op.create_index("ix_jobs_slot_id", "jobs", ["slot", "id"])
    op.create_index("ix_jobs_project_id", "jobs", ["project_id"])
    op.create_index("ix_jobs_person_id", "jobs", ["person_id"])

"""What someone has seen of the notices that follow from what is stored."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "notice_mark",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_notice_mark_person_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_notice_mark_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notice_mark")),
        sa.UniqueConstraint("person_id", "key", name=op.f("uq_notice_mark_person_id_key")),
    )
    op.create_index("ix_notice_mark_project_id", "notice_mark", ["project_id"])

"""Whether a rater whose ratings came from a file is a person or a machine."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "file_rater",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("is_person", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_file_rater_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_file_rater"),
        sa.UniqueConstraint("project_id", "name", name="uq_file_rater_project_id_name"),
    )


def downgrade() -> None:
    op.drop_table("file_rater")

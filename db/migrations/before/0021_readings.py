"""What models' answers state: read once, kept with the words, and read again by newer readers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from db.append_only import forbid_changes

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "reading",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("prediction_id", sa.Integer(), nullable=False),
        sa.Column("reader", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False, server_default="text"),
        sa.Column("asked", sa.String(), nullable=False),
        sa.Column("outcome", sa.String(length=32), nullable=False, server_default="unreadable"),
        sa.Column("value", sa.JSON(), nullable=True),
        sa.Column("places", sa.JSON(), nullable=False),
        sa.Column("spans", sa.JSON(), nullable=False),
        sa.Column("rule", sa.String(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["prediction_id"], ["prediction.id"], name="fk_reading_prediction_id"),
        sa.PrimaryKeyConstraint("id", name="pk_reading"),
        sa.UniqueConstraint(
            "prediction_id", "reader", "version", "asked", name="uq_reading_prediction_id_reader_version_asked"
        ),
    )
    forbid_changes(op.get_bind(), "reading")

"""Identities at sign-in providers, and the device and the last use of sessions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "identity",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("issuer", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("given", sa.JSON(), nullable=False),
        sa.UniqueConstraint("issuer", "subject"),
    )
    op.create_index("ix_identity_person_id", "identity", ["person_id"])
    op.add_column("session", sa.Column("device", sa.String(), nullable=False, server_default=""))
    op.add_column("session", sa.Column("used_at", sa.DateTime(timezone=True), nullable=True))

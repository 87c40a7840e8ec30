"""The log of events is append-only, and says from where something was done."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from db.append_only import forbid_changes

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("event", sa.Column("origin", sa.String(), nullable=True))
    op.create_index("ix_event_project_id_kind", "event", ["project_id", "kind", "id"])
    forbid_changes(op.get_bind(), "event")

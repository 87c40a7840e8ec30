"""The log of events is append-only, and says from where something was done."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("event", sa.Column("origin", sa.String(), nullable=True))
    op.create_index("ix_event_project_id_kind", "event", ["project_id", "kind", "id"])
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER event_no_{verb.lower()} BEFORE {verb} ON event "
                "BEGIN SELECT RAISE(ABORT, 'event is append-only'); END"
            )
        return
    op.execute(
        "CREATE TRIGGER event_append_only BEFORE UPDATE OR DELETE ON event FOR EACH ROW EXECUTE FUNCTION append_only()"
    )
    op.execute(
        "CREATE TRIGGER event_no_truncate BEFORE TRUNCATE ON event FOR EACH STATEMENT EXECUTE FUNCTION append_only()"
    )


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            op.execute(f"DROP TRIGGER event_no_{verb.lower()}")
    else:
        op.execute("DROP TRIGGER event_append_only ON event")
        op.execute("DROP TRIGGER event_no_truncate ON event")
    op.drop_index("ix_event_project_id_kind", "event")
    op.drop_column("event", "origin")

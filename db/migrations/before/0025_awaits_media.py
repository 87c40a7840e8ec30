"""What waits for an image or clip stands apart from what is offered."""

from __future__ import annotations

import sqlalchemy as sa
import yaml
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

PLACE = ["project_id", "stage", "state"]


def upgrade() -> None:
    op.add_column("task", sa.Column("awaits_media", sa.Boolean(), nullable=False, server_default=sa.false()))
    _note()
    for name in ("ix_task_next", "ix_task_next_dimension", "ix_task_opened"):
        op.drop_index(name, "task")
    op.create_index("ix_task_next", "task", [*PLACE, "awaits_media", "rank", "shuffle"])
    op.create_index("ix_task_next_dimension", "task", [*PLACE, "dimension", "awaits_media", "rank", "shuffle"])
    op.create_index("ix_task_opened", "task", [*PLACE, "awaits_media", "opened", "id"])


def downgrade() -> None:
    for name in ("ix_task_opened", "ix_task_next_dimension", "ix_task_next"):
        op.drop_index(name, "task")
    op.drop_column("task", "awaits_media")  # not by a copy of the table, which others point to
    op.create_index("ix_task_next", "task", [*PLACE, "rank", "shuffle"])
    op.create_index("ix_task_next_dimension", "task", [*PLACE, "dimension", "rank", "shuffle"])
    op.create_index("ix_task_opened", "task", [*PLACE, "opened", "id"])


def _note() -> None:
    """Slots about items that lack an image or clip in a role of which the project's schema wants at least one."""
    connection = op.get_bind()
    projects = connection.execute(
        sa.text("SELECT p.id, s.text FROM project p JOIN schema_version s ON s.id = p.schema_version_id")
    ).all()
    update = sa.text(
        "UPDATE task SET awaits_media = true WHERE project_id = :project AND state <> 'done' AND item_id IN"
        " (SELECT ia.item_id FROM asset a JOIN item_asset ia ON ia.asset_id = a.id"
        " WHERE a.project_id = :project AND a.sha256 IS NULL AND ia.role IN :roles)"
    ).bindparams(sa.bindparam("roles", expanding=True))
    for project, text in projects:
        slots = ((yaml.safe_load(text) or {}).get("item") or {}).get("assets") or []
        needed = [slot["role"] for slot in slots if slot.get("min", 1)]
        if needed:
            connection.execute(update, {"project": project, "roles": needed})

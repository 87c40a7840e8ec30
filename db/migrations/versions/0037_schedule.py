"""Deadlines and the order of stages, every version of them; and the goals that people set themselves."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from db.append_only import forbid_changes

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "schedule",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("deadlines", sa.JSON(), nullable=False),
        sa.Column("stage_order", sa.JSON(), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("created_at", moment, nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_schedule_project_id")),
        sa.ForeignKeyConstraint(["by_id"], ["person.id"], name=op.f("fk_schedule_by_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_schedule")),
        sa.UniqueConstraint("project_id", "number", name=op.f("uq_schedule_project_id_number")),
    )
    forbid_changes(op.get_bind(), "schedule")
    op.create_table(
        "daily_goal",
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("tasks", sa.Integer(), nullable=False),
        sa.Column("set_at", moment, nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_daily_goal_person_id")),
        sa.PrimaryKeyConstraint("person_id", name=op.f("pk_daily_goal")),
    )

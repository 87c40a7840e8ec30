"""The order of slots, what somebody has set aside, and how much waits for whom."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

STAGES = ("triage", "authoring", "verification", "adjudication", "refinement", "grading")
COUNTS = ("rank", "place", "begun", "cost", "heard", "heard_id")


def _of_person(name: str, *columns: Any) -> None:
    """A table of what belongs to a person in a stage."""
    op.create_table(
        name,
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column(
            "stage",
            sa.Enum(*STAGES, name="stage", native_enum=False, create_constraint=True, length=32),
            nullable=False,
        ),
        *columns,
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=f"fk_{name}_person_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=f"fk_{name}_project_id"),
        sa.PrimaryKeyConstraint("id", name=f"pk_{name}"),
    )


def upgrade() -> None:
    op.add_column("item", sa.Column("priority", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("task", sa.Column("rank", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("task", sa.Column("opened", sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("draft", sa.Column("put_away_at", sa.DateTime(timezone=True), nullable=True))
    op.drop_index("ix_task_next", "task")
    op.drop_index("ix_task_next_dimension", "task")
    op.create_index("ix_task_next", "task", ["project_id", "stage", "state", "rank", "shuffle"])
    op.create_index("ix_task_next_dimension", "task", ["project_id", "stage", "state", "dimension", "rank", "shuffle"])
    op.create_index("ix_task_opened", "task", ["project_id", "stage", "state", "opened", "id"])
    op.create_index("ix_draft_lost", "draft", ["lost", "saved_at"])
    op.drop_table("walk")  # where people were in the old order means nothing in the new one
    _of_person(
        "walk",
        sa.Column("dimension", sa.String(), nullable=False),
        sa.Column("bits", sa.Integer(), nullable=True),
        *[sa.Column(name, sa.BigInteger(), nullable=False) for name in COUNTS],
        sa.Column("ended", sa.Boolean(), nullable=False),
        sa.UniqueConstraint(
            "project_id", "person_id", "stage", "dimension", name="uq_walk_project_id_person_id_stage_dimension"
        ),
    )
    op.create_index("ix_walk_person_id", "walk", ["person_id"])
    _of_person(
        "aside",
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("released", sa.Boolean(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name="fk_aside_task_id"),
        sa.UniqueConstraint("person_id", "unit", name="uq_aside_person_id_unit"),
    )
    op.create_index("ix_aside_person_id", "aside", ["person_id", "project_id", "stage", "at"])
    op.create_index("ix_aside_task_id", "aside", ["task_id"])
    _of_person(
        "tally",
        sa.Column("counted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("fresh_until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("left", sa.JSON(), nullable=False),
        sa.Column("done", sa.JSON(), nullable=False),
        sa.Column("kept", sa.Integer(), nullable=False),
        sa.Column("decided", sa.Integer(), nullable=False),
        sa.UniqueConstraint("project_id", "person_id", "stage", name="uq_tally_project_id_person_id_stage"),
    )
    op.create_index("ix_tally_person_id", "tally", ["person_id"])

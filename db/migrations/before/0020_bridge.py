"""Work that goes out to another tool's screens: its server, whose work it is, what was sent, what came back."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from db.append_only import forbid_changes

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)
_STAGES = ("triage", "authoring", "verification", "adjudication", "refinement", "grading")


def upgrade() -> None:
    op.create_table(
        "bridge",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("stages", sa.JSON(), nullable=False),
        sa.Column("ahead", sa.Integer(), nullable=False, server_default="3"),
        sa.Column("hold_hours", sa.Float(), nullable=False, server_default="8"),
        sa.Column("stay", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("pulled_at", _MOMENT, nullable=True),
        sa.Column("pushed_at", _MOMENT, nullable=True),
        sa.Column("woken_at", _MOMENT, nullable=True),
        sa.Column("said", sa.Text(), nullable=False),
        sa.Column("busy_by", sa.String(), nullable=True),
        sa.Column("busy_until", _MOMENT, nullable=True),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_bridge_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_bridge"),
        sa.UniqueConstraint("project_id", "address", name="uq_bridge_project_id_address"),
    )
    op.create_table(
        "bridge_person",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("bridge_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("outside_user", sa.Integer(), nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["bridge_id"], ["bridge.id"], name="fk_bridge_person_bridge_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_bridge_person_person_id"),
        sa.PrimaryKeyConstraint("id", name="pk_bridge_person"),
        sa.UniqueConstraint("bridge_id", "person_id", name="uq_bridge_person_bridge_id_person_id"),
        sa.UniqueConstraint("bridge_id", "email", name="uq_bridge_person_bridge_id_email"),
    )
    op.create_index("ix_bridge_person_person_id", "bridge_person", ["person_id"])
    op.create_table(
        "bridge_project",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("bridge_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column(
            "stage",
            sa.Enum(*_STAGES, name="stage", native_enum=False, create_constraint=True, length=32),
            nullable=False,
        ),
        sa.Column("labeling_hash", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("outside_user", sa.Integer(), nullable=False),
        sa.Column("outside_id", sa.Integer(), nullable=True),
        sa.Column("strangers", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("removed_at", _MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["bridge_id"], ["bridge.id"], name="fk_bridge_project_bridge_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_bridge_project_person_id"),
        sa.PrimaryKeyConstraint("id", name="pk_bridge_project"),
        sa.UniqueConstraint("key", name="uq_bridge_project_key"),
    )
    op.create_index("ix_bridge_project_bridge_id", "bridge_project", ["bridge_id", "removed_at"])
    op.create_index("ix_bridge_project_person_id", "bridge_project", ["person_id"])
    op.create_table(
        "bridge_task",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("bridge_project_id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=32), nullable=False, server_default="sending"),
        sa.Column("says", sa.Text(), nullable=False),
        sa.Column("suggestion", sa.JSON(), nullable=True),
        sa.Column("outside_id", sa.Integer(), nullable=True),
        sa.Column("guideline", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("annotation_id", sa.Integer(), nullable=True),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("sent_at", _MOMENT, nullable=True),
        sa.Column("ended_at", _MOMENT, nullable=True),
        sa.Column("gone_at", _MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["bridge_project_id"], ["bridge_project.id"], name="fk_bridge_task_bridge_project_id"),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name="fk_bridge_task_task_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_bridge_task_person_id"),
        sa.ForeignKeyConstraint(["annotation_id"], ["annotation.id"], name="fk_bridge_task_annotation_id"),
        sa.PrimaryKeyConstraint("id", name="pk_bridge_task"),
        sa.UniqueConstraint("key", name="uq_bridge_task_key"),
    )
    op.create_index("ix_bridge_task_bridge_project_id", "bridge_task", ["bridge_project_id", "gone_at", "state"])
    op.create_index("ix_bridge_task_task_id", "bridge_task", ["task_id", "state"])
    op.create_index("ix_bridge_task_person_id", "bridge_task", ["person_id"])
    op.create_table(
        "bridge_answer",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("bridge_id", sa.Integer(), nullable=False),
        sa.Column("bridge_task_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("outside_annotation", sa.Integer(), nullable=False),
        sa.Column("outside_user", sa.Integer(), nullable=True),
        sa.Column("updated", sa.String(), nullable=False),
        sa.Column("outcome", sa.String(length=32), nullable=False, server_default="stored"),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("raw", sa.JSON(), nullable=False),
        sa.Column("annotation_id", sa.Integer(), nullable=True),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["bridge_id"], ["bridge.id"], name="fk_bridge_answer_bridge_id"),
        sa.ForeignKeyConstraint(["bridge_task_id"], ["bridge_task.id"], name="fk_bridge_answer_bridge_task_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_bridge_answer_person_id"),
        sa.ForeignKeyConstraint(["annotation_id"], ["annotation.id"], name="fk_bridge_answer_annotation_id"),
        sa.PrimaryKeyConstraint("id", name="pk_bridge_answer"),
        sa.UniqueConstraint("bridge_task_id", "outside_annotation", "updated", "outcome", name="uq_bridge_answer_once"),
    )
    op.create_index("ix_bridge_answer_bridge_id", "bridge_answer", ["bridge_id", "outcome"])
    op.create_index("ix_bridge_answer_person_id", "bridge_answer", ["person_id"])
    forbid_changes(op.get_bind(), "bridge_answer")

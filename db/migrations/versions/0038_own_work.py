"""What a person has done is counted in an index alone, and what they correct is found by one look."""

from __future__ import annotations

from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("ix_task_mine", "task")
    op.drop_index("ix_task_correcting", "task")
    op.create_index("ix_task_mine", "task", ["person_id", "project_id", "stage", "state", "dimension", "purpose"])
    op.create_index("ix_task_correcting", "task", ["person_id", "project_id", "stage", "correcting"])

"""Batch files of runs: what was handed in, and what became of every question and line."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "run_batch",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("worker_id", sa.Integer(), nullable=False),
        sa.Column("by_hand", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("state", sa.String(length=32), nullable=False, server_default="making"),
        sa.Column("file", sa.Text(), nullable=True),
        sa.Column("server_id", sa.Text(), nullable=True),
        sa.Column("most_cost", sa.Float(), nullable=False, server_default="0"),
        sa.Column("told", sa.JSON(), nullable=False),
        sa.Column("said", sa.Text(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("sent_at", _MOMENT, nullable=True),
        sa.Column("ended_at", _MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_run_batch_run_id"),
        sa.ForeignKeyConstraint(["worker_id"], ["run_worker.id"], name="fk_run_batch_worker_id"),
        sa.PrimaryKeyConstraint("id", name="pk_run_batch"),
        sa.UniqueConstraint("run_id", "number", name="uq_run_batch_run_id_number"),
    )
    op.create_table(
        "run_batch_unit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("batch_id", sa.Integer(), nullable=False),
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("prompt_hash", sa.String(), nullable=False),
        sa.Column("image_hashes", sa.JSON(), nullable=False),
        sa.Column("attempt_id", sa.Integer(), nullable=True),
        sa.Column("digest", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["batch_id"], ["run_batch.id"], name="fk_run_batch_unit_batch_id"),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_run_batch_unit_item_id"),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempt.id"], name="fk_run_batch_unit_attempt_id"),
        sa.PrimaryKeyConstraint("id", name="pk_run_batch_unit"),
        sa.UniqueConstraint("batch_id", "unit_id", name="uq_run_batch_unit_batch_id_unit_id"),
    )
    op.create_table(
        "run_batch_problem",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("raw", sa.Text(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_run_batch_problem_run_id"),
        sa.PrimaryKeyConstraint("id", name="pk_run_batch_problem"),
        sa.UniqueConstraint("run_id", "key", name="uq_run_batch_problem_run_id_key"),
    )

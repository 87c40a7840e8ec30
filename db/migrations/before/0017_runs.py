"""Runs of models: where they stand, the chunks that workers share, the workers, and every attempt."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from db.append_only import forbid_changes

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    with op.batch_alter_table("run") as run:
        run.alter_column(
            "kind", existing_type=sa.String(), type_=sa.String(32), existing_nullable=False, server_default="import"
        )
        run.add_column(sa.Column("state", sa.String(length=32), nullable=False, server_default="done"))
        run.add_column(sa.Column("spec_hash", sa.String(), nullable=False, server_default=""))
        run.add_column(sa.Column("wanted", sa.Integer(), nullable=False, server_default="0"))
        run.add_column(sa.Column("said", sa.Text(), nullable=False, server_default=""))
        run.add_column(sa.Column("by_id", sa.Integer(), nullable=True))
        run.add_column(sa.Column("started_at", _MOMENT, nullable=True))
        run.add_column(sa.Column("ended_at", _MOMENT, nullable=True))
    op.create_table(
        "run_worker",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("about", sa.JSON(), nullable=False),
        sa.Column("started_at", _MOMENT, nullable=False),
        sa.Column("seen_at", _MOMENT, nullable=False),
        sa.Column("ended_at", _MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_run_worker_run_id"),
        sa.PrimaryKeyConstraint("id", name="pk_run_worker"),
    )
    op.create_index("ix_run_worker_run_id", "run_worker", ["run_id"])
    op.create_table(
        "run_chunk",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("unit_ids", sa.JSON(), nullable=False),
        sa.Column("since", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("done", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("worker_id", sa.Integer(), nullable=True),
        sa.Column("lease_until", _MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_run_chunk_run_id"),
        sa.ForeignKeyConstraint(["worker_id"], ["run_worker.id"], name="fk_run_chunk_worker_id"),
        sa.PrimaryKeyConstraint("id", name="pk_run_chunk"),
        sa.UniqueConstraint("run_id", "number", name="uq_run_chunk_run_id_number"),
    )
    op.create_index("ix_run_chunk_next", "run_chunk", ["run_id", "done", "lease_until", "number"])
    op.create_table(
        "attempt",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("worker_id", sa.Integer(), nullable=False),
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(length=32), nullable=False, server_default="failed"),
        sa.Column("final", sa.Boolean(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("finish_reason", sa.String(), nullable=True),
        sa.Column("tokens_in", sa.Integer(), nullable=True),
        sa.Column("tokens_out", sa.Integer(), nullable=True),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("waited", sa.Float(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("request_id", sa.String(), nullable=True),
        sa.Column("prompt_hash", sa.String(), nullable=False),
        sa.Column("image_hashes", sa.JSON(), nullable=False),
        sa.Column("cost", sa.Float(), nullable=True),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_attempt_run_id"),
        sa.ForeignKeyConstraint(["worker_id"], ["run_worker.id"], name="fk_attempt_worker_id"),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_attempt_item_id"),
        sa.PrimaryKeyConstraint("id", name="pk_attempt"),
        sa.UniqueConstraint("run_id", "unit_id", "number", name="uq_attempt_run_id_unit_id_number"),
    )
    op.create_index("ix_attempt_item_id", "attempt", ["item_id"])
    op.create_index("ix_attempt_run_id_outcome", "attempt", ["run_id", "outcome", "id"])
    op.create_table(
        "tool_result",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("tool", sa.String(), nullable=False),
        sa.Column("arguments", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("arguments_key", sa.Text(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_tool_result_item_id"),
        sa.PrimaryKeyConstraint("id", name="pk_tool_result"),
        sa.UniqueConstraint("item_id", "tool", "arguments_key", name="uq_tool_result_item_id_tool_arguments_key"),
    )
    forbid_changes(op.get_bind(), "attempt")

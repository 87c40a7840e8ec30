"""Comments on items, whom they are for, and who has looked at an item before its verdict."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from db.append_only import forbid_changes

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "comment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public_id", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("reply_to_id", sa.Integer(), nullable=True),
        sa.Column("submit_key", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("early", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_comment_project_id"),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_comment_item_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_comment_person_id"),
        sa.ForeignKeyConstraint(["reply_to_id"], ["comment.id"], name="fk_comment_reply_to_id"),
        sa.PrimaryKeyConstraint("id", name="pk_comment"),
        sa.UniqueConstraint("public_id", name="uq_comment_public_id"),
        sa.UniqueConstraint("person_id", "submit_key", name="uq_comment_person_id_submit_key"),
    )
    op.create_index("ix_comment_item_id_id", "comment", ["item_id", "id"])
    op.create_index("ix_comment_project_id_id", "comment", ["project_id", "id"])
    op.create_table(
        "comment_for",
        sa.Column("comment_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["comment_id"], ["comment.id"], name="fk_comment_for_comment_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_comment_for_person_id"),
        sa.PrimaryKeyConstraint("comment_id", "person_id", name="pk_comment_for"),
    )
    op.create_index("ix_comment_for_person_id", "comment_for", ["person_id"])
    op.create_table(
        "insight",
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_insight_item_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_insight_person_id"),
        sa.PrimaryKeyConstraint("item_id", "person_id", name="pk_insight"),
    )
    forbid_changes(op.get_bind(), "comment")

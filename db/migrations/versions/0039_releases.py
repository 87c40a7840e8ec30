"""Releases, what is in them, what is said of them, and what was withdrawn."""

from __future__ import annotations

import secrets

import sqlalchemy as sa
from alembic import op

from db.append_only import forbid_changes

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.add_column("project", sa.Column("release_key", sa.String(), nullable=False, server_default=""))
    connection = op.get_bind()
    for (id,) in connection.execute(sa.text("SELECT id FROM project")).all():
        filled = {"key": secrets.token_hex(32), "id": id}
        connection.execute(sa.text("UPDATE project SET release_key = :key WHERE id = :id"), filled)
    op.create_table(
        "release",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("point", sa.Integer(), nullable=False),
        sa.Column("asked", sa.JSON(), nullable=False),
        sa.Column("told", sa.JSON(), nullable=False),
        sa.Column("manifest_sha256", sa.String(), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("created_at", moment, nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_release_project_id")),
        sa.ForeignKeyConstraint(["by_id"], ["person.id"], name=op.f("fk_release_by_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_release")),
        sa.UniqueConstraint("project_id", "number", "point", name=op.f("uq_release_project_id_number_point")),
    )
    op.create_table(
        "release_item",
        sa.Column("release_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("item_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("split", sa.String(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["release_id"], ["release.id"], name=op.f("fk_release_item_release_id")),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_release_item_item_id")),
        sa.PrimaryKeyConstraint("release_id", "item_id", name=op.f("pk_release_item")),
    )
    op.create_table(
        "withdrawal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("created_at", moment, nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_withdrawal_project_id")),
        sa.ForeignKeyConstraint(["release_id"], ["release.id"], name=op.f("fk_withdrawal_release_id")),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_withdrawal_item_id")),
        sa.ForeignKeyConstraint(["by_id"], ["person.id"], name=op.f("fk_withdrawal_by_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_withdrawal")),
    )
    op.create_index("ix_withdrawal_release_id", "withdrawal", ["release_id"])
    op.create_table(
        "release_about",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("about", sa.JSON(), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("created_at", moment, nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_release_about_project_id")),
        sa.ForeignKeyConstraint(["by_id"], ["person.id"], name=op.f("fk_release_about_by_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_release_about")),
        sa.UniqueConstraint("project_id", "number", name=op.f("uq_release_about_project_id_number")),
    )
    forbid_changes(op.get_bind(), "release", "release_item", "withdrawal", "release_about")

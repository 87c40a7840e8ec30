"""What was sent to whom about which item, before they answered."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from db.append_only import forbid_changes

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "exposure_shape",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("schema_version_id", sa.Integer(), nullable=False),
        sa.Column("told", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_exposure_shape_project_id")),
        sa.ForeignKeyConstraint(
            ["schema_version_id"], ["schema_version.id"], name=op.f("fk_exposure_shape_schema_version_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_exposure_shape")),
        sa.UniqueConstraint("project_id", "hash", name=op.f("uq_exposure_shape_project_id_hash")),
    )
    op.create_table(
        "exposure",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=True),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=True),
        sa.Column("asset_id", sa.Integer(), nullable=True),
        sa.Column("shape_id", sa.Integer(), nullable=False),
        sa.Column("route", sa.String(length=32), nullable=False),
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=True),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("bytes", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_exposure_project_id")),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_exposure_item_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_exposure_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_exposure")),
    )
    op.create_index("ix_exposure_project_id", "exposure", ["project_id"])
    op.create_index("ix_exposure_item_id", "exposure", ["item_id", "person_id"])
    op.create_index(
        "ix_exposure_asset",
        "exposure",
        ["person_id", "asset_id", "sha256"],
        unique=True,
        sqlite_where=sa.text("asset_id IS NOT NULL"),
        postgresql_where=sa.text("asset_id IS NOT NULL"),
    )
    forbid_changes(op.get_bind(), "exposure", "exposure_shape")

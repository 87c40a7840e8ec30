"""Right answers of gold checks and ratings out of files know in the words of which schema they are."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("gold", "imported_rating"):
        op.add_column(table, sa.Column("schema_version_id", sa.Integer(), nullable=True))
        in_force = f"SELECT project.schema_version_id FROM project WHERE project.id = {table}.project_id"
        op.execute(f"UPDATE {table} SET schema_version_id = ({in_force})")  # names could not change under them

"""What a model proposes for an item about an image, kept with the image."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("asset", sa.Column("proposal", sa.JSON(), nullable=True))
